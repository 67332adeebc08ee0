//! A turn as one value: everything that [`super::Lanes::commit`] writes.

use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::{CardId, EffectId, LaneKey, TimerId};

use super::{DeliveryIdentity, FactsWrite, LogRow, OutboxRow, RowState, Seq, TimerRow};

/// A decided turn, ready to be written.
#[derive(Clone, Debug)]
pub struct TurnCommit {
    /// The lane.
    pub lane: LaneKey,
    /// Revision that the turn was decided on. Compared with the lane's; the commit writes the next.
    pub expected_revision: u64,
    /// Epoch of the claim. Compared with the lane's.
    pub epoch: i64,
    /// The new head, encoded.
    pub head: String,
    /// Person whose act the turn decided, who has taken part in the lane from now on.
    pub participant: Option<String>,
    /// Inbox rows that the turn handled. One that does not wait in the lane refuses the turn.
    pub inbox: Vec<InboxEnd>,
    /// Delivery that was not durable before and becomes so with this turn. Requires that nothing waits in the lane, so
    /// that order is kept.
    pub direct: Option<Direct>,
    /// Approvals that are opened, decided or closed.
    pub approvals: Vec<ApprovalChange>,
    /// New effects, in the order in which the turn planned them.
    pub outbox: Vec<OutboxRow>,
    /// Effects to cancel. Has no effect on one that is neither planned nor uncertain, but for a turn that a host has been
    /// handed: it only answers, so it is taken back whenever that is.
    pub cancel: Vec<EffectId>,
    /// Effects that the turn was decided on as not begun. If one of them has been since, the turn is refused with
    /// [`super::CommitResult::EffectBegun`]: whoever takes back a call has to know that it was not sent.
    pub unsent: Vec<EffectId>,
    /// Uncertain effects that a person found to be done, each with its encoded outcome.
    pub adopt: Vec<(EffectId, String)>,
    /// Timers to set. One that is set already is moved.
    pub timers: Vec<TimerRow>,
    /// Timers to clear.
    pub clear_timers: Vec<TimerId>,
    /// Changed records.
    pub records: Vec<RecordWrite>,
    /// Changed facts of epics and channels.
    pub facts: Vec<FactsWrite>,
    /// Ids of incoming messages: the channel's, then ours. An id that is mapped already keeps its message.
    pub message_map: Vec<(String, String)>,
    /// Buttons that the turn shows.
    pub tokens: Vec<TokenRow>,
    /// Rows to append to the tenant's audit chain.
    pub audit: Vec<String>,
    /// Erasures that the turn requests, encoded as for [`super::Erasure::request_erasure`].
    pub erasures: Vec<String>,
    /// The turn's row in the log.
    pub log: LogRow,
    /// The full state after this turn, on some turns: a replay starts at the nearest one.
    pub checkpoint: Option<String>,
}

/// End of an inbox row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxEnd {
    /// The row.
    pub seq: Seq,
    /// [`RowState::Done`], [`RowState::Ignored`] or [`RowState::Dead`].
    pub state: RowState,
}

/// A delivery that becomes durable with the turn that handles it. The turn's content holds its event.
#[derive(Clone, Debug)]
pub struct Direct {
    /// Its lane, which is the turn's, and its keys.
    pub identity: DeliveryIdentity,
    /// State its row begins and ends in: [`RowState::Done`] or [`RowState::Ignored`].
    pub state: RowState,
}

/// Change of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordWrite {
    /// Name of the record's kind.
    pub kind: &'static str,
    /// The record's key: any text. A backend may order records by the turn that made them where the key is an id of the
    /// lane.
    pub key: String,
    /// The change.
    pub op: RecordOp,
}

/// Operation of a turn on a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordOp {
    /// Writes these bytes. The record is loaded with the lane from now on.
    Put(String),
    /// Keeps the bytes. The record is no longer loaded with the lane, and still found by its key.
    Retire,
    /// Deletes the record.
    Delete,
}

/// A button that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// SHA-256 of the button's token, in hex.
    pub hash: String,
    /// The card that the button is on.
    pub card: CardId,
    /// The card's version.
    pub version: u32,
    /// The item of the card, or empty.
    pub item: String,
    /// Name of the action.
    pub action: String,
}
