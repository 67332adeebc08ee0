//! A question of a host's agent, the message that follows it, and what the turn made of the two.

use std::fmt::Write as _;

use serde::Deserialize;
use throughline_engine::event::AssistantPosted;
use throughline_engine::lane::MessageKind;
use throughline_engine::recognize::{self, Context, Expected, Value, Words};
use throughline_engine::{Decision, Reason, Step, Timestamp, Verdict};

use super::gold::Taken;
use super::subject::{Incoming, Subject, USER};
use crate::driver::DriverError;

/// What a case may expect besides the types of the engine that are a word: a choice, whose options stand beside it, and
/// one that no question expects.
const OTHERS: [&str; 2] = ["selection", "ordinal"];
/// When a case happens that does not say: any moment will do, as long as it is the same every time.
const DEFAULT_NOW: &str = "2026-01-15T10:00:00";
/// How long the person takes to answer, in milliseconds.
const PAUSE: i64 = 10_000;

/// The moment a case says it happens: a date, which is its noon, or a date and a time.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Now(Timestamp);

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

/// The moment of a case.
pub(super) fn moment(now: Option<&Now>) -> Timestamp {
    let default = || Timestamp::parse(&format!("{DEFAULT_NOW}Z")).unwrap_or_default();
    now.map_or_else(default, |now| now.0)
}

/// Refuses a type that is none, and a choice without options.
pub(super) fn check_type(word: &str, options: &[String]) -> Result<(), String> {
    let types: Vec<&str> = Expected::words().chain(OTHERS).collect();
    if !types.contains(&word) {
        return Err(format!("unknown expected_type \"{word}\": known are {}", types.join(", ")));
    }
    if word == "selection" && options.is_empty() {
        return Err("an expected_type of selection needs options".into());
    }
    Ok(())
}

/// The engine's type of that name, when it has it.
pub(super) fn expected(word: &str, options: &[String]) -> Option<Expected> {
    match word {
        "selection" => Some(Expected::Selection(options.to_vec())),
        _ => word.parse().ok(),
    }
}

/// What became of a question when the message came.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The value, when the message was taken as the answer.
    pub(super) value: Option<Value>,
    /// A part of the message went on through the rungs below.
    pub(super) rest: bool,
    /// What else was seen of the turn.
    pub(super) seen: Seen,
}

/// Asks in a fresh lane and lets the message come in.
pub(super) fn ask(
    subject: &mut dyn Subject,
    now: Timestamp,
    asked: &str,
    expected: Expected,
    said: &str,
) -> Result<Answered, DriverError> {
    subject.begin(now.plus(-PAUSE));
    let question = subject.deliver(Incoming::posted(AssistantPosted {
        kind: MessageKind::Question,
        task: None,
        text: asked.into(),
        expected: Some(expected),
        asked_of: Some(USER.into()),
        expires: None,
    }))?;
    let waiting = question.next.pendings.first().map(|pending| pending.id.clone());
    if waiting.is_none() {
        return Err(DriverError("the question was not kept waiting for its answer".into()));
    }
    subject.advance_to(now);
    let step = subject.deliver(Incoming::said(USER, said))?;
    let applied = step.decision.applied.clone().filter(|applied| Some(&applied.pending) == waiting.as_ref());
    Ok(Answered {
        value: applied.map(|applied| applied.value),
        rest: step.trace.also.contains(&Reason::PendingAppliedWithRemainder),
        seen: Seen::of(&step),
    })
}

/// The value inside a text that is no answer; nothing is asked.
pub(super) fn found(now: Timestamp, expected: &Expected, said: &str) -> Answered {
    let found = recognize::find(expected, &Words::of(said), &Context::at(now, 0));
    let reason = if found.is_some() { Reason::PendingApplied } else { Reason::PendingMismatch };
    let decision = Decision::new(Verdict::Observed, reason);
    let seen = Seen { decision, also: Vec::new(), rule: None };
    Answered { value: found.map(|found| found.value), rest: false, seen }
}

impl Answered {
    /// The value as the predictions have it.
    pub(super) fn taken(&self) -> Taken<'_> {
        self.value.as_ref().map(Taken::of).unwrap_or_default()
    }

    /// What was decided, for a person.
    pub(super) fn told(&self) -> String {
        let taken = self.taken();
        let value = match (taken.boolean, taken.text) {
            (Some(true), _) => "yes".into(),
            (Some(false), _) => "no".into(),
            (_, Some(text)) => format!("“{text}”"),
            _ => return "not taken as the answer".into(),
        };
        format!("taken as {value}{}", if self.rest { ", the rest routed on" } else { "" })
    }

    /// Why, for a person. Where the recogniser took nothing, with its own word.
    pub(super) fn why(&self, expected: &Expected, said: &str) -> String {
        let mut why = self.seen.told();
        if self.value.is_none()
            && let Err(no) = recognize::matches(expected, said)
        {
            let _ = write!(why, " · the recogniser says: {}", no.reason);
        }
        why
    }
}

/// What a turn says of itself.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// What was decided.
    pub(super) decision: Decision,
    /// What happened on the way.
    pub(super) also: Vec<Reason>,
    /// The rule that spoke.
    pub(super) rule: Option<String>,
}

impl Seen {
    pub(super) fn of(step: &Step) -> Self {
        Self {
            decision: step.decision.clone(),
            also: step.trace.also.clone(),
            rule: step.trace.rule.as_ref().map(ToString::to_string),
        }
    }

    /// One line: `pending.mismatch, then gate.opened at rung 11`.
    pub(super) fn told(&self) -> String {
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

/// Made-up answers, for the tests of the kinds of cases.
#[cfg(test)]
pub(super) mod made {
    use throughline_engine::{Decision, Reason, Verdict};

    use super::{Answered, Seen, Value};

    /// A turn that ended like this.
    pub(in super::super) fn seen(reason: Reason) -> Seen {
        Seen { decision: Decision::new(Verdict::Recorded, reason), also: Vec::new(), rule: None }
    }

    /// A question that took this, or nothing.
    pub(in super::super) fn answered(value: Option<Value>, rest: bool) -> Answered {
        Answered { value, rest, seen: seen(Reason::PendingApplied) }
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
