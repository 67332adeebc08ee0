//! A stop and the call that it is about, side by side: a call that begins between the look-up of a stop and its commit was sent,
//! so the answer says so and its outcome is told.

#[path = "shared/host.rs"]
mod host;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::call::{Agent, Risk};
use throughline_engine::data::effect::{EffectResult, Outcome};
use throughline_engine::data::event::Press;
use throughline_engine::data::policy::ApproverRule;
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::{Event, EventKind, LaneKey, Policy, Reason, Timestamp};
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Crash, Directory, FailPoint, Faults, Inbound, Runtime};
use throughline_store::conformance::block_on;
use throughline_store::{
    Approvals, DeliveryIdentity, Effects, Leased, ManualClock, Mark, MemoryStore, Outbox, Store, TurnLog,
};

use host::{run, says};

/// A worker that begins a call, once, when the input of a message has been looked up, and is under way from then on.
struct BeginsMeanwhile {
    store: Arc<MemoryStore>,
    armed: AtomicBool,
    under_way: Mutex<Option<Leased>>,
}

impl Faults for BeginsMeanwhile {
    fn at(&self, point: FailPoint, about: &str) -> Result<(), Crash> {
        let now = point == FailPoint::ContextRead && about == "message.posted";
        if now && self.armed.swap(false, Ordering::SeqCst) {
            let begun = block_on(async {
                let leased = self.store.lease("w", 16).await.unwrap();
                let call = leased.into_iter().find(|one| one.effect.row.outward).unwrap();
                let effect = &call.effect;
                let mark = self.store.mark("acme", &effect.row.id, call.fence, &effect.held()).await.unwrap();
                assert_eq!(mark, Mark::Attempt(1));
                call
            });
            *self.under_way.lock().unwrap() = Some(begun);
        }
        Ok(())
    }
}

fn lane() -> LaneKey {
    LaneKey::new("acme", "app", "web", "session", "")
}

/// A runtime whose sub-agent may write, and in which everybody may approve.
fn world(store: Arc<MemoryStore>) -> (Runtime, Arc<BeginsMeanwhile>) {
    let (armed, under_way) = (AtomicBool::new(false), Mutex::new(None));
    let faults = Arc::new(BeginsMeanwhile { store: store.clone(), armed, under_way });
    let mut policy = Policy::default();
    policy.agents.insert("publisher".into(), Agent { risk: Risk::Write, stops: false });
    policy.approvers.push(ApproverRule {
        effects: vec!["agent.delegate".into()],
        targets: vec!["agent:*".into()],
        self_approve: true,
        ..Policy::demo_rule(&["user:ana"])
    });
    let mut ports = host::nothing();
    ports.directory = Arc::new(Approvers);
    (host::host_with(store, ports, policy, faults.clone(), 1), faults)
}

struct Approvers;

#[async_trait]
impl Directory for Approvers {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        Actor { id: id.into(), name: id.into(), principals: vec![format!("user:{id}")], ..Actor::default() }
    }
}

async fn approves(runtime: &Runtime, store: &MemoryStore) {
    let open = store.approvals("acme", true, 10).await.unwrap();
    let (card, version) = (open[0].approval.card.clone(), open[0].approval.version);
    let press = Press::Decision { card, version, item: String::new(), action: Action::Approve };
    let event = Event {
        id: "approved".into(),
        received_at: store.now(),
        actor: "ana".into(),
        kind: EventKind::CardPressed { press, remember: false },
    };
    let identity = DeliveryIdentity::new(lane(), "approved");
    runtime.accept(Inbound { identity, event, addressing: Addressing::default() }).await.unwrap();
    run(runtime).await;
}

/// The status of the only task.
async fn task(runtime: &Runtime) -> TaskStatus {
    let lane = runtime.lane(&lane()).await.unwrap();
    let tasks = lane.records.iter().filter_map(|record| match record {
        Record::Task(task) => Some(task.status),
        _ => None,
    });
    tasks.last().unwrap()
}

async fn reasons(store: &MemoryStore) -> Vec<Reason> {
    let turns = store.turns(&lane(), 0, 100).await.unwrap();
    turns.iter().map(|turn| Turn::read(turn).unwrap().row.decision.reason).collect()
}

#[tokio::test]
async fn a_call_that_begins_while_it_is_stopped_is_not_stopped_and_its_outcome_is_told() {
    for meanwhile in [true, false] {
        let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
        let store = Arc::new(MemoryStore::new(clock));
        let (runtime, faults) = world(store.clone());
        says(&runtime, lane(), "ana", "asked", "@publisher publish the release notes").await;
        approves(&runtime, &store).await;
        assert_eq!(task(&runtime).await, TaskStatus::Running);
        faults.armed.store(meanwhile, Ordering::SeqCst);
        says(&runtime, lane(), "ana", "stopped", "stop").await;
        let call = faults.under_way.lock().unwrap().take();
        if let Some(call) = call {
            let result = EffectResult::Said { text: "Published.".into() };
            runtime.end_with(&call, Outcome::Done { result }).await.unwrap();
        }
        run(&runtime).await;
        let calls = store.effects("acme", None, None, 100).await.unwrap();
        let sent = calls.iter().filter(|one| one.row.outward && one.attempts > 0).count();
        assert_eq!(sent, usize::from(meanwhile));
        let told = reasons(&store).await;
        let (stop, ended) = match meanwhile {
            true => (Reason::InterruptNothing, TaskStatus::Completed),
            false => (Reason::InterruptStop, TaskStatus::Cancelled),
        };
        assert!(told.contains(&stop), "{told:?}");
        assert!(!told.contains(&Reason::EffectSuperseded), "an outcome is lost: {told:?}");
        assert_eq!(task(&runtime).await, ended, "{told:?}");
    }
}
