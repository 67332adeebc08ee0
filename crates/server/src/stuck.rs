//! Troubles that no probe meets: events that wait too long, effects that are
//! planned too far ahead, lanes that fail again and again.

use throughline_engine::{Millis, Timestamp};
use throughline_store::Counts;

use crate::codes::{self, Code};

/// Longest wait of an accepted event, in milliseconds. While a model is asked, a message waits for a minute and a half.
const LONGEST_WAIT: Millis = 10 * Timestamp::MINUTE;

/// Returns each trouble that the counts show, with its code. `failing` lanes failed to run, beside those that the store
/// counts.
#[must_use]
pub fn stuck(counts: &Counts, failing: usize) -> Vec<(&'static Code, String)> {
    let mut found = Vec::new();
    if counts.oldest_waiting > LONGEST_WAIT {
        let minutes = counts.oldest_waiting / Timestamp::MINUTE;
        let text = format!("{} events wait, the oldest for {minutes} minutes", counts.waiting);
        found.push((&codes::EVENTS_WAIT, text));
    }
    if counts.far_effects > 0 {
        found.push((&codes::EFFECTS_FAR, format!("effects planned hours ahead: {}", counts.far_effects)));
    }
    let failing = counts.failing_lanes.max(failing as u64);
    if failing > 0 {
        found.push((&codes::LANES_FAIL, format!("lanes that fail again and again: {failing}")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trouble_has_its_code() {
        let ids = |counts: Counts, failing| -> Vec<u16> {
            stuck(&counts, failing).into_iter().map(|(code, _)| code.number).collect()
        };
        let quiet = Counts { waiting: 9, oldest_waiting: LONGEST_WAIT, ..Counts::default() };
        assert_eq!(ids(quiet, 0), [0_u16; 0]);
        assert_eq!(ids(Counts { oldest_waiting: LONGEST_WAIT + 1, ..quiet }, 0), [6204]);
        assert_eq!(ids(Counts { far_effects: 1, ..quiet }, 0), [6205]);
        assert_eq!(ids(Counts { failing_lanes: 1, ..quiet }, 0), [6206]);
        assert_eq!(ids(quiet, 2), [6206]);
    }
}
