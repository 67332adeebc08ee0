//! Plays the messages and presses of a scenario into a running server.

use serde_json::{Value, json};
use throughline_testkit::model::{Act, MessageAct, PressAct};
use throughline_testkit::parse;

use crate::server::Server;

/// The conversation of docs/channels.md.
pub(crate) const CONVERSATION: &str =
    include_str!("../../../engine/tests/scenarios/channels/one-conversation-on-each-channel.scenario.yaml");

/// Plays a scenario of messages and presses on the newest card's versions. Returns the lane's id.
#[track_caller]
pub(crate) fn play(server: &Server, scenario: &str) -> String {
    let scenario = parse("played.scenario.yaml", scenario).unwrap_or_else(|error| panic!("{error}"));
    let lane = json!({ "channel": "api", "conversation": "csv-export" });
    let mut id = String::new();
    // Each state of the newest card, as it was shown after a turn.
    let mut shown: Vec<Value> = Vec::new();
    for (n, turn) in scenario.turns.iter().enumerate() {
        let (who, what) = match &turn.act {
            Act::Message(MessageAct { user, text, .. }) => {
                (user, json!({ "kind": "message.posted", "text": text }))
            }
            Act::Press(PressAct { user, action, card, .. }) => {
                let token = token(&shown, card, action);
                (user, json!({ "kind": "card.pressed", "press": { "token": token } }))
            }
            other => panic!("{other:?} is played nowhere"),
        };
        let mut event = json!({ "lane": lane, "actor": { "id": who } });
        event.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        let told = server.event(&format!("played-{n}"), &event);
        id = told["lane"].as_str().unwrap().to_owned();
        let messages = server.get(&format!("/v1/lanes/{id}/messages?limit=200"));
        let mut cards = messages["items"].as_array().unwrap().iter().map(|message| &message["card"]);
        shown.extend(cards.rfind(|card| card.is_object()).cloned());
    }
    id
}

/// Returns the token of a button of `latest` or `card.v2`.
fn token(shown: &[Value], card: &str, action: &str) -> Value {
    let version = card.strip_prefix("card.v").map(|version| version.parse::<u32>().unwrap());
    let named = |one: &&Value| version.is_none_or(|version| one["version"] == version);
    let card = shown.iter().rev().find(named).unwrap_or_else(|| panic!("no {card}"));
    let buttons = card["buttons"].as_array().unwrap();
    buttons.iter().find(|button| button["action"] == action).unwrap()["token"].clone()
}
