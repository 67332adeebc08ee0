//! Reads a supervisor's JSON document as the state from which a prompt is built. A pure function of the
//! bytes: nothing is written back, and unknown members are ignored (`docs/design/0025-prompt-context.md`).

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::data::decision::Reason;
use crate::data::id::TaskId;
use crate::data::policy::context::{Project, TASK_ID};
use crate::data::task::Task;
use crate::data::task::TaskReported;
use crate::data::task_status::{TaskSource, TaskStatus};
use crate::data::time::Timestamp;

/// The largest size of a document, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The deepest nesting of arrays and objects in a document.
pub const MAX_DEPTH: usize = 64;

/// The state from which a prompt is built.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextState {
    /// The project the tasks belong to.
    pub project: Project,
    /// The tasks, each id once.
    pub tasks: Vec<Task>,
}

/// A repair that reading a document needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportWarning {
    /// The code of the repair: `context.entry_skipped`, `context.duplicate_task` or
    /// `context.in_both_lists`.
    pub code: &'static str,
    /// The JSON pointer (RFC 6901) of the entry that was left out.
    pub pointer: String,
}

/// The reason for which a document cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The document has more than [`MAX_BYTES`].
    TooLarge,
    /// The document is nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// The document is not JSON; holds the parser's message.
    NotJson(String),
    /// The document is JSON, but not an object.
    NoObject,
    /// A member that has to be a list is none; holds its JSON pointer.
    NoList(&'static str),
    /// A member that has to be a text of 1 to 128 bytes is none; holds its JSON pointer.
    NoId(&'static str),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "it has more than {MAX_BYTES} bytes"),
            Self::TooDeep => write!(f, "it is nested more than {MAX_DEPTH} deep"),
            Self::NotJson(why) => write!(f, "it is not JSON: {why}"),
            Self::NoObject => f.write_str("it is not a JSON object"),
            Self::NoList(pointer) => write!(f, "{pointer} is not a list"),
            Self::NoId(pointer) => write!(f, "{pointer} is not a text of 1 to {TASK_ID} bytes"),
        }
    }
}

impl core::error::Error for ImportError {}

/// Reads a supervisor's document. An entry that cannot be used is left out, with a [`ImportWarning`].
///
/// # Errors
///
/// [`ImportError`] if the document cannot be used at all.
pub fn import(bytes: &[u8]) -> Result<(ContextState, Vec<ImportWarning>), ImportError> {
    let document = object(bytes)?;
    let mut warnings = Vec::new();
    let mut completed = list(&document, TaskStatus::Completed, &mut warnings)?;
    let mut blocked = list(&document, TaskStatus::Blocked, &mut warnings)?;
    let current = document.get("current_task").and_then(id);
    if let Some(id) = current {
        completed.remove(id);
        blocked.remove(id);
    }
    in_one_list(&mut completed, &mut blocked, &mut warnings);
    let goal = document.get("goal");
    let of_goal = |key: &str| goal?.get(key)?.as_str().filter(|text| !text.trim().is_empty());
    let project = Project {
        id: of_goal("project_id").map_or_else(|| Project::default().id, ToOwned::to_owned),
        goal: of_goal("description").map(ToOwned::to_owned),
    };
    let tasks = completed.into_values().chain(blocked.into_values()).map(|entry| entry.task).collect();
    Ok((ContextState { project, tasks }, warnings))
}

/// Reads the members of a document.
///
/// # Errors
///
/// [`ImportError`] if it is not an object, or is larger or deeper than allowed.
pub fn object(bytes: &[u8]) -> Result<Map<String, Value>, ImportError> {
    if bytes.len() > MAX_BYTES {
        return Err(ImportError::TooLarge);
    }
    if deep(bytes) {
        return Err(ImportError::TooDeep);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(ImportError::NoObject),
        Err(error) => Err(ImportError::NotJson(error.to_string())),
    }
}

