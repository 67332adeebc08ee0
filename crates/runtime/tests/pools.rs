//! The production host with slow far sides: a slow tool must not delay a reply.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::LaneKey;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::call::{Call, CallOutcome, CallPhase, CallRequest, Job, Risk};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::{Policy, Timestamp};
use throughline_runtime::{Directory, Keys, NoFaults, Parts, Permit, Ports, Runtime, Worker, host};
use throughline_store::conformance::fixture::{LaneWriter, effect};
use throughline_store::{EffectState, ManualClock, MemoryStore, OutboxRow};
use tokio::sync::Semaphore;

struct Nobody;

#[async_trait]
impl Directory for Nobody {
    async fn actor(&self, _: &LaneKey, _: &str) -> Actor {
        Actor::default()
    }
}

/// Answers once its gate is closed.
struct Slow {
    called: Arc<Semaphore>,
    gate: Arc<Semaphore>,
}

#[async_trait]
impl Worker for Slow {
    async fn work(&self, _: &CallRequest<'_>, _: Permit) -> Attempt<CallOutcome> {
        self.called.add_permits(1);
        let _ = self.gate.acquire().await;
        Attempt::Applied(CallOutcome::Said("at last".into()))
    }
}

fn planned(id: &str, body: &EffectBody) -> OutboxRow {
    OutboxRow { payload: serde_json::to_string(body).unwrap(), ..effect(id, body.class(), "") }
}

fn call(job: Job) -> EffectBody {
    let (task, text) = ("t_1".into(), "look".into());
    Call { job, phase: CallPhase::Begin, task, text, risk: Risk::Read, prompt: None }.effect(None)
}

/// With more calls waiting than are made at once, a reply still goes out.
#[tokio::test(flavor = "multi_thread")]
async fn slow_tools_hold_up_no_reply() {
    let store = Arc::new(MemoryStore::new(Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)))));
    let (called, gate) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let worker = |target: &str| -> (String, Arc<dyn Worker>) {
        (target.into(), Arc::new(Slow { called: called.clone(), gate: gate.clone() }))
    };
    let ports = Ports {
        directory: Arc::new(Nobody),
        channels: BTreeMap::new(),
        trackers: BTreeMap::new(),
        model: None,
        workers: [worker("tool:slow"), worker("agent:slow")].into(),
        hosted: Vec::new(),
        own_host: Vec::new(),
    };
    let runtime = Arc::new(Runtime::new(Parts {
        store: store.clone(),
        ports,
        policy: Policy::default(),
        keys: Keys::new([3; 32]),
        faults: Arc::new(NoFaults),
        entropy: Arc::new(|| [5; 16]),
    }));
    let lane = LaneKey::new("acme", "app", "web", "session", "");
    let mut hand = LaneWriter::claim(&*store, &lane).await;
    let tool = call(Job::Tool { name: "slow".into(), args: BTreeMap::new() });
    let agent = call(Job::Agent { name: "slow".into() });
    let calls = (0..80).map(|n| planned(&format!("fx_{n}"), if n % 2 == 0 { &tool } else { &agent }));
    hand.commit_effects(calls.collect()).await;

    let host = host::run(runtime.clone());
    // The calls in flight hold their permits from here on.
    let some = called.acquire_many(32);
    let some = tokio::time::timeout(Duration::from_secs(60), some).await;
    some.expect("as many as are called at once are called").unwrap().forget();
    let reply = EffectBody::Reply { message: "m_1".into(), text: "hello".into(), offers: Vec::new() };
    hand.commit_effects(vec![planned("fx_reply", &reply)]).await;
    runtime.wakes().effects.notify_one();
    // There is no channel to send it to, so it ends as failed; the point is that it ends.
    for _ in 0..400 {
        // Attempted is on its way: only the end counts.
        if hand.effect_state("fx_reply").await == EffectState::Failed {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(hand.effect_state("fx_reply").await, EffectState::Failed, "slow calls hold it up");
    gate.close();
    host.drain().await;
}
