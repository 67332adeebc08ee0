//! The context of a prompt: what it shows of the past, computed from committed state when the prompt is
//! built, bounded, with stable bytes, and marked as data. No file is read or written for it, and no answer
//! of a model can alter it (`docs/design/0025-prompt-context.md`).
//!
//! [`block`] is the record of tasks and blockers that every agent's prompt contains; [`prompt`] orders the
//! sections and holds them to the budget. [`import`] reads a supervisor's document, [`supervised`] builds
//! the prompt of its agent, and [`rendered`] is the context shown outside of a turn. `crate::text` cleans
//! and quotes what others wrote.

pub(crate) mod briefing;
pub mod import;
pub mod lane_context;
pub mod prompt;
pub mod rendered;
pub(crate) mod summary_section;
pub mod supervised;
pub mod task_history;
pub(crate) mod window;

#[cfg(test)]
mod tests;
