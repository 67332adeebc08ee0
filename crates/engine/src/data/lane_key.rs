//! Address of a lane.

use crate::data::canonical_json::write_strings;
use crate::data::id::{LaneId, digest_id};
use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Key of a lane, the unit of order and of state. A part that does not apply is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LaneKey {
    /// Workspace, team or account that owns the data.
    pub tenant: String,
    /// Installation: a bot or a token.
    pub app: String,
    /// Channel: `slack`, `telegram`, `web`, `api`, `terminal`.
    pub channel: String,
    /// Room, chat or session.
    pub conversation: String,
    /// Thread, topic or panel within the conversation.
    pub thread: String,
}

impl LaneKey {
    /// Makes a key from its five parts.
    #[must_use]
    pub fn new(tenant: &str, app: &str, channel: &str, conversation: &str, thread: &str) -> Self {
        Self {
            tenant: tenant.into(),
            app: app.into(),
            channel: channel.into(),
            conversation: conversation.into(),
            thread: thread.into(),
        }
    }

    /// Returns the five parts in their fixed order, which every canonical form uses.
    #[must_use]
    pub fn parts(&self) -> [&str; 5] {
        [&self.tenant, &self.app, &self.channel, &self.conversation, &self.thread]
    }

    /// Returns true if the lane is in a place: tenant, channel, conversation and thread, of which only those that are set
    /// count.
    #[must_use]
    pub fn is_in(&self, place: [Option<&str>; 4]) -> bool {
        let own = [&self.tenant, &self.channel, &self.conversation, &self.thread];
        place.into_iter().zip(own).all(|(set, own)| set.is_none_or(|set| set == own))
    }

    /// Returns the public id of the lane, a hash of its parts.
    #[must_use]
    pub fn id(&self) -> LaneId {
        let mut name = String::with_capacity(128);
        name.push_str("[\"throughline/lane/1\",");
        write_strings(&self.parts(), &mut name);
        name.push(']');
        LaneId(digest_id(LaneId::PREFIX, &name))
    }
}

impl fmt::Display for LaneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts().join("/"))
    }
}
