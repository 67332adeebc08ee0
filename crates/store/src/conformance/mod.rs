//! What every backend must do, as tests. One line per backend:
//!
//! ```ignore
//! throughline_store::conformance!(memory, |clock| Subject::new(MemoryStore::new(clock.clone()), clock));
//! ```
//!
//! expands into one `#[test]` for each case of the group *semantics*. A backend that outlives its process adds the
//! group *durability*, for which it says where its data is (a [`Place`]):
//!
//! ```ignore
//! throughline_store::conformance_durability!(postgres, Cluster::start);
//! ```
//!
//! Cases are `pub async fn`, so that a backend may also run them one by one, or thousands of times with its own
//! [`Subject`]. They run on plain threads: a backend that needs a runtime brings its own inside. No case sleeps or
//! reads a real clock; time is the subject's [`ManualClock`], and the store must judge leases by it.

pub mod approvals;
pub mod direct;
pub mod durability;
pub mod erasing;
pub mod facts;
pub mod fixture;
pub mod inbox;
pub mod keeping;
pub mod lanes;
pub mod outbox;
pub mod turns;

use std::any::Any;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use throughline_engine::Timestamp;

use crate::{ManualClock, Store};

/// When every case begins.
pub const START: Timestamp = Timestamp(1_768_471_200_000);

/// An empty store and the clock it judges time by.
pub struct Subject {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Its time.
    pub clock: Arc<ManualClock>,
    /// Kept as long as the store: a temporary directory, a schema to drop.
    _keep: Box<dyn Any>,
}

impl Subject {
    /// A store that needs nothing else kept.
    pub fn new(store: impl Store + 'static, clock: Arc<ManualClock>) -> Self {
        Self { store: Arc::new(store), clock, _keep: Box::new(()) }
    }

    /// Drops `keep` when the store has been dropped.
    #[must_use]
    pub fn keeping(self, keep: impl Any) -> Self {
        Self { _keep: Box::new(keep), ..self }
    }
}

/// Where a durable store has its data.
pub trait Place {
    /// Opens the store there. At most one is open at a time.
    fn open(&self, clock: Arc<ManualClock>) -> Arc<dyn Store>;

    /// What would be found if the machine stopped at this very moment, as a place of its own. The open store
    /// goes on undisturbed.
    fn crashed(&self) -> Box<dyn Place>;
}

/// Runs one case on a fresh subject.
pub fn run(make: impl FnOnce(Arc<ManualClock>) -> Subject, case: impl AsyncFnOnce(&Subject)) {
    let subject = make(Arc::new(ManualClock::at(START)));
    block_on(case(&subject));
}

/// Runs one durability case at a fresh place.
pub fn run_at(place: &dyn Place, case: impl AsyncFnOnce(&dyn Place)) {
    block_on(case(place));
}

