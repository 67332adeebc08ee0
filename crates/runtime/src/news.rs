//! News of other processes that share the store.

use throughline_store::{News, TurnNews};

use crate::{Committed, Runtime, RuntimeError};

/// Lanes with waiting rows that are woken at once.
const LANES: u32 = 256;

impl Runtime {
    /// Acts on what another process announced.
    pub(crate) fn hear(&self, news: News) {
        match news {
            // Only the lane's holder is meant. Somebody else who tried the claim would announce the same again.
            News::Work(lane) if self.lanes.holds(&lane) => self.wakes.wake(&lane),
            News::Work(_) => {}
            News::Turn(TurnNews { lane, revision, turn, names }) => {
                let committed = Committed { lane_id: lane.id(), lane, revision, turn };
                self.wakes.tell(names.iter().map(String::as_str), &committed);
            }
            News::Changed => self.wakes.copies.notify_one(),
            News::Missed => {
                self.wakes.missed();
                self.wakes.copies.notify_one();
                self.wakes.effects.notify_one();
            }
        }
    }

    /// Wakes the lanes in which rows wait: those that an earlier process left, or whose holder was another one.
    ///
    /// # Errors
    /// The store did not answer.
    pub(crate) async fn look_for_work(&self) -> Result<(), RuntimeError> {
        let lanes = self.store.lanes_with_work(LANES).await?;
        lanes.iter().for_each(|lane| self.wakes.wake(lane));
        Ok(())
    }
}
