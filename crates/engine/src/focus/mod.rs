//! What "that" refers to: the anchor of a message, found before any routing (`spec 02 §4`).

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::{MessageId, TaskId};
use crate::lane::{Lane, Message, MessageKind, Role};
use crate::trace::FocusTrace;

/// How the anchor was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FocusSource {
    /// The message replies to one we know.
    #[serde(rename = "reply")]
    Reply,
    /// The message replies to one we do not know; the payload quotes it.
    #[serde(rename = "reply.payload")]
    ReplyPayload,
    /// The newest assistant message of the lane.
    #[serde(rename = "lane.recency")]
    LaneRecency,
    /// Nothing to refer to.
    #[serde(rename = "none")]
    None,
}

impl FocusSource {
    /// The public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::ReplyPayload => "reply.payload",
            Self::LaneRecency => "lane.recency",
            Self::None => "none",
        }
    }
}

/// The focus of one message.
#[derive(Clone, Debug, PartialEq)]
pub struct FocusContext {
    /// How it was found.
    pub source: FocusSource,
    /// The message it refers to; a payload-only anchor has no id of ours.
    pub anchor: Option<MessageId>,
    /// The anchor's task.
    pub task: Option<TaskId>,
}

impl FocusContext {
    /// The message is an explicit reply.
    #[must_use]
    pub fn replies(&self) -> bool {
        matches!(self.source, FocusSource::Reply | FocusSource::ReplyPayload)
    }

    /// The anchor's id, if it is one of ours.
    #[must_use]
    pub fn anchor_id(&self) -> Option<&MessageId> {
        self.anchor.as_ref()
    }

    pub(crate) fn trace(&self) -> FocusTrace {
        FocusTrace { source: self.source, anchor: self.anchor.clone(), task: self.task.clone() }
    }
}

/// Finds the anchor of a message by `by`: the reply if it is one, else the newest assistant message that
/// asked, answered or showed something to them. Never a notification, never the message itself.
#[must_use]
pub fn resolve(lane: &Lane, by: &str, replies: bool, given: &Given) -> FocusContext {
    if let Some(anchor) = &given.anchor {
        return FocusContext {
            source: FocusSource::Reply,
            anchor: Some(anchor.id.clone()),
            task: anchor.task.clone(),
        };
    }
    if replies {
        return FocusContext { source: FocusSource::ReplyPayload, anchor: None, task: None };
    }
    match recent(lane, by) {
        Some(message) => FocusContext {
            source: FocusSource::LaneRecency,
            anchor: Some(message.id.clone()),
            task: message.task.clone(),
        },
        None => FocusContext { source: FocusSource::None, anchor: None, task: None },
    }
}

fn recent<'a>(lane: &'a Lane, by: &str) -> Option<&'a Message> {
    let mut newest_first = lane.head.window.texts().rev().filter_map(|id| lane.records.message_of(id));
    newest_first.find(|message| {
        message.role == Role::Assistant
            && message.kind != Some(MessageKind::Notification)
            && message.to.as_deref().is_none_or(|to| to == by)
    })
}

/// The texts of the lane's window, oldest first: what a model is shown of the conversation.
#[must_use]
pub fn window(lane: &Lane) -> Vec<&Message> {
    lane.head.window.texts().filter_map(|id| lane.records.message_of(id)).collect()
}
