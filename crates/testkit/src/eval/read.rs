//! JSON Lines in, cases out: every line is one case, or a mistake with its place.

use std::fmt;

use serde_json::Value;
use throughline_engine::canon::{hex, sha256};

use super::{Anaphora, Closing, IntentCase, Labels, Pending, ReplyTo, Selection, Task, Utterance, ValueCase};

/// The cases of some files, by kind, in the order they were read.
#[derive(Debug, Default)]
pub struct Cases {
    pub(super) pending: Vec<Pending>,
    pub(super) value: Vec<ValueCase>,
    pub(super) selection: Vec<Selection>,
    pub(super) closing: Vec<Closing>,
    pub(super) utterance: Vec<Utterance>,
    pub(super) anaphora: Vec<Anaphora>,
    pub(super) reply_to: Vec<ReplyTo>,
    pub(super) intent: Vec<IntentCase>,
    ids: std::collections::HashSet<String>,
    /// The lines that were taken, as one digest after the other.
    digest: [u8; 32],
}

/// The kinds, in the order of the report.
pub(super) const TASKS: [&str; 8] = [
    Pending::NAME,
    ValueCase::NAME,
    Selection::NAME,
    Closing::NAME,
    Utterance::NAME,
    Anaphora::NAME,
    ReplyTo::NAME,
    IntentCase::NAME,
];

/// Which cases are wanted. What is not said is not asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this kind.
    pub task: Option<String>,
    /// From this source, or of this channel of a log.
    pub source: Option<String>,
    /// Of this expected type.
    pub expected: Option<String>,
    /// With this gold label, at any level.
    pub gold: Option<String>,
    /// With this in the message, whatever the case.
    pub text: Option<String>,
}

/// A line that is no case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

impl std::error::Error for CaseError {}

impl Filter {
    fn keeps(&self, labels: &Labels<'_>) -> bool {
        let among = |wanted: &Option<String>, given: &[&str]| {
            wanted.as_deref().is_none_or(|wanted| given.contains(&wanted))
        };
        let contains = |part: &String| labels.text.to_lowercase().contains(&part.to_lowercase());
        among(&self.source, &labels.source)
            && self.expected.as_deref().is_none_or(|wanted| labels.expected == Some(wanted))
            && among(&self.gold, &labels.gold)
            && self.text.as_ref().is_none_or(contains)
    }
}

impl Cases {
    /// Adds the cases of one file that the filter keeps. Blank lines are skipped.
    ///
    /// # Errors
    ///
    /// Every line that is no case; the others are added all the same.
    pub fn read(&mut self, file: &str, text: &str, filter: &Filter) -> Result<(), Vec<CaseError>> {
        let mut wrong = Vec::new();
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if let Err(what) = self.line(line, filter) {
                wrong.push(CaseError { file: file.into(), line: n + 1, what });
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// How many cases there are. A log is one, however many messages of it are annotated.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pending.len()
            + self.value.len()
            + self.selection.len()
            + self.closing.len()
            + self.utterance.len()
            + self.anaphora.len()
            + self.reply_to.len()
            + self.intent.len()
    }

    /// There is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What these cases are known by: the same lines in the same order have the same fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        hex(&self.digest)
    }

    fn line(&mut self, line: &str, filter: &Filter) -> Result<(), String> {
        let row: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {}", told(&error)))?;
        let task = match row.get("task") {
            Some(Value::String(task)) => task.clone(),
            Some(_) => return Err("`task` is not a word".into()),
            None => return Err("missing field `task`".into()),
        };
        let taken = match task.as_str() {
            Pending::NAME => self.take::<Pending>(line, filter, |all| &mut all.pending),
            ValueCase::NAME => self.take::<ValueCase>(line, filter, |all| &mut all.value),
            Selection::NAME => self.take::<Selection>(line, filter, |all| &mut all.selection),
            Closing::NAME => self.take::<Closing>(line, filter, |all| &mut all.closing),
            Utterance::NAME => self.take::<Utterance>(line, filter, |all| &mut all.utterance),
            Anaphora::NAME => self.take::<Anaphora>(line, filter, |all| &mut all.anaphora),
            ReplyTo::NAME => self.take::<ReplyTo>(line, filter, |all| &mut all.reply_to),
            IntentCase::NAME => self.take::<IntentCase>(line, filter, |all| &mut all.intent),
            other => return Err(format!("unknown task \"{other}\": known are {}", TASKS.join(", "))),
        };
        if taken.map_err(|what| format!("{task}: {what}"))? {
            self.digest = sha256(&[&self.digest, line.as_bytes()]);
        }
        Ok(())
    }

    fn take<T: Task>(
        &mut self,
        line: &str,
        filter: &Filter,
        into: fn(&mut Self) -> &mut Vec<T>,
    ) -> Result<bool, String> {
        let case: T = serde_json::from_str(line).map_err(|error| told(&error))?;
        case.check()?;
        if !self.ids.insert(case.id().to_owned()) {
            return Err(format!("the id {} is there twice", case.id()));
        }
        let wanted =
            filter.task.as_deref().is_none_or(|task| task == T::NAME) && filter.keeps(&case.labels());
        if wanted {
            into(self).push(case);
        }
        Ok(wanted)
    }
}

