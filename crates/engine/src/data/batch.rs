//! Batch: several tickets that are shown and approved together.

use crate::data::action::Action;
use crate::data::id::{BatchId, DraftId, MessageId, TaskId};
use crate::data::ticket::Target;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Drafts of the items on one card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Id.
    pub id: BatchId,
    /// Task it belongs to.
    pub task: TaskId,
    /// Message it was made from.
    pub source: MessageId,
    /// Person who asked for it.
    pub by: String,
    /// Project in which the issues will be created.
    pub target: Target,
    /// Drafts in order, each epic before its stories.
    pub items: Vec<DraftId>,
    /// Position among the parts, after a split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
    /// Items before the last change of its card; `None` if that change was of something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Vec<DraftId>>,
}

/// Position of a batch among the parts of a split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOf {
    /// Number of this part, from 1.
    pub n: u32,
    /// Number of parts.
    pub of: u32,
    /// Batch that opens when this one ends; `None` for the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<BatchId>,
}

/// Confirmation that Approve may have to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Latch {
    /// No confirmation is needed.
    #[default]
    Idle,
    /// Confirmation is needed and was not given yet.
    Asked,
    /// Confirmation was given.
    Confirmed,
}

impl Latch {
    /// Returns true if it keeps Approve from being offered.
    #[must_use]
    pub fn asked(self) -> bool {
        self == Self::Asked
    }

    pub(crate) fn when(needed: bool) -> Self {
        if needed { Self::Asked } else { Self::Idle }
    }
}

/// Confirmations of one version of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latches {
    /// Number of items.
    #[serde(default)]
    pub quantity: Latch,
    /// Number of characters.
    #[serde(default)]
    pub size: Latch,
}

impl Latches {
    /// Returns true if no confirmation is needed or given.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the action that has to come before Approve, if any.
    #[must_use]
    pub fn blocking_action(&self) -> Option<Action> {
        let quantity = self.quantity.asked().then_some(Action::ConfirmQuantity);
        quantity.or_else(|| self.size.asked().then_some(Action::ConfirmSize))
    }
}
