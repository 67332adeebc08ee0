//! The write path of a lane: claim it, load it, commit its turns, release it.
//!
//! Reasons: `docs/design/0030-turn-commit.md`, `docs/design/0003-idle-lanes-stay-claimed.md`.

use async_trait::async_trait;
use throughline_engine::{LaneKey, Millis, Timestamp};

use super::{StoreError, TurnCommit};

/// Duration of a claim that no commit extends, in milliseconds.
pub const LANE_LEASE: Millis = 30 * Timestamp::SECOND;

/// Everything that a worker needs to step a lane, and nothing else. Queries are in [`super::LaneIndex`] and
/// [`super::TurnLog`].
///
/// A worker calls these in the order claim, load, then any number of commits, release. Other workers may do the same at
/// any moment; the epoch of the claim and the revision of the lane decide whose commit counts.
#[async_trait]
pub trait Lanes {
    /// Claims a lane for `owner` until [`LANE_LEASE`] from now. A claim by the owner who holds it extends it under the
    /// same epoch; every other successful claim raises the epoch.
    async fn claim(&self, lane: &LaneKey, owner: &str) -> Result<Claim, StoreError>;

    /// Returns the lane with its loaded records, or `None` before its first turn.
    async fn load(&self, lane: &LaneKey) -> Result<Option<StoredLane>, StoreError>;

    /// Returns one record, whether it is loaded with the lane or retired. The key of a message may also be the id that
    /// the channel gave it.
    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError>;

    /// Returns several records of one kind in one read, in the order of their keys here; those that are not there are left
    /// out.
    async fn records(&self, lane: &LaneKey, kind: &str, keys: &[&str]) -> Result<Vec<String>, StoreError>;

    /// Writes a turn, all of it or nothing, and extends the lane's lease. A claim whose lease is over still commits as
    /// long as nobody else has claimed the lane.
    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError>;

    /// Returns true if the turn whose row has that hash is written. Asked after [`StoreError::Unknown`], with the lane
    /// claimed again. The hash identifies the attempt and not only the turn, because each attempt has its own salt.
    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError>;

    /// Releases a lane, unless a row waits in it. Both happen in one transaction, so a delivery that arrives between
    /// the worker's last look and the release is not stranded.
    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError>;
}

/// Result of [`Lanes::claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The caller holds the lane.
    Ours {
        /// Rises with every change of hands; a commit under an older one is fenced.
        epoch: i64,
        /// The lane's revision, which tells whether a cached copy is still current.
        revision: u64,
    },
    /// Another owner holds the lane.
    Held {
        /// End of that owner's lease.
        until: Timestamp,
    },
}

/// A lane as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLane {
    /// Number of committed turns.
    pub revision: u64,
    /// The encoded head.
    pub head: String,
    /// The encoded records that are loaded with the head.
    pub records: Vec<String>,
    /// Hash of the newest turn row, in hex; 64 zeros before the first.
    pub log_hash: String,
}

/// Result of [`Lanes::commit`]. Everything but [`Self::Committed`] means that nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum CommitResult {
    /// The turn is written.
    Committed,
    /// The lane, or a set of facts that the turn writes, is at another revision. Load and step again.
    RevisionMoved,
    /// Another owner claimed the lane. Drop the step and the claim.
    Fenced,
    /// An approval that the turn consumes is not pending at that version, or has expired. Load and step again.
    ApprovalLost,
    /// An effect that the turn takes for not begun was marked since. Look it up and step again.
    EffectBegun,
    /// The event that came with the turn is known already, or other rows wait in the lane. Send the event through
    /// [`super::Inbox::accept`] or [`super::Outbox::settle`].
    NotDirect,
}

/// Result of [`Lanes::release`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Release {
    /// The lane is free.
    Released,
    /// A row waits in it; the caller still holds it.
    HasWork,
    /// The caller did not hold it.
    NotOurs,
}
