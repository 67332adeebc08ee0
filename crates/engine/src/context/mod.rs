//! The context of a prompt: what it shows of the past, computed from committed state when the prompt is
//! built, bounded, with stable bytes, and marked as data. No file is read or written for it, and no answer
//! of a model can alter it (`docs/design/0025-prompt-context.md`).
//!
//! [`block`] is the record of tasks and blockers that every agent's prompt contains; [`prompt`] orders the
//! sections and holds them to the budget. [`import`] reads a supervisor's document, [`supervised`] builds
//! the prompt of its agent, and [`rendered`] is the context shown outside of a turn. `crate::text` cleans
//! and quotes what others wrote.

pub mod block;
pub(crate) mod delegated;
pub mod import;
pub mod prompt;
pub mod rendered;
pub mod shown;
pub(crate) mod shown_summary;
pub mod supervised;
pub(crate) mod window;

#[cfg(test)]
mod tests;
