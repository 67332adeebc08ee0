//! Channels: how people and hosts reach a lane. This file is the contract; `api` is the HTTP API's events and
//! views, `terminal` the text chat.
//!
//! A channel knows payloads, buttons and limits. What it never knows: lane rules, storage. Parsing and rendering
//! are pure.

pub mod api;
pub mod terminal;

use async_trait::async_trait;
use throughline_engine::LaneKey;
use throughline_engine::effect::{Attempt, EffectBody};

/// How what we say reaches a channel's users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// They read it from the store; delivered is what is committed.
    ReadFromStore,
    /// It is sent to them.
    Sends,
}

/// One channel's way out. One call is one attempt: nothing in here retries.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Its name in lane keys: `api`, `web`, `terminal`, `slack`, …
    fn name(&self) -> &str;

    /// How it reaches its users.
    fn surface(&self) -> Surface;

    /// Delivers one reply, card or notice; answers with the channel's own id of the message, when it has one.
    async fn deliver(&self, lane: &LaneKey, body: &EffectBody) -> Attempt<Option<String>>;
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

    async fn deliver(&self, _: &LaneKey, _: &EffectBody) -> Attempt<Option<String>> {
        Attempt::Applied(None)
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
        assert_eq!(web.deliver(&LaneKey::new("t", "a", "web", "s", ""), &body).await, Attempt::Applied(None));
    }
}
