//! The contract: what a backend must do, in five small traits. `spec 06 §3, §4, §10`.
//!
//! What would surprise a second implementer:
//!
//! - **A turn may bring its own event.** [`TurnCommit::direct`] is a delivery or a settlement that was not durable
//!   before: it becomes so with the turn that handles it, in one write, or not at all.
//! - **A turn is one value.** There is no transaction to hold open. [`Lanes::commit`] writes everything in a
//!   [`TurnCommit`] or nothing, and several callers' commits may share one disk sync.
//! - **Duplicates are the insert itself**, on a unique constraint per tenant and key. Never look, then insert.
//! - **Revision and epoch are both compared.** A commit under an old epoch is [`CommitResult::Fenced`] however
//!   long its owner slept; a claim that finds the lane unclaimed or the lease over raises the epoch.
//! - **Facts of epics and channels are nobody's lane.** Turns of many lanes write them, each set with its own revision,
//!   compared in the same commit: [`CommitResult::RevisionMoved`], and nothing is written.
//! - **An outward effect without a consumed approval is refused by a constraint**, not by code:
//!   [`StoreError::Refused`], and the whole commit with it.
//! - **Time is the store's**: [`Store::now`]. Leases and expiries compare with it and with nothing else.
//! - **Unknown is not failure.** When the connection breaks inside a commit, say [`StoreError::Unknown`]; the
//!   caller claims the lane again and asks [`Lanes::committed`].

mod erasing;
mod facts;
mod rows;

pub use erasing::*;
pub use facts::{FactBody, Facts, FactsVersion, FactsWrite, StoredFacts};
pub use rows::*;

use async_trait::async_trait;
use throughline_engine::effect::EffectClass;
use throughline_engine::{CardId, EffectId, LaneId, LaneKey, Millis, TimerId, Timestamp, TurnId};

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing can be written just now: the disk is full, or the file is read-only (`TL-6201`). Nothing was.
    #[error("cannot {act}: the store takes no writes ({why})")]
    ReadOnly {
        /// What was tried.
        act: &'static str,
        /// What the backend said.
        why: String,
    },
    /// Another process holds the database (`TL-6102`).
    #[error(
        "cannot open {what}: another process is using it; stop that one, or give this one another store.url"
    )]
    InUse {
        /// The file.
        what: String,
    },
    /// The backend is too old, misconfigured or not ours (`TL-6101`, `TL-6103`).
    #[error("cannot open {what}: {why}")]
    Open {
        /// The file or server.
        what: String,
        /// Why.
        why: String,
    },
    /// A constraint refused it: a bug of the caller, and nothing was written.
    #[error("cannot {act}: {why}")]
    Refused {
        /// What was tried.
        act: &'static str,
        /// Which constraint.
        why: String,
    },
    /// The outcome of a write is not known.
    #[error("the outcome of {act} is unknown: {why}")]
    Unknown {
        /// What was tried.
        act: &'static str,
        /// What broke.
        why: String,
    },
    /// Anything else the backend said.
    #[error("cannot {act}: {why}")]
    Backend {
        /// What was tried.
        act: &'static str,
        /// What the backend said.
        why: String,
    },
}

/// How a commit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum CommitResult {
    /// Written.
    Committed,
    /// The lane, or a set of facts it writes, is at another revision: reload and step again.
    RevisionMoved,
    /// The lane has another owner: drop the step and the claim.
    Fenced,
    /// An approval it consumes is not pending at that version, or has expired: reload and step again.
    ApprovalLost,
    /// What it takes in directly was taken in before, or other rows wait in the lane: accept or settle it, then look.
    NotDirect,
}

/// How a release ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Release {
    /// Let go.
    Released,
    /// A runnable row is there: still ours.
    HasWork,
    /// It was not ours.
    NotOurs,
}

/// What a claim lasts without a commit (`spec 06 §3.3`).
pub const LANE_LEASE: Millis = 30 * Timestamp::SECOND;
/// What an effect's lease lasts (`spec 06 §4.6`).
pub const EFFECT_LEASE: Millis = 60 * Timestamp::SECOND;

/// What the lease of an effect of that class lasts. A question to a model may take all of its time in one attempt, and
/// that is longer: else another worker would ask it again meanwhile.
#[must_use]
pub fn lease_of(class: EffectClass) -> Millis {
    match class {
        EffectClass::ModelAsk => class.gives_up().1 + 5 * Timestamp::SECOND,
        _ => EFFECT_LEASE,
    }
}

