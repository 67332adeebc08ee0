//! Asks of a model over the memory store and a manual clock: attempts, their time, and cancelling
//! (`docs/design/0031-effects-and-retries.md`).

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::{Attempt, EffectResult, Outcome};
use throughline_engine::data::event::MessagePosted;
use throughline_engine::data::intent::Intent;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Policy, Reason, Timestamp};
use throughline_models::{Caller, Misbehaviour, Model, ScriptEntry, Scripted, ScriptedReply};
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Directory, Inbound, Keys, NoFaults, Parts, Ports, Runtime};
use throughline_store::{DeliveryIdentity, Effects, ManualClock, MemoryStore, TurnLog};
use tokio::sync::Semaphore;

struct Everybody;

#[async_trait]
impl Directory for Everybody {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        Actor { id: id.into(), name: id.into(), ..Actor::default() }
    }
}

struct World {
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    host: Runtime,
    lane: LaneKey,
}

fn world(model: Arc<dyn Model>) -> World {
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let ports = Ports {
        directory: Arc::new(Everybody),
        channels: BTreeMap::new(),
        trackers: BTreeMap::new(),
        model: Some(model),
        workers: BTreeMap::new(),
        hosted: Vec::new(),
        own_host: Vec::new(),
    };
    let host = Runtime::new(Parts {
        store: store.clone(),
        ports,
        policy: Policy::default(),
        keys: Keys::new([3; 32]),
        faults: Arc::new(NoFaults),
        entropy: Arc::new(|| [5; 16]),
    });
    World { clock, store, host, lane: LaneKey::new("acme", "app", "web", "session", "") }
}

impl World {
    async fn says(&self, key: &str, text: &str) {
        let event = Event {
            id: key.into(),
            received_at: self.host.store().now(),
            actor: "ana".into(),
            kind: EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() }),
        };
        let addressing = Addressing { direct: true, ..Addressing::default() };
        let identity = DeliveryIdentity::new(self.lane.clone(), key);
        self.host.accept(Inbound { identity, event, addressing }).await.unwrap();
        self.run().await;
    }

    async fn run(&self) {
        while let Some(lane) = self.host.wakes().next() {
            let run = self.host.run_lane(&lane).await.unwrap();
            self.host.wakes().done(&lane, run.more);
        }
    }

    /// Runs for a minute, a quarter of a second at a time.
    async fn a_minute(&self) {
        for _ in 0..240 {
            self.host.dispatch().await.unwrap();
            self.run().await;
            self.clock.advance(250);
        }
    }

    async fn reasons(&self) -> Vec<Reason> {
        let turns = self.store.turns(&self.lane, 0, 1_000).await.unwrap();
        turns.iter().map(|turn| Turn::read(turn).unwrap().row.decision.reason).collect()
    }
}

const UNCLEAR: &str = "hmm, the second thing we talked about";

fn scripted(fails: impl IntoIterator<Item = Misbehaviour>) -> Arc<Scripted> {
    let entry = |fails| ScriptEntry { purpose: Purpose::Classify, reply: ScriptedReply::Failure(fails) };
    Arc::new(Scripted::new(fails.into_iter().map(entry)))
}

/// A failure that may be retried is tried once more; then, or at once for any other, there is no answer and the
/// person is asked.
#[tokio::test]
async fn every_misbehaviour_has_its_tries_and_then_the_person_is_asked() {
    for misbehaviour in Misbehaviour::ALL {
        let model = scripted([*misbehaviour; 3]);
        let w = world(model.clone());
        w.says("1", UNCLEAR).await;
        w.a_minute().await;
        let first = &model.journal()[0].attempt;
        let again = matches!(first, Attempt::NotApplied { .. } | Attempt::Unknown { .. });
        let journal = model.journal();
        let calls = journal.iter().filter(|asked| asked.ask.purpose() == Purpose::Classify).count();
        assert_eq!(calls, if again { 2 } else { 1 }, "{misbehaviour:?}");
        // Extra fields are still an answer, and the lane goes on with it.
        if *misbehaviour != Misbehaviour::ExtraFields {
            assert_eq!(w.reasons().await, [Reason::IntentAsked, Reason::GateOpened], "{misbehaviour:?}");
        }
    }
}

