//! Calls that wait for a place: what is killed while it waits was never begun, and is not uncertain.

#[path = "shared/host.rs"]
#[expect(dead_code, reason = "no message is posted here")]
mod host;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, Risk};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::{LaneKey, Policy, Timestamp};
use throughline_runtime::{NoFaults, Permit, Worker};
use throughline_store::conformance::fixture::{LaneWriter, effect};
use throughline_store::{EFFECT_LEASE, EffectState, ManualClock, MemoryStore, OutboxRow};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A tool that takes one call at a time.
struct OnePlace {
    places: Arc<Semaphore>,
    sent: AtomicUsize,
}

#[async_trait]
impl Worker for OnePlace {
    async fn ready(&self, _: &CallRequest<'_>) -> Result<Permit, Attempt<CallOutcome>> {
        Ok(Permit::holding(self.places.clone().acquire_owned().await.unwrap()))
    }

    async fn work(&self, _: &CallRequest<'_>, permit: Permit) -> Attempt<CallOutcome> {
        assert!(
            permit.take::<OwnedSemaphorePermit>().is_some(),
            "the place is held until the call has ended"
        );
        self.sent.fetch_add(1, Ordering::SeqCst);
        Attempt::Applied(CallOutcome::Said("done".into()))
    }
}

fn call(id: &str) -> OutboxRow {
    let body: EffectBody = Call {
        job: Job::Tool { name: "one".into(), args: BTreeMap::new() },
        phase: CallPhase::Begin,
        task: "t_1".into(),
        text: "look".into(),
        risk: Risk::Read,
        prompt: None,
    }
    .effect(None);
    OutboxRow { payload: serde_json::to_string(&body).unwrap(), ..effect(id, body.class(), "") }
}

#[tokio::test]
async fn a_call_that_is_killed_while_it_waits_was_never_begun() {
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let places = Arc::new(Semaphore::new(1));
    let worker = Arc::new(OnePlace { places: places.clone(), sent: AtomicUsize::new(0) });
    let mut ports = host::nothing();
    ports.workers.insert("tool:one".into(), worker.clone());
    let runtime = host::host_with(store.clone(), ports, Policy::default(), Arc::new(NoFaults), 5);
    let mut hand = LaneWriter::claim(&*store, &LaneKey::new("acme", "app", "web", "session", "")).await;
    let ids = ["fx_1", "fx_2", "fx_3"];
    hand.commit_effects(ids.map(call).to_vec()).await;

    let taken = places.clone().acquire_owned().await.unwrap();
    for leased in runtime.lease_effects(10).await.unwrap() {
        assert!(runtime.perform(leased).now_or_never().is_none(), "it waits, and is killed");
    }
    for id in ids {
        assert_eq!(hand.effect_state(id).await, EffectState::Planned, "{id}");
    }
    drop(taken);
    clock.advance(EFFECT_LEASE);
    assert_eq!(runtime.dispatch().await.unwrap(), 3);
    for id in ids {
        assert_eq!(hand.effect_state(id).await, EffectState::Done, "{id}");
    }
    assert_eq!(worker.sent.load(Ordering::SeqCst), 3);
}
