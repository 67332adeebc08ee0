//! Work done by tools and sub-agents, as effects of the engine.
//!
//! The policy lists them with their risks. A call that only reads is sent when asked for; any other waits for
//! an approval on a card, which no text can give. Design: docs/design/0024-tasks.md and
//! docs/design/0037-models-and-tools.md.

mod capability;
mod card;
mod erase;
pub(crate) mod in_progress;
mod issue_lookup;
mod lifecycle;
mod request;

pub(crate) use crate::calls::capability::ToolsAndAgents;
pub(crate) use crate::calls::in_progress::{progressed, stop};
pub(crate) use crate::calls::issue_lookup::change;
pub(crate) use crate::calls::lifecycle::{begin, hand_over};
pub(crate) use crate::calls::request::requested;
