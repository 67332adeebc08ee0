//! What a prompt says of the past: computed from committed state at that moment, bounded, byte-stable, as data
//! (`spec 05 §1`). No file is read or written for it, and nothing a model answers can alter it.
//!
//! [`text`] makes what others wrote fit to be shown; [`block`] is the record of tasks and blockers that stands in every
//! agent's prompt; [`prompt`] puts the sections in order and holds them to the budget. [`import`] reads what a supervisor
//! keeps, [`supervised`] makes its agent's prompt of it, and [`rendered`] is what is shown outside of a turn.

pub mod block;
pub(crate) mod delegated;
pub mod import;
pub mod prompt;
pub mod rendered;
pub mod supervised;
pub mod text;
pub(crate) mod window;

#[cfg(test)]
mod tests;
