//! Batches: tickets previewed and approved together. A batch is an epic with its stories, several epics, or
//! items that share only the approval. Design: docs/design/0020-ticket-drafts-and-batches.md.

pub(crate) mod card;
pub(crate) mod drafting;
pub(crate) mod edit;
pub(crate) mod latch;
mod list_parser;
mod plan;
pub(crate) mod source_edit;

pub(crate) use crate::tickets::batch::drafting::{BatchRequest, read, start};
pub(crate) use crate::tickets::batch::plan::item_type;
