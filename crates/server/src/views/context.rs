//! Context of prompts, for the routes and the command line.

use throughline_engine::context::import::{ContextState, ImportWarning};
use throughline_engine::context::prompt::TooLarge;
use throughline_engine::context::supervised::{Assignment, render};
use throughline_engine::data::fact::FactSet;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::policy::Policy;
use throughline_engine::data::policy::context::ContextPolicy;
use throughline_engine::lane_context;

use crate::wire;

/// Reason why there is no prompt.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// A requested limit is out of its bounds.
    #[error("{key} {why}")]
    Bounds {
        /// Name of the limit: `history`, `max_tokens`.
        key: &'static str,
        /// Value and bounds.
        why: String,
    },
    /// The parts that are never left out do not fit.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// Renders the context an agent of this lane would be given now.
///
/// # Errors
/// [`PromptError`] if it does not fit, or `max_tokens` is out of its bounds.
pub fn of_lane(
    lane: &Lane,
    facts: Vec<FactSet>,
    policy: &Policy,
    max_tokens: Option<u32>,
) -> Result<wire::Context, PromptError> {
    let policy = Policy { context: bounded_policy(&policy.context, None, max_tokens)?, ..policy.clone() };
    Ok(lane_context(lane, facts, &policy)?.into())
}

/// Renders the context for a supervisor's agent. It does not depend on the configuration: the same document gives the
/// same bytes everywhere.
///
/// # Errors
/// [`PromptError`] if it does not fit, or a number is out of its bounds.
pub fn of_state(
    (state, warnings): (ContextState, Vec<ImportWarning>),
    task: Option<&Assignment>,
    history: Option<usize>,
    max_tokens: Option<u32>,
) -> Result<wire::Context, PromptError> {
    let policy = bounded_policy(&ContextPolicy::default(), history, max_tokens)?;
    Ok(render(&state, warnings, task, &policy)?.into())
}

fn bounded_policy(
    policy: &ContextPolicy,
    history: Option<usize>,
    max_tokens: Option<u32>,
) -> Result<ContextPolicy, PromptError> {
    let policy = ContextPolicy {
        recent_tasks: history.unwrap_or(policy.recent_tasks),
        max_tokens: max_tokens.unwrap_or(policy.max_tokens),
        ..policy.clone()
    };
    match policy.first_invalid() {
        Some((key, why)) => {
            let key = if key == "context.recent_tasks" { "history" } else { "max_tokens" };
            Err(PromptError::Bounds { key, why })
        }
        None => Ok(policy),
    }
}
