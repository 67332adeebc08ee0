//! The key of a record: its kind and its id.

use alloc::string::String;
use serde::{Deserialize, Serialize};

/// The kind of a record, first part of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A message.
    Message,
    /// A task.
    Task,
    /// A ticket's draft.
    Draft,
    /// A card with buttons.
    Card,
    /// An event kept until a model answers.
    Held,
    /// A review.
    Review,
    /// A batch of tickets.
    Batch,
    /// A decision that people record.
    #[serde(rename = "decision")]
    Proposal,
    /// A list of options.
    OptionSet,
    /// A person's state of their lists.
    View,
    /// A fact of the lane.
    Fact,
}

impl RecordKind {
    /// Every kind, in order.
    pub(crate) const ALL: [Self; 11] = [
        Self::Message,
        Self::Task,
        Self::Draft,
        Self::Card,
        Self::Held,
        Self::Review,
        Self::Batch,
        Self::Proposal,
        Self::OptionSet,
        Self::View,
        Self::Fact,
    ];
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// Returns the word used in the store and in hashes.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Task => "task",
            Self::Draft => "draft",
            Self::Card => "card",
            Self::Held => "held",
            Self::Review => "review",
            Self::Batch => "batch",
            Self::Proposal => "decision",
            Self::OptionSet => "option_set",
            Self::View => "view",
            Self::Fact => "fact",
        }
    }
}

/// The key of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordKey {
    /// Its kind.
    pub kind: RecordKind,
    /// Its id.
    pub key: String,
}
