//! Channels connect people and hosts with lanes. This file is the contract; `api` holds the events and views of the
//! HTTP API, `agui` those of AG-UI runs, `terminal` the text chat, `slack` and `telegram` those vendors' APIs.
//!
//! A channel knows payloads, buttons and limits, never lane rules or storage. Parsing and rendering are pure.

pub mod agui;
pub mod api;
pub mod direction;
pub mod drawn;
pub mod form;
pub mod slack;
pub mod telegram;
pub mod terminal;

use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::data::fault::SendingFault;
use throughline_engine::retry::Guarantee;
use throughline_engine::{LaneKey, Timestamp};

/// The way from a lane to a channel's users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// They read from the store: what is committed is delivered.
    ReadFromStore,
    /// Messages are sent to them.
    Sends,
}

/// A delivery: the effect, and what the runtime knows about it.
#[derive(Clone, Debug)]
pub struct Sending<'a> {
    /// The lane it belongs to.
    pub lane: &'a LaneKey,
    /// The effect's id.
    pub effect: &'a str,
    /// A reply, a card, a card's new state or a notice. The buttons of a card have their tokens.
    pub body: &'a EffectBody,
    /// The channel's ids of the messages sent for it so far, oldest first. There are several when it has several
    /// parts, or when one that was deleted was sent again.
    pub sent: &'a [String],
    /// The channel's id of the message that it answers, if a message caused it.
    pub answers: Option<&'a str>,
    /// The user id of the person whose act caused it, if a person's did.
    pub by: Option<&'a str>,
    /// The person it is for, if it is for one person.
    pub person: Option<&'a Addressee>,
    /// True if it asks a question and waits for the answer.
    pub question: bool,
    /// The message may be out already, or the next part of it: an earlier attempt has an unknown outcome.
    pub unsure: Option<Unsure>,
    /// The store's time.
    pub now: Timestamp,
}

/// A post at the root of a conversation, for everybody.
#[derive(Clone, Copy, Debug)]
pub struct Posting<'a> {
    /// The effect's id.
    pub effect: &'a str,
    /// The text.
    pub text: &'a str,
    /// It may be out already: an earlier attempt has an unknown outcome.
    pub unsure: Option<Unsure>,
    /// The store's time.
    pub now: Timestamp,
}

/// Facts about a message that may be out (`docs/design/0031-effects-and-retries.md`). A channel with
/// [`Guarantee::Findable`] looks for it; others ignore this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsure {
    /// The time before which nothing of it was sent.
    pub since: Timestamp,
    /// True if it may be sent where it is not found, or where nobody can look.
    pub resend: bool,
}

/// The person a message is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// The channel's user id.
    pub id: String,
    /// The display name.
    pub name: String,
}

/// Work that people wait for: an attempt that is being made.
#[derive(Clone, Copy, Debug)]
pub struct Working<'a> {
    /// The lane that waits for it.
    pub lane: &'a LaneKey,
    /// The effect's id.
    pub effect: &'a str,
    /// The kind of work.
    pub does: Does<'a>,
    /// The user id of the person whose act caused it, if a person's did.
    pub by: Option<&'a str>,
    /// The store's time.
    pub now: Timestamp,
}

/// Kinds of work that people wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does<'a> {
    /// A model is asked.
    Asks,
    /// The tool of this name is called.
    Calls(&'a str),
    /// The sub-agent of this name has a task.
    Delegates(&'a str),
}

/// The result of a delivery attempt that was applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// The channel's id of a message that was created.
    pub id: Option<String>,
    /// True if more parts follow. Each is an attempt of its own, so that what is out is on record before the next
    /// part is sent.
    pub more: bool,
}

/// Sends for one channel. A call is one attempt: nothing in here retries.
#[async_trait]
pub trait Channel: Send + Sync {
    /// The channel's name in lane keys: `api`, `web`, `terminal`, `slack`, …
    fn name(&self) -> &str;

    /// The way to the channel's users.
    fn surface(&self) -> Surface;

    /// The promise about messages whose outcome is unknown.
    fn guarantee(&self) -> Guarantee {
        Guarantee::Nothing
    }

    /// The earliest time for a delivery that may not begin yet. Asked before the attempt is marked, so that waiting
    /// costs no attempt; `None` counts the delivery as begun.
    fn not_before(&self, sending: &Sending<'_>) -> Option<Timestamp> {
        let _ = sending;
        None
    }

    /// Delivers one reply, card or notice, or the next part of it.
    async fn deliver(&self, sending: Sending<'_>) -> Attempt<Delivered>;

    /// Posts at the root of a conversation, where everybody in it sees it. Returns the post's address, if it has one.
    async fn post(&self, to: &LaneKey, post: Posting<'_>) -> Attempt<Option<String>> {
        let _ = post;
        let fault = SendingFault::NoPlace { channel: self.name().into(), to: to.conversation.clone() };
        Attempt::Rejected { text: fault.into(), errors: Vec::new() }
    }

    /// The address of this lane, for people.
    fn link(&self, lane: &LaneKey) -> Option<String> {
        let _ = lane;
        None
    }

    /// The address of one of the lane's messages, by the channel's id, if messages have addresses.
    fn link_to(&self, lane: &LaneKey, message: &str) -> Option<String> {
        let _ = (lane, message);
        None
    }

    /// Shows that work is going on, for as long as this is awaited: it never ends by itself. It is a signal: nothing
    /// waits for it, and one that does not arrive is dropped and counted (`docs/design/0031-effects-and-retries.md`).
    async fn working(&self, work: Working<'_>) {
        let _ = work;
        std::future::pending().await
    }

    /// Shows on a message, by the channel's id, that it was seen and needs no answer. It is a signal and returns at
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
    /// Creates a channel with that name.
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
            effect: "fx_1",
            body: &body,
            sent: &[],
            answers: None,
            by: None,
            person: None,
            question: false,
            unsure: None,
            now: Timestamp(0),
        };
        assert_eq!(web.deliver(sending).await, Attempt::Applied(Delivered::default()));
    }
}
