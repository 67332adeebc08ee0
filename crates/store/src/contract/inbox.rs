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

    /// Returns the row that a delivery key of the tenant belongs to, in any state.
    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError>;

    /// Returns the first `limit` received rows of a lane in order of acceptance. Their `body_hash` and `response` are
    /// left empty: a turn does not need them.
    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<InboxRow>, StoreError>;

    /// Adds one to the failures of a waiting row and returns their number.
    async fn count_failure(&self, tenant: &str, seq: Seq) -> Result<u32, StoreError>;

    /// Returns lanes of all tenants in which rows wait, the longest waiting first. Read after a start, and from time to
    /// time in case a wake-up was lost.
    async fn lanes_with_work(&self, limit: u32) -> Result<Vec<LaneKey>, StoreError>;
}

/// Position of a row in the inbox; rises with every row. 0 for a delivery that never waited because its own turn made
/// it durable ([`super::TurnCommit::direct`]).
pub type Seq = i64;

/// A delivery that is not durable yet.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Lane that will handle it. The lane's tenant scopes the keys.
    pub lane: LaneKey,
    /// Identities of this delivery, the delivery key first; must not be empty. One that is taken makes the whole
    /// delivery a duplicate.
    pub keys: Vec<String>,
    /// Kind of the event, for lists.
    pub kind: String,
    /// The encoded event.
    pub event: String,
    /// Over HTTP, a hash of method, route and body; compared when the same key comes again.
    pub body_hash: Option<String>,
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
    /// Durable, and waiting for a turn.
    New(Seq),
    /// Durable as [`RowState::Refused`], because the lane's queue is full. The notice waits in its place.
    Full(Seq),
    /// One of its keys was taken; nothing changed. Holds the row of the first delivery.
    Duplicate(Box<InboxRow>),
}

/// A durable delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxRow {
    /// Its position.
    pub seq: Seq,
    /// Lane that handles it.
    pub lane: LaneKey,
    /// The delivery key: the first of [`Delivery::keys`].
    pub key: String,
    /// Kind of the event. Emptied together with `event`.
    pub kind: String,
    /// The encoded event. Emptied when the row is done or ignored: then the turn's content holds it, so that there is
    /// one place to erase it from.
    pub event: String,
    /// Time of acceptance. For a delivery that came with its turn, the time at which the turn was decided.
    pub received_at: Timestamp,
    /// Its state.
    pub state: RowState,
    /// The turn that handled it.
    pub turn: Option<TurnId>,
    /// [`Delivery::body_hash`] of the first delivery.
    pub body_hash: Option<String>,
    /// The answer its HTTP request got ([`super::Requests::store_response`]).
    pub response: Option<StoredResponse>,
    /// Number of times that handling it failed.
    pub failures: u32,
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
