//! A message of a lane, and who said it.

use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::id::{CardId, MessageId, TaskId};
use crate::time::Timestamp;

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person.
    User,
    /// Us, or the host's own agent.
    Assistant,
}

/// What an assistant message is (`spec 02 §1`). A notification is never an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// An answer.
    Answer,
    /// A question.
    Question,
    /// A card with buttons.
    Card,
    /// Progress, a reminder, a scheduled post.
    Notification,
}

/// A message of this lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its internal id.
    pub id: MessageId,
    /// Who spoke.
    pub role: Role,
    /// The person's id; empty for us.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// For assistant messages, what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    /// Who it was meant for; `None` is everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The card it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<CardId>,
    /// What it says.
    pub text: String,
    /// When it came in or went out.
    pub at: Timestamp,
    /// The channel's own id, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// Where a person sees it, when its channel has places for single messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// It is a guest's or a stranger's: what it says is no member's word (`spec 05 §11`).
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub untrusted: bool,
}