/// Polls one future on this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Expands into one test for each case of the group *semantics*: `conformance!(name, make)`, where `make` takes
/// an `Arc<ManualClock>` and gives a [`Subject`].
#[macro_export]
macro_rules! conformance {
    ($backend:ident, $make:expr) => {
        mod $backend {
            #[allow(unused_imports, reason = "what an invocation needs depends on its expressions")]
            use super::*;
            $crate::conformance_cases! {
                run, $make,
                inbox: [
                    a_key_is_new_once, keys_belong_to_a_tenant, either_key_makes_a_duplicate,
                    a_duplicate_takes_no_key, rows_wait_in_order, a_full_queue_stores_a_notice,
                    the_notice_is_stored_once, outcomes_are_never_refused, answers_are_kept,
                    a_request_key_begins_once, failures_are_counted, longest_waiting_lane_comes_first,
                    one_key_from_many_threads_is_new_once
                ],
                lanes: [
                    a_claim_keeps_others_out, a_claim_ends_with_its_lease, claiming_again_extends,
                    only_the_claim_commits, a_released_claim_commits_nothing, a_commit_extends_the_claim,
                    release_looks_for_work, a_message_is_never_stranded, nothing_is_loaded_before_a_turn,
                    records_are_put_retired_and_dropped, a_record_put_again_is_loaded_again,
                    messages_are_found_by_the_channels_id, lanes_are_listed_by_tenant, the_latest_turns_come_first,
                    buttons_are_found_by_hash, policies_are_kept_by_version
                ],
                turns: [
                    a_turn_writes_everything, a_revision_is_written_once, a_row_ends_with_its_turn,
                    a_row_that_does_not_wait_refuses_the_turn, the_log_is_a_chain, the_log_is_paged,
                    a_row_beside_the_chain_is_refused, a_commit_is_found_by_its_row, the_nearest_checkpoint_is_found,
                    one_revision_from_many_threads_is_written_once
                ],
                direct: [
                    a_turn_brings_its_delivery, what_is_known_is_not_brought_again,
                    what_waits_goes_before_what_is_brought, a_turn_brings_a_settlement,
                    a_settlement_with_a_known_event_is_not_brought, a_turn_that_lost_its_race_brings_nothing,
                    only_the_lanes_own_event_is_brought
                ],
                approvals: [
                    a_newer_version_supersedes, an_approval_is_consumed_once, expiry_is_the_stores_time,
                    closing_ends_what_is_pending, approvals_are_listed_newest_first,
                    outward_without_approval_refuses_the_turn, outward_needs_that_very_consumption,
                    a_refusal_releases_nothing, an_earlier_consumption_counts, a_lost_approval_writes_nothing,
                    many_deciders_one_winner
                ],
                outbox: [
                    an_effect_is_leased_once, a_lease_that_ran_out_is_fenced, a_stream_goes_out_in_order,
                    a_prompt_goes_with_the_end_of_its_effect,
                    what_has_ended_does_not_block, a_retry_blocks_and_waits, an_unsure_attempt_is_remembered,
                    dependents_wait_until_done,
                    dependents_fail_with_it, uncertain_keeps_dependents_waiting, a_late_dependent_fails_at_once,
                    an_unknown_dependency_refuses_the_turn, a_newer_card_update_supersedes, hosts_report_once,
                    hosts_are_offered_in_turn, parts_are_kept_in_order, marks_are_counted, the_kill_switch_holds_marks,
                    found_attempted, a_settlement_counts_once, a_settling_event_is_durable_with_it,
                    a_duplicate_event_changes_nothing, cancel_and_adopt, effects_are_listed_newest_first,
                    timers_come_when_due, next_due_is_the_earliest
                ],
                keeping: [
                    the_kill_switch_is_kept, documents_are_swapped, documents_are_written_together,
                    documents_are_paged, the_audit_chain_grows, counts
                ],
                erasing: [
                    whatever_may_hold_words_is_shown, what_is_judged_is_done, what_is_on_its_way_may_arrive,
                    a_rewritten_payload_goes_out, an_approval_is_never_erased,
                    what_is_a_tenants_is_shown_and_judged, lanes_are_found_by_what_they_hold,
                    erasures_are_listed_and_done_once
                ],
                facts: [
                    facts_are_written_with_a_turn, facts_that_moved_refuse_the_turn, using_facts_needs_no_revision,
                    facts_belong_to_a_tenant, sets_of_facts_are_found
                ]
            }
        }
    };
}

/// Expands into one test for each case of the group *durability*: `conformance_durability!(name, make)`, where
/// `make` gives a fresh [`Place`].
#[macro_export]
macro_rules! conformance_durability {
    ($backend:ident, $make:expr) => {
        mod $backend {
            #[allow(unused_imports, reason = "what an invocation needs depends on its expressions")]
            use super::*;
            $crate::conformance_cases! {
                run_at, &$make(),
                durability: [
                    reopening_keeps_everything, what_was_answered_survives_a_crash, epochs_and_order_go_on,
                    a_group_is_all_or_nothing_for_each
                ]
            }
        }
    };
}

/// Not for calling: one `#[test]` for each case of each module.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_cases {
    ($run:ident, $make:expr, $($module:ident: [$($case:ident),* $(,)?]),* $(,)?) => {$(
        mod $module {
            #[allow(unused_imports, reason = "what an invocation needs depends on its expressions")]
            use super::*;
            $(
                #[test]
                fn $case() {
                    $crate::conformance::$run($make, $crate::conformance::$module::$case);
                }
            )*
        }
    )*};
}
