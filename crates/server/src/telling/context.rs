//! What a prompt tells of the past, for the routes and the command line alike.

use throughline_engine::context::import::{ContextState, Warning};
use throughline_engine::context::prompt::TooLarge;
use throughline_engine::context::rendered::Rendered;
use throughline_engine::context::supervised::{Assignment, render};
use throughline_engine::lane::Lane;
use throughline_engine::memory::FactSet;
use throughline_engine::policy::Policy;
use throughline_engine::policy::context::ContextPolicy;

use crate::wire;

/// Why there is no prompt.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// What was asked for is out of its bounds.
    #[error("{key} {why}")]
    Bounds {
        /// `history`, `max_tokens`.
        key: &'static str,
        /// The value and its bounds.
        why: String,
    },
    /// What is never left out does not fit.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// What an agent of this lane would be told now.
///
/// # Errors
///
/// [`Refused`] when it does not fit, or `max_tokens` is out of its bounds.
pub fn of_lane(
    lane: &Lane,
    facts: Vec<FactSet>,
    policy: &Policy,
    max_tokens: Option<u32>,
) -> Result<wire::Context, Refused> {
    let policy = Policy { context: with(&policy.context, None, max_tokens)?, ..policy.clone() };
    Ok(Rendered::of_lane(lane, facts, &policy)?.into())
}

/// What the agent of a supervisor is told. No configuration of ours changes it: the same document gives the same bytes
/// wherever it is rendered.
///
/// # Errors
///
/// [`Refused`] when it does not fit, or a number is out of its bounds.
pub fn of_state(
    (state, warnings): (ContextState, Vec<Warning>),
    task: Option<&Assignment>,
    history: Option<usize>,
    max_tokens: Option<u32>,
) -> Result<wire::Context, Refused> {
    let policy = with(&ContextPolicy::default(), history, max_tokens)?;
    Ok(render(&state, warnings, task, &policy)?.into())
}

fn with(
    policy: &ContextPolicy,
    history: Option<usize>,
    max_tokens: Option<u32>,
) -> Result<ContextPolicy, Refused> {
    let policy = ContextPolicy {
        recent_tasks: history.unwrap_or(policy.recent_tasks),
        max_tokens: max_tokens.unwrap_or(policy.max_tokens),
        ..policy.clone()
    };
    match policy.wrong() {
        Some((key, why)) => {
            let key = if key == "context.recent_tasks" { "history" } else { "max_tokens" };
            Err(Refused::Bounds { key, why })
        }
        None => Ok(policy),
    }
}
