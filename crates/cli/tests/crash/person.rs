//! A person who brings a batch to its end: asks again for what is missing, approves it, and of what nobody can vouch for
//! waits for a search before it is created again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::script::{Sent, pressed};

/// Longer than the first searches take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Presses what there is to press until every item that was approved exists.
pub(crate) fn brings_to_its_end(client: &Client, sent: &mut Sent) {
    let started = Instant::now();
    // What a card that asks about an uncertain effect said when it was first seen.
    let mut first_said: BTreeMap<String, Value> = BTreeMap::new();
    loop {
        let cards = client.cards(&sent.lane);
        if let Some(token) = cards.iter().find_map(|card| to_press(card, &mut first_said)) {
            press(client, sent, token);
            continue;
        }
        let issues = client.list("/v1/tracker/issues?limit=200").len();
        let open =
            cards.iter().any(|card| card["buttons"].as_array().is_some_and(|buttons| !buttons.is_empty()));
        if issues >= sent.approved.len() && !open && !on_its_way(&cards) {
            return;
        }
        let stand: Vec<String> = cards.iter().map(stands).collect();
        assert!(started.elapsed() < PATIENCE, "{issues} issues, and the cards say {stand:#?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn press(client: &Client, sent: &mut Sent, token: &str) {
    let key = format!("{}-{}", sent.lane, sent.events.len());
    let mut body = pressed("ana", token);
    body["lane"] = sent.events[0].1["lane"].clone();
    let answer = client.event(&key, &body);
    sent.events.push((key, body, answer));
}

fn on_its_way(cards: &[Value]) -> bool {
    let states = cards.iter().filter_map(|card| card["items"].as_array()).flatten();
    states
        .filter_map(|item| item["state"].as_str())
        .any(|state| state == "waiting" || state.contains("checking"))
}

/// A card in one line.
fn stands(card: &Value) -> String {
    let items = card["items"].as_array().into_iter().flatten();
    let states: Vec<&str> = items.filter_map(|item| item["state"].as_str()).collect();
    format!("{}: {} {} {states:?}", card["step"], card["title"], card["facts"])
}

/// The button that gets further.
fn to_press<'c>(card: &'c Value, first_said: &mut BTreeMap<String, Value>) -> Option<&'c str> {
    let button = |action: &str| {
        let mut buttons = card["buttons"].as_array()?.iter();
        buttons.find(|button| button["action"] == action)?["token"].as_str()
    };
    match card["step"].as_str()? {
        "uncertain_effect" => {
            let said = json!([card["title"], card["facts"]]);
            let first = first_said.entry(card["id"].to_string()).or_insert_with(|| said.clone());
            // It was searched for, and is not there.
            (*first != said).then(|| button("create_again")).flatten()
        }
        "multi_ticket_preview" => button("confirm_quantity").or_else(|| button("approve")),
        "receipt" => button("retry_missing"),
        _ => None,
    }
}
