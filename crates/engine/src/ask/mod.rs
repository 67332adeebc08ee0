//! What we ask a model: typed and bounded. A model picks from what it was offered or says nothing.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::focus::Hint;
use crate::id::MessageId;
use crate::intent::Intent;
use crate::policy::Policy;
use crate::time::Millis;

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "purpose", rename_all = "snake_case")]
pub enum Ask {
    /// Which of the five intents is this? (`spec 03 §1`)
    Classify {
        /// The message.
        text: String,
        /// The lane window before it, oldest first. Never the workflow state.
        window: Vec<String>,
        /// What the message refers to, when it cannot be understood without.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<Hint>,
        /// What may be answered.
        labels: Vec<Intent>,
        /// All the time there is.
        budget_ms: Millis,
    },
}

/// What came back, as the edge parsed it; the step judges it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "purpose", rename_all = "snake_case")]
pub enum Answer {
    /// One label.
    Classify {
        /// The word the model chose. Not in the labels: no answer.
        label: String,
        /// 0 to 100.
        confidence: u8,
        /// The message the model took it to refer to. Not the one that was offered: removed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        anchor: Option<MessageId>,
    },
    /// Refused, cut, malformed, too late, over budget: no answer, and why.
    None {
        /// A stable word.
        why: String,
    },
}

impl Ask {
    /// The classify question.
    #[must_use]
    pub fn classify(text: &str, window: Vec<String>, hint: Option<Hint>, policy: &Policy) -> Self {
        Self::Classify {
            text: text.into(),
            window,
            hint,
            labels: Intent::ALL.into(),
            budget_ms: policy.ask.classify_ms,
        }
    }

    /// The purpose's word.
    #[must_use]
    pub fn purpose(&self) -> &'static str {
        match self {
            Self::Classify { .. } => "classify",
        }
    }
}

/// Removes an anchor that was not offered (`spec 02 §4`): no model may invent one. Says whether there was one.
pub(crate) fn clamp(answer: &mut Answer, offered: Option<&MessageId>) -> bool {
    let Answer::Classify { anchor, .. } = answer else { return false };
    anchor.take_if(|anchor| Some(&*anchor) != offered).is_some()
}

/// The intent an answer gives: one that was offered, said with enough confidence, or nothing. Nothing
/// leans toward a ticket (`spec 03 §1`).
#[must_use]
pub fn judge(answer: &Answer, policy: &Policy) -> Option<Intent> {
    match answer {
        Answer::Classify { label, confidence, .. } if *confidence >= policy.ask.min_confidence => {
            Intent::from_word(label).filter(|intent| *intent != Intent::Ambiguous)
        }
        _ => None,
    }
}