/// What is wrong, and where in the line.
fn told(error: &serde_json::Error) -> String {
    let (text, column) = (error.to_string(), error.column());
    let place = format!(" at line {} column {column}", error.line());
    format!("{} (column {column})", text.strip_suffix(&place).unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSING: &str = r#"{"task":"closing","id":"c1","source":"own","system_text":"Done.","user_text":"Thanks","gold":"complete","meta":{"turn":1}}"#;

    fn read(text: &str) -> Vec<String> {
        let mut cases = Cases::default();
        let wrong = cases.read("a.jsonl", text, &Filter::default()).err().unwrap_or_default();
        wrong.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_line_is_a_case_or_a_mistake_with_its_place() {
        assert_eq!(read(&format!("{CLOSING}\n\n")), [""; 0]);
        for (line, what) in [
            ("{", "a.jsonl:2: not JSON: EOF while parsing an object (column 1)"),
            ("[]", "a.jsonl:2: missing field `task`"),
            (r#"{"task":7}"#, "a.jsonl:2: `task` is not a word"),
            (r#"{"task":"closings"}"#, "a.jsonl:2: unknown task \"closings\": known are pending, value"),
            (r#"{"task":"closing"}"#, "a.jsonl:2: closing: missing field `id`"),
            (
                &CLOSING.replace("complete", "done"),
                "a.jsonl:2: closing: unknown variant `done`, expected one of",
            ),
            (CLOSING, "a.jsonl:2: closing: the id c1 is there twice"),
        ] {
            let wrong = read(&format!("{CLOSING}\n{line}"));
            assert!(wrong.len() == 1 && wrong[0].starts_with(what), "{wrong:?} is not {what}");
        }
        assert_eq!(read("{\n{").len(), 2, "every mistake is told");
    }

    #[test]
    fn what_a_kind_cannot_be_is_refused() {
        for (line, what) in [
            (
                r#"{"task":"pending","id":"p","source":"s","pending":{"kind":"slot_request","expected_type":"gender"},"system_text":"","user_text":"","gold":"applies"}"#,
                "unknown expected_type \"gender\"",
            ),
            (
                r#"{"task":"value","id":"v","source":"s","pending":{"expected_type":"date"},"user_text":"","gold":"applies","full":true,"now":"soon"}"#,
                "`soon` is no moment",
            ),
            (
                r#"{"task":"selection","id":"s","source":"s","options":["a"],"user_text":"","gold":{"index":1}}"#,
                "an option that is not there",
            ),
            (
                r#"{"task":"intent","id":"i","source":"s","user_text":"","gold_accept":["TICKETS"],"gold_reject":[]}"#,
                "unknown intent \"TICKETS\"",
            ),
            (
                r#"{"task":"anaphora","id":"a","source":"s","history":["x"],"user_text":"","gold":{"kind":"anaphor","antecedents":[1]}}"#,
                "a message that is not there",
            ),
            (
                r#"{"task":"reply_to","id":"r","source":"s","channel":"c","messages":[],"links":[[1,[1]]]}"#,
                "message 1, which is not there",
            ),
        ] {
            let wrong = read(line);
            assert!(wrong.len() == 1 && wrong[0].contains(what), "{wrong:?} does not say {what}");
        }
    }

    #[test]
    fn a_filter_keeps_what_was_asked_for() {
        let other = CLOSING.replace("c1", "c2").replace("own", "theirs").replace("Thanks", "Bye");
        let count = |filter: Filter| {
            let mut cases = Cases::default();
            cases.read("a", &format!("{CLOSING}\n{other}"), &filter).unwrap();
            cases.len()
        };
        let some = |word: &str| Some(word.to_owned());
        assert_eq!(count(Filter::default()), 2);
        assert_eq!(count(Filter { source: some("own"), ..Filter::default() }), 1);
        assert_eq!(count(Filter { text: some("THANK"), ..Filter::default() }), 1);
        assert_eq!(count(Filter { gold: some("complete"), ..Filter::default() }), 2);
        assert_eq!(count(Filter { task: some("value"), ..Filter::default() }), 0);
        assert_eq!(count(Filter { expected: some("date"), ..Filter::default() }), 0);
    }

    #[test]
    fn the_same_lines_have_the_same_fingerprint() {
        let print = |text: &str| {
            let mut cases = Cases::default();
            cases.read("a", text, &Filter::default()).unwrap();
            cases.fingerprint()
        };
        let other = CLOSING.replace("c1", "c2");
        assert_eq!(print(CLOSING), print(&format!("\n{CLOSING}\n")));
        assert_ne!(print(&format!("{CLOSING}\n{other}")), print(&format!("{other}\n{CLOSING}")));
    }
}
