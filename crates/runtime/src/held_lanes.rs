//! The lanes this process has claimed, with their state in memory (`docs/design/0003-idle-lanes-stay-claimed.md`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use throughline_engine::data::lane::Lane;
use throughline_engine::data::policy::limits;
use throughline_engine::{LaneKey, Timestamp};
use throughline_store::LANE_LEASE;

/// A claimed lane, loaded.
pub(crate) struct LaneActor {
    pub(crate) epoch: i64,
    pub(crate) leased_until: Timestamp,
    pub(crate) used_at: Timestamp,
    pub(crate) lane: Lane,
    pub(crate) state_hash: String,
    pub(crate) log_hash: String,
}

impl LaneActor {
    /// True while at least a third of the lease is left. A lease that begins in the future is over: the clock was set
    /// back.
    pub(crate) fn fresh(&self, now: Timestamp) -> bool {
        let begun = self.leased_until.plus(-LANE_LEASE);
        (begun..self.leased_until.plus(-LANE_LEASE / 3)).contains(&now)
    }

    /// True if it was not used for a while, or lately by a clock that was set back since.
    pub(crate) fn idle(&self, now: Timestamp) -> bool {
        self.used_at > now || now.since(self.used_at) >= limits::IDLE_LANE
    }
}

/// The lanes of this process by key. A slot is empty while its lane is not loaded.
#[derive(Default)]
pub(crate) struct HeldLanes(Mutex<HashMap<LaneKey, Slot>>);

pub(crate) type Slot = Arc<tokio::sync::Mutex<Option<LaneActor>>>;

impl HeldLanes {
    pub(crate) fn slot(&self, lane: &LaneKey) -> Slot {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.entry(lane.clone()).or_default().clone()
    }

    /// The slot of a lane that was held lately; it may be empty by now.
    pub(crate) fn find(&self, lane: &LaneKey) -> Option<Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(lane).cloned()
    }

    pub(crate) fn all(&self) -> Vec<(LaneKey, Slot)> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().map(|(key, slot)| (key.clone(), slot.clone())).collect()
    }

    pub(crate) fn forget(&self, lane: &LaneKey) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.get(lane).is_some_and(|slot| Arc::strong_count(slot) <= 2) {
            held.remove(lane);
        }
    }
}
