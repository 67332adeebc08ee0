//! Timers that turns set, and the next moment at which there is anything to do.

use async_trait::async_trait;
use throughline_engine::{LaneKey, TimerId, Timestamp};

use super::StoreError;

/// Timers of all lanes.
#[async_trait]
pub trait Timers {
    /// Returns up to `limit` timers that are due, earliest first. Each stays until [`Self::clear_timer`]: the key of
    /// the delivery it causes keeps it from being handled twice.
    async fn due_timers(&self, limit: u32) -> Result<Vec<TimerRow>, StoreError>;

    /// Deletes a timer, if it is there.
    async fn clear_timer(&self, tenant: &str, id: &TimerId) -> Result<(), StoreError>;

    /// Returns the next moment in the future at which [`super::Outbox::lease`], [`super::Outbox::overdue`] or
    /// [`Self::due_timers`] would return more than now; `None` if there is none.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError>;
}

/// A timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerRow {
    /// Its id.
    pub id: TimerId,
    /// The lane that it wakes.
    pub lane: LaneKey,
    /// Time at which it goes off.
    pub due: Timestamp,
    /// Its purpose, encoded.
    pub about: String,
}
