//! A person who completes a batch: retries missing items, approves them, and creates an item with an uncertain outcome
//! again after a search has not found it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::script::{Transcript, pressed};

/// The time limit of completing a batch, which includes the first searches.
const PATIENCE: Duration = Duration::from_secs(120);

/// Presses buttons until every approved item exists.
pub(crate) fn finish_batch(client: &Client, sent: &mut Transcript) {
    let started = Instant::now();
    // The first state of each card that asks about an uncertain effect.
    let mut first_said: BTreeMap<String, Value> = BTreeMap::new();
    loop {
        let cards = client.cards(&sent.lane);
        let token = cards.iter().find_map(|card| to_press(card, &mut first_said));
        if let Some(token) = token {
            press(client, sent, token);
            continue;
        }
        let issues = client.list("/v1/tracker/issues?limit=200").len();
        let open =
            cards.iter().any(|card| card["buttons"].as_array().is_some_and(|buttons| !buttons.is_empty()));
        if issues >= sent.approved.len() && !open && !on_its_way(&cards) {
            return;
        }
        let stand: Vec<String> = cards.iter().map(describe).collect();
        assert!(started.elapsed() < PATIENCE, "{issues} issues, and the cards say {stand:#?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn press(client: &Client, sent: &mut Transcript, token: &str) {
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

/// Describes a card in one line.
fn describe(card: &Value) -> String {
    let items = card["items"].as_array().into_iter().flatten();
    let states: Vec<&str> = items.filter_map(|item| item["state"].as_str()).collect();
    format!("{}: {} {} {states:?}", card["step"], card["title"], card["facts"])
}

/// Returns the token of the button to press next, if the card has one.
fn to_press<'c>(card: &'c Value, first_said: &mut BTreeMap<String, Value>) -> Option<&'c str> {
    let button = |action: &str| {
        let mut buttons = card["buttons"].as_array()?.iter();
        buttons.find(|button| button["action"] == action)?["token"].as_str()
    };
    match card["step"].as_str()? {
        "uncertain_effect" => {
            let said = json!([card["title"], card["facts"]]);
            let first = first_said.entry(card["id"].to_string()).or_insert_with(|| said.clone());
            // It tells of another search, so one has ended and found nothing. While it looks, it may still find something.
            let looks = said.to_string().contains("right now");
            (*first != said && !looks).then(|| button("create_again")).flatten()
        }
        "multi_ticket_preview" => button("confirm_quantity").or_else(|| button("approve")),
        "receipt" => button("retry_missing"),
        _ => None,
    }
}
