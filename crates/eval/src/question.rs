//! Puts a question of a host's agent and a message to a lane, and reads the outcome.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use throughline_engine::data::event::AssistantPosted;
use throughline_engine::data::message::MessageKind;
use throughline_engine::{Decision, Reason, Step, Timestamp, Verdict};
use throughline_language::{self as language, Context, Expected, Value, Words};

use crate::gold::Taken;
use crate::subject::{Incoming, Subject, USER};
use throughline_testkit::DriverError;

/// Types a case may expect besides the engine's single words: a choice, with its options in the case, and a position,
/// which no question expects.
const OTHERS: [&str; 2] = ["selection", "ordinal"];
/// The time of a case that has none: any fixed value will do.
const DEFAULT_NOW: &str = "2026-01-15T10:00:00";
/// The time the person takes to answer, in milliseconds.
const PAUSE: i64 = 10_000;

/// The time of a case: a date, which means its noon, or a date and a time.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Now(Timestamp);

impl TryFrom<String> for Now {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let whole = if text.contains('T') { text.clone() } else { format!("{text}T12:00:00") };
        let moment = Timestamp::parse(&format!("{}Z", whole.trim_end_matches('Z')));
        moment
            .map(Self)
            .ok_or_else(|| format!("`{text}` is no moment, like 2019-03-01 or 2019-03-01T09:30:00"))
    }
}

/// Returns the time of a case.
pub(crate) fn moment(now: Option<&Now>) -> Timestamp {
    let default = || Timestamp::parse(&format!("{DEFAULT_NOW}Z")).unwrap_or_default();
    now.map_or_else(default, |now| now.0)
}

/// Refuses an unknown type, and a choice without options.
pub(crate) fn check_type(word: &str, options: &[String]) -> Result<(), String> {
    let types: Vec<&str> = Expected::words().chain(OTHERS).collect();
    if !types.contains(&word) {
        return Err(format!("unknown expected_type \"{word}\": known are {}", types.join(", ")));
    }
    if word == "selection" && options.is_empty() {
        return Err("an expected_type of selection needs options".into());
    }
    Ok(())
}

/// Returns the engine's type of that name, if it has one.
pub(crate) fn expected(name: &str, options: &[String]) -> Option<Expected> {
    match name {
        "selection" => Some(Expected::Selection(options.to_vec())),
        _ => name.parse().ok(),
    }
}

/// The outcome of a question and a message.
#[derive(Clone, Debug)]
pub struct QuestionOutcome {
    /// The value, if the message was taken as the answer.
    pub(crate) value: Option<Value>,
    /// True if part of the message was routed on.
    pub(crate) rest: bool,
    /// The turn's decision and reasons.
    pub(crate) seen: Seen,
}

/// Asks in a fresh lane and delivers the message.
pub(crate) fn ask(
    subject: &mut dyn Subject,
    now: Timestamp,
    asked: &str,
    expected: Expected,
    said: &str,
) -> Result<QuestionOutcome, DriverError> {
    subject.begin(now.plus(-PAUSE));
    let question = subject.deliver(Incoming::posted(AssistantPosted {
        kind: MessageKind::Question,
        task: None,
        text: asked.into(),
        expected: Some(expected),
        asked_of: Some(USER.into()),
        expires: None,
        message_id: None,
    }))?;
    let waiting = question.next.pendings.first().map(|pending| pending.id.clone());
    if waiting.is_none() {
        return Err(DriverError("the question was not kept waiting for its answer".into()));
    }
    subject.advance_to(now);
    let step = subject.deliver(Incoming::said(USER, said))?;
    let applied = step.decision.applied.clone().filter(|applied| Some(&applied.pending) == waiting.as_ref());
    Ok(QuestionOutcome {
        value: applied.map(|applied| applied.value),
        rest: step.trace.also.contains(&Reason::PendingAppliedWithRemainder),
        seen: Seen::of(&step),
    })
}

/// Returns the value in a text without asking a question.
pub(crate) fn found(now: Timestamp, expected: &Expected, said: &Words) -> QuestionOutcome {
    let found = language::find(expected, said, &Context::at(now.0, 0));
    let reason = if found.is_some() { Reason::PendingApplied } else { Reason::PendingMismatch };
    let decision = Decision::new(Verdict::Observed, reason);
    let seen = Seen { decision, also: Vec::new(), rule: None };
    QuestionOutcome { value: found.map(|found| found.value), rest: false, seen }
}

