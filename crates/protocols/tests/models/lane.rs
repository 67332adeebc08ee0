//! The protocol of lanes: claims, epochs and the hand-over.

use throughline_protocols::lane::{
    Compared, ENDS, IN_ORDER, LaneModel, NOT_STRANDED, ONCE, ONE_PER_REVISION,
};

use crate::checking::{breaks, holds, holds_at_large, keeps};

#[test]
fn a_lane_has_one_commit_per_revision_and_leaves_no_event() {
    holds("lane, every fault", LaneModel::product());
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak` runs it"]
fn a_lane_with_two_of_every_fault_keeps_its_promises() {
    let model = LaneModel { crashes: 2, expiries: 2, pauses: 2, unanswered: 1, ..LaneModel::product() };
    holds_at_large("lane, two of every fault", model);
}

#[test]
fn a_lane_without_faults_leaves_no_event_to_the_look_for_work() {
    holds("lane, no fault, no look for work", LaneModel::quiet());
}

#[test]
fn the_epoch_alone_fences_a_process_that_was_taken_for_dead() {
    let commit = Compared { epoch: true, ..Compared::NOTHING };
    let model = LaneModel { commit, pauses: 2, unanswered: 0, ..LaneModel::product() };
    holds("lane, epoch alone", model);
}

#[test]
fn the_revision_alone_does_too() {
    let commit = Compared { revision: true, ..Compared::NOTHING };
    keeps(
        "lane, revision alone",
        LaneModel { commit, ..LaneModel::product() },
        &[ONE_PER_REVISION, ONCE, IN_ORDER],
    );
}

#[test]
fn a_release_that_does_not_look_again_is_wrong() {
    let model = LaneModel { rechecks: false, ..LaneModel::quiet() };
    breaks("lane, released without a look", model, &[ENDS, NOT_STRANDED]);
}

#[test]
fn a_lease_without_an_epoch_is_wrong() {
    let model = LaneModel { commit: Compared::NOTHING, ..LaneModel::product() };
    breaks("lane, lease without epoch", model, &[ONE_PER_REVISION, ONCE, IN_ORDER]);
}

#[test]
fn the_waiting_row_alone_is_not_enough() {
    let commit = Compared { row: true, ..Compared::NOTHING };
    breaks("lane, waiting row alone", LaneModel { commit, ..LaneModel::product() }, &[ONE_PER_REVISION]);
}

#[test]
fn a_crash_without_the_look_for_work_is_wrong() {
    let model = LaneModel { crashes: 1, ..LaneModel::quiet() };
    breaks("lane, crash without a look for work", model, &[ENDS]);
}

#[test]
fn a_lost_answer_without_the_look_for_work_is_wrong() {
    // What is found out claims the lane anew, and the epoch of that claim is not kept.
    let model = LaneModel { unanswered: 1, expiries: 1, ..LaneModel::quiet() };
    breaks("lane, lost answer without a look for work", model, &[ENDS]);
}
