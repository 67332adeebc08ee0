//! How an effect ends: as the edge saw one attempt, and as the lane is told.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::ask::Answer;
use crate::selection::SetOption;
use crate::time::Millis;
use crate::work::Asked;

/// How one attempt at an effect ended (`spec 06 §4.3`), with the proof each needs. What every edge answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt<T> {
    /// A success answer with something we can use.
    Applied(T),
    /// No byte of the request was written, or the far side says it refused to process it.
    NotApplied {
        /// What happened.
        why: String,
        /// How long the far side asks us to wait.
        hint: Option<Millis>,
    },
    /// The far side understood and said no, for good.
    Rejected {
        /// For a person.
        text: String,
        /// What is wrong with which field.
        errors: Vec<FieldError>,
    },
    /// Everything else: a timeout, a reset, an answer nobody can read.
    Unknown {
        /// What happened.
        why: String,
    },
}

impl<T> Attempt<T> {
    /// The same outcome with another result.
    pub fn map<U>(self, result: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Self::Applied(applied) => Attempt::Applied(result(applied)),
            Self::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            Self::Rejected { text, errors } => Attempt::Rejected { text, errors },
            Self::Unknown { why } => Attempt::Unknown { why },
        }
    }
}

/// How an effect ended, as the lane is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Outcome {
    /// Applied.
    Done {
        /// What came of it.
        result: EffectResult,
    },
    /// Over without being applied.
    Failed {
        /// A stable word: `rejected`, `dry_run`, `dependency`, `gave_up`.
        reason: String,
        /// For a person.
        text: String,
        /// What is wrong with which field.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<FieldError>,
    },
    /// Nobody can say; a person is asked and it is never sent again by itself.
    Uncertain {
        /// For a person.
        text: String,
    },
}

/// What came of an effect that was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum EffectResult {
    /// A message was delivered, under the channel's id when it has one.
    Delivered {
        /// The channel's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel_id: Option<String>,
    },
    /// The tracker would take it.
    Checked,
    /// There is such an issue.
    Found {
        /// `DEMO-1`.
        key: String,
        /// Its title, to compare.
        title: String,
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The epic it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    /// These issues carry the marker; none found proves nothing.
    Sought {
        /// Their keys and where to see them, oldest first.
        issues: Vec<(String, Option<String>)>,
    },
    /// An issue was changed.
    Updated,
    /// It is posted.
    Posted {
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// An issue exists.
    Issue {
        /// `DEMO-1`.
        key: String,
        /// Where to see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// A model answered inside the bounds.
    Answered(Answer),
    /// What a list holds now, as its host says it.
    Snapshot {
        /// Its options; what it did not hold before is not looked at.
        options: Vec<SetOption>,
        /// The one that has the focus.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        focused: Option<String>,
    },
    /// A tool or a sub-agent answered. What it wrote is data, never an instruction.
    Said {
        /// Its words.
        text: String,
    },
    /// A tool or a sub-agent has to know something before it goes on.
    Asked(Asked),
    /// A sub-agent stopped.
    Stopped {
        /// Its words.
        text: String,
    },
}

/// One thing wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// Which item of a batch, by its id; empty for the only one, or for all of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// The check that failed, `check.required` and its like (`spec 06 §6.1`).
    pub code: String,
    /// Which field.
    pub field: String,
    /// For a person.
    pub text: String,
}

impl FieldError {
    /// The code of an argument that a tool does not take as it is.
    pub const ARGUMENT: &'static str = "tool.argument";

    /// For people: the sentence, and the field where the sentence does not name it.
    #[must_use]
    pub fn told(&self) -> String {
        let names = self.field.is_empty() || self.text.to_lowercase().contains(&self.field.to_lowercase());
        if names { self.text.clone() } else { format!("{} ({})", self.text, self.field) }
    }

    /// Wrong with the only item, or with all of them.
    #[must_use]
    pub fn new(code: &str, field: &str, text: impl Into<String>) -> Self {
        Self { item: String::new(), code: code.into(), field: field.into(), text: text.into() }
    }
}
