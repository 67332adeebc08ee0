//! Work done by tools and sub-agents, as effects of the engine.
//!
//! The policy lists them with their risks. A call that only reads is sent when asked for; any other waits for
//! an approval on a card, which no text can give. Design: docs/design/0024-tasks.md and
//! docs/design/0037-models-and-tools.md.

pub(crate) mod back;
mod flow;

pub(crate) use crate::work::back::{answered_back, progressed, stop};
pub(crate) use crate::work::flow::{
    again, argument_given, begin, call_corrected, delegate_to, hand_over, happened, offer_answered, release,
    settled,
};
