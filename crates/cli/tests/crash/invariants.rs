//! Invariants that hold after a crash, checked over the API of the restarted server and on its store.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::client::Client;
use crate::script::Transcript;
use crate::server::Variable;

/// The kinds of events that people send. Turns of other kinds are made by the server.
const DELIVERED: [&str; 3] = ["message.posted", "card.pressed", "form.submitted"];

/// Checks that no event is lost or handled twice, that each press has a visible answer, and each approval its issue.
pub(crate) fn api(client: &Client, sent: &[Transcript]) -> Vec<String> {
    let mut wrong = lanes(client, sent);
    wrong.extend(issues(client, sent));
    wrong
}

/// Checks that no event is lost or handled twice, and that each press has a visible answer.
pub(crate) fn lanes(client: &Client, sent: &[Transcript]) -> Vec<String> {
    let mut wrong = Vec::new();
    for lane in sent {
        let turns = client.list(&format!("/v1/lanes/{}/turns?limit=200", lane.lane));
        let known: BTreeMap<&str, &Value> =
            turns.iter().filter_map(|turn| Some((turn["turn"].as_str()?, turn))).collect();
        for (key, _, answer) in &lane.events {
            if !answer["turn"].as_str().is_some_and(|turn| known.contains_key(turn)) {
                wrong.push(format!("lost: {key} was answered with {} and it is not there", answer["turn"]));
            }
        }
        for key in &lane.unawaited {
            let turn = client.get(&format!("/v1/turns/key:{key}"));
            if !turn["turn"].as_str().is_some_and(|turn| known.contains_key(turn)) {
                wrong.push(format!("lost: {key} was acknowledged and has no turn: {turn}"));
            }
        }
        let delivered =
            turns.iter().filter(|turn| turn["event"].as_str().is_some_and(|kind| DELIVERED.contains(&kind)));
        let (delivered, distinct) = (delivered.count(), lane.events.len() + lane.unawaited.len());
        if delivered != distinct {
            wrong.push(format!("doubled: {distinct} events made {delivered} turns in {}", lane.lane));
        }
        let mut revisions: Vec<u64> = turns.iter().filter_map(|turn| turn["revision"].as_u64()).collect();
        revisions.sort_unstable();
        if revisions != (1..=turns.len() as u64).collect::<Vec<_>>() {
            wrong.push(format!("revisions of {} have gaps: {revisions:?}", lane.lane));
        }
        wrong.extend(lane.events.iter().filter_map(|(key, body, answer)| silent(key, body, answer)));
        for (key, body, answer) in &lane.events {
            let again = client.event(key, body);
            if again["turn"] != answer["turn"] {
                wrong.push(format!("doubled: {key} delivered again made {}", again["turn"]));
            }
        }
    }
    wrong
}

/// Checks that a press or form was answered with something visible.
fn silent(key: &str, body: &Value, answer: &Value) -> Option<String> {
    if body["kind"] == "message.posted" {
        return None;
    }
    let shown = answer["messages"].as_array().is_some_and(|messages| !messages.is_empty());
    let told = |effect: &Value| {
        effect["class"] == "notice" && effect["text"].as_str().is_some_and(|text| !text.is_empty())
    };
    let noticed = answer["effects"].as_array().is_some_and(|effects| effects.iter().any(told));
    (!shown && !noticed).then(|| format!("silent: {key} was answered with nothing to see: {answer}"))
}

