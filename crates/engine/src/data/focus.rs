//! Focus: the message that a text refers to.

use crate::data::id::{MessageId, TaskId};
use crate::data::message::Message;
use throughline_language::reference::{Need, Reference};

use alloc::borrow::Cow;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// Anchor, in the form that models and tools see (`docs/design/0013-focus-and-anchors.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnchorHint {
    /// Our id of the message; `None` if it is only quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus_anchor_internal_id: Option<MessageId>,
    /// Message id of the channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus_anchor_channel_id: Option<String>,
    /// Beginning of the text, without secrets, at most as long as the policy allows.
    pub focus_anchor_text_snippet: String,
    /// Task of the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
}

/// Way the anchor was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FocusSource {
    /// Reply to a stored message.
    #[serde(rename = "reply")]
    Reply,
    /// Reply to a message that is not stored; the payload quotes it.
    #[serde(rename = "reply.payload")]
    ReplyPayload,
    /// Newest assistant message of the lane.
    #[serde(rename = "lane.recency")]
    LaneRecency,
    /// No anchor.
    #[serde(rename = "none")]
    None,
}

impl FocusSource {
    /// Returns the public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::ReplyPayload => "reply.payload",
            Self::LaneRecency => "lane.recency",
            Self::None => "none",
        }
    }
}

/// Position of a message in the talk of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ThreadPosition {
    /// Starts a new thread of talk.
    StartsAnew,
    /// Answers this message.
    Answers(MessageId),
}

/// Stored form of [`ThreadPosition::StartsAnew`]. No message id has this form.
pub(crate) const NEW: &str = "new";

impl From<String> for ThreadPosition {
    fn from(word: String) -> Self {
        if word == NEW { Self::StartsAnew } else { Self::Answers(MessageId(word)) }
    }
}

impl From<ThreadPosition> for String {
    fn from(thread: ThreadPosition) -> Self {
        match thread {
            ThreadPosition::StartsAnew => NEW.into(),
            ThreadPosition::Answers(id) => id.0,
        }
    }
}

/// Focus of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct FocusContext {
    /// Way the anchor was found.
    pub source: FocusSource,
    /// Message it refers to; `None` for an anchor that is only quoted.
    pub anchor: Option<MessageId>,
    /// Task of the anchor.
    pub task: Option<TaskId>,
    /// Message that this one answers, in a lane of several people. It is recorded only; no decision depends
    /// on it.
    pub thread: Option<ThreadPosition>,
}

impl FocusContext {
    /// Returns true if the message is an explicit reply.
    #[must_use]
    pub fn replies(&self) -> bool {
        matches!(self.source, FocusSource::Reply | FocusSource::ReplyPayload)
    }

    /// Returns the id of the anchor, if it is a stored message.
    #[must_use]
    pub fn anchor_id(&self) -> Option<&MessageId> {
        self.anchor.as_ref()
    }

    pub(crate) fn trace(&self, reference: &Reference) -> FocusTrace {
        FocusTrace {
            anchor: self.anchor.clone(),
            reference: reference.clone(),
            source: self.source,
            task: self.task.clone(),
            thread: self.thread.clone(),
        }
    }

    pub(crate) const NOTHING: Self =
        Self { source: FocusSource::None, anchor: None, task: None, thread: None };

    pub(crate) fn on(source: FocusSource, anchor: &Message) -> Self {
        Self { source, anchor: Some(anchor.id.clone()), task: anchor.task.clone(), thread: None }
    }
}

/// Focus without any text. The members are in JCS order, because the stored row has to be canonical.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FocusTrace {
    /// Anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<MessageId>,
    /// Reference of the text: the need for an anchor, and the words that show it.
    #[serde(default, skip_serializing_if = "no_reference", with = "referring")]
    pub reference: Reference,
    /// Way the anchor was found.
    pub source: FocusSource,
    /// Task of the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Message that this one answers, in a lane of several people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadPosition>,
}

pub(crate) fn no_reference(reference: &Reference) -> bool {
    reference.need == Need::None
}

/// Serialises a [`Reference`] as one string: `needs_anchor that again`.
pub(crate) mod referring {
    use super::{Cow, Need, Reference, String};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(reference: &Reference, serializer: S) -> Result<S::Ok, S::Error> {
        let (need, words) = (reference.need.as_str(), reference.words.as_str());
        serializer.collect_str(&format_args!("{need}{}{words}", if words.is_empty() { "" } else { " " }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Reference, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        let (need, words) = text.split_once(' ').unwrap_or((&text, ""));
        let known =
            [Need::None, Need::Bound, Need::NeedsAnchor].into_iter().find(|known| known.as_str() == need);
        let need =
            known.ok_or_else(|| D::Error::custom(alloc::format!("`{need}` is no kind of reference")))?;
        Ok(Reference { need, words: String::from(words) })
    }
}
