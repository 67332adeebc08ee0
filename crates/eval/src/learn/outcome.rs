//! Meaning of a message, as far as what happened after it shows that.

use throughline_engine::data::event::{AssistantPosted, EventKind};
use throughline_engine::data::intent::Intent;
use throughline_engine::{Decision, Reason, Verdict};
use throughline_language::Value;
use throughline_testkit::Recorded;

use super::Shift;
use crate::recorded::{asked_again, wanted};

/// The meaning of a message, as far as later turns show it.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    /// The answer that the person gave to the question, in this message or when it was asked again.
    pub(super) answer: Option<Value>,
    /// The intent that the person chose by a card; `Some(None)` if none of the offered was wanted.
    pub(super) wanted: Option<Option<Intent>>,
}

/// The question of a host that a message came after, if it is still the newest.
pub(super) fn question(turns: &[Recorded], at: usize) -> Option<&AssistantPosted> {
    turns[..at].iter().rev().find_map(|turn| match &turn.event.kind {
        EventKind::AssistantPosted(posted) if posted.expected.is_some() => Some(Some(posted)),
        EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. } | EventKind::MessagePosted(_) => {
            Some(None)
        }
        _ => None,
    })?
}

/// The answer that was taken after a question was asked again, if it was.
pub(super) fn answered_later<'t>(asked: &AssistantPosted, after: &'t [Recorded]) -> Option<&'t Value> {
    if !asked_again(asked, after) {
        return None;
    }
    let again = after.iter().position(
        |turn| matches!(&turn.event.kind, EventKind::AssistantPosted(posted) if posted.text == asked.text),
    )?;
    let next = after[again..].iter().find(|turn| matches!(turn.event.kind, EventKind::MessagePosted(_)))?;
    next.summary.decision.applied.as_ref().map(|applied| &applied.value)
}

impl Outcome {
    /// Reads what the turns after the message at `at` say about it.
    pub(super) fn of(turns: &[Recorded], at: usize) -> Self {
        let (turn, after) = (&turns[at], &turns[at + 1..]);
        let taken = turn.summary.decision.applied.as_ref().map(|applied| &applied.value);
        let answer = match question(turns, at) {
            Some(asked) if asked_again(asked, after) => answered_later(asked, after),
            // Nobody asked again, so what was taken was right.
            _ => taken,
        };
        Self { answer: answer.cloned(), wanted: wanted(turn, after) }
    }

    /// Judges which of two decisions fits it better.
    pub(super) fn shift(&self, before: &Decision, after: &Decision) -> Shift {
        match (self.fit(before), self.fit(after)) {
            (Some(before), Some(after)) if after > before => Shift::Better,
            (Some(before), Some(after)) if after < before => Shift::Worse,
            _ => Shift::Unknown,
        }
    }

    /// 2 for the right decision, 1 for one that leaves it open, 0 for a wrong one; `None` if nothing is known.
    fn fit(&self, decision: &Decision) -> Option<u8> {
        if let Some(answer) = &self.answer {
            return Some(match &decision.applied {
                Some(applied) if applied.value == *answer => 2,
                Some(_) => 0,
                None => 1,
            });
        }
        let wanted = self.wanted?;
        let drafts = matches!(decision.intent, Some(Intent::Ticket | Intent::Review));
        Some(match (decision.reason, wanted) {
            _ if decision.applied.is_some() => 0,
            (Reason::GateOpened, _) => 1,
            (_, Some(wanted)) if decision.intent == Some(wanted) => 2,
            (_, None) if !drafts && decision.outcome != Verdict::Refused => 2,
            _ => 0,
        })
    }
}
