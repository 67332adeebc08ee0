//! What stays known: facts, each with its source, its confidence and its place (`spec 05 §8` to `§11`).
//!
//! Facts of a lane are its records; those of an epic or a channel are one [`FactSet`] each, handed in with `given` and
//! written with the turn. Nothing here decides what a message means, what may run, or what is approved.

pub(crate) mod book;
mod canonical;
pub mod contradict;
pub mod extract;
mod fact;
pub(crate) mod flow;
pub mod limit;
pub mod merge;
pub mod rekey;
mod rules;
pub mod shown;
pub mod summary;
mod words;

pub use extract::{Claim, Proposal};
pub use fact::{
    Confidence, Fact, FactChange, FactKey, FactScope, FactSet, FactStatus, FactType, FactsTouched, Gone,
    Origin, Source, Trust, draft_scope,
};

mod wants;

pub(crate) use fact::draft_of;
pub use wants::{in_reach, wants};
