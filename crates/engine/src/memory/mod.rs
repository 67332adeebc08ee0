//! What stays known: facts, each with its source, its confidence and its place (`spec 05 §8` to `§11`).
//!
//! Facts of a lane are its records; those of an epic or a channel are one [`FactSet`] each, handed in with `given` and
//! written with the turn. Nothing here decides what a message means, what may run, or what is approved.

mod canonical;
pub mod extract;
mod fact;
pub mod summary;
mod words;

pub use extract::{Claim, Proposal};
pub use fact::{
    Confidence, Fact, FactChange, FactKey, FactScope, FactSet, FactStatus, FactType, FactsTouched, Origin,
    Source, Trust, draft_scope,
};

use alloc::vec::Vec;

use crate::event::Event;
use crate::given::Given;
use crate::lane::Lane;
use crate::policy::Policy;

/// The sets an event may need: the runtime looks them up and hands them over in [`Given::facts`].
#[must_use]
pub fn wants(_lane: &Lane, _event: &Event, _given: &Given, _policy: &Policy) -> Vec<FactKey> {
    Vec::new()
}
