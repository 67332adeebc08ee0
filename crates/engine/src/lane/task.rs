//! Tasks: what somebody asked for, where it stands, and which moves from there are allowed (`spec 02 §1`, `spec 05 §2`).
//!
//! Every message names its task. A task gets a record when it becomes work: a ticket, a tool call, a sub-agent's run,
//! or what a host reports. Plain talk needs none: its task is the messages that name it.

use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::event::TaskReported;
use crate::id::TaskId;
use crate::policy::limits;
use crate::time::Timestamp;
use crate::work::Work;

/// What somebody asked for (`spec 05 §2`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// What was asked for: the first line of the message that started it, or what a host said.
    #[serde(alias = "title")]
    pub intent: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// How often it was begun.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub attempt: u32,
    /// Who asked for it, when a person did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub requested_by: String,
    /// Who moves it.
    #[serde(default, skip_serializing_if = "TaskSource::is_engine")]
    pub source: TaskSource,
    /// What is being done for it elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// When it became known.
    pub created_at: Timestamp,
    /// When it was last begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// When it was blocked, while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_at: Option<Timestamp>,
    /// When it was last unblocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unblocked_at: Option<Timestamp>,
    /// Why it is blocked, or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The moment of the newest news of it: older reports change nothing.
    #[serde(default)]
    pub last_at: Timestamp,
    /// The revision that last moved it: orders what happened at the same moment.
    #[serde(default)]
    pub seq: u64,
}

fn once() -> u32 {
    1
}

fn is_once(attempt: &u32) -> bool {
    *attempt == 1
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Known, not begun.
    Queued,
    /// Being worked on.
    Running,
    /// Done.
    Completed,
    /// Waits for something outside.
    Blocked,
    /// Over without a result.
    Failed,
    /// Ended by a person.
    Cancelled,
}

impl TaskStatus {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Completed, Self::Blocked, Self::Failed, Self::Cancelled];

    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Not over: queued, running or blocked.
    #[must_use]
    pub fn live(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Blocked)
    }
}

/// Who moves a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskSource {
    /// We do, when its effects settle.
    #[default]
    Engine,
    /// A host reports it.
    Host,
}

impl TaskSource {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_engine(&self) -> bool {
        *self == Self::Engine
    }
}

/// What a move came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// The task stands elsewhere now, or was begun again.
    Changed,
    /// It stood there already: at most its words are newer.
    Same,
    /// The table of `spec 05 §2.1` has no such move.
    Refused,
    /// The news is older than what is known.
    Stale,
}

impl Task {
    /// A task that is being worked on from now.
    pub(crate) fn new(id: TaskId, intent: &str, by: &str, now: Timestamp) -> Self {
        Self {
            id,
            intent: first_line(intent, limits::TASK_INTENT),
            status: TaskStatus::Running,
            attempt: 1,
            requested_by: by.into(),
            source: TaskSource::Engine,
            work: None,
            created_at: now,
            started_at: Some(now),
            completed_at: None,
            blocked_at: None,
            unblocked_at: None,
            reason: None,
            result: None,
            last_at: now,
            seq: 0,
        }
    }

    /// What a host's first report makes of a task nobody knew.
    pub(crate) fn reported(report: &TaskReported, now: Timestamp) -> Self {
        let intent = report.intent.as_deref().unwrap_or_default();
        let mut task = Self::new(report.task.clone(), intent, "", report.at.unwrap_or(now));
        task.source = TaskSource::Host;
        task.status = report.status;
        task.started_at = (report.status != TaskStatus::Queued).then_some(task.created_at);
        task.stamp(report.status, task.created_at);
        task.words(report);
        task
    }

    /// Takes a host's report in.
    pub(crate) fn take(&mut self, report: &TaskReported, now: Timestamp) -> Moved {
        let moved = self.go(report.status, report.at.unwrap_or(now));
        if matches!(moved, Moved::Changed | Moved::Same) {
            self.words(report);
        }
        moved
    }

    /// News of it are still to come: it is blocked, a host is at it, or a call of ours or its card is open.
    pub(crate) fn awaited(&self) -> bool {
        let ours = self.work.as_ref().is_some_and(|work| work.effect.is_some() || work.card.is_some());
        self.status == TaskStatus::Blocked || self.status.live() && (ours || self.source == TaskSource::Host)
    }

