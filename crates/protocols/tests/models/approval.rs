//! The protocol of approvals: consumed once, at the version that was shown.

use throughline_protocols::approval::{
    ApprovalModel, Button, Compared, Dedupe, NOT_LATE, NOT_PAUSED, ONE_ANSWER, ONE_CONSUMPTION, Person,
    RIGHT_ANSWER, RUNS_WHAT_WAS_SHOWN,
};

use crate::checking::{breaks, holds};

#[test]
fn an_approval_is_consumed_once_at_the_version_that_was_shown() {
    holds("approval", ApprovalModel::product());
}

#[test]
fn a_person_who_may_not_approve_is_told_so() {
    let presses =
        vec![(Person::Ana, Button::Approve), (Person::Bob, Button::Edit), (Person::Eve, Button::Approve)];
    holds("approval, with somebody who may not", ApprovalModel { presses, ..ApprovalModel::product() });
}

#[test]
fn recognising_a_press_by_action_message_and_user_is_wrong() {
    let model = ApprovalModel { dedupe: Dedupe::ByMeaning, ..ApprovalModel::product() };
    breaks("approval, presses by meaning", model, &[RIGHT_ANSWER]);
}

#[test]
fn looking_for_a_delivery_before_inserting_it_is_wrong() {
    let model = ApprovalModel { dedupe: Dedupe::LookThenInsert, ..ApprovalModel::product() };
    breaks("approval, looked for and inserted", model, &[ONE_ANSWER]);
}

#[test]
fn a_swap_without_the_version_is_wrong() {
    let compared = Compared { version: false, ..Compared::ALL };
    let model = ApprovalModel { compared, ..ApprovalModel::product() };
    breaks("approval, no version in the swap", model, &[RUNS_WHAT_WAS_SHOWN]);
}

#[test]
fn a_commit_without_the_revision_is_wrong() {
    let compared = Compared { revision: false, ..Compared::ALL };
    let model = ApprovalModel { compared, ..ApprovalModel::product() };
    breaks("approval, no revision in the commit", model, &[ONE_CONSUMPTION]);
}

#[test]
fn a_swap_without_the_time_of_the_database_is_wrong() {
    let compared = Compared { expiry: false, ..Compared::ALL };
    breaks(
        "approval, no time in the swap",
        ApprovalModel { compared, ..ApprovalModel::product() },
        &[NOT_LATE],
    );
}

#[test]
fn a_kill_switch_that_the_mark_does_not_read_is_wrong() {
    let compared = Compared { pause: false, ..Compared::ALL };
    breaks(
        "approval, no pause in the mark",
        ApprovalModel { compared, ..ApprovalModel::product() },
        &[NOT_PAUSED],
    );
}
