//! The lane's actor over the memory store and a manual clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::event::MessagePosted;
use throughline_engine::data::message::Message;
use throughline_engine::data::policy::BusyPolicy;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, Lane, LaneKey, Policy, Reason, StepInput, Timestamp, focus};
use throughline_models::{Caller, Model};
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Directory, Inbound, Keys, NoFaults, Parts, Ports, Runtime};
use throughline_store::{
    Accepted, Delivery, DeliveryIdentity, Inbox, Lanes, ManualClock, MemoryStore, RowState, TurnLog,
};
use tokio::sync::Semaphore;

struct Everybody;

#[async_trait]
impl Directory for Everybody {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        Actor { id: id.into(), name: id.into(), ..Actor::default() }
    }
}

/// A model that signals when it was asked, and answers when it is let.
struct Slow {
    asked: Semaphore,
    answer: Semaphore,
}

#[async_trait]
impl Model for Slow {
    async fn ask(&self, _: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        self.asked.add_permits(1);
        self.answer.acquire().await.unwrap().forget();
        Attempt::Applied(Answer::Classify { label: "ticket".into(), confidence: 99, anchor: None })
    }

    fn name(&self) -> &str {
        "slow"
    }
}

struct World {
    model: Arc<Slow>,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    host: Runtime,
    lane: LaneKey,
}

/// A runtime over an empty store.
fn world(policy: Policy) -> World {
    let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let model = Arc::new(Slow { asked: Semaphore::new(0), answer: Semaphore::new(0) });
    let ports = Ports {
        directory: Arc::new(Everybody),
        channels: BTreeMap::new(),
        trackers: BTreeMap::new(),
        model: Some(model.clone()),
        workers: BTreeMap::new(),
        hosted: Vec::new(),
        own_host: Vec::new(),
    };
    let host = Runtime::new(Parts {
        store: store.clone(),
        ports,
        policy,
        keys: Keys::new([3; 32]),
        faults: Arc::new(NoFaults),
        entropy: Arc::new(|| [5; 16]),
    });
    World { model, clock, store, host, lane: LaneKey::new("acme", "app", "web", "session", "") }
}

impl World {
    async fn says(&self, key: &str, text: &str) -> Accepted {
        let addressing = Addressing { direct: true, ..Addressing::default() };
        self.posts(key, MessagePosted { text: text.into(), ..MessagePosted::default() }, addressing).await
    }

    async fn posts(&self, key: &str, posted: MessagePosted, addressing: Addressing) -> Accepted {
        let event = Event {
            id: key.into(),
            received_at: self.host.store().now(),
            actor: "ana".into(),
            kind: EventKind::MessagePosted(posted),
        };
        let inbound = Inbound { identity: DeliveryIdentity::new(self.lane.clone(), key), event, addressing };
        self.host.accept(inbound).await.unwrap()
    }

    /// Runs lanes until nothing is left to do; the model is not called.
    async fn run(&self) {
        while let Some(lane) = self.host.wakes().next() {
            let run = self.host.run_lane(&lane).await.unwrap();
            self.host.wakes().done(&lane, run.more);
        }
    }

    async fn reasons(&self) -> Vec<Reason> {
        let turns = self.store.turns(&self.lane, 0, 1_000).await.unwrap();
        turns.iter().map(|turn| Turn::read(turn).unwrap().row.decision.reason).collect()
    }

    /// The input of the step for a message to us.
    async fn decided_with(&self, key: &str, posted: MessagePosted) -> StepInput {
        self.posts(key, posted, Addressing { direct: true, ..Addressing::default() }).await;
        self.run().await;
        let turns = self.store.turns_before(&self.lane, u64::MAX, 1).await.unwrap();
        Turn::read(&turns[0]).unwrap().content.unwrap().given
    }

    async fn state(&self, key: &str) -> RowState {
        self.store.delivery("acme", key).await.unwrap().unwrap().state
    }
}

/// A reply to a message that has left the window is read with the messages next to it, which the store still has; of
/// a message at the window's edge, the neighbour that left comes from the store
/// (`docs/design/0013-focus-and-anchors.md`).
#[tokio::test]
async fn a_reply_far_back_is_seen_with_its_neighbours() {
    let w = world(Policy::default());
    let overheard = Addressing { thread_ours: true, to_other: true, ..Addressing::default() };
    for n in 0..20 {
        let key = format!("c{n}");
        let posted = MessagePosted {
            text: format!("line {n}"),
            message_id: Some(key.clone()),
            ..MessagePosted::default()
        };
        w.posts(&key, posted, overheard).await;
    }
    w.run().await;
    for (reply_to, before, after) in [
        ("c2", Some("line 1"), Some("line 3")),
        ("c0", None, Some("line 1")),
        // The window holds fifteen, four of them this test's: of the tenth line, the one before has left it.
        ("c9", Some("line 8"), None),
        ("c12", None, None),
    ] {
        let posted = MessagePosted {
            text: "stop".into(),
            reply_to: Some(reply_to.into()),
            ..MessagePosted::default()
        };
        let given = w.decided_with(&format!("reply to {reply_to}"), posted).await;
        let text = |message: &Option<Message>| message.as_ref().map(|message| message.text.clone());
        assert_eq!(text(&given.anchor), Some(reply_to.replace('c', "line ")));
        assert_eq!(
            (text(&given.beside.before).as_deref(), text(&given.beside.after).as_deref()),
            (before, after)
        );
        if reply_to == "c2" {
            let lane = Lane::new(w.lane.clone());
            let event = Event {
                id: "again".into(),
                received_at: given.now,
                actor: "ana".into(),
                kind: EventKind::MessagePosted(MessagePosted::default()),
            };
            let focus = focus::resolve(&lane, &event, &given);
            let window: Vec<&str> = focus.window(&lane, &given).iter().map(|m| m.text.as_str()).collect();
            assert_eq!(window, ["line 1", "line 2", "line 3"]);
        }
    }
}

