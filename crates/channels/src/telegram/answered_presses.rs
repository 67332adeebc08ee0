//! Remembers the texts that answers to presses showed, so that the lane's own notice does not repeat them.
//!
//! A press is answered before its lane has run, by a preview; then the lane runs, and mostly says the same.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::LaneKey;
use tokio::sync::watch;

/// The most answers remembered. An older one is repeated, which does no harm.
const MAX_KEPT: usize = 1_024;

#[derive(Default)]
pub(super) struct AnsweredPresses(Mutex<VecDeque<Entry>>);

struct Entry {
    lane: LaneKey,
    to: String,
    text: String,
    /// True if the answer arrived; `None` until that is known.
    arrived: watch::Receiver<Option<bool>>,
}

impl AnsweredPresses {
    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an answer that is being sent. Report on the sender whether it arrived; dropping it means no.
    pub(super) fn begin(&self, lane: &LaneKey, to: &str, text: &str) -> watch::Sender<Option<bool>> {
        let (sender, arrived) = watch::channel(None);
        let mut entries = self.entries();
        if entries.len() >= MAX_KEPT {
            entries.pop_front();
        }
        entries.push_back(Entry { lane: lane.clone(), to: to.into(), text: text.into(), arrived });
        sender
    }

    /// Returns true if an answer has shown this person the same text. Waits for one that is being sent.
    pub(super) async fn already_told(&self, lane: &LaneKey, to: &str, text: &str) -> bool {
        let entry = {
            let mut entries = self.entries();
            let at = entries.iter().position(|e| e.lane == *lane && e.to == to && e.text == text);
            at.and_then(|at| entries.remove(at))
        };
        let Some(mut entry) = entry else { return false };
        let arrived = entry.arrived.wait_for(Option::is_some).await.map(|arrived| *arrived);
        matches!(arrived, Ok(Some(true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_notice_is_dropped_once_and_only_for_what_arrived() {
        let (answered, lane) = (AnsweredPresses::default(), LaneKey::new("t", "1", "telegram", "5", ""));
        answered.begin(&lane, "7", "no").send_replace(Some(true));
        assert!(answered.already_told(&lane, "7", "no").await);
        assert!(!answered.already_told(&lane, "7", "no").await, "only once");
        answered.begin(&lane, "7", "no").send_replace(Some(false));
        assert!(!answered.already_told(&lane, "7", "no").await, "it did not arrive");
        drop(answered.begin(&lane, "7", "no"));
        assert!(!answered.already_told(&lane, "7", "no").await, "nobody knows");
        assert!(!answered.already_told(&lane, "8", "no").await, "somebody else");
    }
}