/// True if the document is nested deeper than allowed. Brackets inside texts do not count.
fn deep(bytes: &[u8]) -> bool {
    let (mut depth, mut deepest, mut text, mut escaped) = (0_usize, 0, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if text => escaped = true,
            b'"' => text = !text,
            b'{' | b'[' if !text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest > MAX_DEPTH
}

/// The `task_id` of an entry, if it is usable.
pub(super) fn id(entry: &Value) -> Option<&str> {
    let id = entry.get("task_id")?.as_str()?;
    (!id.trim().is_empty() && id.len() <= TASK_ID).then_some(id)
}

/// A task, and its JSON pointer in the document.
struct ImportedTask {
    task: Task,
    pointer: String,
}

impl ImportedTask {
    fn order(&self) -> (Option<Timestamp>, u64) {
        (self.task.completed_at.or(self.task.blocked_at), self.task.seq)
    }
}

/// Reads one of the two lists, by id. Of several entries with one id the newest counts.
fn list(
    document: &Map<String, Value>,
    status: TaskStatus,
    warnings: &mut Vec<ImportWarning>,
) -> Result<BTreeMap<String, ImportedTask>, ImportError> {
    let (pointer, time) = match status {
        TaskStatus::Completed => ("/completed_tasks", "completed_at"),
        _ => ("/blocked_tasks", "blocked_at"),
    };
    let entries = match document.get(&pointer[1..]) {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(ImportError::NoList(pointer)),
    };
    let mut found: BTreeMap<String, ImportedTask> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate() {
        let pointer = format!("{pointer}/{place}");
        let Some(id) = id(entry) else {
            warnings.push(ImportWarning { code: Reason::ContextEntrySkipped.code(), pointer });
            continue;
        };
        let new = ImportedTask { task: task(id, entry, status, time, place), pointer };
        let older = match found.remove(id) {
            None => None,
            Some(known) if known.order() > new.order() => {
                found.insert(id.into(), known);
                warnings
                    .push(ImportWarning { code: Reason::ContextDuplicateTask.code(), pointer: new.pointer });
                continue;
            }
            known => known,
        };
        let code = Reason::ContextDuplicateTask.code();
        warnings.extend(older.map(|older| ImportWarning { code, pointer: older.pointer }));
        found.insert(id.into(), new);
    }
    Ok(found)
}

fn task(id: &str, entry: &Value, status: TaskStatus, time: &str, place: usize) -> Task {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
    let at = entry.get(time).and_then(Value::as_str).and_then(moment);
    let report = TaskReported {
        task: TaskId::from(id),
        status,
        at: Some(at.unwrap_or_default()),
        intent: text("intent"),
        reason: text("reason"),
        result: text("summary"),
    };
    let task = Task::reported(&report, Timestamp::default());
    Task {
        source: TaskSource::Import,
        seq: u64::try_from(place).unwrap_or(u64::MAX),
        completed_at: task.completed_at.and(at),
        blocked_at: task.blocked_at.and(at),
        ..task
    }
}

/// Parses a time with its offset, as in RFC 3339.
fn moment(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(moment.as_millisecond()))
}

/// Leaves each task in one list. Supervisors forget to clear blockers, so a task in both counts as blocked
/// only if it was blocked after it was completed.
fn in_one_list(
    completed: &mut BTreeMap<String, ImportedTask>,
    blocked: &mut BTreeMap<String, ImportedTask>,
    warnings: &mut Vec<ImportWarning>,
) {
    let both: Vec<String> = completed.keys().filter(|id| blocked.contains_key(*id)).cloned().collect();
    for id in both {
        let again = blocked[&id].task.blocked_at > completed[&id].task.completed_at;
        let gone = if again { completed.remove(&id) } else { blocked.remove(&id) };
        let code = Reason::ContextInBothLists.code();
        warnings.extend(gone.map(|gone| ImportWarning { code, pointer: gone.pointer }));
    }
}
