//! What the messages above a card show: one that would show the same again is not sent again, so that a press on a long
//! card changes one message and not ten.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use super::render::Part;

/// Messages that are remembered. Forgotten ones are sent once more, which hurts nobody.
const KEPT: usize = 4_096;

/// Fingerprints by chat and message.
#[derive(Default)]
pub(super) struct Above(Mutex<HashMap<(i64, i64), u64>>);

impl Above {
    /// The message shows just that already.
    pub(super) fn shows(&self, chat: i64, message: i64, part: &Part) -> bool {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.get(&(chat, message)) == Some(&print(part))
    }

    /// From now on it does.
    pub(super) fn shown(&self, chat: i64, message: i64, part: &Part) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() >= KEPT {
            shown.clear();
        }
        shown.insert((chat, message), print(part));
    }
}

fn print(part: &Part) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.hash(&mut hasher);
    hasher.finish()
}
