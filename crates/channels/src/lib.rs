//! Channels: how people and hosts reach a lane. This file is the contract; `api` is the HTTP API's events and
//! views, `terminal` the text chat, `telegram` Telegram's Bot API.
//!
//! A channel knows payloads, buttons and limits. What it never knows: lane rules, storage. Parsing and rendering
//! are pure.

pub mod api;
pub mod telegram;
pub mod terminal;

use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::effect::{Attempt, EffectBody};
use throughline_engine::{LaneKey, Millis, Timestamp};

/// How what we say reaches a channel's users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// They read it from the store; delivered is what is committed.
    ReadFromStore,
    /// It is sent to them.
    Sends,
}

/// What is delivered, with what the loop knows of it.
#[derive(Clone, Debug)]
pub struct Sending<'a> {
    /// Where.
    pub lane: &'a LaneKey,
    /// A reply, card, card's new state or notice. A card's buttons have their tokens.
    pub body: &'a EffectBody,
    /// The channel's ids under which its message is out, oldest first: several when it has several parts, or when one
    /// that was gone was sent again.
    pub sent: &'a [String],
    /// The channel's id of the message that it answers, when a message caused it.
    pub answers: Option<&'a str>,
    /// Whom it speaks to, when it is for one person.
    pub person: Option<&'a Addressee>,
    /// It asks, and waits for their answer.
    pub question: bool,
    /// Since the commit that planned it.
    pub age: Millis,
    /// The store's time.
    pub now: Timestamp,
}

/// A person who is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// The channel's user id.
    pub id: String,
    /// What to call them.
    pub name: String,
}

/// What an attempt that was applied put out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// The channel's id of a message that came into being.
    pub id: Option<String>,
    /// More parts follow, each an attempt of its own: what is out is on record before the next goes.
    pub more: bool,
}

/// One channel's way out. One call is one attempt: nothing in here retries.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Its name in lane keys: `api`, `web`, `terminal`, `slack`, …
    fn name(&self) -> &str;

    /// How it reaches its users.
    fn surface(&self) -> Surface;

    /// When a delivery may not begin yet: not before then. Asked before the attempt is marked, so that waiting costs no
    /// attempt; `None` counts it as begun.
    fn not_before(&self, sending: &Sending<'_>) -> Option<Timestamp> {
        let _ = sending;
        None
    }

    /// Delivers one reply, card or notice, or the next part of it.
    async fn deliver(&self, sending: Sending<'_>) -> Attempt<Delivered>;

    /// Posts at the root of a conversation, where everybody in it sees it. Says where to see it.
    async fn post(&self, to: &LaneKey, text: &str, now: Timestamp) -> Attempt<Option<String>> {
        let _ = (text, now);
        let text = format!("{} has no place for posts at {}", self.name(), to.conversation);
        Attempt::Rejected { text, errors: Vec::new() }
    }

    /// Where a person sees this lane.
    fn link(&self, lane: &LaneKey) -> Option<String> {
        let _ = lane;
        None
    }

    /// Where a person sees one of its messages, by the channel's id, when there are such places.
    fn link_to(&self, lane: &LaneKey, message: &str) -> Option<String> {
        let _ = (lane, message);
        None
    }

    /// Shows that somebody works for the conversation, for as long as this is waited on: it never ends by itself. A
    /// signal (`spec 06 §4.2`): nothing waits for it, and what does not arrive is dropped and counted.
    async fn working(&self, lane: &LaneKey, now: Timestamp) {
        let _ = (lane, now);
        std::future::pending().await
    }

    /// Shows on a message, by the channel's id, that it was seen and needs no answer (`spec 03 §1`). A signal: it returns at
    /// once.
    fn seen(self: Arc<Self>, lane: &LaneKey, message: &str) {
        let _ = (lane, message);
    }
}

/// A channel whose users read from the store: nothing is sent, so delivering always succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFromStore {
    name: String,
}

impl ReadFromStore {
    /// The channel of that name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.into() }
    }
}

#[async_trait]
impl Channel for ReadFromStore {
    fn name(&self) -> &str {
        &self.name
    }

    fn surface(&self) -> Surface {
        Surface::ReadFromStore
    }

    async fn deliver(&self, _: Sending<'_>) -> Attempt<Delivered> {
        Attempt::Applied(Delivered::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_read_from_the_store_is_delivered_by_being_there() {
        let web = ReadFromStore::new("web");
        let body = EffectBody::Notice { to: "ana".into(), text: "hi".into() };
        assert_eq!((web.name(), web.surface()), ("web", Surface::ReadFromStore));
        let lane = LaneKey::new("t", "a", "web", "s", "");
        let sending = Sending {
            lane: &lane,
            body: &body,
            sent: &[],
            answers: None,
            person: None,
            question: false,
            age: 0,
            now: Timestamp(0),
        };
        assert_eq!(web.deliver(sending).await, Attempt::Applied(Delivered::default()));
    }
}
