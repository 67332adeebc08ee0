//! The epic of a story is part of what is approved: a preview that names an epic by its draft is shown anew once the epic has
//! its key, so that a press approves what is sent.

mod harness;

use harness::TestLane;
use throughline_engine::Reason;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::{Card, CardSubject, Checks};
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::record::Record;

/// An epic with two stories that are too long for one card.
fn long_batch() -> String {
    let long = |words: &str| words.repeat(160);
    format!(
        "Create an epic with 2 stories for auth\nProblem: nobody gets in\nAcceptance criteria: all are done\n\
         - As a user I want to log in\n  Acceptance criteria: {}\n\
         - As a user I want to log out\n  Acceptance criteria: {}",
        long("long enough to fill a page, and then "),
        long("long enough to fill two pages, and ")
    )
}

/// The cards that wait for an approval, oldest first.
fn open(w: &TestLane) -> Vec<Card> {
    let cards = w.lane.records.iter().filter_map(|record| match record {
        Record::Card(card) if card.is_open() => Some(card.clone()),
        _ => None,
    });
    let mut cards: Vec<Card> = cards.collect();
    cards.sort_by_key(|card| card.created_at);
    cards
}

/// The creates of the last step, with the parent that each item has.
fn creates(w: &TestLane) -> Vec<(Effect, Option<String>)> {
    let last = w.last.clone().unwrap().effects.into_iter();
    let created = last.filter_map(|effect| match &effect.body {
        EffectBody::TrackerCreate { item, .. } => Some((effect.clone(), item.parent.clone())),
        _ => None,
    });
    created.collect()
}

fn made(w: &mut TestLane, effect: &Effect, key: &str) {
    w.advance(1);
    let _ = w.outcome(effect, Outcome::Done { result: EffectResult::Issue { key: key.into(), url: None } });
}

#[test]
fn a_preview_is_shown_anew_when_the_epic_it_names_has_its_key() {
    let mut w = TestLane::new();
    let _ = w.says("ana", &long_batch());
    let whole = w.card();
    w.advance(1);
    let _ = w.presses("ana", &whole, whole.version, Action::Split);
    w.settle();
    let first = w.card();
    w.advance(1);
    let _ = w.presses("bob", &first, first.version, Action::Approve);
    let epic = creates(&w)[0].0.clone();
    w.advance(1);
    // The epic is refused: its part of the batch is over, and the next part is shown, under an epic without a key.
    let refused =
        Outcome::Failed { reason: "rejected".into(), text: Fault::Said("no".into()), errors: Vec::new() };
    let _ = w.outcome(&epic, refused);
    w.settle();
    let second = open(&w).pop().expect("the next part is shown");
    let receipt = w.lane.records.get::<Card>(&first.id).unwrap().clone();
    w.advance(1);
    let _ = w.presses("ana", &receipt, receipt.version, Action::RetryMissing);
    w.settle();
    let again = open(&w).into_iter().find(|card| card.id != second.id).expect("the epic is shown again");
    w.advance(1);
    let _ = w.presses("ana", &again, again.version, Action::ConfirmQuantity);
    let _ = w.presses("bob", &again, again.version, Action::Approve);
    let epic = creates(&w)[0].0.clone();
    made(&mut w, &epic, "DEMO-1");
    let renewed = w.lane.records.get::<Card>(&second.id).unwrap().clone();
    assert_eq!(renewed.version, second.version + 1, "the key is part of what is approved");
    let CardSubject::BatchPreview { checks: Checks::Running { .. }, .. } = &renewed.about else {
        panic!("what the tracker said of it was about an epic that was not there: {:?}", renewed.about)
    };
    w.settle();
    let stale = w.presses("bob", &renewed, second.version, Action::Approve);
    assert_eq!(stale.decision.reason, Reason::StaleVersion);
    // With what was approved a moment ago these are many, so their number is confirmed first.
    let _ = w.presses("bob", &renewed, renewed.version, Action::Approve);
    let _ = w.presses("ana", &renewed, renewed.version, Action::ConfirmQuantity);
    let pressed = w.presses("bob", &renewed, renewed.version, Action::Approve);
    assert_eq!(pressed.decision.reason, Reason::PressApplied);
    let parents: Vec<Option<String>> = creates(&w).into_iter().map(|(_, parent)| parent).collect();
    assert_eq!(parents, [Some("DEMO-1".to_owned())]);
}
