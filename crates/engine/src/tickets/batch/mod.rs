//! Several tickets that are shown and approved together (`spec 03 §6.2`): an epic with its stories, several epics, or
//! several items that share nothing but the approval.

pub(crate) mod card;
pub(crate) mod edit;
pub(crate) mod flow;
pub(crate) mod latch;
mod list;
mod plan;
pub(crate) mod reread;

pub(crate) use flow::{Asked, read, start};
pub(crate) use plan::item_type;

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::Target;
use crate::id::{BatchId, DraftId, MessageId, TaskId};

/// The items of one card, each a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Its id.
    pub id: BatchId,
    /// The task it serves.
    pub task: TaskId,
    /// The message it was made from.
    pub source: MessageId,
    /// Who asked.
    pub by: String,
    /// Where it would go.
    pub target: Target,
    /// What it holds, in order: an epic before its stories.
    pub items: Vec<DraftId>,
    /// Which of how many it is, after a split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

/// One batch of several that a split made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOf {
    /// From 1.
    pub n: u32,
    /// How many there are.
    pub of: u32,
    /// The one that opens when this one is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<BatchId>,
}
