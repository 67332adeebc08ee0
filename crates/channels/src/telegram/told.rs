//! What a press's answer told somebody: the lane's own notice of the same words would only repeat it.
//!
//! A press is answered before its lane has run, by looking ahead; then the lane runs, and mostly says the same.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::LaneKey;
use tokio::sync::watch;

/// Answers that are remembered; older ones repeat themselves, which hurts nobody.
const KEPT: usize = 1_024;

#[derive(Default)]
pub(super) struct Told(Mutex<VecDeque<Entry>>);

struct Entry {
    lane: LaneKey,
    to: String,
    text: String,
    /// Whether it arrived, once that is known.
    arrived: watch::Receiver<Option<bool>>,
}

impl Told {
    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer is on its way. Say on the sender whether it arrived; a dropped sender says no.
    pub(super) fn telling(&self, lane: &LaneKey, to: &str, text: &str) -> watch::Sender<Option<bool>> {
        let (sender, arrived) = watch::channel(None);
        let mut entries = self.entries();
        if entries.len() >= KEPT {
            entries.pop_front();
        }
        entries.push_back(Entry { lane: lane.clone(), to: to.into(), text: text.into(), arrived });
        sender
    }

    /// Whether an answer has told them just that. Waits for one that is on its way.
    pub(super) async fn was_told(&self, lane: &LaneKey, to: &str, text: &str) -> bool {
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
        let (told, lane) = (Told::default(), LaneKey::new("t", "1", "telegram", "5", ""));
        told.telling(&lane, "7", "no").send_replace(Some(true));
        assert!(told.was_told(&lane, "7", "no").await);
        assert!(!told.was_told(&lane, "7", "no").await, "only once");
        told.telling(&lane, "7", "no").send_replace(Some(false));
        assert!(!told.was_told(&lane, "7", "no").await, "it did not arrive");
        drop(told.telling(&lane, "7", "no"));
        assert!(!told.was_told(&lane, "7", "no").await, "nobody knows");
        assert!(!told.was_told(&lane, "8", "no").await, "somebody else");
    }
}