impl QuestionOutcome {
    /// Returns the value in the words of the predictions.
    pub(crate) fn taken(&self) -> Taken<'_> {
        self.value.as_ref().map(Taken::of).unwrap_or_default()
    }

    /// Returns true if no rule decided: the question did not take the message, and it is no interrupt and no thanks.
    pub(crate) fn is_open(&self) -> bool {
        const DECIDED: [Reason; 3] = [Reason::InterruptStop, Reason::InterruptNothing, Reason::Acknowledged];
        self.value.is_none() && !DECIDED.contains(&self.seen.decision.reason)
    }

    /// Returns the prediction of a case.
    pub(crate) fn prediction(&self, id: &str) -> Json {
        let taken = self.taken();
        json!({ "id": id, "apply": self.value.is_some(), "bool": taken.boolean, "value": taken.text })
    }

    /// Describes the outcome.
    pub(crate) fn describe(&self) -> String {
        let taken = self.taken();
        let value = match (taken.boolean, taken.text) {
            (Some(true), _) => "yes".into(),
            (Some(false), _) => "no".into(),
            (_, Some(text)) => format!("“{text}”"),
            _ => return "not taken as the answer".into(),
        };
        format!("taken as {value}{}", if self.rest { ", the rest routed on" } else { "" })
    }

    /// Explains the outcome; if nothing was taken, with the recogniser's reason.
    pub(crate) fn why(&self, expected: &Expected, said: &str) -> String {
        let mut why = self.seen.describe();
        if self.value.is_none()
            && let Err(no) = language::read(expected, &Words::of(said), &Context::default())
        {
            let _ = write!(why, " · the recogniser says: {}", no.reason);
        }
        why
    }
}

/// The decision of a turn, with its reasons.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The decision.
    pub(crate) decision: Decision,
    /// Further reasons on the way.
    pub(crate) also: Vec<Reason>,
    /// The rule that decided.
    pub(crate) rule: Option<String>,
}

impl Seen {
    pub(crate) fn of(step: &Step) -> Self {
        Self {
            decision: step.decision.clone(),
            also: step.trace.also.clone(),
            rule: step.trace.rule.as_ref().map(ToString::to_string),
        }
    }

    /// Formats it on one line: `pending.mismatch, then gate.opened at rung 11`.
    pub(crate) fn describe(&self) -> String {
        let mut line = String::new();
        for reason in &self.also {
            let _ = write!(line, "{reason}, then ");
        }
        let _ = write!(line, "{} at rung {}", self.decision.reason, self.decision.rung.number());
        if let Some(rule) = &self.rule {
            let _ = write!(line, " (rule {rule})");
        }
        line
    }
}

/// Constructed answers, for the tests of the tasks.
#[cfg(test)]
pub(crate) mod fixtures {
    use throughline_engine::{Decision, Reason, Verdict};

    use super::{QuestionOutcome, Seen, Value};

    /// Makes a turn with this reason.
    pub(crate) fn seen(reason: Reason) -> Seen {
        Seen { decision: Decision::new(Verdict::Recorded, reason), also: Vec::new(), rule: None }
    }

    /// Makes a question that took this value, or none.
    pub(crate) fn answered(value: Option<Value>, rest: bool) -> QuestionOutcome {
        QuestionOutcome { value, rest, seen: seen(Reason::PendingApplied) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_or_a_date_and_a_time() {
        let at = |text: &str| Now::try_from(text.to_owned()).map(|now| now.0.rfc3339());
        assert_eq!(at("2019-03-01").unwrap(), "2019-03-01T12:00:00.000Z");
        assert_eq!(at("2013-02-12T04:30:00").unwrap(), "2013-02-12T04:30:00.000Z");
        assert_eq!(at("2013-02-12T04:30:00Z").unwrap(), "2013-02-12T04:30:00.000Z");
        assert!(at("yesterday").unwrap_err().contains("`yesterday` is no moment"));
        assert_eq!(moment(None).rfc3339(), "2026-01-15T10:00:00.000Z");
    }

    #[test]
    fn a_type_is_known_or_refused() {
        assert_eq!(check_type("money", &[]), Ok(()));
        assert!(check_type("gender", &[]).unwrap_err().contains("known are boolean, time"));
        assert!(check_type("selection", &[]).unwrap_err().contains("options"));
        let options = ["A|B".to_owned(), "C".to_owned()];
        assert_eq!(expected("selection", &options), Some(Expected::Selection(options.to_vec())));
        assert_eq!(expected("boolean", &[]), Some(Expected::Boolean));
    }
}
