//! Reads cases from JSON Lines: every line is a case, or a mistake with its line number.

use std::fmt;

use serde_json::Value;
use throughline_engine::data::canonical_json::{hex, sha256};

use crate::{Anaphora, Closing, IntentCase, Labels, Pending, ReplyTo, Selection, Task, Utterance, ValueCase};

/// Cases by kind, in the order they were read.
#[derive(Debug, Default)]
pub struct Cases {
    pub(crate) pending: Vec<Pending>,
    pub(crate) value: Vec<ValueCase>,
    pub(crate) selection: Vec<Selection>,
    pub(crate) closing: Vec<Closing>,
    pub(crate) utterance: Vec<Utterance>,
    pub(crate) anaphora: Vec<Anaphora>,
    pub(crate) reply_to: Vec<ReplyTo>,
    pub(crate) intent: Vec<IntentCase>,
    ids: std::collections::HashSet<String>,
    /// A running digest of the lines.
    digest: [u8; 32],
}

/// The kinds, in the order of the report.
pub(crate) const TASKS: [&str; 8] = [
    Pending::NAME,
    ValueCase::NAME,
    Selection::NAME,
    Closing::NAME,
    Utterance::NAME,
    Anaphora::NAME,
    ReplyTo::NAME,
    IntentCase::NAME,
];

/// Selects cases; a field that is `None` selects all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The kind.
    pub task: Option<String>,
    /// The source, or the channel of a log.
    pub source: Option<String>,
    /// The expected type.
    pub expected: Option<String>,
    /// A gold label, at any level.
    pub gold: Option<String>,
    /// Part of the message, ignoring case.
    pub text: Option<String>,
}

/// A line that is not a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
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
    /// Adds the cases of a file that the filter selects. Blank lines are skipped.
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

    /// Returns the number of cases. A log is one, whatever the number of its annotated messages.
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

    /// Returns true if there is no case.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the fingerprint of the cases: equal for equal lines in equal order.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        hex(&self.digest)
    }

    fn line(&mut self, line: &str, filter: &Filter) -> Result<(), String> {
        let row: Value =
            serde_json::from_str(line).map_err(|error| format!("not JSON: {}", describe(&error)))?;
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
        let case: T = serde_json::from_str(line).map_err(|error| describe(&error))?;
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

/// Formats an error of the JSON parser with its place in the line.
fn describe(error: &serde_json::Error) -> String {
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
        assert_eq!(read("{\n{").len(), 2, "every mistake is reported");
    }

    #[test]
    fn a_case_its_kind_cannot_have_is_refused() {
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
    fn equal_lines_have_equal_fingerprints() {
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
