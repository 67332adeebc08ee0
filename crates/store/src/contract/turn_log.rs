//! The log of turns: one row each, linked by hashes, with the personal part beside the row.

use async_trait::async_trait;
use throughline_engine::{LaneKey, Timestamp, TurnId};

use super::StoreError;

/// Queries about committed turns.
#[async_trait]
pub trait TurnLog {
    /// Returns a turn by its id.
    async fn turn(&self, tenant: &str, turn: &TurnId) -> Result<Option<StoredTurn>, StoreError>;

    /// Returns up to `limit` turns of a lane with a revision above `after`, oldest first.
    async fn turns(&self, lane: &LaneKey, after: u64, limit: u32) -> Result<Vec<StoredTurn>, StoreError>;

    /// Returns up to `limit` turns of a lane with a revision below `before`, newest first.
    async fn turns_before(
        &self,
        lane: &LaneKey,
        before: u64,
        limit: u32,
    ) -> Result<Vec<StoredTurn>, StoreError>;

    /// Returns the newest turn of each lane of a tenant, newest first, below `before`. A backend may stop after a
    /// bounded number of turns: a page can be short, even empty, while [`LatestTurns::next`] tells where to go on.
    async fn latest_turns(
        &self,
        tenant: &str,
        before: Option<TurnSeq>,
        limit: u32,
    ) -> Result<LatestTurns, StoreError>;

    /// Returns up to `limit` turns of all lanes of a tenant at a position above `after`, in the order of positions. Every
    /// reader sees the same order, and a turn that is committed later is never below one that a reader saw: a process
    /// gets its position where no other commit of the tenant can come between (`docs/design/0070-one-stream.md`).
    async fn turns_of_tenant(&self, tenant: &str, after: TurnSeq, limit: u32)
    -> Result<TurnPage, StoreError>;

    /// Returns the end of the order of a tenant's turns: those committed so far are at or below it, later ones above.
    async fn turns_end(&self, tenant: &str) -> Result<TurnSeq, StoreError>;

    /// Returns the newest checkpoint at or before revision `at`, with its revision.
    async fn checkpoint(&self, lane: &LaneKey, at: u64) -> Result<Option<(u64, String)>, StoreError>;
}

/// Position of a turn in the order of all turns of a tenant's lanes. It is above 0, and positions have gaps.
pub type TurnSeq = i64;

/// A turn's row, with what the row hashes but does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// The turn's id.
    pub turn: TurnId,
    /// Time of the decision.
    pub at: Timestamp,
    /// The canonical row, without its hash.
    pub row: String,
    /// Hash of the lane's row before this one, in hex. Compared in the commit.
    pub prev_hash: String,
    /// Hash of this row, in hex.
    pub hash: String,
    /// The event and what was looked up for it: personal, and therefore erasable. Hashed into the row with the salt.
    pub content: String,
    /// 16 random bytes, in hex.
    pub salt: String,
}

/// A committed turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTurn {
    /// Its lane.
    pub lane: LaneKey,
    /// Revision that it wrote.
    pub revision: u64,
    /// Its position among the turns of its tenant.
    pub position: TurnSeq,
    /// Its row. Content and salt are empty once they are erased.
    pub log: LogRow,
}

/// A page of [`TurnLog::latest_turns`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatestTurns {
    /// Newest turns, each with its position.
    pub turns: Vec<(TurnSeq, StoredTurn)>,
    /// Value of `before` for the next page; `None` on the last.
    pub next: Option<TurnSeq>,
}

/// A page of [`TurnLog::turns_of_tenant`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnPage {
    /// Turns, oldest first.
    pub turns: Vec<StoredTurn>,
    /// Value of `after` for the next page. No turn of the tenant is at or below it and not in this page or an earlier one.
    pub end: TurnSeq,
}
