//! The conformance suite: one test for each thing that every backend must do. One line runs it for a backend:
//!
//! ```ignore
//! throughline_store::conformance!(memory, |clock| Subject::new(MemoryStore::new(clock.clone()), clock));
//! ```
//!
//! It expands into one `#[test]` for each case, in one module for each trait of the contract; [`turn_commit`] and
//! [`direct`] hold the cases of [`Lanes::commit`](crate::Lanes::commit). A backend that outlives its process also runs
//! the cases of [`durability`], for which it implements [`DataLocation`]:
//!
//! ```ignore
//! throughline_store::conformance_durability!(postgres, Cluster::start);
//! ```
//!
//! Cases are `pub async fn`, so that a backend may also run one of them alone, or thousands of times with its own
//! [`Subject`]. They run on plain threads: a backend that needs an async runtime brings its own. No case sleeps or
//! reads a real clock. Time is the subject's [`ManualClock`], and the store must judge leases by it.

pub mod approvals;
pub mod audit;
pub mod direct;
pub mod documents;
pub mod durability;
pub mod effects;
pub mod erasure;
pub mod facts;
pub mod fixture;
pub mod inbox;
pub mod kill_switch;
pub mod lane_index;
pub mod lanes;
pub mod outbox;
pub mod policies;
pub mod requests;
pub mod store;
pub mod streams;
pub mod tenant_turns;
pub mod timers;
pub mod turn_commit;
pub mod turn_log;

use std::any::Any;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use throughline_engine::Timestamp;

pub use crate::postgres::test_redis::{LyingRedis, Redis as RedisTestServer};
pub use crate::postgres::test_server::Server as PostgresTestServer;
use crate::{ManualClock, Store};

/// Time at which every case begins.
pub const START: Timestamp = Timestamp(1_768_471_200_000);

/// An empty store, and the clock that it takes its time from.
pub struct Subject {
    /// The store under test.
    pub store: Arc<dyn Store>,
    /// The clock of the store.
    pub clock: Arc<ManualClock>,
    /// Dropped after the store: a temporary directory, a schema to delete.
    _guard: Box<dyn Any>,
}

impl Subject {
    /// Creates a subject whose store needs nothing else to live.
    pub fn new(store: impl Store + 'static, clock: Arc<ManualClock>) -> Self {
        Self { store: Arc::new(store), clock, _guard: Box::new(()) }
    }

    /// Keeps `guard` until the store has been dropped.
    #[must_use]
    pub fn with_guard(self, guard: impl Any) -> Self {
        Self { _guard: Box::new(guard), ..self }
    }
}

/// Place of a durable store's data: a folder, a cluster.
pub trait DataLocation {
    /// Opens the store. At most one store of a location is open at a time.
    fn open(&self, clock: Arc<ManualClock>) -> Arc<dyn Store>;

    /// Copies what would be left if the machine stopped at this moment to a location of its own. The open store goes on
    /// undisturbed.
    fn crash_copy(&self) -> Box<dyn DataLocation>;
}

/// Runs one case on a fresh subject.
pub fn run(make: impl FnOnce(Arc<ManualClock>) -> Subject, case: impl AsyncFnOnce(&Subject)) {
    let subject = make(Arc::new(ManualClock::at(START)));
    block_on(case(&subject));
}

/// Runs one durability case at a fresh location.
pub fn run_at(location: &dyn DataLocation, case: impl AsyncFnOnce(&dyn DataLocation)) {
    block_on(case(location));
}

/// Runs a future to its end on this thread.
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

