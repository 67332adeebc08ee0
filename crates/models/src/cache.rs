//! A cache of answers by question, in memory, bounded, oldest out first (`docs/design/0037-models-and-tools.md`).

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::data::ask::Answer;

/// The most answers that are kept.
const ENTRIES: usize = 512;
/// The most bytes that are kept.
const BYTES: usize = 8 * 1024 * 1024;

/// SHA-256 over tenant, provider, model, prompt and schema.
pub(crate) type Key = [u8; 32];

/// The cached answers.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    answers: HashMap<Key, (Answer, usize)>,
    order: VecDeque<Key>,
    bytes: usize,
}

impl Cache {
    pub(crate) fn get(&self, key: &Key) -> Option<Answer> {
        self.kept().answers.get(key).map(|(answer, _)| answer.clone())
    }

    /// Drops all answers.
    pub(crate) fn clear(&self) {
        *self.kept() = Kept::default();
    }

    /// Keeps an answer; `bytes` is the length of its text.
    pub(crate) fn put(&self, key: Key, answer: &Answer, bytes: usize) {
        let mut kept = self.kept();
        if bytes > BYTES || kept.answers.contains_key(&key) {
            return;
        }
        kept.answers.insert(key, (answer.clone(), bytes));
        kept.order.push_back(key);
        kept.bytes += bytes;
        while kept.order.len() > ENTRIES || kept.bytes > BYTES {
            let Some(oldest) = kept.order.pop_front() else { break };
            let freed = kept.answers.remove(&oldest).map_or(0, |(_, bytes)| bytes);
            kept.bytes = kept.bytes.saturating_sub(freed);
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: usize) -> Key {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&n.to_le_bytes());
        key
    }

    #[test]
    fn the_oldest_leave_first_by_number_and_by_size() {
        let cache = Cache::default();
        let answer = Answer::None { why: "x".into() };
        for n in 0..=ENTRIES {
            cache.put(key(n), &answer, 1);
        }
        assert_eq!((cache.get(&key(0)), cache.get(&key(1))), (None, Some(answer.clone())));
        cache.put(key(9_999), &answer, BYTES);
        assert_eq!((cache.get(&key(ENTRIES)), cache.get(&key(9_999))), (None, Some(answer.clone())));
        cache.put(key(10_000), &answer, BYTES + 1);
        assert_eq!(cache.get(&key(9_999)), Some(answer), "what is too big to keep drives nothing out");
    }
}
