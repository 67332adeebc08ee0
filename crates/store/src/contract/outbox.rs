//! The write path of an effect: planned by a turn, leased by a worker, marked before its first byte, settled.
//!
//! Reasons: `docs/design/0031-effects-and-retries.md`.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::data::canonical_json::Hash;
use throughline_engine::data::effect::{ApprovalRef, EffectClass};
use throughline_engine::{EffectId, Millis, Timestamp};

use super::{Delivery, EffectState, StoreError, StoredEffect};

/// Duration of an effect's lease, in milliseconds. See [`lease_of`] for the exception.
pub const EFFECT_LEASE: Millis = 60 * Timestamp::SECOND;

/// Longest time that an attempt is planned ahead, in milliseconds. A far side that asks to wait is obeyed for an hour; what
/// is planned later than this was planned by a clock that was wrong.
pub const LONGEST_PLAN: Millis = 2 * Timestamp::HOUR;

/// Returns the duration of a lease on an effect of that class, in milliseconds.
///
/// One attempt to ask a model may use up all the time that the class has, which is longer than [`EFFECT_LEASE`]: with a
/// shorter lease a second worker would ask the same question meanwhile.
#[must_use]
pub fn lease_of(class: EffectClass) -> Millis {
    match class {
        EffectClass::ModelAsk => class.retry_limits().1 + 5 * Timestamp::SECOND,
        _ => EFFECT_LEASE,
    }
}

/// Effects on their way out.
#[async_trait]
pub trait Outbox {
    /// Leases up to `limit` effects that may be performed now. These are planned ones that are due, whose dependencies
    /// are done and that are first in their stream; and attempted ones whose lease ran out. An update of a card waits for
    /// the end of the card's post, whatever that end is. Effects of [`Performer::Host`] are never leased.
    async fn lease(&self, owner: &str, limit: u32) -> Result<Vec<Leased>, StoreError>;

    /// Leases what may be performed together with a leased effect: the effects that follow it in its stream without a gap,
    /// planned by the same turn, of the same class and with the same dependencies, none of them begun, held or planned for
    /// later. Returns as many as `count` allows, in the order of the stream; none if there are fewer than it asks for, or if
    /// the lease of `first` is over or its attempt was marked.
    async fn lease_behind(
        &self,
        first: &Leased,
        count: RangeInclusive<u32>,
    ) -> Result<Vec<Leased>, StoreError>;

    /// Records an attempt durably, before its first byte goes out. Kill switch, approval, payload and lease are checked
    /// in the same transaction. `held` is the hash of the bytes that the caller is about to send: they are the stored ones,
    /// those that were planned and, for an outward effect, those that its approval releases.
    async fn mark(&self, tenant: &str, id: &EffectId, fence: i64, held: &Hash) -> Result<Mark, StoreError>;

    /// Records attempts at several effects of a tenant in one write, each as by [`Self::mark`]. Returns the result of each, in
    /// the order of `attempts`; one that may not begin keeps no other back.
    async fn mark_together(&self, tenant: &str, attempts: &[ToMark]) -> Result<Vec<Mark>, StoreError>;

    /// Records the end of an attempt together with the event it causes. Returns false, with nothing written, if the
    /// lease was lost or, for a host's report, the effect has ended already.
    async fn settle(&self, settlement: Settlement) -> Result<bool, StoreError>;

    /// Returns up to `limit` host effects whose deadline has passed.
    async fn overdue(&self, limit: u32) -> Result<Vec<StoredEffect>, StoreError>;
}

/// Performer of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Performer {
    /// A worker of ours, after the commit.
    Us,
    /// The host. The effect is offered to it until it reports the outcome or the row's deadline passes.
    Host,
}

/// A planned effect.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxRow {
    /// Its id.
    pub id: EffectId,
    /// Its position among the effects of its turn.
    pub ordinal: u32,
    /// Its class.
    pub class: EffectClass,
    /// True if it leaves the thread. Then it needs a consumed approval, and the kill switch holds it.
    pub outward: bool,
    /// Name of the stream in which effects of the lane go out one after the other; empty for none.
    pub stream: String,
    /// The encoded effect.
    pub payload: String,
    /// Effects that must be done before this one starts.
    pub depends_on: Vec<EffectId>,
    /// The consumed approval. The store refuses an outward row without one, or with bytes that it does not release.
    pub approval: Option<ApprovalRef>,
    /// Its performer.
    pub performer: Performer,
    /// End of the time in which a host may report; `None` for no end.
    pub deadline: Option<Timestamp>,
}

/// An effect that the caller may perform now.
#[derive(Clone, Debug, PartialEq)]
pub struct Leased {
    /// The effect.
    pub effect: StoredEffect,
    /// Proof of the lease. Rises with every lease, so that an earlier holder can neither mark nor settle.
    pub fence: i64,
    /// True if the effect was found attempted with its lease run out: the outcome of that attempt is unknown.
    pub found_attempted: bool,
}

/// An attempt to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToMark {
    /// The effect.
    pub id: EffectId,
    /// Proof of the lease.
    pub fence: i64,
    /// Hash of the bytes that the caller is about to send.
    pub held: Hash,
}

impl Leased {
    /// Returns the attempt at this effect with the bytes that were leased.
    #[must_use]
    pub fn to_mark(&self) -> ToMark {
        ToMark { id: self.effect.row.id.clone(), fence: self.fence, held: self.effect.held() }
    }
}

/// Result of [`Outbox::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Marked: the first byte may go out. Holds the number of this attempt, from 1.
    Attempt(u32),
    /// The kill switch holds it.
    Paused,
    /// Its approval was not consumed, or not at that version.
    NoApproval,
    /// The stored payload is not the one that was planned, that the caller holds, or that its approval releases.
    PayloadDiffers,
    /// Another worker holds the lease, or it is over.
    LeaseLost,
}

/// The end of an attempt.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The tenant.
    pub tenant: String,
    /// The effect.
    pub id: EffectId,
    /// Proof of the lease; `None` for a host's report, and for the settlement of an uncertain effect.
    pub fence: Option<i64>,
    /// Next state of the effect.
    pub to: SettleTo,
    /// The message that it became, or a part of it: the channel's id, then ours.
    pub message: Option<(String, String)>,
    /// The event that tells the lane; durable with the outcome. One whose key is taken is not stored again.
    pub event: Option<Delivery>,
}

/// Next state of an attempted effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleTo {
    /// It ends in that state with that encoded outcome, or waits as [`EffectState::Uncertain`]. Effects that depend on
    /// one that failed or was cancelled fail with it.
    End(EffectState, String),
    /// It is planned again, not before that time and at most [`LONGEST_PLAN`] ahead.
    Retry(Timestamp),
    /// It is planned again as by [`Self::Retry`]. The encoded text is kept as its outcome until it ends: the outcome of
    /// this attempt is unknown, or the far side still works on it.
    Unsure(Timestamp, String),
}
