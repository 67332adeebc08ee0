//! The hint about the anchor that a model receives when the text cannot be understood without it. Built
//! only when a model is asked.

use crate::data::event::MessagePosted;
use crate::data::focus::AnchorHint;
use crate::data::focus::FocusContext;
use crate::data::focus::FocusSource;
use crate::data::message::Message;
use crate::data::policy::limits;
use crate::text::redact;
use crate::turn::Turn;
use throughline_language::reference::{Need, Reference};

impl FocusContext {
    /// The hint for a text with this reference. `None` if the text needs no anchor, or there is none.
    pub(crate) fn hint(&self, reference: &Reference, turn: &Turn<'_>) -> Option<AnchorHint> {
        if reference.need != Need::NeedsAnchor {
            return None;
        }
        let snippet = |text: &str| redact::snippet(text, limits::SNIPPET);
        if self.source == FocusSource::ReplyPayload {
            let MessagePosted { reply_to, quote: Some(quote), .. } = turn.posted()? else { return None };
            return Some(AnchorHint {
                focus_anchor_internal_id: None,
                focus_anchor_channel_id: reply_to.clone(),
                focus_anchor_text_snippet: snippet(quote),
                task_id: None,
            });
        }
        let id = self.anchor.as_ref()?;
        let replied_to = turn.given.anchor.as_ref().filter(|anchor| anchor.id == *id);
        let anchor = turn.named::<Message>(id.as_str()).or(replied_to)?;
        Some(AnchorHint {
            focus_anchor_internal_id: Some(id.clone()),
            focus_anchor_channel_id: anchor.channel_id.clone(),
            focus_anchor_text_snippet: snippet(&anchor.text),
            task_id: self.task.clone(),
        })
    }
}
