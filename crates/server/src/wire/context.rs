//! What a prompt tells of the past.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use throughline_engine::context::rendered::Rendered;
use utoipa::ToSchema;

/// A supervisor's state, and the task its agent is to be told.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Render {
    /// The state document, as the supervisor keeps it: `goal`, `completed_tasks`, `blocked_tasks`, `current_task`. What is
    /// unknown is read past.
    #[schema(value_type = Object)]
    pub state: Box<RawValue>,
    /// The task. None: the record of tasks alone.
    #[serde(default)]
    #[schema(value_type = Option<RenderedTask>)]
    pub task: Option<Box<RawValue>>,
    /// Finished tasks that are shown: 3 to 5.
    #[serde(default)]
    pub history: Option<usize>,
    /// Tokens of the prompt: at least 6,000.
    #[serde(default)]
    pub max_tokens: Option<u32>,
}

/// A supervisor's task. What else is in it is read past.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RenderedTask {
    /// Its id.
    pub task_id: String,
    /// What it is about, in a line.
    pub intent: Option<String>,
    /// What is to be done: shown as it is.
    pub instructions: Option<String>,
    /// What is checked.
    pub acceptance_criteria: Option<Vec<String>>,
    /// What kind of task it is.
    pub task_type: Option<String>,
    /// Where it is done.
    pub working_directory: Option<String>,
    /// What the answer has to be.
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<serde_json::Value>,
}

/// What a prompt tells of the past.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Context {
    /// The prompt; without a task what stands in every prompt.
    pub prompt: String,
    /// The record of tasks and blockers in it.
    pub block: String,
    /// SHA-256 of it: two prompts with the same tell the same.
    pub context_fingerprint: String,
    /// What was left out for its length.
    pub omitted: Vec<Omitted>,
    /// What was repaired in a supervisor's document.
    pub warnings: Vec<Repair>,
}

/// So many units of a section were left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Omitted {
    /// `facts`, `summary`, `read_only_context`, `window`, `anchor`.
    pub section: String,
    /// Facts, lines, tasks or messages.
    pub units: u32,
}

/// An entry of a document that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Repair {
    /// Why: `context.entry_skipped`, `context.duplicate_task`, `context.in_both_lists`.
    pub code: String,
    /// Which: a JSON pointer (RFC 6901).
    pub pointer: String,
}

impl Context {
    /// As one line of JSON with its end: what the API answers and the command prints.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

impl From<Rendered> for Context {
    fn from(rendered: Rendered) -> Self {
        let omitted = rendered.omitted.iter();
        let warnings = rendered.warnings.iter();
        Self {
            omitted: omitted
                .map(|(section, units)| Omitted { section: section.word().into(), units: *units })
                .collect(),
            warnings: warnings
                .map(|warning| Repair { code: warning.code.into(), pointer: warning.pointer.clone() })
                .collect(),
            prompt: rendered.prompt,
            block: rendered.block,
            context_fingerprint: rendered.context_fingerprint,
        }
    }
}
