//! Tasks: what somebody asked for, its status, and the status changes that are allowed.
//!
//! Every message names its task. A task gets a record when it becomes work: a ticket, a tool call, a
//! sub-agent's run, or something that a host reports. Plain talk needs none: its task is the messages that
//! name it. Reasons: `docs/design/0024-tasks.md`.

use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::text::clean::clean;

use crate::data::authors::Authors;
use crate::data::call::{Job, Work};
use crate::data::id::TaskId;
use crate::data::language::{self, Language};
use crate::data::policy::context::{INTENT, REASON, RESULT};
use crate::data::task_status::{TaskSource, TaskStatus};
use crate::data::time::Timestamp;

/// A request that somebody made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// The request: the first line of the message that started it, or a host's words. Cleaned.
    #[serde(alias = "title")]
    pub intent: String,
    /// Its status.
    pub status: TaskStatus,
    /// Number of times it was begun.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub attempt: u32,
    /// The person who asked; empty if none did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub requested_by: String,
    /// Other people whose words its work has.
    #[serde(default, skip_serializing_if = "Authors::is_empty")]
    pub authors: Authors,
    /// The party that moves it.
    #[serde(default, skip_serializing_if = "TaskSource::is_engine")]
    pub source: TaskSource,
    /// The work done for it elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// Language of what is said of it. English in records of versions before 0.2.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
    /// Moment at which it became known.
    pub created_at: Timestamp,
    /// Moment at which it was last begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// Moment at which it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// Moment at which it was blocked, while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_at: Option<Timestamp>,
    /// Moment at which it was last unblocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unblocked_at: Option<Timestamp>,
    /// The reason that it is blocked or failed. Cleaned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its result in one sentence, once it is completed ([`result`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Moment of the newest report; older reports change nothing.
    #[serde(default)]
    pub last_at: Timestamp,
    /// The revision that last moved it. Orders events of the same moment.
    #[serde(default)]
    pub seq: u64,
}

fn once() -> u32 {
    1
}

fn is_once(attempt: &u32) -> bool {
    *attempt == 1
}

/// The outcome of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskMove {
    /// The status changed, or the task was begun again.
    Changed,
    /// The status is the same; at most the texts are newer.
    Same,
    /// The table of moves does not allow it.
    Refused,
    /// The report is older than what is known.
    Stale,
}

