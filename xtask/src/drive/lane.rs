//! One dialogue through one lane: turns in order, some of them delivered twice at once, and now and then a ticket
//! that two people approve at the same moment.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::dialogues::Dialogue;

/// Every so many lanes ask for a ticket.
const TICKET_EVERY: usize = 5;
/// Every so many events are delivered twice at once.
const DOUBLE_EVERY: usize = 4;

/// The record of one lane's sending.
#[derive(Default)]
pub(super) struct Sent {
    /// The lane's id.
    pub(super) lane: String,
    /// Every event, in the order it was sent.
    pub(super) events: Vec<Event>,
    /// Latency of each event that somebody waits for.
    pub(super) took: Vec<Duration>,
    /// Events that were delivered twice at once.
    pub(super) doubled: usize,
    /// An issue was approved.
    pub(super) ticket: bool,
    /// Failures, in words.
    pub(super) wrong: Vec<String>,
}

/// One event that was sent.
pub(super) struct Event {
    pub(super) key: String,
    pub(super) body: Value,
    pub(super) turn: String,
}

/// Sends a dialogue.
pub(super) fn send(client: &Client, run: &str, n: usize, dialogue: &Dialogue) -> Result<Sent> {
    let mut lane =
        Lane { client, run, n, conversation: format!("{run}-{}", dialogue.name), sent: Sent::default() };
    for turn in &dialogue.turns {
        if let Some((text, expected)) = &turn.asked {
            let mut assistant = json!({ "kind": "question", "text": text });
            if let Some(expected) = expected {
                assistant["expected"] = json!(expected);
            }
            lane.event(json!({ "kind": "assistant.posted", "assistant": assistant }))?;
        }
        lane.event(json!({ "kind": "message.posted", "actor": { "id": "you" }, "text": turn.said }))?;
    }
    if n.is_multiple_of(TICKET_EVERY) {
        lane.ticket()?;
    }
    Ok(lane.sent)
}

struct Lane<'a> {
    client: &'a Client,
    run: &'a str,
    n: usize,
    conversation: String,
    sent: Sent,
}

impl Lane<'_> {
    fn event(&mut self, mut body: Value) -> Result<Answer> {
        body["lane"] = json!({ "channel": "api", "conversation": self.conversation });
        let at = self.sent.events.len();
        let key = format!("{}-{}-{at}", self.run, self.n);
        let twice = (self.n + at).is_multiple_of(DOUBLE_EVERY);
        let answer =
            if twice { self.twice(&key, &body)? } else { self.client.post("/v1/events", &key, &body)? };
        let turn = self.turn(&key, &answer)?;
        self.sent.took.push(answer.took);
        self.sent.events.push(Event { key, body, turn });
        Ok(answer)
    }

    /// Delivers an event on two connections at the same moment; it must make one turn.
    fn twice(&mut self, key: &str, body: &Value) -> Result<Answer> {
        self.sent.doubled += 1;
        let (first, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| self.client.post("/v1/events", key, body));
            (self.client.post("/v1/events", key, body), second.join())
        });
        let (first, second) = (first?, second.map_err(|_| anyhow::anyhow!("a sender panicked"))??);
        if first.body["turn"] != second.body["turn"] {
            let turns = format!("{} and {}", first.body["turn"], second.body["turn"]);
            self.sent.wrong.push(format!("{key} was delivered twice and made two turns: {turns}"));
        }
        Ok(if first.replayed { second } else { first })
    }

    fn turn(&mut self, key: &str, answer: &Answer) -> Result<String> {
        if answer.status != 200 {
            bail!("{key}: {} {}", answer.status, answer.body);
        }
        if let Some(lane) = answer.body["lane"].as_str() {
            self.sent.lane = lane.to_owned();
        }
        let turn =
            answer.body["turn"].as_str().with_context(|| format!("{key}: no turn in {}", answer.body))?;
        Ok(turn.to_owned())
    }

    /// Asks for a complete ticket that two people approve at once, on two connections.
    fn ticket(&mut self) -> Result<()> {
        let text = format!(
            "Create a bug: the page of {} is empty\nSteps: open the page\nExpected: a list\nActual: nothing",
            self.conversation
        );
        let asked =
            self.event(json!({ "kind": "message.posted", "actor": { "id": "you" }, "text": text }))?;
        let Some(token) = button(&asked.body, "approve") else {
            self.sent.wrong.push(format!("{}: no card to approve in {}", self.conversation, asked.body));
            return Ok(());
        };
        let press = |who: &str| {
            json!({
                "lane": { "channel": "api", "conversation": self.conversation },
                "kind": "card.pressed", "actor": { "id": who }, "press": { "token": token },
            })
        };
        let at = self.sent.events.len();
        let key = |who: &str| format!("{}-{}-{at}-{who}", self.run, self.n);
        let presses = [(key("ana"), press("ana")), (key("bob"), press("bob"))];
        let client = self.client;
        let answers = std::thread::scope(|scope| {
            let [ana, bob] = &presses;
            let bob = scope.spawn(|| client.post("/v1/events", &bob.0, &bob.1));
            let ana = client.post("/v1/events", &ana.0, &ana.1);
            [ana, bob.join().unwrap_or_else(|_| bail!("a sender panicked"))]
        });
        let mut applied = 0;
        for ((key, body), answer) in presses.into_iter().zip(answers) {
            let answer = answer?;
            match answer.body["reason"].as_str() {
                Some("press.applied") => applied += 1,
                Some("press.consumed") => {}
                _ => self.sent.wrong.push(format!("{key}: {}", answer.body)),
            }
            let turn = self.turn(&key, &answer)?;
            self.sent.took.push(answer.took);
            self.sent.events.push(Event { key, body, turn });
        }
        if applied != 1 {
            self.sent.wrong.push(format!("{}: {applied} of two presses were applied", self.conversation));
        }
        self.sent.ticket = true;
        Ok(())
    }
}

/// Returns the token of a button on a card of an answer.
fn button(body: &Value, action: &str) -> Option<String> {
    let cards = body["messages"].as_array()?.iter().map(|message| &message["card"]);
    let mut buttons = cards.filter_map(|card| card["buttons"].as_array()).flatten();
    let found = buttons.find(|button| button["action"] == action)?;
    Some(found["token"].as_str()?.to_owned())
}
