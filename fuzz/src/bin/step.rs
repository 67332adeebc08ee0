//! Any conversation, act by act: nothing panics, every press has a visible answer, and the promises that the tests' world
//! checks after each step hold.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use throughline_engine::data::effect::Outcome;
use throughline_engine::data::fault::{Fault, FieldFault};
use throughline_engine::data::event::{Attachment, MessagePosted};
use throughline_engine::data::record::Record;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::Card;
use throughline_engine::{Event, EventKind, admit};
use harness::{TestLane, visible_outputs};

#[path = "../../../crates/engine/tests/harness/mod.rs"]
mod harness;

/// Messages that reach a workflow; the fuzzer finds the others.
const SAID: [&str; 12] = [
    harness::TICKET,
    "Create a ticket for the export",
    "Problem: it is slow\nAcceptance: it is fast",
    "@publisher publish the release notes",
    "do that via sub-agent",
    "yes",
    "actually make it 5",
    "skip",
    "stop",
    "thanks",
    "create ticket",
    "/maro pending",
];

#[derive(Arbitrary, Debug)]
enum Act<'a> {
    Say { who: u8, text: &'a str },
    SayThat { who: u8, which: u8 },
    Press { who: u8, card: u8, version: u8, action: u8 },
    Submit { card: u8, title: &'a str },
    Settle { effect: u8, how: u8 },
    Advance(u32),
}

fn who(n: u8) -> &'static str {
    ["ana", "bob", "eve"][usize::from(n) % 3]
}

fn card(w: &TestLane, n: u8) -> Option<Card> {
    let cards = w.lane.records.iter().filter_map(|record| match record {
        Record::Card(card) => Some(card.clone()),
        _ => None,
    });
    cards.into_iter().nth(usize::from(n) % 8)
}

fn says(w: &mut TestLane, by: &str, text: &str) {
    let files = if text.is_empty() {
        vec![Attachment { kind: "photo".into(), ..Attachment::default() }]
    } else {
        Vec::new()
    };
    let kind = EventKind::MessagePosted(MessagePosted { text: text.into(), files, ..MessagePosted::default() });
    let event = Event { id: String::new(), received_at: w.now, actor: by.into(), kind };
    assert_eq!(admit(&w.lane, &event, &w.policy), admit(&w.lane, &event, &w.policy));
    let _ = w.says(by, text);
}

fn play(w: &mut TestLane, act: &Act<'_>) {
    match act {
        Act::Say { who: by, text } => says(w, who(*by), text),
        Act::SayThat { who: by, which } => says(w, who(*by), SAID[usize::from(*which) % SAID.len()]),
        Act::Press { who: by, card: n, version, action } => {
            let Some(card) = card(w, *n) else { return };
            let action = Action::ALL[usize::from(*action) % Action::ALL.len()];
            let step = w.presses(who(*by), &card, u32::from(*version % 4), action);
            assert!(visible_outputs(&step) > 0, "silence on a press: {:?}", step.decision);
        }
        Act::Submit { card: n, title } => {
            let Some(card) = card(w, *n) else { return };
            let step = w.submits("ana", &card, &[("title", title)]);
            assert!(visible_outputs(&step) > 0, "silence on a form: {:?}", step.decision);
        }
        Act::Settle { effect, how } => {
            let reports = w.effects.iter().rev().filter(|effect| effect.body.class().reports_success());
            let Some(effect) = reports.cloned().nth(usize::from(*effect) % 8) else { return };
            let text = Fault::Said("no".into());
            let error = FieldFault::new("check.required", "team", text.clone());
            let failed =
                |reason: &str, errors| Outcome::Failed { reason: reason.into(), text: text.clone(), errors };
            let _ = match how % 4 {
                0 => w.outcome(&effect, Outcome::Uncertain { text }),
                1 => w.outcome(&effect, failed("dry_run", vec![error])),
                2 => w.outcome(&effect, failed("gave_up", Vec::new())),
                _ => {
                    w.settle();
                    return;
                }
            };
        }
        Act::Advance(by) => w.advance(i64::from(*by)),
    }
}

fuzz_target!(|acts: Vec<Act<'_>>| {
    let mut w = TestLane::new();
    w.has_publisher();
    for act in acts.iter().take(40) {
        play(&mut w, act);
    }
    let named =
        |effect: &throughline_engine::data::effect::Effect| !effect.body.is_outward() || effect.approval.is_some();
    assert!(w.effects.iter().all(named), "an outward effect without an approval");
});