/// An event that cannot be handled is set aside after five failures, the person is told, and the lane goes on.
#[tokio::test]
async fn an_event_that_cannot_be_handled_is_set_aside() {
    let w = world(Policy::default());
    let delivery = Delivery {
        identity: DeliveryIdentity::new(w.lane.clone(), "bad"),
        kind: "message.posted".into(),
        event: "{".into(),
        limit: None,
    };
    w.store.accept(delivery).await.unwrap();
    w.says("good", "/maro help").await;
    w.run().await;
    assert_eq!(w.state("bad").await, RowState::Dead);
    assert_eq!(w.state("good").await, RowState::Done);
    assert_eq!(w.reasons().await, [Reason::IntakeNotice, Reason::CommandHelp]);
}

/// While a model is asked, a stop is handled at once, and the model's answer is recorded and ignored.
#[tokio::test]
async fn a_stop_does_not_wait_for_a_model() {
    let w = world(Policy::default());
    w.says("1", "hmm, the second thing we talked about").await;
    w.says("2", "and what about the third").await;
    w.run().await;
    assert_eq!(w.reasons().await, [Reason::IntentAsked], "the second message waits in order");
    let asked = w.host.lease_effects(8).await.unwrap().remove(0);
    let stop = async {
        w.model.asked.acquire().await.unwrap().forget();
        w.says("3", "stop").await;
        w.run().await;
        assert_eq!(w.reasons().await[..2], [Reason::IntentAsked, Reason::InterruptStop]);
        assert_eq!(w.state("2").await, RowState::Done, "what waited goes on");
        w.model.answer.add_permits(1);
    };
    let (performed, ()) = tokio::join!(w.host.perform(asked), stop);
    performed.unwrap();
    w.run().await;
    assert_eq!(w.reasons().await.last(), Some(&Reason::LateAnswer));
}

/// However many messages wait behind an open ask, its answer and a stop are found.
#[tokio::test]
async fn a_stop_behind_many_waiting_messages_is_found() {
    let w = world(Policy::default());
    w.says("ask", "hmm, the second thing we talked about").await;
    w.run().await;
    for n in 0..45 {
        w.says(&format!("{n}"), "and what about the third").await;
    }
    w.says("stop", "stop").await;
    w.run().await;
    assert_eq!(w.reasons().await[1], Reason::InterruptStop);
}

/// Under `collect`, three messages within two seconds become one question of three lines.
#[tokio::test]
async fn a_burst_is_one_question() {
    let w = world(Policy { busy: BusyPolicy::Collect, ..Policy::default() });
    for (key, text) in [("1", "make"), ("2", "it"), ("3", "blue")] {
        w.says(key, text).await;
        w.run().await;
        w.clock.advance(900);
    }
    let asked: Vec<_> = w.host.lease_effects(8).await.unwrap();
    let open: Vec<_> = asked.iter().map(|leased| leased.effect.row.payload.clone()).collect();
    assert_eq!(open.len(), 1, "the earlier asks were taken back: {open:?}");
    assert!(open[0].contains(r#""text":"make\nit\nblue""#), "{}", open[0]);
    assert_eq!(w.reasons().await, [Reason::IntentAsked; 3]);
}

/// The fifty-first waiting message is refused, and the person is told which.
#[tokio::test]
async fn a_full_queue_tells_the_user() {
    let w = world(Policy::default());
    for n in 0..50 {
        assert!(matches!(w.says(&format!("{n}"), "hello there").await, Accepted::New));
    }
    assert!(matches!(w.says("51", "one too many").await, Accepted::Full));
    assert_eq!(w.state("51").await, RowState::Refused);
    w.run().await;
    let last = w.store.turns_before(&w.lane, u64::MAX, 1).await.unwrap();
    assert_eq!(Turn::read(&last[0]).unwrap().row.decision.reason, Reason::IntakeNotice);
    let full = r#""why":"queue_full","beginning":"one too many","most":50"#;
    assert!(last[0].log.content.contains(full), "{}", last[0].log.content);
}

/// A lane that another owner has claimed meanwhile fences this one: its commit changes nothing.
#[tokio::test]
async fn a_sleeper_is_fenced() {
    let w = world(Policy::default());
    w.says("1", "/maro help").await;
    w.run().await;
    w.clock.advance(29_000);
    w.says("2", "/maro help").await;
    w.clock.advance(2_000);
    let claimed = w.store.claim(&w.lane, "another").await.unwrap();
    assert!(matches!(claimed, throughline_store::Claim::Ours { .. }), "its lease was over");
    w.run().await;
    assert_eq!(w.reasons().await.len(), 1);
    assert_eq!(w.state("2").await, RowState::Received, "the new owner has the row");
}
