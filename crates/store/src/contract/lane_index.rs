//! Looking up lanes, and what a lane is known by outside.

use async_trait::async_trait;
use throughline_engine::{LaneId, LaneKey, Timestamp};

use super::{StoreError, TokenRow};

/// Queries about lanes.
#[async_trait]
pub trait LaneIndex {
    /// Returns a lane by its id. A lane in which rows wait exists even before its first turn.
    async fn lane(&self, tenant: &str, id: &LaneId) -> Result<Option<LaneInfo>, StoreError>;

    /// Returns up to `limit` lanes of a tenant in order of their ids, beginning behind `after`.
    async fn lanes(
        &self,
        tenant: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError>;

    /// Returns up to `limit` lanes of a tenant in which a person took part, in order of their ids, beginning behind
    /// `after`.
    async fn lanes_of(
        &self,
        tenant: &str,
        person: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError>;

    /// Returns true if a person took part in a lane: if a turn of it named them in [`super::TurnCommit::participant`].
    async fn took_part(&self, lane: &LaneKey, person: &str) -> Result<bool, StoreError>;

    /// Returns the ids that the channel gave to one of our messages, in the order they were recorded. There are several
    /// when a long message was sent in parts, or a lost part was sent again.
    async fn channel_ids(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError>;

    /// Returns the button with that token hash, if this lane showed it. A button of another lane is not found.
    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError>;
}

/// A lane in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneInfo {
    /// Its id.
    pub id: LaneId,
    /// Its name.
    pub key: LaneKey,
    /// Number of committed turns.
    pub revision: u64,
    /// Number of inbox rows that wait.
    pub waiting: u32,
    /// Time of its last turn, or of its creation before the first.
    pub updated_at: Timestamp,
}