impl Task {
    /// Creates a task that is being worked on from now.
    pub(crate) fn new(id: TaskId, intent: &str, by: &str, now: Timestamp) -> Self {
        Self {
            id,
            intent: clean(intent, INTENT).into_owned(),
            status: TaskStatus::Running,
            attempt: 1,
            requested_by: by.into(),
            authors: Authors::default(),
            source: TaskSource::Engine,
            work: None,
            language: Language::En,
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

    /// Creates a task from a host's first report about it.
    pub(crate) fn reported(report: &TaskReported, now: Timestamp) -> Self {
        let intent = report.intent.as_deref().unwrap_or_default();
        let mut task = Self::new(report.task.clone(), intent, "", report.at.unwrap_or(now));
        task.source = TaskSource::Host;
        task.status = report.status;
        task.started_at = (report.status != TaskStatus::Queued).then_some(task.created_at);
        task.stamp(report.status, task.created_at);
        task.says(report);
        task
    }

    /// Applies a host's report.
    pub(crate) fn apply_report(&mut self, report: &TaskReported, now: Timestamp) -> TaskMove {
        let unsaid = self.result == Some(result(None, &self.intent));
        let moved = self.move_to(report.status, report.at.unwrap_or(now));
        match moved {
            TaskMove::Changed => {
                if let Some(intent) = report.intent.as_deref().filter(|intent| !intent.trim().is_empty()) {
                    self.intent = clean(intent, INTENT).into_owned();
                }
                self.says(report);
            }
            TaskMove::Same => {
                self.reason = line(report.reason.as_deref()).or(self.reason.take());
                if unsaid {
                    self.set_result(report.result.as_deref(), None);
                }
            }
            TaskMove::Refused | TaskMove::Stale => {}
        }
        moved
    }

    /// Notes that its work has these people's words.
    pub(crate) fn has_words_of(&mut self, authors: &Authors) {
        self.authors.add_all(&authors.clone().without(&self.requested_by));
    }

    /// True if it is work, which prompts list, and not talk. An option that was picked from a list is talk.
    #[must_use]
    pub fn is_work(&self) -> bool {
        !matches!(&self.work, Some(Work { job: Job::Option(_), .. }))
    }

    /// Returns the moment at which it ended, if it did. A failed or cancelled task ended with the newest
    /// report about it.
    pub(crate) fn ended_at(&self) -> Option<Timestamp> {
        match self.status {
            TaskStatus::Completed => self.completed_at,
            TaskStatus::Failed | TaskStatus::Cancelled => Some(self.last_at),
            TaskStatus::Queued | TaskStatus::Running | TaskStatus::Blocked => None,
        }
    }

    /// True if more reports are expected: it is blocked, a host works on it, or a call or card of the engine
    /// is open.
    pub(crate) fn expects_reports(&self) -> bool {
        let ours = self.work.as_ref().is_some_and(|work| work.effect.is_some() || work.card.is_some());
        self.status == TaskStatus::Blocked
            || self.status.is_live() && (ours || self.source == TaskSource::Host)
    }

    /// Moves to `to` at that moment, if the table of moves allows it.
    pub(crate) fn move_to(&mut self, to: TaskStatus, at: Timestamp) -> TaskMove {
        use TaskStatus::{Blocked, Cancelled, Completed, Failed, Queued, Running};
        if at < self.last_at {
            return TaskMove::Stale;
        }
        let again = match (self.status, to) {
            (from, to) if from == to => {
                // A repeated report must not move the end of a finished task, nor its place in the history.
                if from.is_live() {
                    self.last_at = at;
                }
                return TaskMove::Same;
            }
            (Running, Queued) | (Completed, Failed | Cancelled) => return TaskMove::Refused,
            (Failed, Cancelled) | (Cancelled, Completed | Blocked | Failed) => return TaskMove::Refused,
            (Completed, Blocked) => true,
            (from, Queued | Running) => !from.is_live(),
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
        TaskMove::Changed
    }

    fn stamp(&mut self, status: TaskStatus, at: Timestamp) {
        match status {
            TaskStatus::Running => self.started_at = Some(at),
            TaskStatus::Completed => {
                self.completed_at = Some(at);
                self.set_result(None, None);
            }
            TaskStatus::Blocked => self.blocked_at = Some(at),
            TaskStatus::Queued | TaskStatus::Failed | TaskStatus::Cancelled => {}
        }
    }

    /// Takes over the texts of a report.
    fn says(&mut self, report: &TaskReported) {
        self.reason = line(report.reason.as_deref());
        if self.status == TaskStatus::Completed {
            self.set_result(report.result.as_deref(), report.intent.as_deref());
        }
    }

    /// Takes over the handler's words: as the result of a completed task, as the reason of any other.
    pub(crate) fn set_answer(&mut self, words: &str) {
        match self.status {
            TaskStatus::Completed => self.set_result(Some(words), None),
            _ => self.reason = line(Some(words)),
        }
    }

    /// Writes the result. `intent` may be the report's own text: its lines show where the first sentence
    /// ends.
    fn set_result(&mut self, given: Option<&str>, intent: Option<&str>) {
        let intent = intent.filter(|intent| !intent.trim().is_empty());
        self.result = Some(result(given, intent.unwrap_or(&self.intent)));
    }
}

/// Cleans a reason; `None` if nothing is left.
fn line(text: Option<&str>) -> Option<String> {
    text.map(|text| clean(text, REASON).into_owned()).filter(|text| !text.is_empty())
}

/// Returns the result of a completed task in one sentence: the first of the handler's words, or else of the
/// request. Words that begin with "failed" are ignored, because the task was completed.
///
/// ```
/// use throughline_engine::data::task::result;
/// assert_eq!(result(None, "Bump to v1.2 now. Then test"), "Completed: Bump to v1.2 now");
/// assert_eq!(result(Some("Bumped.\nTested."), "Bump to v1.2 now"), "Bumped.");
/// assert_eq!(result(None, " "), "Completed.");
/// ```
#[must_use]
pub fn result(given: Option<&str>, intent: &str) -> String {
    let failed = |text: &&str| text.get(..6).is_some_and(|begins| begins.eq_ignore_ascii_case("failed"));
    let given = given.map(sentence).filter(|given| !given.is_empty() && !failed(given));
    let source = given.map(String::from).unwrap_or_else(|| match sentence(intent) {
        "" => "Completed.".into(),
        intent => format!("Completed: {}", intent.strip_suffix(['.', '。']).unwrap_or(intent)),
    });
    clean(&source, RESULT).into_owned()
}

/// Returns the first sentence of a text. A full stop inside a word does not end it.
fn sentence(text: &str) -> &str {
    let text = text.trim_start();
    let mut ends = false;
    for (at, c) in text.char_indices() {
        if matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
            || ends && c.is_whitespace()
        {
            return text[..at].trim_end();
        }
        ends = matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
    }
    text.trim_end()
}

/// Returns the first line that is not blank.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// A host's report of a task's status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReported {
    /// Id of the task: the host's or the engine's.
    pub task: TaskId,
    /// Its status.
    pub status: TaskStatus,
    /// Moment since which it has this status; `None` means when intake received the report. A report older
    /// than what is known changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The reason that it is blocked or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

impl Default for TaskReported {
    fn default() -> Self {
        let status = TaskStatus::Running;
        Self { task: TaskId::from(""), status, at: None, intent: None, reason: None, result: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(status: TaskStatus) -> Task {
        let report = TaskReported { task: "t".into(), status, ..TaskReported::default() };
        Task::reported(&report, Timestamp(10))
    }

    /// The table of moves, row by row: `+` begins again, `=` changes nothing, `x` is refused.
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
                let moved = task.move_to(to, Timestamp(11));
                let expected = match cell {
                    "=" => TaskMove::Same,
                    "x" => TaskMove::Refused,
                    _ => TaskMove::Changed,
                };
                assert_eq!(moved, expected, "{from:?} to {to:?}");
                assert_eq!(task.status, if moved == TaskMove::Changed { to } else { from });
                assert_eq!(task.attempt, if cell == "+" { 2 } else { 1 }, "{from:?} to {to:?}");
                assert_eq!(task.blocked_at.is_some(), task.status == TaskStatus::Blocked);
            }
        }
    }

    #[test]
    fn old_news_changes_nothing() {
        let mut task = at(TaskStatus::Running);
        assert_eq!(task.move_to(TaskStatus::Completed, Timestamp(20)), TaskMove::Changed);
        let done = task.clone();
        assert_eq!(task.move_to(TaskStatus::Blocked, Timestamp(19)), TaskMove::Stale);
        assert_eq!(task, done);
        assert_eq!(
            task.move_to(TaskStatus::Blocked, Timestamp(20)),
            TaskMove::Changed,
            "equal: arrival order"
        );
        assert_eq!((task.completed_at, task.attempt), (None, 2));
    }

    #[test]
    fn what_is_over_stays_over_since_then() {
        for status in [TaskStatus::Completed, TaskStatus::Failed, TaskStatus::Cancelled] {
            let mut task = at(status);
            let before = task.clone();
            assert_eq!(task.move_to(status, Timestamp(20)), TaskMove::Same);
            assert_eq!((task.ended_at(), &task), (Some(Timestamp(10)), &before), "{status:?}");
        }
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
        assert_eq!(task.apply_report(&report, Timestamp(11)), TaskMove::Same);
        assert_eq!(task.reason.as_deref(), Some("Waiting for Ana and Bob"));
        report.status = TaskStatus::Completed;
        report.result = Some("Done.".into());
        report.reason = None;
        assert_eq!(task.apply_report(&report, Timestamp(12)), TaskMove::Changed);
        report.result = Some("Done twice.".into());
        assert_eq!(task.apply_report(&report, Timestamp(13)), TaskMove::Same);
        assert_eq!((task.ended_at(), task.last_at), (Some(Timestamp(12)), Timestamp(12)));
        assert_eq!((task.result.as_deref(), task.reason), (Some("Done."), None));
    }
}
