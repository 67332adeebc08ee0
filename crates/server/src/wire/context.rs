//! Prompt context.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use throughline_channels::api::whole;
use throughline_engine::context::rendered::RenderedContext;
use utoipa::ToSchema;

use super::vocabulary::{History, MaxTokens};

/// Supervisor's state, and the task of its agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Render {
    /// State document as the supervisor keeps it: `goal`, `completed_tasks`, `blocked_tasks`, `current_task`. Unknown
    /// members are ignored.
    #[schema(value_type = Object)]
    pub state: Box<RawValue>,
    /// Task. Without it only the record of tasks is rendered.
    #[serde(default)]
    #[schema(value_type = Option<RenderedTask>)]
    pub task: Option<Box<RawValue>>,
    /// Number of finished tasks to show: 3 to 5.
    #[serde(default, deserialize_with = "whole::optional")]
    #[schema(value_type = Option<History>, inline)]
    pub history: Option<u32>,
    /// Maximum tokens of the prompt: at least 6,000.
    #[serde(default, deserialize_with = "whole::optional")]
    #[schema(value_type = Option<MaxTokens>, inline)]
    pub max_tokens: Option<u32>,
}

/// Supervisor's task. Unknown members are ignored.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RenderedTask {
    /// Id.
    pub task_id: String,
    /// Subject, in one line.
    pub intent: Option<String>,
    /// Instructions, shown verbatim.
    pub instructions: Option<String>,
    /// Criteria that the result is checked against.
    pub acceptance_criteria: Option<Vec<String>>,
    /// Kind of task.
    pub task_type: Option<String>,
    /// Directory in which the work is done.
    pub working_directory: Option<String>,
    /// Schema of the answer.
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<serde_json::Value>,
}

/// Rendered context of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Context {
    /// Prompt. Without a task: the part that stands in every prompt.
    pub prompt: String,
    /// Record of tasks and blockers within the prompt.
    pub block: String,
    /// SHA-256 of the rendered sections; equal contexts have equal fingerprints.
    pub context_fingerprint: String,
    /// Units that were left out for their length.
    pub omitted: Vec<Omitted>,
    /// Repairs that were made in a supervisor's document.
    pub warnings: Vec<Repair>,
}

/// Number of units of a section that were left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Omitted {
    /// Section: `facts`, `summary`, `read_only_context`, `window`, `anchor`.
    pub section: String,
    /// Number of facts, lines, tasks or messages.
    pub units: u32,
}

/// Entry of a document that was ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Repair {
    /// Reason: `context.entry_skipped`, `context.duplicate_task`, `context.in_both_lists`.
    pub code: String,
    /// Place of the entry: a JSON pointer (RFC 6901).
    pub pointer: String,
}

impl Context {
    /// Returns one line of JSON with a newline, as the API answers and the command prints it.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

impl From<RenderedContext> for Context {
    fn from(rendered: RenderedContext) -> Self {
        let omitted = rendered.omitted.iter();
        let warnings = rendered.warnings.iter();
        Self {
            omitted: omitted
                .map(|(section, units)| Omitted { section: section.as_str().into(), units: *units })
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
