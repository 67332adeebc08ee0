//! Reactions that chats have refused.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// Reactions that show that a message was seen, the preferred first. Bots may use them; a group may allow fewer.
const SEEN: [&str; 3] = ["👍", "👌", "🤝"];
/// The most chats remembered; then all are forgotten and tried anew.
const CHATS: usize = 1_000;

/// Reactions that chats have refused.
#[derive(Default)]
pub(super) struct RefusedReactions(Mutex<HashMap<i64, HashSet<&'static str>>>);

impl RefusedReactions {
    pub(super) fn next(&self, chat: i64) -> Option<&'static str> {
        let refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        SEEN.into_iter().find(|emoji| !refused.get(&chat).is_some_and(|refused| refused.contains(emoji)))
    }

    pub(super) fn add(&self, chat: i64, emoji: &'static str) {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= CHATS {
            refused.clear();
        }
        refused.entry(chat).or_default().insert(emoji);
    }
}
