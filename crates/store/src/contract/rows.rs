//! The values that cross the contract. The store keeps what they hold and never asks what it means.

use serde::{Deserialize, Serialize};
use throughline_engine::approval::{Approval, ApprovalChange};
use throughline_engine::effect::{ApprovalRef, EffectClass};
use throughline_engine::{CardId, EffectId, LaneId, LaneKey, Millis, TimerId, Timestamp, TurnId};

/// One delivery, before it is durable.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Where it goes. Its tenant scopes the keys.
    pub lane: LaneKey,
    /// Every identity of this delivery, the delivery key first. Any of them being taken makes it a
    /// duplicate (`spec 06 §2.1`).
    pub keys: Vec<String>,
    /// The event's kind, for lists.
    pub kind: String,
    /// The event, encoded.
    pub event: String,
    /// For HTTP: the hash of method, route and body, compared when the key comes again.
    pub body_hash: Option<String>,
    /// At most so many rows may wait in the lane; past that this row is refused and `notice` is stored in
    /// its place, as a delivery of its own. `None`: no limit (outcomes, timers).
    pub limit: Option<QueueLimit>,
}

/// What happens past the limit.
#[derive(Clone, Debug)]
pub struct QueueLimit {
    /// Rows that may wait.
    pub max: u32,
    /// The delivery key of the notice.
    pub notice_key: String,
    /// The `intake.notice` event, encoded.
    pub notice: String,
}

/// What became of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// Durable; it will be stepped. The number is its order.
    New(Seq),
    /// Durable as refused: the lane's queue is full. The notice is what will be stepped.
    Full(Seq),
    /// Seen before. Nothing changed.
    Duplicate(Box<InboxRow>),
}

/// The order of the inbox. 0: it never waited, because its turn took it in directly.
pub type Seq = i64;

/// A durable delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxRow {
    /// Its order.
    pub seq: Seq,
    /// Where it goes.
    pub lane: LaneKey,
    /// The delivery key.
    pub key: String,
    /// The event's kind. Empty once the row is done or ignored, like the event.
    pub kind: String,
    /// The event, encoded. Empty once the row is done or ignored: the turn's content holds it then, and only
    /// there it has to be erased.
    pub event: String,
    /// When it was received; of one that was taken in directly, when its turn was decided.
    pub received_at: Timestamp,
    /// How it stands.
    pub state: RowState,
    /// The turn that handled it.
    pub turn: Option<TurnId>,
    /// For HTTP: see [`Delivery::body_hash`].
    pub body_hash: Option<String>,
    /// For HTTP: the stored answer.
    pub response: Option<StoredResponse>,
    /// How often handling it failed.
    pub failures: u32,
}

/// How an inbox row stands (`spec 06 §2.3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// Waits for its turn.
    Received,
    /// Handled by a turn.
    Done,
    /// Handled by a turn that kept nothing.
    Ignored,
    /// Not taken; the user was told.
    Refused,
    /// Given up after repeated failure; the user was told.
    Dead,
}

/// The answer an HTTP request got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// A claim on a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Ours, under this epoch. The lane's revision says whether a cached copy is still good.
    Ours {
        /// Rises at every claim; a commit with an older one is fenced.
        epoch: i64,
        /// The lane's revision.
        revision: u64,
    },
    /// Another owner's until then.
    Held {
        /// When its lease ends.
        until: Timestamp,
    },
}

/// A lane as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLane {
    /// How many turns were committed.
    pub revision: u64,
    /// The encoded head.
    pub head: String,
    /// The encoded records that are loaded with it.
    pub records: Vec<String>,
    /// The hash of its newest turn row, in hex; 64 zeros before the first.
    pub log_hash: String,
}

/// A turn, as one value (`spec 06 §3.1`). All of it is written, or nothing.
#[derive(Clone, Debug)]
pub struct TurnCommit {
    /// The lane.
    pub lane: LaneKey,
    /// Must be the lane's revision; the commit writes the next.
    pub expected_revision: u64,
    /// Must be the lane's epoch.
    pub epoch: i64,
    /// The new head, encoded.
    pub head: String,
    /// The inbox rows this turn handled.
    pub inbox: Vec<InboxEnd>,
    /// What this turn takes in directly. Nothing else may wait in the lane then, so that order is kept.
    pub direct: Option<Direct>,
    /// What happens to approvals.
    pub approvals: Vec<ApprovalChange>,
    /// New effects, in emission order.
    pub outbox: Vec<OutboxRow>,
    /// Effects that are cancelled where they are still planned or uncertain.
    pub cancel: Vec<EffectId>,
    /// Uncertain effects that a person adopted: they are done, with this encoded outcome.
    pub adopt: Vec<(EffectId, String)>,
    /// Deadlines to set.
    pub timers: Vec<TimerRow>,
    /// Deadlines to clear.
    pub clear_timers: Vec<TimerId>,
    /// Changed records.
    pub records: Vec<RecordWrite>,
    /// Channel ids of messages that came in: channel id, internal id.
    pub message_map: Vec<(String, String)>,
    /// Buttons that were shown.
    pub tokens: Vec<TokenRow>,
    /// Rows of the tenant's audit chain.
    pub audit: Vec<String>,
    /// The turn's row.
    pub log: LogRow,
    /// The full state, kept so that a replay starts near.
    pub checkpoint: Option<String>,
}

