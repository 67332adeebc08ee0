//! What we ask a model: typed and bounded. A model picks from what it was offered or says nothing.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

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
    pub fn classify(text: &str, window: Vec<String>, policy: &Policy) -> Self {
        Self::Classify {
            text: text.into(),
            window,
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

/// The intent an answer gives: one that was offered, said with enough confidence, or nothing. Nothing
/// leans toward a ticket (`spec 03 §1`).
#[must_use]
pub fn judge(answer: &Answer, policy: &Policy) -> Option<Intent> {
    match answer {
        Answer::Classify { label, confidence } if *confidence >= policy.ask.min_confidence => {
            Intent::from_word(label).filter(|intent| *intent != Intent::Ambiguous)
        }
        _ => None,
    }
}
