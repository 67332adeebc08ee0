//! Remembers what the messages of long cards show, so that a part that has not changed is not sent again: a press on
//! a card of ten messages changes one of them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use super::render::Part;

/// The most messages remembered. A forgotten one is sent once more, which does no harm.
const MAX_KEPT: usize = 4_096;

/// Fingerprints of parts by chat and message.
#[derive(Default)]
pub(super) struct ShownParts(Mutex<HashMap<(i64, i64), u64>>);

impl ShownParts {
    /// True if the message is known to show that part.
    pub(super) fn shows(&self, chat: i64, message: i64, part: &Part) -> bool {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.get(&(chat, message)) == Some(&fingerprint(part))
    }

    /// Remembers that the message shows that part.
    pub(super) fn shown(&self, chat: i64, message: i64, part: &Part) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() >= MAX_KEPT {
            shown.clear();
        }
        shown.insert((chat, message), fingerprint(part));
    }
}

fn fingerprint(part: &Part) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.hash(&mut hasher);
    hasher.finish()
}
