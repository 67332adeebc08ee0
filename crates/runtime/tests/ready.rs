//! Calls that wait for a place, and calls that are not wanted any more.

#[path = "shared/host.rs"]
mod host;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, Risk, Tool};
use throughline_engine::data::effect::{Attempt, EffectBody, EffectClass};
use throughline_engine::data::policy::limits;
use throughline_engine::{LaneKey, Policy, Timestamp};
use throughline_runtime::{NoFaults, NotReady, Permit, Worker};
use throughline_store::conformance::fixture::{LaneWriter, effect};
use throughline_store::{EFFECT_LEASE, EffectState, Effects, ManualClock, MemoryStore, OutboxRow};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A tool that takes one call at a time.
struct OnePlace {
    places: Arc<Semaphore>,
    sent: AtomicUsize,
}

#[async_trait]
impl Worker for OnePlace {
    async fn ready(&self, _: &CallRequest<'_>) -> Result<Permit, NotReady> {
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

/// A tool whose server takes no call for a while, and answers none.
#[derive(Default)]
struct Stuck {
    busy: AtomicUsize,
    sent: tokio::sync::Notify,
    given_up: Arc<AtomicUsize>,
}

struct OnDrop(Arc<AtomicUsize>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Worker for Stuck {
    async fn ready(&self, _: &CallRequest<'_>) -> Result<Permit, NotReady> {
        let busy = self.busy.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if busy.is_ok() { Err(NotReady::Busy) } else { Ok(Permit::default()) }
    }

    async fn work(&self, _: &CallRequest<'_>, _: Permit) -> Attempt<CallOutcome> {
        let _dropped = OnDrop(self.given_up.clone());
        self.sent.notify_one();
        std::future::pending().await
    }
}

/// However often a call finds no place, no attempt of it is counted. A stop gives the call up where it runs, and its
/// effect ends at once.
#[tokio::test]
async fn waiting_for_a_place_is_no_attempt_and_a_stop_gives_the_call_up() {
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let worker = Arc::new(Stuck { busy: AtomicUsize::new(50), ..Stuck::default() });
    let mut ports = host::nothing();
    ports.workers.insert("tool:look".into(), worker.clone());
    let mut policy = Policy::default();
    policy.tools.insert("look".into(), Tool { risk: Risk::Read, ..Tool::default() });
    let runtime = host::host_with(store.clone(), ports, policy, Arc::new(NoFaults), 5);
    let lane = LaneKey::new("acme", "app", "web", "session", "");
    host::says(&runtime, lane.clone(), "ana", "k1", "run look").await;
    let effect = async || {
        let all = store.effects("acme", Some(&lane), None, 100).await.unwrap();
        all.into_iter().find(|effect| effect.row.class == EffectClass::ToolCall).unwrap()
    };
    for _ in 0..50 {
        assert_eq!(runtime.dispatch().await.unwrap(), 1);
        let effect = effect().await;
        assert_eq!((effect.state, effect.attempts), (EffectState::Planned, 0));
        clock.advance(limits::PLACE_LOOK);
    }
    let leased = runtime.lease_effects(1).await.unwrap().remove(0);
    let stop = async {
        worker.sent.notified().await;
        host::says(&runtime, lane.clone(), "ana", "k2", "stop").await;
    };
    let (performed, ()) = tokio::join!(runtime.perform(leased), stop);
    performed.unwrap();
    assert_eq!(worker.given_up.load(Ordering::SeqCst), 1);
    assert_eq!((effect().await.state, effect().await.attempts), (EffectState::Done, 1));
}
