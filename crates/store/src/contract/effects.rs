//! Looking up effects, whatever became of them.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::data::canonical_json::Hash;
use throughline_engine::{EffectId, LaneKey, Timestamp, TurnId};

use super::{OutboxRow, StoreError};
use crate::rules::payload_hash;

/// Queries about effects.
#[async_trait]
pub trait Effects {
    /// Returns an effect by its id.
    async fn effect(&self, tenant: &str, id: &EffectId) -> Result<Option<StoredEffect>, StoreError>;

    /// Returns up to `limit` effects of a tenant, newest first; only those of one lane or in one state, if given.
    async fn effects(
        &self,
        tenant: &str,
        lane: Option<&LaneKey>,
        state: Option<EffectState>,
        limit: u32,
    ) -> Result<Vec<StoredEffect>, StoreError>;

    /// Returns the effects that left a lane's thread, or are about to, and have not ended: the planned, attempted and
    /// uncertain ones, oldest first.
    async fn unfinished(&self, lane: &LaneKey) -> Result<Vec<StoredEffect>, StoreError>;
}

/// State of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// Not begun.
    Planned,
    /// Begun: a request may be on the wire.
    Attempted,
    /// Applied.
    Done,
    /// Ended without being applied.
    Failed,
    /// Its outcome is unknown, until a search or a person finds out.
    Uncertain,
    /// Taken back before it began, or given up by a person.
    Cancelled,
}

impl EffectState {
    /// Every state. The place of each is its number in a store's column, so new ones come last.
    pub const ALL: [Self; 6] =
        [Self::Planned, Self::Attempted, Self::Done, Self::Failed, Self::Uncertain, Self::Cancelled];
}

/// An effect as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEffect {
    /// The effect as its turn planned it.
    pub row: OutboxRow,
    /// Its lane.
    pub lane: LaneKey,
    /// The turn that planned it.
    pub turn: TurnId,
    /// Revision that the turn wrote.
    pub revision: u64,
    /// Its state.
    pub state: EffectState,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Time at which it was planned.
    pub created_at: Timestamp,
    /// Earliest time of the next attempt.
    pub not_before: Timestamp,
    /// The encoded outcome, once there is one.
    pub outcome: Option<String>,
    /// SHA-256 of the payload at the time it was planned, in hex.
    pub payload_sha256: String,
}

impl StoredEffect {
    /// Returns the SHA-256 of the payload as it is stored now.
    #[must_use]
    pub fn held(&self) -> Hash {
        payload_hash(&self.row.payload)
    }
}
