//! Times at which sessions were last seen. Each request notes its own in memory; the list of sessions is told once in a
//! while, for other processes and the next start.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::{Millis, Timestamp};

/// Time after which the list is told again that a session is used.
const TOLD_EVERY: Millis = 5 * Timestamp::MINUTE;
/// Sessions that are known before those that are over are forgotten.
const MANY: usize = 10_000;

/// Sessions that this process saw.
#[derive(Default)]
pub(crate) struct SeenSessions(Mutex<BTreeMap<String, Seen>>);

struct Seen {
    at: Timestamp,
    told: Timestamp,
    ends: Timestamp,
}

impl SeenSessions {
    /// Notes that a session is used now. Returns true if the list is to be told.
    pub(super) fn note(&self, id: &str, ends: Timestamp, now: Timestamp) -> bool {
        let mut all = self.all();
        if all.len() >= MANY {
            all.retain(|_, seen| seen.ends > now);
        }
        let Some(seen) = all.get_mut(id) else {
            all.insert(id.into(), Seen { at: now, told: now, ends });
            return true;
        };
        seen.at = now;
        let due = now.since(seen.told) >= TOLD_EVERY;
        if due {
            seen.told = now;
        }
        due
    }

    /// Returns the time at which this process saw a session.
    pub(super) fn at(&self, id: &str) -> Option<Timestamp> {
        self.all().get(id).map(|seen| seen.at)
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_told_once_in_a_while() {
        let seen = SeenSessions::default();
        let ends = Timestamp(Timestamp::DAY);
        let note = |minute: i64| seen.note("a", ends, Timestamp(minute * Timestamp::MINUTE));
        assert_eq!([0, 1, 4, 5, 6, 10].map(note), [true, false, false, true, false, true]);
        assert_eq!(seen.at("a"), Some(Timestamp(10 * Timestamp::MINUTE)));
        assert_eq!(seen.at("b"), None);
    }
}
