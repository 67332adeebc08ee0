//! Ladder of a turn: every rung of the routing order, with its result. The texts are those of `why`.

use serde::Serialize;
use throughline_engine::data::trace::Trace;
use throughline_engine::{Decision, Language, Rung};

/// Rung with its result.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct RungView {
    number: u8,
    name: String,
    /// Result.
    state: RungState,
    /// Reason, in words.
    words: String,
}

/// Result of a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RungState {
    /// It decided.
    Won,
    /// Its predicate failed.
    Lost,
    /// Focus rung: it is computed for messages and never decides by itself.
    Computed,
    /// It is above the deciding rung, and was not evaluated in this turn.
    Skipped,
    /// It is below the deciding rung.
    NotReached,
}

/// Returns every rung, top to bottom.
pub(super) fn ladder(decision: &Decision, trace: &Trace) -> Vec<RungView> {
    let step = |rung: Rung| {
        let lost = trace.passed.iter().find(|passed| passed.rung() == rung);
        let (state, words) = match lost {
            _ if rung == decision.rung => (RungState::Won, decision.reason.says(Language::En)),
            Some(passed) if rung == Rung::Focus => (RungState::Computed, trace.says(*passed, Language::En)),
            Some(passed) => (RungState::Lost, trace.says(*passed, Language::En)),
            None if rung > decision.rung => (RungState::NotReached, String::new()),
            None if rung == Rung::Duplicate => {
                (RungState::Skipped, "asked by intake: a delivery that was seen becomes no turn".into())
            }
            None => (RungState::Skipped, "not asked: this turn goes on where an earlier one waited".into()),
        };
        RungView { number: rung.number(), name: rung.title(Language::En), state, words }
    };
    Rung::ALL.into_iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use throughline_engine::data::trace::Predicate;
    use throughline_engine::{Reason, Verdict};

    use super::*;

    #[test]
    fn each_rung_is_there_once_in_order_with_its_predicate() {
        let trace = Trace { passed: vec![Predicate::ToUs, Predicate::NoWorkflow], ..Trace::default() };
        let decided = Decision { rung: Rung::Intent, ..Decision::new(Verdict::Shown, Reason::IntentRule) };
        let steps = ladder(&decided, &trace);
        let states: Vec<_> = steps.iter().map(|step| (step.number, step.state)).collect();
        let (lost, skipped, not_reached) = (RungState::Lost, RungState::Skipped, RungState::NotReached);
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
                (9, RungState::Won),
                (10, not_reached),
                (11, not_reached)
            ]
        );
        assert_eq!(steps[1].words, "addressed to us");
        assert_eq!(steps[9].words, Reason::IntentRule.says(Language::En));
    }
}