/// How an inbox row ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxEnd {
    /// Which.
    pub seq: Seq,
    /// `Done`, `Ignored` or `Dead`.
    pub state: RowState,
}

/// An event that becomes durable with the turn that handles it.
#[derive(Clone, Debug)]
pub struct Direct {
    /// What brings it.
    pub brought: Brought,
    /// How its row ends: `Done` or `Ignored`.
    pub state: RowState,
}

/// See [`Direct::brought`].
#[derive(Clone, Debug)]
pub enum Brought {
    /// A delivery, as [`crate::Inbox::accept`] takes it.
    Delivery(Delivery),
    /// The end of an effect, as [`crate::Outbox::settle`] takes it. It has an event.
    Settlement(Settlement),
}

/// What happens to one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordWrite {
    /// Its kind's word.
    pub kind: &'static str,
    /// Its key: any text. A backend may lay those that are ids of the lane next to what was made with them.
    pub key: String,
    /// Written, kept but not loaded any more, or deleted.
    pub write: Write,
}

/// See [`RecordWrite::write`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Write these bytes; loaded with the lane.
    Put(String),
    /// Keep the bytes; loaded no more.
    Retire,
    /// Delete.
    Drop,
}

/// Who performs an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Performer {
    /// We, after the commit.
    Us,
    /// The host: offered until it reports, at most until the row's deadline.
    Host,
}

/// A planned effect.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxRow {
    /// Its id.
    pub id: EffectId,
    /// Its order in the turn.
    pub ordinal: u32,
    /// Its class.
    pub class: EffectClass,
    /// Leaves the thread: refused without a consumed approval, held by the kill switch.
    pub outward: bool,
    /// What it keeps order with; empty for nothing.
    pub stream: String,
    /// The encoded effect.
    pub payload: String,
    /// Starts when these are done.
    pub depends_on: Vec<EffectId>,
    /// The consumed approval; the store refuses an outward row without.
    pub approval: Option<ApprovalRef>,
    /// Who performs it.
    pub performer: Performer,
    /// Host effects: offered until then.
    pub deadline: Option<Timestamp>,
}

/// How an effect stands (`spec 06 §4.3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// Not begun.
    Planned,
    /// A request may be on the wire.
    Attempted,
    /// Applied.
    Done,
    /// Over without being applied.
    Failed,
    /// Nobody knows.
    Uncertain,
    /// Taken back before it began, or by a person.
    Cancelled,
}

/// A stored effect.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEffect {
    /// What was planned.
    pub row: OutboxRow,
    /// Its lane.
    pub lane: LaneKey,
    /// The turn that planned it.
    pub turn: TurnId,
    /// The revision that turn wrote.
    pub revision: u64,
    /// How it stands.
    pub state: EffectState,
    /// Attempts so far.
    pub attempts: u32,
    /// When it was planned.
    pub created_at: Timestamp,
    /// Not before then.
    pub not_before: Timestamp,
    /// The encoded outcome, once it has one.
    pub outcome: Option<String>,
    /// SHA-256 of the payload when it was planned.
    pub payload_sha256: String,
}

/// An effect that this worker may perform now.
#[derive(Clone, Debug, PartialEq)]
pub struct Leased {
    /// The effect.
    pub effect: StoredEffect,
    /// Proof of the lease; a later one fences this.
    pub fence: i64,
    /// It was found `attempted` with its lease run out: the outcome of that attempt is unknown.
    pub found_attempted: bool,
}

/// The answer to [`crate::Outbox::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Marked: the first byte may go out. This is the n-th attempt.
    Attempt(u32),
    /// The kill switch holds it.
    Paused,
    /// Its approval was not consumed, or not at that version.
    NoApproval,
    /// The stored payload is not what was planned.
    PayloadDiffers,
    /// The lease is somebody else's.
    LeaseLost,
}

