//! What a model is told of the anchor when the text needs it (`spec 02 §4`). Made only when a model is asked.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::{FocusContext, FocusSource, Need, Reference};
use crate::event::Posted;
use crate::id::{MessageId, TaskId};
use crate::policy::limits;
use crate::redact;
use crate::turn::Turn;

/// The anchor, as much of it as another may see. The names on the wire are those of `spec 02 §4`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hint {
    /// Our id of the message; a quotation of one we do not know has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus_anchor_internal_id: Option<MessageId>,
    /// The channel's id of it, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus_anchor_channel_id: Option<String>,
    /// How it begins: without secrets, at most so many characters as the policy's limit says.
    pub focus_anchor_text_snippet: String,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
}

impl FocusContext {
    /// The hint for a text that was read like this; none where the text needs no anchor, or there is none.
    pub(crate) fn hint(&self, reference: &Reference, turn: &Turn<'_>) -> Option<Hint> {
        if reference.need != Need::NeedsAnchor {
            return None;
        }
        let snippet = |text: &str| redact::snippet(text, limits::SNIPPET);
        if self.source == FocusSource::ReplyPayload {
            let Posted { reply_to, quote: Some(quote), .. } = turn.posted()? else { return None };
            return Some(Hint {
                focus_anchor_internal_id: None,
                focus_anchor_channel_id: reply_to.clone(),
                focus_anchor_text_snippet: snippet(quote),
                task_id: None,
            });
        }
        let id = self.anchor.as_ref()?;
        let replied_to = turn.given.anchor.as_ref().filter(|anchor| anchor.id == *id);
        let anchor = turn.message_ref(id.as_str()).or(replied_to)?;
        Some(Hint {
            focus_anchor_internal_id: Some(id.clone()),
            focus_anchor_channel_id: anchor.channel_id.clone(),
            focus_anchor_text_snippet: snippet(&anchor.text),
            task_id: self.task.clone(),
        })
    }
}
