//! Work done by tools and sub-agents, as effects of the engine.
//!
//! The policy lists them with their risks. A call that only reads is sent when asked for; any other waits for
//! an approval on a card, which no text can give. Design: docs/design/0024-tasks.md and
//! docs/design/0037-models-and-tools.md.

pub(crate) mod back;
mod capability;
mod card;
mod erase;
mod flow;

pub(crate) use crate::work::back::{progressed, stop};
pub(crate) use crate::work::capability::ToolsAndAgents;
pub(crate) use crate::work::flow::{begin, hand_over};
