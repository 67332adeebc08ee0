//! The prompt of a task that a supervisor gives to its agent: the record of tasks without a lane
//! (`docs/design/0025-prompt-context.md`).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::context::import::{ContextState, ImportError, ImportWarning, id, object};
use crate::context::prompt::{PromptSections, TooLarge, build};
use crate::context::rendered::RenderedContext;
use crate::context::task_history::TaskHistory;
use crate::data::canonical_json::jcs;
use crate::data::id::TaskId;
use crate::data::policy::context::ContextPolicy;
use crate::text::clean::{fence, quote, tokens};

/// The rules for every task of a supervisor. A change of wording changes the prefix fingerprint.
const RULES: &str = include_str!("data/rules.md");
const IN_WORDS: &str = "Say in plain text what you did, and which acceptance criteria are open.\n";
const AS_JSON: &str =
    "Answer with one JSON object of this schema, with nothing before it and nothing after it.\n";

/// A task as its supervisor describes it in `task.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The task's id.
    pub id: TaskId,
    /// The task's line in the prompt: everything but the instructions and the schema.
    line: String,
    instructions: Option<String>,
    schema: Option<Value>,
}

impl Assignment {
    /// Reads a `task.json`. Unknown keys are ignored.
    ///
    /// # Errors
    ///
    /// [`ImportError`] if it is not an object, has no usable `task_id`, or its criteria are not a list.
    pub fn read(bytes: &[u8]) -> Result<Self, ImportError> {
        let members = Value::Object(object(bytes)?);
        let id = id(&members).ok_or(ImportError::NoId("/task_id"))?;
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        let criteria = match members.get("acceptance_criteria") {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(criteria)) => criteria,
            Some(_) => return Err(ImportError::NoList("/acceptance_criteria")),
        };
        let mut line = String::from("{ \"task_id\": ");
        quote(&mut line, id);
        line.push_str(", \"intent\": ");
        quote(&mut line, text("intent").unwrap_or_default());
        for key in ["task_type", "working_directory"] {
            if let Some(value) = text(key) {
                line.push_str(&format!(", \"{key}\": "));
                quote(&mut line, value);
            }
        }
        line.push_str(", \"acceptance_criteria\": [");
        for (i, criterion) in criteria.iter().filter_map(Value::as_str).enumerate() {
            line.push_str(if i == 0 { "" } else { ", " });
            quote(&mut line, criterion);
        }
        line.push_str("] }");
        Ok(Self {
            id: TaskId::from(id),
            line,
            instructions: text("instructions").map(ToOwned::to_owned),
            schema: members.get("output_schema").filter(|schema| !schema.is_null()).cloned(),
        })
    }

    fn contract(&self) -> String {
        match &self.schema {
            Some(schema) => format!("## OUTPUT CONTRACT\n{AS_JSON}{}\n", jcs(schema)),
            None => format!("## OUTPUT CONTRACT\n{IN_WORDS}"),
        }
    }

    /// Section 8: the task and its instructions, unchanged, in a fence longer than any in them.
    fn section(&self) -> String {
        let mut out = format!("## TASK\n{}\n", self.line);
        if let Some(text) = &self.instructions {
            let fence = fence(text);
            let end = if text.ends_with('\n') { "" } else { "\n" };
            out.push_str(&format!("## INSTRUCTIONS\n{fence}\n{text}{end}{fence}\n"));
        }
        out
    }
}

/// Renders the prompt for a task of a supervisor, or without a task only the block of its state.
///
/// # Errors
///
/// [`TooLarge`] if the task does not fit.
pub fn render(
    state: &ContextState,
    warnings: Vec<ImportWarning>,
    task: Option<&Assignment>,
    policy: &ContextPolicy,
) -> Result<RenderedContext, TooLarge> {
    let policy = ContextPolicy { project: state.project.clone(), ..policy.clone() };
    let input = task.map(Assignment::section).unwrap_or_default();
    let built = build(PromptSections {
        rules: if task.is_some() { RULES.into() } else { String::new() },
        contract: task.map(Assignment::contract).unwrap_or_default(),
        block: Some(TaskHistory::of(&state.tasks, task.map(|task| &task.id), &policy)),
        input_tokens: tokens(&input),
        max_tokens: policy.max_tokens,
        ..PromptSections::default()
    })?;
    Ok(RenderedContext::of(built, &input, warnings))
}
