//! Events of all conversations.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Events of all conversations behind a cursor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TenantEvents {
    /// Events in order.
    pub items: Vec<Envelope>,
    /// Cursor to go on from, for `?after=`.
    pub cursor: String,
}

/// Event of a conversation, as a stream, a poll or a webhook sends it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Envelope {
    /// Cursor behind the event; absent for an effect that waits for its host, which is offered again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Type: `turn`, `message`, `card`, `effect`, `pending`, `approval` or `reset`.
    #[serde(rename = "type")]
    #[schema(example = "effect")]
    pub kind: String,
    /// Time of the turn.
    #[schema(format = DateTime)]
    pub at: String,
    /// Id of the lane; absent for `reset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "ln_atpfhd2dnan4hnneg4slqvhi")]
    pub lane: Option<String>,
    /// Place of the lane; absent for `reset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Id of the turn; absent for `reset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Data of the event, in the form that its type determines, as in the stream of the lane; of `approval`, which that
    /// one does not have, an `ApprovalNews`.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
}

/// Place of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// Channel.
    pub channel: String,
    /// Room, chat or session.
    pub conversation: String,
    /// Thread in the conversation, or empty.
    pub thread: String,
}

/// Event of a stream, as HTML defines server-sent events: the fields of one, not JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerSentEvent {
    /// Name of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Id, after which a stream goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Data: a JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Milliseconds after which to connect again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<u32>,
}