/// Expands into one test for each case of each trait: `conformance!(name, make)`, where `make` takes an
/// `Arc<ManualClock>` and returns a [`Subject`].
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
                    a_duplicate_has_the_first_hash,
                    a_duplicate_takes_no_key, rows_wait_in_order, a_full_queue_stores_a_notice, what_was_refused_may_come_again,
                    the_notice_is_stored_once, outcomes_are_never_refused, failures_are_counted,
                    longest_waiting_lane_comes_first, keys_lead_to_their_rows, what_has_ended_is_forgotten, a_delivery_is_never_half_forgotten, one_key_from_many_threads_is_new_once
                ],
                requests: [
                    answers_are_kept, a_request_key_begins_once, answers_are_forgotten_with_their_deliveries
                ],
                lanes: [
                    a_claim_keeps_others_out, a_claim_ends_with_its_lease, claiming_again_extends,
                    only_the_claim_commits, a_released_claim_commits_nothing, a_commit_extends_the_claim,
                    release_looks_for_work, a_message_is_never_stranded, nothing_is_loaded_before_a_turn,
                    records_are_put_retired_and_dropped, a_record_put_again_is_loaded_again,
                    messages_are_found_by_the_channels_id, the_first_message_keeps_the_channels_id
                ],
                turn_commit: [
                    a_turn_writes_everything, a_revision_is_written_once, a_row_ends_with_its_turn,
                    a_row_that_does_not_wait_refuses_the_turn, a_row_beside_the_chain_is_refused,
                    a_commit_is_found_by_its_row, one_revision_from_many_threads_is_written_once
                ],
                direct: [
                    a_delivery_comes_with_its_turn, a_known_delivery_is_refused, waiting_rows_go_first,
                    a_lost_turn_stores_no_event, an_event_of_another_lane_is_refused
                ],
                outbox: [
                    an_effect_is_leased_once, a_lease_that_ran_out_is_fenced,
                    a_prompt_goes_with_the_end_of_its_effect, an_unsure_attempt_is_remembered, dependents_wait_until_done,
                    dependents_fail_with_it, uncertain_keeps_dependents_waiting,
                    a_late_dependent_fails_at_once, an_unknown_dependency_refuses_the_turn,
                    a_newer_card_update_supersedes, an_update_waits_for_its_card, hosts_report_once, hosts_are_offered_in_turn,
                    marks_are_counted, a_mark_compares_the_bytes_in_hand, found_attempted, a_settlement_counts_once,
                    a_settling_event_is_durable_with_it, a_duplicate_event_changes_nothing,
                    uncertain_effects_are_cancelled_or_adopted, a_turn_is_taken_back_from_its_host, what_has_begun_refuses_who_takes_it_back
                ],
                streams: [
                    a_stream_goes_out_in_order, what_has_ended_does_not_block, a_retry_blocks_and_waits,
                    what_follows_is_leased_with_the_first, too_few_are_left_alone,
                    what_does_not_go_together_ends_it, only_a_leased_effect_has_others_behind_it,
                    leases_behind_the_first_run_out, attempts_are_marked_together
                ],
                timers: [
                    timers_come_when_due, next_due_is_the_earliest
                ],
                lane_index: [
                    lanes_are_listed_by_tenant, lanes_are_listed_by_participant, buttons_are_found_by_hash,
                    ids_of_parts_are_kept_in_order
                ],
                turn_log: [
                    the_log_is_a_chain, the_log_is_paged, the_latest_turns_come_first,
                    the_nearest_checkpoint_is_found
                ],
                tenant_turns: [
                    turns_of_all_lanes_are_in_one_order, what_comes_later_is_above_the_end, a_lost_turn_is_in_no_order,
                    erased_turns_keep_their_places, readers_beside_writers_miss_nothing
                ],
                approvals: [
                    a_newer_version_supersedes, an_approval_is_consumed_once, expiry_is_the_stores_time,
                    closing_ends_what_is_pending, approvals_are_listed_newest_first, the_awaited_approvals_of_a_lane_are_found,
                    outward_without_approval_refuses_the_turn, outward_needs_that_very_consumption,
                    outward_is_what_was_approved, what_leaves_a_thread_is_outward, a_decision_is_on_what_was_shown,
                    an_approval_without_a_list_takes_the_decisions,
                    a_refusal_releases_nothing, an_earlier_consumption_counts,
                    a_lost_approval_writes_nothing, many_deciders_one_winner
                ],
                effects: [
                    effects_are_listed_newest_first, unfinished_effects_are_found
                ],
                audit: [
                    the_audit_chain_grows
                ],
                documents: [
                    documents_are_swapped, documents_are_written_together, documents_are_paged
                ],
                facts: [
                    facts_are_written_with_a_turn, facts_that_moved_refuse_the_turn,
                    using_facts_needs_no_revision, facts_belong_to_a_tenant, sets_of_facts_are_found
                ],
                policies: [
                    policies_are_kept_by_version
                ],
                kill_switch: [
                    the_kill_switch_is_kept, the_kill_switch_holds_marks
                ],
                erasure: [
                    visit_shows_every_text, texts_are_kept_rewritten_or_erased,
                    an_attempted_outward_effect_keeps_its_lease, a_rewritten_payload_goes_out,
                    an_approval_is_never_erased, texts_of_a_tenant_are_redacted, lanes_are_found_by_text,
                    a_redaction_touches_nothing_beside, erasures_are_listed_and_done_once
                ],
                store: [
                    counts, what_is_stuck_is_counted, a_clock_set_back_keeps_nothing_waiting,
                    a_turn_from_before_the_clock_was_set_back, a_lease_from_the_future_is_over,
                    an_attempt_is_planned_for_soon
                ]
            }
        }
    };
}

/// Expands into one test for each case of [`durability`]: `conformance_durability!(name, make)`, where `make` returns a
/// fresh [`DataLocation`].
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

/// Expands into one `#[test]` for each case of each module. The two macros above call it.
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
