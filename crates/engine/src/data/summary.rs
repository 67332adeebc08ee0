//! The summary of messages that have left the window (`docs/design/0026-summaries.md`).

use crate::data::id::{EffectId, MessageId};
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The summary of messages that are no longer raw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConversationSummary {
    /// The text that a model wrote.
    #[serde(rename = "context_summary", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Number of times it was replaced.
    #[serde(rename = "summary_version")]
    pub version: u32,
    /// Lines for messages after the summary, oldest first.
    #[serde(rename = "summary_tail", skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// Covered messages whose lines are not made, because nobody was shown them: their number in each fold, the newest fold
    /// last. Their lines follow the tail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owed: Vec<usize>,
    /// Place in the lane of the newest covered message; the first message has place 1.
    #[serde(rename = "context_cursor")]
    pub cursor: u64,
    /// Id of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<MessageId>,
    /// The open request, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<SummaryRequest>,
    /// Failed requests since the cursor moved.
    #[serde(skip_serializing_if = "is_zero")]
    pub tries: u32,
    /// Raw messages needed for the next request.
    #[serde(skip_serializing_if = "is_nothing")]
    pub next: usize,
}

/// A request for a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryRequest {
    /// The effect that carries it.
    pub effect: EffectId,
    /// The cursor it starts from. If that has moved meanwhile, the answer is discarded.
    pub base_cursor: u64,
    /// Number of messages it folds; 0 if it only condenses again what is covered already.
    pub folds: usize,
    /// The newest message that the answer will cover.
    pub to: MessageId,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_nothing(count: &usize) -> bool {
    *count == 0
}
