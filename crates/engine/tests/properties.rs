//! Random conversations: invariants that hold after every step.

mod harness;

use std::collections::BTreeSet;

use harness::{TICKET, TestLane};
use proptest::prelude::*;
use throughline_engine::Timestamp;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::Card;
use throughline_engine::data::effect::{EffectBody, Outcome};
use throughline_engine::data::fault::{Fault, FieldFault};
use throughline_engine::data::pending::PendingClass;
use throughline_engine::data::policy::limits;
use throughline_engine::data::record::{Change, Record};
use throughline_engine::data::snapshot;

#[derive(Clone, Debug)]
enum Act {
    Say(&'static str, String),
    Press { who: &'static str, card: usize, version: u32, action: usize },
    Submit { card: usize, title: String },
    Settle { effect: usize, how: u8 },
    Advance(i64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let who = prop_oneof![Just("ana"), Just("bob"), Just("eve")];
    let text = prop_oneof![
        Just(TICKET.to_owned()),
        Just("Create a ticket for the export".to_owned()),
        Just("Problem: it is slow\nAcceptance: it is fast".to_owned()),
        Just("What do you think about microservices?".to_owned()),
        Just("yes".to_owned()),
        Just("stop".to_owned()),
        Just("Not now".to_owned()),
        Just("create ticket".to_owned()),
        Just("/maro pending".to_owned()),
        Just("/maro forget".to_owned()),
        "\\PC{0,40}",
    ];
    let act = prop_oneof![
        4 => (who.clone(), text).prop_map(|(who, text)| Act::Say(who, text)),
        4 => (who, 0..6usize, 0..4u32, 0..Action::ALL.len())
            .prop_map(|(who, card, version, action)| Act::Press { who, card, version, action }),
        1 => (0..6usize, "[a-z ]{0,12}").prop_map(|(card, title)| Act::Submit { card, title }),
        4 => (0..8usize, 0..4u8).prop_map(|(effect, how)| Act::Settle { effect, how }),
        1 => (0..3i64 * Timestamp::HOUR).prop_map(Act::Advance),
    ];
    prop::collection::vec(act, 1..50)
}

fn cards(w: &TestLane) -> Vec<Card> {
    let cards = w.lane.records.iter().filter_map(|record| match record {
        Record::Card(card) => Some(card.clone()),
        _ => None,
    });
    cards.collect()
}

fn play(w: &mut TestLane, act: &Act) {
    match act {
        Act::Say(who, text) => {
            let _ = w.says(who, text);
        }
        Act::Press { who, card, version, action } => {
            if let Some(card) = cards(w).get(*card) {
                let _ = w.presses(who, card, *version, Action::ALL[*action]);
            }
        }
        Act::Submit { card, title } => {
            if let Some(card) = cards(w).get(*card) {
                let _ = w.submits("ana", card, &[("title", title)]);
            }
        }
        Act::Settle { effect, how } => {
            let open: Vec<_> =
                w.effects.iter().filter(|e| e.body.class().reports_success()).cloned().collect();
            let Some(effect) = open.iter().rev().nth(*effect) else { return };
            let error = FieldFault::new("check.required", "team", Fault::Said("Team is required".into()));
            let outcome = match how {
                0 => Outcome::Failed {
                    reason: "rejected".into(),
                    text: Fault::Said("no".into()),
                    errors: vec![error],
                },
                1 => Outcome::Failed {
                    reason: "gave_up".into(),
                    text: Fault::Said("no".into()),
                    errors: vec![],
                },
                2 if effect.body.is_outward() => Outcome::Uncertain { text: Fault::Said("no answer".into()) },
                _ => {
                    w.settle();
                    return;
                }
            };
            let _ = w.outcome(effect, outcome);
        }
        Act::Advance(by) => w.advance(*by),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn invariants_hold_in_random_conversations(acts in acts()) {
        let mut w = TestLane::new();
        for act in &acts {
            play(&mut w, act);
            let conversational =
                w.lane.head.pendings.iter().filter(|p| p.kind.class() == PendingClass::Conversational).count();
            prop_assert!(conversational <= limits::QUESTIONS, "few questions wait for words");
            prop_assert!(w.lane.head.window.len() <= w.policy.window.messages + 2);
            for record in w.lane.records.iter() {
                let stored = snapshot::encode_record(record);
                prop_assert_eq!(&snapshot::decode_record(&stored).unwrap(), record);
            }
            if let Some(step) = &w.last {
                for change in &step.changes {
                    if let Change::Put(Record::Message(message)) = change {
                        prop_assert!(step.messages.contains(&message.id) || message.card.is_some() || message.task.is_some());
                    }
                }
            }
        }
        // Each consumed approval releases one create, and every create names one.
        let mut released = BTreeSet::new();
        for effect in w.effects.iter().filter(|effect| effect.body.is_outward()) {
            let approval = effect.approval.clone();
            prop_assert!(approval.is_some(), "an outward effect without an approval");
            let approval = approval.unwrap();
            prop_assert!(released.insert((approval.card, approval.version)), "released twice");
        }
        // Ids are never reused.
        let ids: BTreeSet<_> = w.effects.iter().map(|effect| &effect.id).collect();
        prop_assert_eq!(ids.len(), w.effects.len());
        // Words never release anything: a create needs a press.
        let creates = w.effects.iter().filter(|e| matches!(e.body, EffectBody::TrackerCreate { .. })).count();
        let presses = acts.iter().filter(|act| matches!(act, Act::Press { .. })).count();
        prop_assert!(creates <= presses);
    }
}
