//! Labelled messages as examples: what a line of data says about each verdict of the judge.

use serde::Deserialize;
use serde_json::Value;
use throughline_language::judge::{HEADS, hash_of};

/// A labelled message.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The text that was said before; empty if nobody knows.
    pub question: String,
    /// The message.
    pub text: String,
    /// For each head, whether it is so; `None` where the label does not say.
    pub labels: [Option<bool>; HEADS],
    /// The kind of the line.
    pub task: LabelledTask,
    /// The name of the source.
    pub source: String,
    /// A number that lines share which must not be apart, of one service or one dialogue.
    pub group: u32,
}

/// The kind of a labelled line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelledTask {
    /// An answer to a question of yes or no, or none.
    Answer,
    /// The end of a conversation, or none.
    Closing,
    /// A message without a question.
    Utterance,
}

#[derive(Deserialize)]
struct Line {
    source: String,
    task: String,
    #[serde(default)]
    system_text: String,
    user_text: String,
    gold: Value,
    gold_sub: Option<String>,
    gold_class: Option<String>,
    gold_value: Option<Value>,
    pending: Option<Asked>,
    #[serde(default)]
    meta: Value,
}

#[derive(Deserialize)]
struct Asked {
    expected_type: String,
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);
const OPEN: Option<bool> = None;

impl Labelled {
    /// Reads a line of data; `Ok(None)` if it says nothing about a verdict of the judge.
    ///
    /// # Errors
    ///
    /// The line is no case.
    pub fn read(line: &str) -> Result<Option<Self>, serde_json::Error> {
        let line: Line = serde_json::from_str(line)?;
        let Some((task, labels)) = line.labels() else { return Ok(None) };
        let question = if task == LabelledTask::Utterance { String::new() } else { line.system_text.clone() };
        let group = hash_of(&line.group());
        let (text, source) = (line.user_text, line.source);
        Ok(labels.iter().any(Option::is_some).then_some(Self { question, text, labels, task, source, group }))
    }
}

impl Line {
    fn labels(&self) -> Option<(LabelledTask, [Option<bool>; HEADS])> {
        let gold = self.gold.as_str().unwrap_or_default();
        match self.task.as_str() {
            "pending" if self.pending.as_ref()?.expected_type == "boolean" => {
                Some((LabelledTask::Answer, self.answer(gold)))
            }
            "closing" => {
                let done = gold == "complete";
                let more = if gold == "not_complete" { OPEN } else { Some(!done) };
                Some((LabelledTask::Closing, [OPEN, OPEN, Some(done), more]))
            }
            "utterance" => {
                Some((LabelledTask::Utterance, of_class(self.gold_class.as_deref().unwrap_or_default())))
            }
            _ => None,
        }
    }

    fn answer(&self, gold: &str) -> [Option<bool>; HEADS] {
        let sub = self.gold_sub.as_deref().unwrap_or_default();
        match (gold, sub) {
            (_, "dontcare") => [OPEN; HEADS],
            ("applies" | "applies_plus", _) => {
                let yes = self.gold_value.as_ref().and_then(polarity);
                let plus = gold == "applies_plus";
                let done = if plus { NO } else { YES.filter(|_| sub == "closing") };
                [yes, yes.map(|yes| !yes), done, Some(plus)]
            }
            // A no read from these does no harm, so they do not say that they are none.
            ("correction", _) => [NO, OPEN, OPEN, OPEN],
            (_, "alternatives" | "correction" | "cancel") => [NO, OPEN, NO, OPEN],
            _ => [NO, NO, NO, YES],
        }
    }

    fn group(&self) -> String {
        let service = self.meta["services"][0].as_str().and_then(|name| name.split('_').next());
        match (service, &self.meta["dialogue_id"]) {
            (Some(service), _) => service.to_owned(),
            (None, Value::Null) => self.user_text.to_lowercase(),
            (None, dialogue) => dialogue.to_string(),
        }
    }
}

/// Returns whether a value means yes.
fn polarity(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::String(text) => text.to_lowercase().parse().ok(),
        Value::Array(all) => all.iter().find_map(polarity),
        Value::Object(fields) => ["boolean", "canonical"].iter().find_map(|key| polarity(fields.get(*key)?)),
        _ => None,
    }
}

fn of_class(class: &str) -> [Option<bool>; HEADS] {
    match class {
        "affirm" => [YES, NO, OPEN, OPEN],
        "deny" => [NO, YES, OPEN, OPEN],
        "task" | "oos" | "explain" | "repeat" | "help" | "handoff" | "meta" => [NO, NO, NO, YES],
        "maybe" | "dontcare" | "unknown" => [NO, NO, NO, OPEN],
        "cancel" | "stop" | "start_over" | "go_back" => [NO, OPEN, NO, OPEN],
        "thanks" | "goodbye" | "no_more_closing" | "praise" => [OPEN, OPEN, YES, NO],
        "ask_confirm" => [NO, NO, OPEN, OPEN],
        _ => [OPEN; HEADS],
    }
}
