//! Outgoing webhooks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Endpoint that events are sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    /// Name.
    pub name: String,
    /// Address.
    pub url: String,
    /// State: `running`; `disabled` after the endpoint answered 410, until it is enabled again.
    pub state: String,
    /// Reason for which it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Conversations that wait for another attempt.
    pub waiting: usize,
    /// Failure of the attempt that is repeated next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Time of the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub next_attempt: Option<String>,
}

/// Event that was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeadLetter {
    /// Id of the event, which is its `webhook-id`.
    pub id: String,
    /// Type of the event.
    #[serde(rename = "type")]
    pub kind: String,
    /// Id of its lane.
    pub lane: String,
    /// Id of its turn.
    pub turn: String,
    /// Number of attempts.
    pub attempts: u32,
    /// Time of the last one.
    #[schema(format = DateTime)]
    pub at: String,
    /// Failure of the last one.
    pub why: String,
}

/// Result of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivered {
    /// Id of the event.
    pub id: String,
    /// True if the endpoint took it, or if it was erased meanwhile and there is nothing to send.
    pub delivered: bool,
    /// Failure, if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
