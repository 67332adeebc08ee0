//! A press on any historic card, after a restart, is answered: also on cards the lane no longer loads.

use std::collections::BTreeMap;

use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::event::{EventKind, MessagePosted, Press};
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Policy, Reason, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Delivery, Driver, SeenCard, TrackerWorld, TurnSeen, World};
use throughline_testkit::model::Restart;

fn world() -> World {
    let person = |id: &str| {
        let principals = vec![format!("user:{id}"), "role:approver".into()];
        (id.to_owned(), Actor { id: id.into(), name: id.into(), principals, ..Actor::default() })
    };
    World {
        facts: Vec::new(),
        channel: "web".into(),
        clock: Timestamp(1_768_471_200_000),
        policy: Policy { approvers: vec![Policy::demo_rule(&["role:approver"])], ..Policy::default() },
        zones: BTreeMap::new(),
        people: BTreeMap::from([person("ana"), person("bob")]),
        lanes: Vec::new(),
        tracker: TrackerWorld::default(),
        posts: Vec::new(),
        workers: BTreeMap::new(),
        host: BTreeMap::new(),
        script: None,
        paused: None,
    }
}

fn delivery(n: usize, actor: &str, kind: EventKind) -> Delivery {
    let addressing = Addressing { direct: true, ..Addressing::default() };
    Delivery { key: format!("historic:{n}"), lane: "main".into(), actor: actor.into(), addressing, kind }
}

fn press(driver: &mut SimDriver, n: usize, card: &SeenCard, action: Action) -> TurnSeen {
    let button = card.card.buttons.iter().find(|button| button.action == action).unwrap();
    let press = Press::Token(button.token.clone().unwrap());
    driver.deliver(&[delivery(n, "bob", EventKind::CardPressed { press, remember: false })]).unwrap()
}

#[test]
fn every_button_ever_shown_answers() {
    let mut driver = SimDriver::new();
    driver.begin(&world()).unwrap();
    let mut shown: Vec<SeenCard> = Vec::new();
    for n in 0..40 {
        let text = if n % 2 == 0 {
            format!("What about number {n}?")
        } else {
            format!("Create a ticket for part {n}\nProblem: it is missing\nAcceptance: it is there")
        };
        let posted = MessagePosted { text, ..MessagePosted::default() };
        let seen = driver.deliver(&[delivery(n, "ana", EventKind::MessagePosted(posted))]).unwrap();
        shown.extend(seen.cards);
    }
    driver.restart(Restart::Kill).unwrap();
    let loaded = driver.lane("main").unwrap().head.cards.len();
    assert!(loaded < 40, "older cards have left the lane");

    let mut n = 1_000;
    let mut created = 0;
    let buttons = |card: &SeenCard| card.card.buttons.iter().map(|button| button.action).collect::<Vec<_>>();
    let mut presses: Vec<(&SeenCard, Action)> =
        shown.iter().flat_map(|card| buttons(card).into_iter().map(move |action| (card, action))).collect();
    // Approve is pressed first everywhere, so that every other press finds its card decided.
    presses.sort_by_key(|(_, action)| *action != Action::Approve);
    for (card, action) in presses {
        n += 1;
        let seen = press(&mut driver, n, card, action);
        let heard = seen.messages.len() + seen.notices.len() + seen.cards.len();
        assert!(heard > 0, "silence on {action:?} of {}", card.card.title);
        created += seen.outward.values().sum::<u32>();
    }
    assert_eq!(created, 20, "each preview was approved once, loaded or not, and each made one issue");
}

/// An open preview that left the lane can still be approved once, and creates what it shows.
#[test]
fn an_open_preview_beyond_the_window_can_be_approved() {
    let mut driver = SimDriver::new();
    driver.begin(&world()).unwrap();
    let text =
        "Create a ticket for the oldest one\nProblem: it is missing\nAcceptance: it is there".to_owned();
    let posted = EventKind::MessagePosted(MessagePosted { text, ..MessagePosted::default() });
    let first = driver.deliver(&[delivery(0, "ana", posted)]).unwrap().cards.pop().unwrap();
    for n in 1..40 {
        let text = format!("Create a ticket for part {n}\nProblem: it is missing\nAcceptance: it is there");
        let posted = MessagePosted { text, ..MessagePosted::default() };
        driver.deliver(&[delivery(n, "ana", EventKind::MessagePosted(posted))]).unwrap();
    }
    assert!(!driver.lane("main").unwrap().head.cards.contains(&first.card.id));
    let seen = press(&mut driver, 100, &first, Action::Approve);
    assert_eq!(seen.outward.get("tracker.create"), Some(&1));
    let again = press(&mut driver, 101, &first, Action::Approve);
    assert_eq!(again.turns[0].summary.decision.reason, Reason::PressConsumed);
}