/// The durable inbox.
#[async_trait]
pub trait Inbox {
    /// Makes a delivery durable, or says that it already was. Only after this may anybody be told 2xx.
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError>;

    /// The row of a delivery key.
    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError>;

    /// Keeps the answer a request got, for the next time its key comes.
    async fn respond(&self, tenant: &str, key: &str, response: StoredResponse) -> Result<(), StoreError>;

    /// Claims an `Idempotency-Key` of a route that delivers no event. `None`: new. Otherwise the stored body
    /// hash and the answer, if there is one yet.
    async fn begin(
        &self,
        tenant: &str,
        key: &str,
        body_hash: &str,
    ) -> Result<Option<(String, Option<StoredResponse>)>, StoreError>;

    /// The lane's received rows, in order, without what belongs to their requests: body hash and answer.
    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<InboxRow>, StoreError>;

    /// Counts a failed handling and says how often it failed by now.
    async fn failed(&self, tenant: &str, seq: Seq) -> Result<u32, StoreError>;

    /// Lanes with received rows, longest waiting first: after a start, and as a safety net.
    async fn lanes_with_work(&self, limit: u32) -> Result<Vec<LaneKey>, StoreError>;
}

/// Lanes and turns.
#[async_trait]
pub trait Lanes {
    /// Claims a lane for `owner` for [`LANE_LEASE`]. Claiming what one holds extends it under the same epoch.
    async fn claim(&self, lane: &LaneKey, owner: &str) -> Result<Claim, StoreError>;

    /// The stored lane; `None` before its first turn.
    async fn load(&self, lane: &LaneKey) -> Result<Option<StoredLane>, StoreError>;

    /// Writes a turn. Extends the lane's lease.
    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError>;

    /// Whether the turn whose row has that hash is in: asked after [`StoreError::Unknown`], with the lane claimed
    /// again. The hash names the attempt, because every attempt has a salt of its own.
    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError>;

    /// Lets go of a lane, unless a row waits in it: looked at in the same transaction, so a message between
    /// the last look and the release is never stranded.
    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError>;

    /// One record by kind and key, loaded or retired; for messages the key may be the channel's id.
    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError>;