/// How an attempt ended.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The tenant.
    pub tenant: String,
    /// Which effect.
    pub id: EffectId,
    /// Proof of the lease; `None` for a host's report.
    pub fence: Option<i64>,
    /// Where it goes.
    pub to: SettleTo,
    /// The message it became, or a part of it: channel id, internal id.
    pub message: Option<(String, String)>,
    /// The settling event, durable with the outcome.
    pub event: Option<Delivery>,
}

/// Where an attempted effect goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleTo {
    /// It ends, or parks as uncertain. The text is the encoded outcome. Effects that depend on one that
    /// failed or was cancelled fail with it.
    End(EffectState, String),
    /// Planned again, not before then.
    Retry(Timestamp),
    /// The same, and what is known of it is kept, encoded, until the effect ends: that nobody knows what came of this
    /// attempt, or where it stands at a far side that goes on with it.
    Unsure(Timestamp, String),
}

/// A deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerRow {
    /// Its id.
    pub id: TimerId,
    /// Its lane.
    pub lane: LaneKey,
    /// When.
    pub due: Timestamp,
    /// What for, encoded.
    pub about: String,
}

/// A button that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// SHA-256 of the token, in hex.
    pub hash: String,
    /// The card.
    pub card: CardId,
    /// The card's version.
    pub version: u32,
    /// The item of the card, or empty.
    pub item: String,
    /// The action's word.
    pub action: String,
}

/// The turn's row and what it hashes but does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// The turn's id.
    pub turn: TurnId,
    /// When it was decided.
    pub at: Timestamp,
    /// The canonical row, without its hash.
    pub row: String,
    /// The hash of the row before, in hex.
    pub prev_hash: String,
    /// The row's hash, in hex.
    pub hash: String,
    /// Event and given: personal, erasable, hashed into the row with the salt.
    pub content: String,
    /// 16 random bytes, in hex.
    pub salt: String,
}

/// A stored turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTurn {
    /// Its lane.
    pub lane: LaneKey,
    /// The revision it wrote.
    pub revision: u64,
    /// Its row. Content and salt are empty when they were erased.
    pub log: LogRow,
}

/// The order of turns, over all lanes.
pub type TurnSeq = i64;

/// A page of [`crate::Lanes::latest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latest {
    /// Each lane's newest turn, with its place.
    pub turns: Vec<(TurnSeq, StoredTurn)>,
    /// Where to go on; `None` at the end.
    pub next: Option<TurnSeq>,
}

/// A lane in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneInfo {
    /// Its id.
    pub id: LaneId,
    /// Its name.
    pub key: LaneKey,
    /// How many turns were committed.
    pub revision: u64,
    /// Events that wait.
    pub waiting: u32,
    /// When its last turn was.
    pub updated_at: Timestamp,
}

/// A stored approval: one row for each version.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRow {
    /// What may be released.
    pub approval: Approval,
    /// Its lane.
    pub lane: LaneKey,
    /// How it stands.
    pub state: ApprovalState,
}

/// How an approval stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "one is read at a time, and matched on by what it holds")]
pub enum ApprovalState {
    /// Waits.
    Pending,
    /// Decided. The text is the encoded [`ApprovalChange::Decide`].
    Decided {
        /// The change that decided it.
        change: ApprovalChange,
    },
    /// Nobody decided in time.
    Expired,
    /// A newer version or card took its place.
    Superseded,
    /// What it was about is gone.
    Cancelled,
}

/// The kill switch as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseRow {
    /// Who switched.
    pub by: String,
    /// When.
    pub since: Timestamp,
    /// Why.
    pub reason: String,
    /// Model asks are stopped too.
    pub everything: bool,
}

/// One document of a collection: what the local tracker keeps its issues in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its key in the collection.
    pub key: String,
    /// Rises with every write; 0 means it must not exist yet.
    pub version: u64,
    /// Its bytes.
    pub body: String,
}

/// What a store counts, for metrics and `doctor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inbox rows that wait.
    pub waiting: u64,
    /// Inbox rows that are dead.
    pub dead: u64,
    /// Effects that are planned or attempted.
    pub open_effects: u64,
    /// Effects nobody knows the outcome of.
    pub uncertain: u64,
    /// Approvals that wait.
    pub approvals: u64,
    /// Lanes.
    pub lanes: u64,
    /// Age of the oldest planned effect that is due, in milliseconds.
    pub oldest_due: Millis,
}
