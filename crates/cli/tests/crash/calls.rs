//! Calls of a tool while the process is killed. Most of them wait for their turn at a server that takes one call at a time;
//! what was not handed to it is not uncertain, and goes on by itself.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::script::{button, pressed};
use crate::server::{Server, Variable};
use crate::{number, run_parallel};

/// Calls of a run, each in a conversation of its own.
const CALLS: usize = 12;

/// A tool server that notes each call in a file before it takes a while.
const TOOLS: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"note","description":"Writes a note.","inputSchema":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}}]}}\n' "$id" ;;
    *'"tools/call"'*) printf '%s\n' "$line" >> BEGUN; sleep 0.1
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"noted"}]}}\n' "$id" ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  esac
done
"#;

const CONFIG: &str = r#"
[mcp.notes]
command = "/bin/sh"
args = ["FOLDER/server.sh"]
env = ["PATH"]
calls = 1
[tools.note]
server = "notes"
risk = "write"
args = { text = "text" }
[[users]]
id = "ana"
roles = ["approver"]
[[approvers]]
effects = ["tool.*"]
targets = ["tool:*"]
allow = ["role:approver"]
"#;

/// Counts of one run.
struct Counted {
    /// Calls that ended without an answer that is known.
    uncertain: usize,
    /// Those of them that the tool had begun.
    begun: usize,
    wrong: Vec<String>,
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts belong to the output of the run")]
fn of_the_calls_that_wait_a_kill_leaves_at_most_one_uncertain() {
    let (first, seeds) = (number("THROUGHLINE_CRASH_FIRST", 1), number("THROUGHLINE_CRASH_SEEDS", 3));
    let jobs: Vec<u64> = (first..first + seeds * 2).collect();
    let counted: Mutex<Vec<Counted>> = Mutex::default();
    run_parallel(&jobs, |seed| {
        let ran = run(*seed);
        counted.lock().unwrap().push(ran);
    });
    let counted = counted.into_inner().unwrap();
    let sum = |of: fn(&Counted) -> usize| counted.iter().map(of).sum::<usize>();
    println!(
        "{} kills over {} approved calls: {} uncertain, {} of them begun at the tool",
        jobs.len(),
        jobs.len() * CALLS,
        sum(|one| one.uncertain),
        sum(|one| one.begun),
    );
    let wrong: Vec<&String> = counted.iter().flat_map(|one| &one.wrong).collect();
    assert!(wrong.is_empty() && counted.len() == jobs.len(), "{wrong:#?}");
}

/// Approves all calls, kills the process meanwhile, and counts what became of them.
fn run(seed: u64) -> Counted {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let begun_file = path("begun");
    std::fs::write(path("server.sh"), TOOLS.replace("BEGUN", &begun_file.display().to_string())).unwrap();
    std::fs::write(path("tools.toml"), CONFIG.replace("FOLDER", &folder.path().display().to_string()))
        .unwrap();
    let settings: Variable = ("THROUGHLINE_CONFIG", path("tools.toml").display().to_string());
    let server = Server::start(&[], &[settings]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    client.pin_tools();
    let asked: Vec<(String, String)> = (0..CALLS).map(|n| ask(&client, n)).collect();
    std::thread::scope(|scope| {
        for (n, (_, approve)) in asked.iter().enumerate() {
            let (client, body) = (client.clone(), in_lane(n, pressed("ana", approve)));
            scope.spawn(move || {
                let pressed = client.event(&format!("approve-{n}"), &body);
                assert_eq!(pressed["reason"], "press.applied", "{pressed}");
            });
        }
        server.kill_after(Duration::from_millis(50 + seed * 97 % 1_200));
    });
    server.wait_for_death(Duration::from_secs(5));
    client.wait_until_ready();
    client.wait_until_settled();
    let lanes: Vec<String> = asked.into_iter().map(|(lane, _)| lane).collect();
    let begun = std::fs::read_to_string(&begun_file).unwrap_or_default();
    count(&client, &lanes, &begun)
}

/// Asks for a call. Returns its lane and the token that approves it.
fn ask(client: &Client, n: usize) -> (String, String) {
    let says = |step: &str, text: &str| {
        let body = json!({ "kind": "message.posted", "actor": { "id": "you" }, "text": text });
        client.event(&format!("{step}-{n}"), &in_lane(n, body))
    };
    says("run", "run note");
    let shown = says("text", &words(n));
    (shown["lane"].as_str().unwrap().to_owned(), button(&shown, "approve"))
}

fn words(n: usize) -> String {
    format!("note number {n} of them")
}

fn in_lane(n: usize, mut body: Value) -> Value {
    body["lane"] = json!({ "channel": "api", "conversation": format!("call-{n}") });
    body
}

/// Counts what became of the call in each lane, of which the tool had begun these.
fn count(client: &Client, lanes: &[String], begun: &str) -> Counted {
    let mut counted = Counted { uncertain: 0, begun: 0, wrong: Vec::new() };
    for (n, lane) in lanes.iter().enumerate() {
        let times = begun.lines().filter(|line| line.contains(&words(n))).count();
        let mut calls = client.list(&format!("/v1/effects?lane={lane}&limit=200"));
        calls.retain(|effect| effect["class"] == "tool.call");
        let states: Vec<&str> = calls.iter().filter_map(|call| call["state"].as_str()).collect();
        match (states.as_slice(), times) {
            (["done"], 1) => {}
            (["uncertain"], 0 | 1) => {
                counted.uncertain += 1;
                counted.begun += times;
            }
            (states, _) => counted.wrong.push(format!("{n} is {states:?} and was begun {times} times")),
        }
    }
    // One call is under way at a time.
    if counted.uncertain > 1 {
        counted.wrong.push(format!("{} are uncertain after one kill", counted.uncertain));
    }
    counted
}
