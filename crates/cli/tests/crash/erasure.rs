//! Erasure, with the process killed at each of its fail points. The request is not repeated: the restarted process
//! completes the erasure by itself.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;
use crate::script::Transcript;
use crate::server::{FAILPOINT, Server};
use crate::{invariants, run_parallel};

/// The fail points: before anything is erased, after the data outside of lanes, after the lane, after the events that
/// waited meanwhile, after the vacuum of the store, and after the erasure is recorded.
const DIES: [&str; 6] = [
    "e0.erasure_asked",
    "e1.content_erased:1",
    "e1.content_erased:2",
    "e1.content_erased:3",
    "e2.store_scoured",
    "e3.erasure_recorded",
];
pub(crate) const HERS: &str = "kestrelgate";
pub(crate) const HIS: &str = "marmotworth";
const PATIENCE: Duration = Duration::from_secs(60);

// row: E33
#[test]
fn an_erasure_outlives_the_process_that_began_it() {
    let wrong: Mutex<Vec<String>> = Mutex::default();
    run_parallel(&DIES, |point| wrong.lock().unwrap().extend(killed_at(point)));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Kills the process at a point of an erasure. Returns the violations.
fn killed_at(point: &str) -> Vec<String> {
    let server = Server::start(&[(FAILPOINT, point.into())], &[]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = converse(&client);
    client.wait_until_settled();
    let mut wrong = Vec::new();
    if !holds(server.data(), HERS) {
        wrong.push(format!("{point}: what she said was not kept, so there is nothing to erase"));
    }
    client.erase("ana");
    let started = Instant::now();
    while holds(server.data(), HERS) && started.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    server.wait_for_death(PATIENCE);
    client.wait_until_ready();
    if !server.died() {
        wrong.push(format!("{point}: nobody died there"));
    }
    let data = server.stop();
    if holds(data.path(), HERS) {
        wrong.push(format!("{point}: her words are there still"));
    }
    if !holds(data.path(), HIS) {
        wrong.push(format!("{point}: his words are gone too"));
    }
    wrong.extend(invariants::store(data.path(), &[sent]));
    wrong
}

/// Plays a conversation of two people.
pub(crate) fn converse(client: &Client) -> Transcript {
    let mut sent = Transcript::default();
    for (n, (who, text)) in [
        (
            "ana",
            format!("Create a bug: The {HERS} is shut\nSteps: open it\nExpected: a list\nActual: nothing"),
        ),
        ("bob", format!("remember that the {HIS} opens in May")),
        ("ana", format!("no, it was the {HERS} all along")),
    ]
    .into_iter()
    .enumerate()
    {
        let lane = json!({ "channel": "api", "conversation": "room" });
        let body = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": who }, "text": text });
        let answer = client.event(&n.to_string(), &body);
        sent.lane = answer["lane"].as_str().unwrap().to_owned();
        sent.events.push((n.to_string(), body, answer));
    }
    sent
}

/// Returns true if a file of the folder holds the word.
pub(crate) fn holds(folder: &Path, word: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return holds(&path, word);
        }
        let bytes = std::fs::read(path).unwrap_or_default().to_ascii_lowercase();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    })
}
