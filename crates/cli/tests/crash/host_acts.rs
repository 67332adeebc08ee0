//! Acts that a host asks leave for, while the process is killed at each fail point: the host is handed each approved act under
//! one id, so that one which keeps ids performs it once.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::{Value, json};
use throughline_runtime::FailPoint;

use crate::client::Client;
use crate::script::{button, pressed};
use crate::server::{FAILPOINT, Server, Variable};
use crate::{number, run_parallel};

/// Requests of a run, each in a conversation of its own.
const REQUESTS: usize = 3;

const CONFIG: &str = r#"
[[users]]
id = "ana"
roles = ["approver"]
[[approvers]]
effects = ["host.act"]
targets = ["act:*"]
allow = ["role:approver"]
"#;

#[test]
fn an_approved_act_is_performed_once_wherever_the_process_dies() {
    let (first, seeds) = (number("THROUGHLINE_CRASH_FIRST", 1), number("THROUGHLINE_CRASH_SEEDS", 3));
    let jobs: Vec<(FailPoint, u64)> = (first..first + seeds)
        .flat_map(|seed| FailPoint::ALL.into_iter().map(move |point| (point, seed)))
        .collect();
    let ran: Mutex<Vec<bool>> = Mutex::default();
    let wrong: Mutex<Vec<String>> = Mutex::default();
    run_parallel(&jobs, |(point, seed)| {
        let died = std::panic::catch_unwind(|| run(*point, *seed));
        match died {
            Ok((found, died)) => {
                ran.lock().unwrap().push(died);
                wrong.lock().unwrap().extend(found);
            }
            Err(_) => {
                wrong.lock().unwrap().push(format!("{} seed {seed}: the run itself failed", point.name()))
            }
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let died = ran.into_inner().unwrap().into_iter().filter(|died| *died).count();
    assert!(died * 3 > jobs.len(), "only {died} of {} processes died", jobs.len());
}

/// Asks for every act, approves it, performs what is offered and reports it. Returns what is wrong, and whether the process
/// died.
fn run(point: FailPoint, seed: u64) -> (Vec<String>, bool) {
    let config = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(config.path(), CONFIG).unwrap();
    let settings: Variable = ("THROUGHLINE_CONFIG", config.path().display().to_string());
    let dies: Variable = (FAILPOINT, format!("{}:{}", point.name(), 1 + (seed - 1) * 2 % 7));
    let server = Server::start(&[dies], &[settings]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    // What the host did, by the id of the effect: it looks there before it does anything.
    let mut performed: BTreeMap<String, String> = BTreeMap::new();
    let mut lanes = Vec::new();
    for n in 0..REQUESTS {
        let asked = client.event(&format!("ask-{n}"), &request(n));
        // A host that does not know whether its request arrived sends it anew, under another key.
        let again = client.event(&format!("ask-again-{n}"), &request(n));
        assert_eq!(again["reason"], "request.known", "{again}");
        let approve =
            client.event(&format!("approve-{n}"), &in_lane(n, pressed("ana", &button(&asked, "approve"))));
        assert_eq!(approve["reason"], "press.applied", "{approve}");
        perform(&client, &mut performed);
        lanes.push(asked["lane"].as_str().unwrap().to_owned());
    }
    client.until("the acts to settle", || {
        perform(&client, &mut performed);
        let open = |state: &str| !client.list(&format!("/v1/effects?state={state}&limit=200")).is_empty();
        (!open("planned") && !open("attempted")).then_some(())
    });
    let mut wrong = Vec::new();
    for (n, lane) in lanes.iter().enumerate() {
        let mut acts = client.list(&format!("/v1/effects?lane={lane}&limit=200"));
        acts.retain(|effect| effect["class"] == "host.act");
        let states: Vec<&str> = acts.iter().filter_map(|act| act["state"].as_str()).collect();
        let content = payload_of(n).to_string();
        let times = performed.values().filter(|payload| **payload == content).count();
        if (states.as_slice(), times) != (["done"].as_slice(), 1) {
            wrong.push(format!(
                "{} seed {seed}: act {n} is {states:?} and was done {times} times",
                point.name()
            ));
        }
    }
    (wrong, server.died())
}

/// Performs every act that is offered and was not performed before, and reports it, also if it was reported before.
fn perform(client: &Client, performed: &mut BTreeMap<String, String>) {
    for act in client.list("/v1/effects?state=attempted&limit=200") {
        if act["class"] == "host.act" {
            let (id, payload) = (act["id"].as_str().unwrap(), act["payload"].as_str().unwrap());
            performed.entry(id.to_owned()).or_insert_with(|| payload.to_owned());
            client.report(id, &json!({ "outcome": "applied" }));
        }
    }
}

fn payload_of(n: usize) -> Value {
    json!({ "amount": n })
}

fn request(n: usize) -> Value {
    let approval = json!({ "request_id": format!("r{n}"), "title": format!("Pay {n} EUR"), "target": "payments",
        "payload": payload_of(n) });
    in_lane(n, json!({ "kind": "approval.requested", "actor": { "id": "you" }, "approval": approval }))
}

fn in_lane(n: usize, mut body: Value) -> Value {
    body["lane"] = json!({ "channel": "api", "conversation": format!("act-{n}") });
    body
}
