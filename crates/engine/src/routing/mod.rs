//! The rungs of the routing order. `step.rs` has the order; this folder has what each rung checks
//! (`docs/design/0012-routing-order.md`).

pub(crate) mod addressing;
pub(crate) mod answers;
mod beside;
pub(crate) mod capabilities;
mod card_words;
pub(crate) mod command;
pub(crate) mod event;
pub(crate) mod focus_rung;
pub(crate) mod gate;
pub(crate) mod intent;
pub(crate) mod interrupt;
mod judge;
pub(crate) mod meta;
mod mode_words;
pub(crate) mod pending;
pub(crate) mod press;
pub(crate) mod review;
pub(crate) mod scope;
pub(crate) mod step;
