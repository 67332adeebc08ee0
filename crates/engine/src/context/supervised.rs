//! The prompt of a task that a supervisor gives to its agent: the same block, without a lane (`spec 05 §5`).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::block::Block;
use super::import::{ContextState, Error, Warning, id, object};
use super::prompt::{Sections, TooLarge, build};
use super::rendered::Rendered;
use super::text::{fence, quote, tokens};
use crate::canon::jcs;
use crate::id::TaskId;
use crate::policy::context::ContextPolicy;

/// What holds for every task of a supervisor. Another wording is another prefix.
const RULES: &str = include_str!("data/rules.md");
const IN_WORDS: &str = "Say in plain text what you did, and which acceptance criteria are open.\n";
const AS_JSON: &str =
    "Answer with one JSON object of this schema, with nothing before it and nothing after it.\n";

/// A task as its supervisor wrote it down: `task.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Its id.
    pub id: TaskId,
    /// Its line: everything but the instructions and the schema.
    line: String,
    instructions: Option<String>,
    schema: Option<Value>,
}

impl Assignment {
    /// Reads a `task.json`. Keys it does not know are read past.
    ///
    /// # Errors
    ///
    /// [`Error`] when it is no object, has no usable `task_id`, or has criteria that are no list.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let members = Value::Object(object(bytes)?);
        let id = id(&members).ok_or(Error::NoId("/task_id"))?;
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        let criteria = match members.get("acceptance_criteria") {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(criteria)) => criteria,
            Some(_) => return Err(Error::NoList("/acceptance_criteria")),
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

    /// Section 8: the instructions stand as they were written, in a fence longer than any in them.
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

/// The prompt for a task of a supervisor, or without one the block of its state.
///
/// # Errors
///
/// [`TooLarge`] when the task does not fit.
pub fn render(
    state: &ContextState,
    warnings: Vec<Warning>,
    task: Option<&Assignment>,
    policy: &ContextPolicy,
) -> Result<Rendered, TooLarge> {
    let policy = ContextPolicy { project: state.project.clone(), ..policy.clone() };
    let input = task.map(Assignment::section).unwrap_or_default();
    let built = build(Sections {
        rules: if task.is_some() { RULES.into() } else { String::new() },
        contract: task.map(Assignment::contract).unwrap_or_default(),
        block: Some(Block::of(&state.tasks, task.map(|task| &task.id), &policy)),
        input_tokens: tokens(&input),
        max_tokens: policy.max_tokens,
        ..Sections::default()
    })?;
    Ok(Rendered::of(built, &input, warnings))
}