/// Every label at four confidences, sure and unsure: none of these answers has an effect outside the thread.
#[tokio::test]
async fn whichever_legal_answer_comes_nothing_leaves_the_thread() {
    for label in Intent::ALL {
        for confidence in [0.0, 0.69, 0.7, 1.0] {
            let answer = format!(r#"{{"label":"{}","confidence":{confidence}}}"#, label.as_str());
            let entry = ScriptEntry { purpose: Purpose::Classify, reply: ScriptedReply::Text(answer) };
            let w = world(Arc::new(Scripted::new([entry])));
            w.says("1", UNCLEAR).await;
            w.a_minute().await;
            let effects = w.store.effects("acme", None, None, 100).await.unwrap();
            assert!(
                !effects.is_empty() && effects.iter().all(|effect| !effect.row.outward),
                "{label:?} {confidence}"
            );
            assert!(w.reasons().await.len() >= 2, "{label:?} {confidence}: it went on");
        }
    }
}

/// A second attempt has only what is left of the ask's time.
#[tokio::test]
async fn a_second_try_is_inside_of_the_asks_time() {
    let model = scripted([Misbehaviour::Status500, Misbehaviour::Status500]);
    let w = world(model.clone());
    w.says("1", UNCLEAR).await;
    w.clock.advance(3_000);
    w.a_minute().await;
    let budgets: Vec<_> = model.journal().iter().map(|asked| asked.ask.budget_ms).collect();
    assert_eq!(budgets[0], 7_000, "ten seconds, three of them gone");
    assert!(budgets[1] <= 6_000 && budgets[1] >= 5_000, "{budgets:?}");
}

#[tokio::test]
async fn a_second_try_that_would_come_too_late_is_none() {
    let model = scripted([Misbehaviour::Status500, Misbehaviour::Status500]);
    let w = world(model.clone());
    w.says("1", UNCLEAR).await;
    w.clock.advance(9_500);
    w.a_minute().await;
    assert_eq!(model.calls(), 1);
    assert_eq!(w.reasons().await, [Reason::IntentAsked, Reason::GateOpened]);
}

#[tokio::test]
async fn an_ask_whose_time_is_over_is_not_made() {
    let model = scripted([Misbehaviour::ExtraFields]);
    let w = world(model.clone());
    w.says("1", UNCLEAR).await;
    w.clock.advance(10_000);
    w.a_minute().await;
    assert_eq!((model.calls(), w.reasons().await[1]), (0, Reason::GateOpened));
}

/// Never answers; signals when it was asked and when it was cancelled.
struct Waits {
    asked: Semaphore,
    let_go: Semaphore,
}

struct Rings<'a>(&'a Semaphore);

impl Drop for Rings<'_> {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[async_trait]
impl Model for Waits {
    async fn ask(&self, _: &Ask, caller: &Caller<'_>) -> Attempt<Answer> {
        assert_eq!((caller.tenant, caller.user), ("acme", "ana"));
        let _rings = Rings(&self.let_go);
        self.asked.add_permits(1);
        std::future::pending().await
    }

    fn name(&self) -> &str {
        "waits"
    }
}

/// A stop supersedes the ask: the request is cancelled at once, and nothing waits for it.
#[tokio::test]
async fn a_superseded_ask_is_let_go() {
    let model = Arc::new(Waits { asked: Semaphore::new(0), let_go: Semaphore::new(0) });
    let w = world(model.clone());
    w.says("1", UNCLEAR).await;
    let asked = w.host.lease_effects(8).await.unwrap().remove(0);
    let effect = asked.effect.row.id.clone();
    let stop = async {
        model.asked.acquire().await.unwrap().forget();
        w.says("2", "stop").await;
    };
    let (performed, ()) = tokio::join!(w.host.perform(asked), stop);
    performed.unwrap();
    assert_eq!(model.let_go.available_permits(), 1);
    w.run().await;
    assert_eq!(w.reasons().await, [Reason::IntentAsked, Reason::InterruptStop, Reason::LateAnswer]);
    let outcome = w.store.effect("acme", &effect).await.unwrap().unwrap().outcome.unwrap();
    let superseded = Answer::None { why: "superseded".into() };
    let expected = Outcome::Done { result: EffectResult::Answered(superseded) };
    assert_eq!(serde_json::from_str::<Outcome>(&outcome).unwrap(), expected);
}
