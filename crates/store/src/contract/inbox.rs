//! The durable inbox: deliveries that wait for a turn, and the keys that recognise a repeated one.
//!
//! Reasons: `docs/design/0029-durable-intake.md`.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::{LaneKey, Timestamp, TurnId};

use super::{StoreError, StoredResponse};

/// Deliveries on their way to a turn.
#[async_trait]
pub trait Inbox {
    /// Makes a delivery durable, or returns the row that one of its keys belongs to already. A sender may be answered
    /// with a 2xx only after this returned.
    ///
    /// The insert decides, by a unique constraint over tenant and key: two callers that race must not both see
    /// [`Accepted::New`].
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError>;

    /// Returns the row of a delivery that comes again, if the store has been told of it by something quicker than itself.
    /// `None` says nothing: [`Self::accept`] decides.
    async fn recall(&self, _identity: &DeliveryIdentity) -> Result<Option<InboxRow>, StoreError> {
        Ok(None)
    }

    /// Returns the row that a delivery key of the tenant belongs to, in any state.
    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError>;

    /// Returns the first `limit` rows that wait in a lane, in order of acceptance.
    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<WaitingRow>, StoreError>;

    /// Adds one to the failures of a row that waits in the lane and returns their number.
    async fn count_failure(&self, lane: &LaneKey, seq: Seq) -> Result<u32, StoreError>;

    /// Returns lanes of all tenants in which rows wait, the longest waiting first. Read after a start, and from time to
    /// time in case a wake-up was lost.
    async fn lanes_with_work(&self, limit: u32) -> Result<Vec<LaneKey>, StoreError>;

    /// Forgets deliveries of a tenant that were accepted before a time and have ended: their rows and all their keys, so
    /// that a repetition would be new. Looks at up to `limit` keys behind `after`, in an order of the store's own. What
    /// waits stays.
    async fn forget_ended(
        &self,
        tenant: &str,
        before: Timestamp,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Forgotten, StoreError>;
}

/// Result of [`Inbox::forget_ended`] and [`super::Requests::forget_answers`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Number of keys that were forgotten.
    pub keys: u64,
    /// Value of `after` for the next call; `None` once everything was looked at.
    pub next: Option<String>,
}

/// Position of a row that waits in its lane; rises with every row of the lane.
pub type Seq = i64;

/// Identity by which a repetition of a delivery is recognised. It stays when the delivery is handled.
#[derive(Clone, Debug)]
pub struct DeliveryIdentity {
    /// Lane that handles it. The lane's tenant scopes the keys.
    pub lane: LaneKey,
    /// The delivery key.
    pub key: String,
    /// Further keys of the same delivery. One key that is taken makes the whole delivery a duplicate.
    pub more_keys: Vec<String>,
    /// Over HTTP, a hash of method, route and body; compared when the same key comes again.
    pub body_hash: Option<String>,
}

impl DeliveryIdentity {
    /// Returns the identity of a delivery that has one key and comes from no HTTP request.
    pub fn new(lane: LaneKey, key: impl Into<String>) -> Self {
        Self { lane, key: key.into(), more_keys: Vec::new(), body_hash: None }
    }

    /// Returns every key, the delivery key first.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.key).chain(&self.more_keys)
    }
}

/// A delivery that will wait for its turn, and is not durable yet.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Its lane and keys.
    pub identity: DeliveryIdentity,
    /// Kind of the event, for lists.
    pub kind: String,
    /// The encoded event.
    pub event: String,
    /// Limit of the lane's queue. `None` for outcomes and timers, which are never turned away.
    pub limit: Option<QueueLimit>,
}

/// Limit of a lane's queue, and the notice that takes the place of a delivery beyond it.
#[derive(Clone, Debug)]
pub struct QueueLimit {
    /// Rows that may wait in the lane.
    pub max: u32,
    /// Delivery key of the notice. A notice whose key is taken is not stored again.
    pub notice_key: String,
    /// The encoded `intake.notice` event.
    pub notice: String,
}

/// Result of [`Inbox::accept`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// Durable: it waits for its turn, or came with it.
    New,
    /// Durable as [`RowState::Refused`], because the lane's queue is full. The notice waits in its place. A delivery that
    /// comes again with the same keys and the same body is judged anew.
    Full,
    /// One of its keys was taken; nothing changed. Holds the row of the first delivery.
    Duplicate(Box<InboxRow>),
}

/// A delivery that waits for its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRow {
    /// Its position.
    pub seq: Seq,
    /// Lane that will handle it.
    pub lane: LaneKey,
    /// The delivery key.
    pub key: String,
    /// Kind of the event.
    pub kind: String,
    /// The encoded event.
    pub event: String,
    /// Time of acceptance.
    pub received_at: Timestamp,
    /// Number of times that handling it failed.
    pub failures: u32,
}

/// A durable delivery, found by one of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxRow {
    /// Lane that handles it.
    pub lane: LaneKey,
    /// The delivery key: [`DeliveryIdentity::key`].
    pub key: String,
    /// The encoded event. `None` once the row is done or ignored: then the turn's content holds it, so that there is one
    /// place to erase it from.
    pub event: Option<String>,
    /// Time of acceptance. For a delivery that came with its turn, the time at which the turn was decided.
    pub received_at: Timestamp,
    /// Its state.
    pub state: RowState,
    /// The turn that handled it.
    pub turn: Option<TurnId>,
    /// [`DeliveryIdentity::body_hash`] of the first delivery.
    pub body_hash: Option<String>,
    /// The answer its HTTP request got ([`super::Requests::store_response`]).
    pub response: Option<StoredResponse>,
}

impl InboxRow {
    /// True if a delivery is this one, which was refused and comes again: it is judged anew, and no duplicate.
    pub(crate) fn was_refused(&self, again: &DeliveryIdentity) -> bool {
        self.state == RowState::Refused
            && (&self.key, &self.lane, &self.body_hash) == (&again.key, &again.lane, &again.body_hash)
    }
}

/// State of an inbox row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// Waiting for its turn.
    Received,
    /// Handled by a turn.
    Done,
    /// Handled by a turn that kept nothing of it.
    Ignored,
    /// Turned away because the queue was full; a notice tells the user.
    Refused,
    /// Given up after repeated failures; a notice tells the user.
    Dead,
}
