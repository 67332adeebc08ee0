//! Misbehaving models in conversations: each misbehaviour, at every question that a conversation leads to. People are
//! answered, nothing leaves the thread, and no question is put more often than one repair or one second try allows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use throughline_engine::data::action::Action;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::event::{EventKind, MessagePosted, Press};
use throughline_engine::data::lane_state::LaneState;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Policy, Timestamp};
use throughline_models::{Caller, Misbehaviour, Model};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, Delivery, SeedLane, SeenCard, TrackerWorld};
use throughline_testkit::{Driver, World};

/// A model with one misbehaviour.
struct Misbehaving {
    how: Misbehaviour,
    /// The number of times each question was put, by purpose and message.
    asked: Mutex<BTreeMap<(Purpose, String), u32>>,
}

#[async_trait]
impl Model for Misbehaving {
    async fn ask(&self, ask: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        *asked.entry((ask.purpose(), ask.text.clone())).or_default() += 1;
        self.how.answer(ask)
    }

    fn name(&self) -> &str {
        self.how.as_str()
    }
}

const SAID: [(&str, &[&str]); 6] = [
    ("gate", &["What do you think about microservices?"]),
    (
        "ticket",
        &["Create a ticket for login bug\nSteps: open /login\nExpected: the form\nActual: a blank page"],
    ),
    ("lacking", &["Create a task for the manual"]),
    ("epic", &["Create epic with 3 stories for the manual"]),
    ("review", &["Review this plan: we will use Postgres for orders.", "but what about caching?"]),
    ("decision", &["Record the decision about sign-in: we use passkeys."]),
];

fn world() -> World {
    let lane = |name: &str| SeedLane { name: name.into(), head: LaneState::default(), records: Vec::new() };
    World {
        facts: Vec::new(),
        channel: "web".into(),
        clock: Timestamp::parse("2026-01-15T10:00:00Z").unwrap(),
        policy: Policy::default(),
        people: BTreeMap::new(),
        zones: BTreeMap::new(),
        lanes: SAID.iter().map(|(name, _)| lane(name)).collect(),
        tracker: TrackerWorld::default(),
        posts: Vec::new(),
        host: BTreeMap::new(),
        workers: BTreeMap::new(),
        script: None,
        paused: None,
    }
}

fn delivery(lane: &str, n: usize, kind: EventKind) -> Delivery {
    let addressing = Addressing { direct: true, ..Addressing::default() };
    Delivery { key: format!("{lane}-{n}"), lane: lane.into(), actor: "eve".into(), addressing, kind }
}

fn full(cards: &[SeenCard]) -> Option<Press> {
    let buttons = cards.iter().rev().flat_map(|card| &card.card.buttons);
    let button = buttons.into_iter().find(|button| button.action == Action::ShowFull)?;
    Some(Press::Token(button.token.clone()?))
}

#[test]
fn every_misbehaviour_ends_in_an_answer_and_no_effect() {
    for how in Misbehaviour::ALL {
        let model = Arc::new(Misbehaving { how: *how, asked: Mutex::default() });
        let mut driver = SimDriver::with_model(model.clone());
        driver.begin(&world()).unwrap();
        for (lane, texts) in SAID {
            let mut cards = Vec::new();
            for (n, text) in texts.iter().enumerate() {
                let message_id = Some(format!("{lane}-{n}"));
                let posted = MessagePosted { text: (*text).into(), message_id, ..MessagePosted::default() };
                let seen = driver.deliver(&[delivery(lane, n, EventKind::MessagePosted(posted))]).unwrap();
                assert!(
                    !(seen.messages.is_empty() && seen.cards.is_empty()),
                    "{how:?}: {text} is not answered"
                );
                assert!(seen.outward.is_empty(), "{how:?}: {text}: {:?}", seen.outward);
                cards.extend(seen.cards);
            }
            if let Some(press) = full(&cards) {
                let press = EventKind::CardPressed { press, remember: false };
                let seen = driver.deliver(&[delivery(lane, 9, press)]).unwrap();
                assert!(
                    !(seen.messages.is_empty() && seen.notices.is_empty()),
                    "{how:?}: the press is not answered"
                );
            }
            assert_eq!(driver.lane(lane).unwrap().head.ask, None, "{how:?}: no question is left open");
        }
        for checker in
            [Checker::NoEffectWithoutApproval, Checker::PressNeverSilent, Checker::OneWriterPerLane]
        {
            driver.check(checker).unwrap_or_else(|what| panic!("{how:?}: {what}"));
        }
        let asked = model.asked.lock().unwrap();
        assert!(asked.len() >= 5, "{how:?}: {asked:?}");
        let most = asked.values().max().copied().unwrap_or_default();
        // One repair round, or one second try; and what is accepted is asked once.
        assert!(most <= 2, "{how:?}: {asked:?}");
    }
}
