//! A message of a lane.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::attachment::Attachment;
use crate::data::id::{CardId, MessageId, TaskId};
use crate::data::time::Timestamp;

/// The speaker of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person.
    User,
    /// The engine, or the host's own agent.
    Assistant,
}

/// The kind of an assistant message. A notification is never an anchor
/// (`docs/design/0013-focus-and-anchors.md`).
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
    /// Internal id.
    pub id: MessageId,
    /// Speaker.
    pub role: Role,
    /// Channel user id of the person; empty for an assistant message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Kind of an assistant message; `None` for a person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    /// The one person it was meant for; `None` means everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The card it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<CardId>,
    /// Text.
    pub text: String,
    /// Moment at which it came in or went out.
    pub at: Timestamp,
    /// The channel's own message id, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// Link to it, on channels that address single messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// True for the text of a guest or a stranger, which never counts as a member's statement.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub untrusted: bool,
    /// Files that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attachment>,
}
