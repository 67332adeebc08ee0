//! The memory of facts, each with its source, its confidence and its place (`docs/design/0027-facts.md`).
//!
//! Facts of a thread are records of its lane. Those of an epic or a channel are one
//! [`FactSet`](crate::data::fact::FactSet) each, handed in with `StepInput::facts` and written with the turn.
//! Nothing here decides what a message means, what may run, or what is approved.

mod capability;
pub(crate) mod fact_intake;

mod fact_needs;

pub(crate) use crate::memory::capability::Facts;
pub use crate::memory::fact_needs::{fact_needs, in_reach};
