//! The protocol of effects that must not be made twice.

use throughline_protocols::effect::{
    DONE_IS_TRUE, ENDS_OR_ASKS, EffectModel, FAILED_IS_TRUE, Failover, MARKED_FIRST, NEVER_TWICE,
    PROVED_FIRST, Rule,
};

use crate::checking::{breaks, holds, holds_at_large, keeps};

#[test]
fn an_effect_that_is_marked_and_parked_is_made_once() {
    holds("effect, parked", EffectModel::small(Rule::Park));
}

#[test]
fn an_effect_that_is_looked_for_is_made_once() {
    let model = EffectModel { attempts: 3, workers: 2, spoils: 1, ..EffectModel::small(Rule::Look) };
    holds("effect, looked for, payload altered", model);
}

#[test]
fn an_effect_is_repeated_where_the_far_side_applies_its_id_once() {
    let model = EffectModel { workers: 2, crashes: 1, expiries: 2, ..EffectModel::small(Rule::Repeat) };
    let kept = [NEVER_TWICE, MARKED_FIRST, DONE_IS_TRUE, ENDS_OR_ASKS];
    keeps("effect, repeated", model.clone(), &kept);
    // A request that is late may still be applied after a later one was refused.
    breaks("effect, repeated and refused", model, &[FAILED_IS_TRUE]);
}

#[test]
fn a_failover_that_loses_answers_makes_nothing_twice() {
    let model = EffectModel { workers: 2, failovers: 1, ..EffectModel::small(Rule::Park) };
    holds("effect, parked, failover", model);
}

#[test]
fn a_person_who_creates_again_is_told_of_the_other() {
    let model =
        EffectModel { workers: 2, crashes: 1, expiries: 1, again: 1, ..EffectModel::small(Rule::Park) };
    holds("effect, parked, created again", model);
}

#[test]
fn an_effect_waits_for_the_one_it_depends_on() {
    let model = EffectModel {
        effects: 2,
        workers: 2,
        crashes: 0,
        expiries: 1,
        searches: 1,
        ..EffectModel::small(Rule::Park)
    };
    holds("effects, parked, a story under an epic", model);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak` runs it"]
fn two_effects_a_failover_and_a_person_make_nothing_twice() {
    holds_at_large("effects, parked, all bounds", EffectModel::large(Rule::Park));
}

#[test]
fn sending_again_after_an_unknown_outcome_is_wrong() {
    breaks("effect, sent again", EffectModel::small(Rule::Retry), &[NEVER_TWICE, PROVED_FIRST]);
}

#[test]
fn searching_before_sending_again_is_wrong() {
    let model = EffectModel::small(Rule::SearchThenRetry);
    breaks("effect, searched and sent again", model, &[NEVER_TWICE, PROVED_FIRST]);
}

#[test]
fn waiting_until_all_is_settled_is_wrong_where_a_worker_may_pause() {
    let model = EffectModel::small(Rule::SettleThenRetry);
    breaks("effect, settled and sent again", model.clone(), &[NEVER_TWICE, PROVED_FIRST]);
    // Without a pause beyond the lease it would do: the pauses are what the mark and the question are for.
    let never = EffectModel { expiries: 0, ..model };
    keeps("effect, settled and sent again, without pauses", never, &[NEVER_TWICE, MARKED_FIRST]);
}

#[test]
fn leaving_an_attempt_of_a_killed_worker_is_wrong() {
    breaks("effect, attempt left behind", EffectModel::small(Rule::LeaveAttempted), &[ENDS_OR_ASKS]);
}

#[test]
fn marking_without_the_fence_is_wrong() {
    let model = EffectModel::small(Rule::UnfencedMark);
    breaks("effect, marked without fence", model, &[NEVER_TWICE, PROVED_FIRST]);
}

#[test]
fn marking_after_the_answer_is_wrong() {
    let model = EffectModel::small(Rule::LateMark);
    breaks("effect, marked late", model, &[NEVER_TWICE, PROVED_FIRST, MARKED_FIRST]);
}

#[test]
fn failing_what_an_earlier_attempt_may_have_made_is_wrong() {
    let model =
        EffectModel { attempts: 3, workers: 2, spoils: 1, ..EffectModel::small(Rule::LookThenForget) };
    breaks("effect, looked for, failed when altered", model, &[FAILED_IS_TRUE]);
}

#[test]
fn a_failover_that_loses_commits_is_wrong() {
    let failover = Failover::Asynchronous;
    let model = EffectModel { workers: 2, failovers: 1, failover, ..EffectModel::small(Rule::Park) };
    breaks("effect, failover that loses commits", model, &[NEVER_TWICE, PROVED_FIRST, MARKED_FIRST]);
}