    /// The channel's ids under which a message of ours went out, in the order they were recorded: a long message has
    /// several parts, and one that was gone was sent again.
    async fn sent(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError>;

    /// A turn by its id.
    async fn turn(&self, tenant: &str, turn: &TurnId) -> Result<Option<StoredTurn>, StoreError>;

    /// Turns of a lane with a revision above `after`, oldest first.
    async fn turns(&self, lane: &LaneKey, after: u64, limit: u32) -> Result<Vec<StoredTurn>, StoreError>;

    /// The newest turns of a lane with a revision below `before`, newest first.
    async fn turns_before(
        &self,
        lane: &LaneKey,
        before: u64,
        limit: u32,
    ) -> Result<Vec<StoredTurn>, StoreError>;

    /// The newest full state at or before a revision, with its revision.
    async fn checkpoint(&self, lane: &LaneKey, at: u64) -> Result<Option<(u64, String)>, StoreError>;

    /// Lanes of a tenant in id order, after `after`.
    async fn lanes(
        &self,
        tenant: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError>;

    /// What happened last: the newest turn of each lane of a tenant, newest first, below `before`. A backend may stop
    /// after a bounded number of turns, so a page can be short, even empty, while `next` says where to go on.
    async fn latest(&self, tenant: &str, before: Option<TurnSeq>, limit: u32) -> Result<Latest, StoreError>;

    /// A lane by its id, also one that has only waiting rows.
    async fn lane(&self, tenant: &str, id: &LaneId) -> Result<Option<LaneInfo>, StoreError>;

    /// The button of a token's hash that was shown in that lane. Of buttons shown elsewhere a lane knows nothing.
    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError>;

    /// An approval at its current version.
    async fn approval(&self, tenant: &str, card: &CardId) -> Result<Option<ApprovalRow>, StoreError>;

    /// Approvals at their current version, newest first; pending ones only, or all.
    async fn approvals(
        &self,
        tenant: &str,
        pending: bool,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>, StoreError>;

    /// Keeps a policy under its version, so that a replay can use it.
    async fn keep_policy(&self, tenant: &str, version: &str, policy: &str) -> Result<(), StoreError>;

    /// The policy of that version.
    async fn policy(&self, tenant: &str, version: &str) -> Result<Option<String>, StoreError>;
}

/// Effects and deadlines.
#[async_trait]
pub trait Outbox {
    /// Leases effects that may be performed now: planned and due, dependencies done, first of their stream;
    /// and attempted ones whose lease ran out. Rows of [`Performer::Host`] never come here.
    async fn lease(&self, owner: &str, limit: u32) -> Result<Vec<Leased>, StoreError>;

    /// Marks an attempt, durably, before its first byte: kill switch, approval, payload and lease are checked
    /// in the same transaction (`spec 06 §4.3`).
    async fn mark(&self, tenant: &str, id: &EffectId, fence: i64) -> Result<Mark, StoreError>;

    /// Records how an attempt ended, with its event. `false`: the lease was lost, or (host reports) the effect
    /// has ended already; nothing was written.
    async fn settle(&self, settlement: Settlement) -> Result<bool, StoreError>;

    /// One effect.
    async fn effect(&self, tenant: &str, id: &EffectId) -> Result<Option<StoredEffect>, StoreError>;

    /// Effects of a tenant, newest first, of one lane and one state if given.
    async fn effects(
        &self,
        tenant: &str,
        lane: Option<&LaneKey>,
        state: Option<EffectState>,
        limit: u32,
    ) -> Result<Vec<StoredEffect>, StoreError>;

    /// Host effects past their deadline.
    async fn overdue(&self, limit: u32) -> Result<Vec<StoredEffect>, StoreError>;

    /// Deadlines that have come, earliest first. Each stays until [`Self::clear_timer`]; delivering it twice is
    /// caught by its delivery key.
    async fn due_timers(&self, limit: u32) -> Result<Vec<TimerRow>, StoreError>;

    /// Forgets a deadline.
    async fn clear_timer(&self, tenant: &str, id: &TimerId) -> Result<(), StoreError>;

    /// The next moment at which `lease`, `overdue` or `due_timers` would return more than now.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError>;
}

/// Everything beside turns.
#[async_trait]
pub trait Keeping {
    /// The kill switch of a tenant.
    async fn pause(&self, tenant: &str) -> Result<Option<PauseRow>, StoreError>;

    /// Switches it, with a row of the audit chain.
    async fn set_pause(&self, tenant: &str, pause: Option<PauseRow>, audit: &str) -> Result<(), StoreError>;

    /// One document.
    async fn document(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, StoreError>;

    /// Documents of a collection in key order, after `after`.
    async fn documents(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, StoreError>;

    /// Writes documents (collection, document) if every one of them is at the version it names; each written
    /// one is at the next. With a row of the audit chain where one is given. `false`: one was not, and nothing was
    /// written.
    async fn write_documents(
        &self,
        tenant: &str,
        writes: Vec<(String, Document)>,
        audit: Option<&str>,
    ) -> Result<bool, StoreError>;

    /// The audit chain of a tenant: rows after `after`, with their number, oldest first.
    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError>;

    /// The number of the first audit row that does not fit its chain: changed, missing, moved, or cut off at the
    /// end. `None`: all of them fit.
    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError>;

    /// What there is.
    async fn counts(&self) -> Result<Counts, StoreError>;
}

/// A whole store.
#[async_trait]
pub trait Store: Inbox + Lanes + Outbox + Keeping + Erasing + Facts + Send + Sync {
    /// The store's time, by which leases and expiries are judged.
    fn now(&self) -> Timestamp;

    /// What it is, for people: `sqlite throughline.db`.
    fn describe(&self) -> String;

    /// Whether it takes writes, tried just now.
    async fn writable(&self) -> Result<(), StoreError>;

    /// Waits until another process made work for these lanes. A backend that only this process writes to never
    /// returns: the runtime wakes itself.
    async fn woken(&self) -> Vec<LaneKey> {
        std::future::pending().await
    }
}

/// Where a store's time comes from.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The machine's clock, never running backwards within the process.
#[derive(Debug, Default)]
pub struct SystemClock(std::sync::atomic::AtomicI64);

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        let before = self.0.fetch_max(now, std::sync::atomic::Ordering::Relaxed);
        Timestamp(now.max(before))
    }
}
