//! The ladder of a turn: every rung of the routing order, each won, lost with its predicate, or not reached. The words
//! are those of `why`.

use serde::Serialize;
use throughline_engine::trace::Trace;
use throughline_engine::{Decision, Rung};

/// One rung as it is shown.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Step {
    number: u8,
    name: &'static str,
    /// What became of it.
    state: State,
    /// Why, in words.
    words: String,
}

/// What became of a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// It decided.
    Won,
    /// Its predicate failed.
    Lost,
    /// The focus: computed for messages, decides nothing alone.
    Computed,
    /// It is above the one that decided, and was not asked in this turn.
    Skipped,
    /// It is below the one that decided.
    NotReached,
}

/// Every rung, top to bottom.
pub(super) fn ladder(decision: &Decision, trace: &Trace) -> Vec<Step> {
    let step = |rung: Rung| {
        let lost = trace.passed.iter().find(|passed| passed.rung() == rung);
        let (state, words) = match lost {
            _ if rung == decision.rung => (State::Won, decision.reason.says().into()),
            Some(passed) if rung == Rung::Focus => (State::Computed, trace.says(*passed).into_owned()),
            Some(passed) => (State::Lost, trace.says(*passed).into_owned()),
            None if rung > decision.rung => (State::NotReached, String::new()),
            None if rung == Rung::Duplicate => {
                (State::Skipped, "asked by intake: a delivery that was seen becomes no turn".into())
            }
            None => (State::Skipped, "not asked: this turn goes on where an earlier one waited".into()),
        };
        Step { number: rung.number(), name: rung.title(), state, words }
    };
    Rung::ALL.into_iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use throughline_engine::trace::Predicate;
    use throughline_engine::{Reason, Verdict};

    use super::*;

    #[test]
    fn each_rung_is_there_once_in_order_with_its_predicate() {
        let trace = Trace { passed: vec![Predicate::ToUs, Predicate::NoWorkflow], ..Trace::default() };
        let decided = Decision { rung: Rung::Intent, ..Decision::new(Verdict::Shown, Reason::IntentRule) };
        let steps = ladder(&decided, &trace);
        let states: Vec<_> = steps.iter().map(|step| (step.number, step.state)).collect();
        let (lost, skipped, not_reached) = (State::Lost, State::Skipped, State::NotReached);
        assert_eq!(
            states,
            [
                (0, skipped),
                (1, lost),
                (2, lost),
                (3, skipped),
                (4, skipped),
                (5, skipped),
                (6, skipped),
                (7, skipped),
                (8, skipped),
                (9, State::Won),
                (10, not_reached),
                (11, not_reached)
            ]
        );
        assert_eq!(steps[1].words, "addressed to us");
        assert_eq!(steps[9].words, Reason::IntentRule.says());
    }
}