    /// Moves to `to` at that moment, as the table of `spec 05 §2.1` allows.
    pub(crate) fn go(&mut self, to: TaskStatus, at: Timestamp) -> Moved {
        use TaskStatus::{Blocked, Cancelled, Completed, Failed, Queued, Running};
        if at < self.last_at {
            return Moved::Stale;
        }
        let again = match (self.status, to) {
            (from, to) if from == to => {
                self.last_at = at;
                return Moved::Same;
            }
            (Running, Queued) | (Completed, Failed | Cancelled) => return Moved::Refused,
            (Failed, Cancelled) | (Cancelled, Completed | Blocked | Failed) => return Moved::Refused,
            (Completed, Blocked) => true,
            (from, Queued | Running) => !from.live(),
            _ => false,
        };
        if again {
            self.attempt += 1;
            self.completed_at = None;
            self.result = None;
        }
        if self.status == Blocked {
            self.unblocked_at = Some(at);
            self.blocked_at = None;
        }
        self.reason = None;
        self.status = to;
        self.last_at = at;
        self.stamp(to, at);
        Moved::Changed
    }

    fn stamp(&mut self, status: TaskStatus, at: Timestamp) {
        match status {
            TaskStatus::Running => self.started_at = Some(at),
            TaskStatus::Completed => self.completed_at = Some(at),
            TaskStatus::Blocked => self.blocked_at = Some(at),
            TaskStatus::Queued | TaskStatus::Failed | TaskStatus::Cancelled => {}
        }
    }

    /// What a report says beside the status. A result is said once, a reason may get newer.
    fn words(&mut self, report: &TaskReported) {
        let line = |text: &Option<String>| text.as_deref().map(|text| first_line(text, limits::TASK_WORDS));
        if let Some(intent) = report.intent.as_deref().filter(|intent| !intent.trim().is_empty()) {
            self.intent = first_line(intent, limits::TASK_INTENT);
        }
        self.reason = line(&report.reason).or(self.reason.take());
        self.result = self.result.take().or(line(&report.result));
    }
}

/// The first line with anything in it, cut to so many characters.
pub(crate) fn first_line(text: &str, chars: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(status: TaskStatus) -> Task {
        let report = TaskReported { task: "t".into(), status, ..TaskReported::default() };
        Task::reported(&report, Timestamp(10))
    }

    /// The table of `spec 05 §2.1`, row by row: `+` begins again, `=` is the same, `x` is refused.
    #[test]
    fn every_move_of_the_table() {
        let table = [
            "=ok ok ok ok ok",
            "x =ok ok ok ok",
            "+ + = + x x",
            "ok ok ok = ok ok",
            "+ + ok ok = x",
            "+ + x x x =",
        ];
        for (from, row) in TaskStatus::ALL.into_iter().zip(table) {
            let row = row.replace('=', "= ");
            for (to, cell) in TaskStatus::ALL.into_iter().zip(row.split_whitespace()) {
                let mut task = at(from);
                let moved = task.go(to, Timestamp(11));
                let expected = match cell {
                    "=" => Moved::Same,
                    "x" => Moved::Refused,
                    _ => Moved::Changed,
                };
                assert_eq!(moved, expected, "{from:?} to {to:?}");
                assert_eq!(task.status, if moved == Moved::Changed { to } else { from });
                assert_eq!(task.attempt, if cell == "+" { 2 } else { 1 }, "{from:?} to {to:?}");
                assert_eq!(task.blocked_at.is_some(), task.status == TaskStatus::Blocked);
            }
        }
    }

    #[test]
    fn old_news_changes_nothing() {
        let mut task = at(TaskStatus::Running);
        assert_eq!(task.go(TaskStatus::Completed, Timestamp(20)), Moved::Changed);
        let done = task.clone();
        assert_eq!(task.go(TaskStatus::Blocked, Timestamp(19)), Moved::Stale);
        assert_eq!(task, done);
        assert_eq!(task.go(TaskStatus::Blocked, Timestamp(20)), Moved::Changed, "equal: arrival order");
        assert_eq!((task.completed_at, task.attempt), (None, 2));
    }

    #[test]
    fn a_result_is_said_once_and_a_reason_gets_newer() {
        let mut task = at(TaskStatus::Blocked);
        let mut report = TaskReported {
            task: "t".into(),
            status: TaskStatus::Blocked,
            reason: Some("\n  Waiting for Ana \nand Bob".into()),
            ..TaskReported::default()
        };
        assert_eq!(task.take(&report, Timestamp(11)), Moved::Same);
        assert_eq!(task.reason.as_deref(), Some("Waiting for Ana"));
        report.status = TaskStatus::Completed;
        report.result = Some("Done.".into());
        report.reason = None;
        assert_eq!(task.take(&report, Timestamp(12)), Moved::Changed);
        report.result = Some("Done twice.".into());
        assert_eq!(task.take(&report, Timestamp(13)), Moved::Same);
        assert_eq!((task.result.as_deref(), task.reason), (Some("Done."), None));
    }
}
