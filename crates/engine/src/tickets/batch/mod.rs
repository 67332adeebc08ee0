//! Batches: tickets previewed and approved together. A batch is an epic with its stories, several epics, or
//! items that share only the approval. Design: docs/design/0020-ticket-drafts-and-batches.md.

pub(crate) mod card;
pub(crate) mod edit;
pub(crate) mod flow;
pub(crate) mod latch;
mod list;
mod plan;
pub(crate) mod reread;

pub(crate) use crate::tickets::batch::flow::{Asked, read, start};
pub(crate) use crate::tickets::batch::plan::item_type;
