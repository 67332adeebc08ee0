//! The contract: what a backend must do. One file holds one trait and the values that cross it; [`Store`] is all of
//! them together, and its doc begins with the surprises for an implementer.

mod approvals;
mod audit;
mod documents;
mod effects;
mod erasure;
mod error;
mod facts;
mod inbox;
mod kill_switch;
mod lane_index;
mod lanes;
mod news;
mod outbox;
mod policies;
mod requests;
mod timers;
mod turn_commit;
mod turn_log;

pub use approvals::{ApprovalRow, ApprovalState, Approvals};
pub use audit::Audit;
pub use documents::{Document, DocumentSubjects, Documents};
pub use effects::{EffectState, Effects, StoredEffect};
pub use erasure::{
    Erasure, ErasureRow, Redaction, RedactionCounts, Redactor, StoredText, TextSource, TextVisitor,
};
pub use error::StoreError;
pub use facts::{FactBody, Facts, FactsVersion, FactsWrite, StoredFacts};
pub use inbox::{
    Accepted, Delivery, DeliveryIdentity, Forgotten, Inbox, InboxRow, QueueLimit, RowState, Seq, WaitingRow,
};
pub use kill_switch::{KillSwitch, PauseRow};
pub use lane_index::{LaneIndex, LaneInfo};
pub use lanes::{Claim, CommitResult, LANE_LEASE, Lanes, Release, StoredLane};
pub use news::{News, TurnNews};
pub use outbox::{
    EFFECT_LEASE, LONGEST_PLAN, Leased, Mark, Outbox, OutboxRow, Performer, SettleTo, Settlement, ToMark,
    lease_of,
};
pub use policies::Policies;
pub use requests::{Requests, StoredResponse};
pub use timers::{TimerRow, Timers};
pub use turn_commit::{Direct, InboxEnd, RecordOp, RecordWrite, TokenRow, TurnCommit};
pub use turn_log::{LatestTurns, LogRow, StoredTurn, TurnLog, TurnPage, TurnSeq};

use async_trait::async_trait;
use throughline_engine::{Millis, Timestamp};

/// A whole store: every part of the contract, and the store's own time.
///
/// Surprises for an implementer:
///
/// - **A turn is one value.** There is no transaction to hold open. [`Lanes::commit`] writes everything in a
///   [`TurnCommit`] or nothing, and several callers' commits may share one disk sync.
/// - **A turn may bring its own event.** [`TurnCommit::direct`] is a delivery that was not durable before: it becomes so
///   with the turn that handles it, in one write, or not at all.
/// - **Duplicates are decided by the insert**, on a unique constraint over tenant and key. Never read first and insert
///   then.
/// - **Revision and epoch are both compared.** A commit under an old epoch is [`CommitResult::Fenced`], however long
///   its owner slept; a claim of a lane that is free, or whose lease is over, raises the epoch.
/// - **Facts of epics and channels belong to no lane.** Turns of many lanes write them. Each set has its own revision,
///   compared in the same commit: on a mismatch the result is [`CommitResult::RevisionMoved`] and nothing is written.
/// - **An outward effect without a consumed approval is refused by a constraint** of the database and not by code:
///   [`StoreError::Refused`], for the whole turn. So is one whose payload has another hash than those that the decision
///   on its approval lists, and one of a class that always leaves its thread which says that it stays.
/// - **Time is the store's**: [`Store::now`]. Leases and expiries are compared with it and with nothing else.
/// - **Time may be set back.** A clock that was ahead and is corrected leaves nothing waiting: attempts, leases, timers and
///   hosts' deadlines that lie ahead are moved back with it, and nothing began in the future. A lease that ends later than
///   one that begins now is over.
/// - **Unknown is not failure.** When the connection breaks inside a commit, return [`StoreError::Unknown`]; the caller
///   claims the lane again and asks [`Lanes::committed`].
/// - **Positions of turns are in the order of commits.** A turn that becomes visible gets a position above every one that
///   was visible before: a number that is taken before the commit is not enough, because a later one can be seen first.
/// - **Queries are current.** A query that begins after a write has returned sees that write.
///
/// The parts:
///
/// | For | Traits |
/// | --- | --- |
/// | the write path of events, turns and effects | [`Inbox`], [`Requests`], [`Lanes`], [`Outbox`], [`Timers`] |
/// | queries about what that path wrote | [`LaneIndex`], [`TurnLog`], [`Approvals`], [`Effects`], [`Facts`], [`Audit`] |
/// | settings and data beside lanes | [`Documents`], [`Policies`], [`KillSwitch`] |
/// | personal words | [`Erasure`] |
#[async_trait]
pub trait Store:
    Inbox
    + Requests
    + Lanes
    + Outbox
    + Timers
    + LaneIndex
    + TurnLog
    + Approvals
    + Effects
    + Audit
    + Documents
    + Facts
    + Policies
    + KillSwitch
    + Erasure
    + Send
    + Sync
{
    /// Returns the store's time, by which leases and expiries are judged.
    fn now(&self) -> Timestamp;

    /// Names the store for people: `sqlite throughline.db`.
    fn describe(&self) -> String;

    /// Tries a write and returns an error if the store takes none at the moment.
    async fn writable(&self) -> Result<(), StoreError>;

    /// Counts rows over all tenants.
    async fn counts(&self) -> Result<Counts, StoreError>;

    /// Returns what is damaged in the backend's own files, each in a line: pages, indexes, constraints. What rows say is not
    /// looked at.
    async fn damage(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Returns the number of this opening, where one process at a time has the store open: what was leased under another
    /// number is over, because its holder is gone. `None` where processes share the store.
    fn session(&self) -> Option<u64> {
        None
    }

    /// Completes when another process has taken the store over: this one may write nothing more, and every write ends as
    /// [`StoreError::TakenOver`]. A store that processes share never completes it.
    async fn taken_over(&self) {
        std::future::pending().await
    }

    /// Writes down at which address this process serves, for others on this machine that find the store in use
    /// ([`crate::owner_address`]). A store that processes share is never in use.
    fn publish_address(&self, _address: &str) {}

    /// Returns true if several processes may have the store open at once. Only then are they told of one another's news.
    fn is_shared(&self) -> bool {
        false
    }

    /// Tells the other processes something. It may be lost, and never waits.
    fn announce(&self, _news: News) {}

    /// Waits until another process announced something, and returns that. A store that is not shared never returns.
    async fn news(&self) -> Vec<News> {
        std::future::pending().await
    }

    /// Tells the other processes that this one ends: what it holds is theirs at once.
    async fn leave(&self) {}
}

/// Number of rows in a store, for metrics and `doctor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inbox rows that wait.
    pub waiting: u64,
    /// Inbox rows that are dead.
    pub dead: u64,
    /// Effects that are planned or attempted.
    pub open_effects: u64,
    /// Effects whose outcome is unknown.
    pub uncertain: u64,
    /// Approvals that are pending.
    pub approvals: u64,
    /// Lanes.
    pub lanes: u64,
    /// Time since the oldest planned effect that is due could have started, in milliseconds; 0 if none is due.
    pub oldest_due: Millis,
    /// Time since the row that has waited longest was accepted, in milliseconds; 0 if none waits.
    pub oldest_waiting: Millis,
    /// Planned effects whose next attempt is more than [`LONGEST_PLAN`] ahead: a clock was wrong.
    pub far_effects: u64,
    /// Lanes with a waiting row whose handling failed at least [`FAILING`] times.
    pub failing_lanes: u64,
}

/// Number of failures of one row, or of a lane in a row, after which the lane counts as failing again and again.
pub const FAILING: u32 = 3;