/// Checks that there is one issue for each approval. A gap in the numbers would show an issue that was created and lost.
pub(crate) fn issues(client: &Client, sent: &[Transcript]) -> Vec<String> {
    let mut approved: Vec<&str> = sent.iter().flat_map(|lane| &lane.approved).map(String::as_str).collect();
    approved.sort_unstable();
    let issues = client.list("/v1/tracker/issues?limit=200");
    let mut made: Vec<&str> = issues.iter().filter_map(|issue| issue["title"].as_str()).collect();
    made.sort_unstable();
    let mut keys: Vec<&str> = issues.iter().filter_map(|issue| issue["key"].as_str()).collect();
    keys.sort_unstable();
    let numbered: Vec<String> = (1..=approved.len()).map(|n| format!("DEMO-{n}")).collect();
    let mut wrong = Vec::new();
    if made != approved {
        wrong.push(format!("approved were {approved:?}, made were {made:?}"));
    }
    if keys != numbered {
        wrong.push(format!("issues are {keys:?}, not {numbered:?}"));
    }
    for (story, epic) in sent.iter().flat_map(|lane| &lane.linked) {
        let called = |title: &str| issues.iter().find(|issue| issue["title"] == title);
        let (Some(story), Some(epic)) = (called(story), called(epic)) else { continue };
        if story["parent"] != epic["key"] {
            wrong.push(format!("{} is under {}, not {}", story["key"], story["parent"], epic["key"]));
        }
    }
    wrong
}

/// Checks that the receipt shows the issue of each item, and each story under its epic.
pub(crate) fn receipt(client: &Client, sent: &Transcript) -> Vec<String> {
    let said = client.receipt(&sent.lane);
    let states: Vec<&str> = said.iter().map(|item| item["state"].as_str().unwrap_or_default()).collect();
    let epic = states.first().and_then(|state| state.strip_prefix("created "));
    let whole = |epic: &str| {
        let under = format!(", under {epic}");
        let story = |state: &&str| state.starts_with("created ") && state.ends_with(&under);
        states.len() == sent.approved.len() && states[1..].iter().all(story)
    };
    if epic.is_some_and(whole) { Vec::new() } else { vec![format!("the receipt says {states:?}")] }
}

/// Checks that every issue is on a receipt of the conversation.
pub(crate) fn issues_on_receipts(client: &Client, sent: &Transcript) -> Vec<String> {
    let cards = client.cards(&sent.lane);
    let items = || cards.iter().filter_map(|card| card["items"].as_array()).flatten();
    let told = |key: &str| {
        let created = format!("created {key}");
        items()
            .filter_map(|item| item["state"].as_str())
            .any(|state| state.split(',').next() == Some(&created))
    };
    let issues = client.list("/v1/tracker/issues?limit=200");
    let keys = issues.iter().filter_map(|issue| issue["key"].as_str());
    keys.filter(|key| !told(key)).map(|key| format!("{key} is on no receipt")).collect()
}

/// Checks that every effect has ended, and failed only for these reasons. None may be uncertain, because the local
/// tracker can look up its issues.
pub(crate) fn effects(client: &Client, reasons: &[&str]) -> Vec<String> {
    let all = client.list("/v1/effects?limit=200");
    let ended = |effect: &&Value| match effect["state"].as_str() {
        Some("done" | "cancelled") => false,
        Some("failed") => !reasons.iter().any(|reason| effect["outcome"]["reason"] == *reason),
        _ => true,
    };
    let tell = |effect: &Value| {
        format!("{} {} is {}: {}", effect["class"], effect["id"], effect["state"], effect["outcome"])
    };
    all.iter().filter(ended).map(tell).collect()
}

/// Checks with the program that each lane replays to the same decisions, and that all hash chains are intact.
pub(crate) fn store(data: &Path, sent: &[Transcript]) -> Vec<String> {
    store_with(data, &[], sent)
}

/// Checks the same of a store that these variables name.
pub(crate) fn store_with(data: &Path, variables: &[Variable], sent: &[Transcript]) -> Vec<String> {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
        command.args(arguments).current_dir(data).env_clear().env("HOME", data);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        let output = command.output().unwrap();
        let said = || {
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            format!("throughline {}: {out}{err}", arguments.join(" "))
        };
        (!output.status.success()).then(said)
    };
    let mut wrong: Vec<String> = sent.iter().filter_map(|lane| run(&["replay", &lane.lane])).collect();
    wrong.extend(run(&["audit", "verify"]));
    wrong
}
