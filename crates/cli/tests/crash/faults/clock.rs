//! A clock that jumps while events are in flight: nothing waits for ever, whether it is set back or stays.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::matrix::{self, Run};
use super::shim::Control;
use crate::client::Client;
use crate::invariants;
use crate::script::{Transcript, button_when_checked, pressed};
use crate::server::Server;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;
const JUMPS: [(&str, i64); 6] = [
    ("an hour ahead", HOUR),
    ("an hour back", -HOUR),
    ("a day ahead", DAY),
    ("a day back", -DAY),
    ("a year ahead", YEAR),
    ("a year back", -YEAR),
];
/// The time in which an accepted event has its turn.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of parallel conversations.
const LANES: usize = 3;

/// A jump, and true if the clock is set right while events are in flight.
type Jump = (i64, bool);

#[test]
fn a_clock_that_jumps_leaves_nothing_waiting() {
    let mut cells: Vec<(String, Jump)> = Vec::new();
    for (name, by) in JUMPS {
        cells.push((format!("the clock jumps {name}"), (by, false)));
        cells.push((format!("the clock jumps {name} and is set right"), (by, true)));
    }
    matrix::run("Clock", &cells, |(by, mended), seed| play(*by, *mended, seed));
}

fn play(by: i64, mended: bool, seed: u64) -> Run {
    let data = tempfile::tempdir().unwrap();
    let control = Control::create(data.path());
    let server = Server::start_on(data, &[], &control.variables());
    let client = Client::new(server.url());
    client.wait_until_ready();
    let mut run = Run::default();
    let mut lanes: Vec<Lane<'_>> =
        (0..LANES).map(|n| Lane::new(&client, format!("seed{seed}-{n}"))).collect();
    // The jump comes before, between and after what each conversation has in flight, by the seed.
    for lane in &mut lanes {
        lane.ask();
        lane.hurry(1 + seed % 3);
    }
    let wrong_from = usize::try_from(seed).unwrap_or(0) % LANES;
    for (n, lane) in lanes.iter_mut().enumerate() {
        if n == wrong_from {
            control.set_clock(by);
        }
        lane.approve();
        lane.hurry(2);
    }
    if mended {
        control.set_clock(0);
    }
    for lane in &mut lanes {
        lane.ask();
        lane.approve();
        lane.hurry(1);
    }
    let (sent, applied): (Vec<Transcript>, Vec<Vec<String>>) =
        lanes.into_iter().map(|lane| (lane.sent, lane.applied)).unzip();
    for key in sent.iter().flat_map(|lane| &lane.unawaited) {
        if !client.has_turn(key, PATIENCE) {
            run.wrong.push(format!("never ended: {key} was accepted and has no turn"));
        }
    }
    client.wait_until_settled();
    // Nothing is stuck: `/readyz` names it if it is.
    client.wait_until_ready();
    run.wrong.extend(invariants::lanes(&client, &sent));
    run.wrong.extend(issues(&client, &applied.concat()));
    run.count(&client, &sent);
    run.struck = control.struck();
    if run.struck == 0 {
        run.wrong.push("the process never read the wrong clock".into());
    }
    server.kill_after(Duration::ZERO);
    client.wait_until_ready();
    client.wait_until_settled();
    let data = server.stop();
    run.check_log(data.path());
    run.wrong.extend(invariants::store(data.path(), &sent));
    run
}

/// Checks that there is one issue for each press that was applied, and no other.
fn issues(client: &Client, applied: &[String]) -> Vec<String> {
    let mut made: BTreeMap<String, i64> = BTreeMap::new();
    for issue in client.list("/v1/tracker/issues?limit=200") {
        *made.entry(issue["title"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    for title in applied {
        *made.entry(title.clone()).or_default() -= 1;
    }
    let tell = |(title, left): (String, i64)| match left {
        0 => None,
        1.. => Some(format!("doubled: {left} issues too many of {title}")),
        _ => Some(format!("lost: {title} was approved and is not there")),
    };
    made.into_iter().filter_map(tell).collect()
}

/// A conversation in which the clock jumps.
struct Lane<'c> {
    client: &'c Client,
    name: String,
    sent: Transcript,
    /// The newest card's button, and its title.
    asked: Option<(String, String)>,
    /// The titles whose approval was applied.
    applied: Vec<String>,
}

impl<'c> Lane<'c> {
    fn new(client: &'c Client, name: String) -> Self {
        Self { client, name, sent: Transcript::default(), asked: None, applied: Vec::new() }
    }

    /// Asks for a ticket.
    fn ask(&mut self) {
        let title = format!("Page {} of {} is empty", self.sent.events.len(), self.name);
        let text = format!("Create a bug: {title}\nSteps: open it\nExpected: a list\nActual: nothing");
        let answer = self.event(json!({ "kind": "message.posted", "actor": { "id": "you" }, "text": text }));
        self.asked = Some((button_when_checked(self.client, &answer, "approve"), title));
    }

    /// Approves the ticket. The card may have expired meanwhile.
    fn approve(&mut self) {
        let Some((token, title)) = self.asked.take() else { return };
        let answer = self.event(pressed("ana", &token));
        if answer["reason"] == "press.applied" {
            self.applied.push(title);
        }
    }

    /// Sends messages and waits for none of them.
    fn hurry(&mut self, count: u64) {
        for _ in 0..count {
            let key = format!("{}-hurried-{}", self.name, self.sent.unawaited.len());
            let body = json!({
                "lane": { "channel": "api", "conversation": self.name }, "kind": "message.posted",
                "actor": { "id": "you" }, "text": "nobody waits for this one",
            });
            self.client.event_without_waiting(&key, &body);
            self.sent.unawaited.push(key);
        }
    }

    fn event(&mut self, mut body: Value) -> Value {
        let key = format!("{}-{}", self.name, self.sent.events.len());
        body["lane"] = json!({ "channel": "api", "conversation": self.name });
        let answer = self.client.event(&key, &body);
        self.sent.lane = answer["lane"].as_str().unwrap().to_owned();
        self.sent.events.push((key, body, answer.clone()));
        answer
    }
}
