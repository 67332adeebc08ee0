//! Lessons of recorded turns: phrases that people here use for a yes, a no, an end or a request, and how a changed policy would
//! have done on the same turns. Nothing is learned by itself; a person approves what is proposed
//! (`docs/design/0087-learning.md`).

mod outcome;
mod phrases;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use throughline_engine::Decision;
use throughline_engine::data::event::EventKind;
use throughline_testkit::Recorded;

use outcome::Outcome;
pub use phrases::{Lesson, MIN_SEEN, lessons};

/// A recorded decision that would be another one under a changed policy.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedDecision {
    /// The turn's id.
    pub turn: String,
    /// The message; empty for a turn on something else.
    pub said: String,
    /// The decision as it was recorded.
    pub before: Decision,
    /// The decision under the changed policy.
    pub after: Decision,
    /// The judgement of what happened next.
    pub shift: Shift,
}

/// The judgement on a changed decision by what people did after the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shift {
    /// People's later acts contradict the new decision more than the old one.
    Worse,
    /// Nothing that happened next says which of the two is right.
    Unknown,
    /// People's later acts fit the new decision better.
    Better,
}

/// Returns the decisions of a lane's turns that are others in `now`, by revision. A decision is compared by its outcome, reason,
/// intent and accepted answer.
#[must_use]
pub fn changes(turns: &[Recorded], now: &BTreeMap<u64, Decision>) -> Vec<ChangedDecision> {
    let changed = |(at, turn): (usize, &Recorded)| {
        let (before, after) = (&turn.summary.decision, now.get(&turn.revision)?);
        let kind = |decision: &Decision| (decision.outcome, decision.reason, decision.intent);
        let value = |decision: &Decision| decision.applied.as_ref().map(|applied| applied.value.clone());
        if kind(before) == kind(after) && value(before) == value(after) {
            return None;
        }
        let EventKind::MessagePosted(posted) = &turn.event.kind else {
            return Some(told(turn, String::new(), after, Shift::Unknown));
        };
        let shift = Outcome::of(turns, at).shift(before, after);
        Some(told(turn, posted.text.clone(), after, shift))
    };
    turns.iter().enumerate().filter_map(changed).collect()
}

fn told(turn: &Recorded, said: String, after: &Decision, shift: Shift) -> ChangedDecision {
    let (before, after) = (turn.summary.decision.clone(), after.clone());
    ChangedDecision { turn: turn.summary.turn.0.clone(), said, before, after, shift }
}
