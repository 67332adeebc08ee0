//! What a supervisor keeps as one JSON document, read as the state a prompt is made of (`spec 05 §5`). A pure function
//! of its bytes: nothing is written back, and what is not understood is read past.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::decision::Reason;
use crate::event::TaskReported;
use crate::id::TaskId;
use crate::lane::{Task, TaskSource, TaskStatus};
use crate::policy::context::{Project, TASK_ID};
use crate::time::Timestamp;

/// The largest document, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The deepest nesting.
pub const MAX_DEPTH: usize = 64;

/// The state a prompt is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextState {
    /// What it is about.
    pub project: Project,
    /// Its tasks, each once.
    pub tasks: Vec<Task>,
}

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its code: `context.entry_skipped`, `context.duplicate_task`, `context.in_both_lists`.
    pub code: &'static str,
    /// The entry that does not count (RFC 6901).
    pub pointer: String,
}

/// Why a document cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It has more than [`MAX_BYTES`].
    TooLarge,
    /// It is nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// It is no JSON; what the reader said.
    NotJson(String),
    /// It is JSON, and no object.
    NoObject,
    /// What has to be a list is none: its JSON pointer.
    NoList(&'static str),
    /// What has to be a text of 1 to 128 bytes is none: its JSON pointer.
    NoId(&'static str),
}

impl fmt::Display for Error {
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

impl core::error::Error for Error {}

/// Reads a supervisor's document.
///
/// # Errors
///
/// [`Error`] when it cannot be used at all. An entry that cannot is left out, with a [`Warning`].
pub fn import(bytes: &[u8]) -> Result<(ContextState, Vec<Warning>), Error> {
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

/// The members of a document.
///
/// # Errors
///
/// [`Error`] when it is no object, or more than is read.
pub fn object(bytes: &[u8]) -> Result<Map<String, Value>, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLarge);
    }
    if deep(bytes) {
        return Err(Error::TooDeep);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Error::NoObject),
        Err(error) => Err(Error::NotJson(error.to_string())),
    }
}

/// Nested deeper than is read. Brackets in texts do not count.
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

/// A usable id of a task.
pub(super) fn id(entry: &Value) -> Option<&str> {
    let id = entry.get("task_id")?.as_str()?;
    (!id.trim().is_empty() && id.len() <= TASK_ID).then_some(id)
}

/// A task, and where it stands in the document.
struct Entry {
    task: Task,
    pointer: String,
}

impl Entry {
    fn order(&self) -> (Option<Timestamp>, u64) {
        (self.task.completed_at.or(self.task.blocked_at), self.task.seq)
    }
}

/// One of the two lists, by id: of several entries of one, the newest.
fn list(
    document: &Map<String, Value>,
    status: TaskStatus,
    warnings: &mut Vec<Warning>,
) -> Result<BTreeMap<String, Entry>, Error> {
    let (pointer, time) = match status {
        TaskStatus::Completed => ("/completed_tasks", "completed_at"),
        _ => ("/blocked_tasks", "blocked_at"),
    };
    let entries = match document.get(&pointer[1..]) {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(Error::NoList(pointer)),
    };
    let mut found: BTreeMap<String, Entry> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate() {
        let pointer = format!("{pointer}/{place}");
        let Some(id) = id(entry) else {
            warnings.push(Warning { code: Reason::ContextEntrySkipped.code(), pointer });
            continue;
        };
        let new = Entry { task: task(id, entry, status, time, place), pointer };
        let older = match found.remove(id) {
            None => None,
            Some(known) if known.order() > new.order() => {
                found.insert(id.into(), known);
                warnings.push(Warning { code: Reason::ContextDuplicateTask.code(), pointer: new.pointer });
                continue;
            }
            known => known,
        };
        let code = Reason::ContextDuplicateTask.code();
        warnings.extend(older.map(|older| Warning { code, pointer: older.pointer }));
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

/// A moment with its offset, as RFC 3339 has it.
fn moment(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(moment.as_millisecond()))
}

/// Supervisors forget to clear blockers: blocked is only what was blocked after it was completed.
fn in_one_list(
    completed: &mut BTreeMap<String, Entry>,
    blocked: &mut BTreeMap<String, Entry>,
    warnings: &mut Vec<Warning>,
) {
    let both: Vec<String> = completed.keys().filter(|id| blocked.contains_key(*id)).cloned().collect();
    for id in both {
        let again = blocked[&id].task.blocked_at > completed[&id].task.completed_at;
        let gone = if again { completed.remove(&id) } else { blocked.remove(&id) };
        let code = Reason::ContextInBothLists.code();
        warnings.extend(gone.map(|gone| Warning { code, pointer: gone.pointer }));
    }
}
