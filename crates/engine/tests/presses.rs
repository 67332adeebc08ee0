//! The rules of presses, over every step, action, version, person and state.

mod harness;

use harness::states::{decisions, reviews, states};
use harness::{TICKET, TestLane, visible_outputs};
use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Presser;
use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::card::Card;
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::step_input::PressTarget;
use throughline_engine::{Reason, Verdict};

/// The post is what was shown, and names who decided and when.
#[test]
fn a_decision_is_posted_as_it_was_approved() {
    let (_, mut w) = decisions().remove(1);
    let card = w.card();
    let opened = w.last.as_ref().unwrap().approvals.clone();
    let step = w.presses("bob", &card, 2, Action::Approve);
    let bob = Presser { id: "bob".into(), name: "bob".into() };
    let sent = step.effects.iter().find(|e| e.body.is_outward()).unwrap().body.clone();
    let EffectBody::PostChannel { text, .. } = sent.signed_by(&bob, w.now) else { panic!() };
    let shown = opened.iter().find_map(|change| match change {
        ApprovalChange::Open(approval) => Some(approval.payload.clone()),
        _ => None,
    });
    let payload: serde_json::Value = serde_json::from_str(&shown.unwrap()).unwrap();
    let approved = payload["text"].as_str().unwrap();
    let signature = text.strip_prefix(approved).unwrap();
    assert_eq!(signature, "\nDecided by @bob on 2026-01-15 at 10:00 UTC");
    assert!(approved.contains("Why: It is there."), "{approved}");
}

/// Each state of a decision's card takes exactly the presses of its step from an approver.
#[test]
fn a_decision_takes_the_presses_of_its_step() {
    for (state, harness) in decisions() {
        let card = harness.card();
        let takes = |action: &Action| {
            let step = harness.clone().presses("bob", &card, card.version, *action);
            !matches!(step.decision.outcome, Verdict::Refused)
        };
        let taken: Vec<Action> = Action::ALL.into_iter().filter(takes).collect();
        let expected: &[Action] = match state {
            "decision" | "decision edited" | "decision refused" => {
                &[Action::Approve, Action::Edit, Action::Cancel]
            }
            "decision posted, one issue" | "decision posted, two issues" => &[Action::Comment],
            "decision nobody knows of" | "decision with a comment nobody knows of" => {
                &[Action::Adopt, Action::CreateAgain, Action::Cancel]
            }
            _ => &[],
        };
        assert_eq!(taken, expected, "{state}");
    }
}

#[test]
fn every_press_is_answered() {
    let states = states().into_iter().map(|(state, harness)| (state, harness.clone(), harness.card()));
    let decided = decisions().into_iter().map(|(state, harness)| (state, harness.clone(), harness.card()));
    for (state, harness, card) in states.chain(reviews()).chain(decided) {
        let people = ["ana", "bob", "eve"];
        let items: Vec<String> = [String::new(), "nothing".into()]
            .into_iter()
            .chain(harness.items().into_iter().take(2))
            .collect();
        for action in Action::ALL {
            for version in 0..=card.version + 1 {
                for (actor, item) in
                    people.into_iter().flat_map(|who| items.iter().map(move |item| (who, item)))
                {
                    let mut w = harness.clone();
                    let step = w.presses_item(actor, &card, version, item, action);
                    let what = format!("{state}: {action:?} v{version} by {actor}: {:?}", step.decision);
                    assert!(visible_outputs(&step) > 0, "silence on {what}");
                    let outward = step.effects.iter().filter(|e| e.body.is_outward()).count();
                    let released = step.decision.reason == Reason::PressApplied
                        && (matches!(action, Action::Approve | Action::CreateAgain | Action::DoAgain)
                            || action == Action::Comment && state != "decision posted, two issues");
                    assert_eq!(outward > 0, released, "{what}");
                    assert!(!released || actor != "eve", "{what}");
                    assert!(!released || version == card.version, "{what}");
                    // Nothing is released while a confirmation is due or an item is incomplete.
                    let shut = card.to_confirm().is_some() || state == "batch without detail";
                    assert!(!released || !shut, "{what}");
                    // A second press releases nothing more.
                    if released {
                        let again = w.presses_item(actor, &card, version, item, action);
                        assert_eq!(again.decision.reason, Reason::PressConsumed, "{what}");
                    }
                }
            }
        }
    }
}

/// An active review offers its four buttons, a frozen one only tickets, and a superseded or forgotten one nothing.
#[test]
fn a_review_takes_the_presses_of_its_step() {
    for (state, harness, card) in reviews() {
        let takes = |action: &Action| {
            let step = harness.clone().presses("bob", &card, card.version, *action);
            !matches!(step.decision.reason, Reason::StaleStep | Reason::StaleVersion)
        };
        let taken: Vec<Action> = Action::ALL.into_iter().filter(takes).collect();
        let expected: &[Action] = match state {
            "active" | "active, with a model" | "patched" => {
                &[Action::ShowFull, Action::ApproveDecision, Action::TurnIntoTicket, Action::Finish]
            }
            "frozen" | "handed over" | "idle" => &[Action::TurnIntoTicket],
            _ => &[],
        };
        assert_eq!(taken, expected, "{state}");
    }
}

#[test]
fn two_people_press_approve_and_one_issue_is_created() {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    assert_eq!(w.presses("ana", &card, 1, Action::Approve).decision.reason, Reason::PressApplied);
    w.settle();
    let second = w.presses("bob", &card, 1, Action::Approve);
    assert_eq!(second.decision.reason, Reason::PressConsumed);
    let told = second.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::Notice { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert_eq!(told.unwrap(), "Already approved by @ana at 10:00 → DEMO-1");
    let created = w.effects.iter().filter(|effect| effect.body.is_outward()).count();
    assert_eq!(created, 1);
}

#[test]
fn approve_is_good_at_the_last_millisecond_and_not_after() {
    for (late, reason) in [(0, Reason::PressApplied), (1, Reason::PressExpired)] {
        let mut w = TestLane::new();
        let _ = w.says("ana", TICKET);
        w.settle();
        let card = w.card();
        w.now = card.expires_at.unwrap().plus(late);
        assert_eq!(w.presses("bob", &card, 1, Action::Approve).decision.reason, reason);
    }
}

/// Ten thousand ways of saying yes release nothing while an approval waits, and each is answered.
// row: T15
#[test]
fn text_never_approves() {
    let (openers, middles, closers) = (
        ["yes", "yeah", "yep", "sure", "ok", "okay", "absolutely", "please do", "go for it", "approve"],
        [
            "",
            "approve it",
            "go ahead",
            "do it",
            "create it",
            "that is right",
            "sounds good",
            "make it so",
            "ship it",
            "confirm",
        ],
        [
            "",
            "please",
            "now",
            "thanks",
            "!",
            "👍",
            "I approve",
            "right now",
            "as soon as you can",
            "for everybody",
        ],
    );
    let mut harness = TestLane::new();
    let _ = harness.says("ana", TICKET);
    harness.settle();
    let mut count = 0;
    for opener in openers {
        for middle in middles {
            for closer in closers {
                for shape in 0..10 {
                    let words: Vec<&str> =
                        [opener, middle, closer].into_iter().filter(|word| !word.is_empty()).collect();
                    let text = match shape {
                        0 => words.join(" "),
                        1 => words.join(", "),
                        2 => words.join(" ").to_uppercase(),
                        3 => format!("\"{}\"", words.join(" ")),
                        4 => format!("{}!!!", words.join(" ")),
                        5 => format!("@throughline {}", words.join(" ")),
                        6 => words.join(" - "),
                        7 => format!("{}…", words.join(" ")),
                        8 => format!("  {}  ", words.join("  ")),
                        _ => words.join("\n"),
                    };
                    let mut w = harness.clone();
                    let step = w.says("ana", &text);
                    assert!(step.effects.iter().all(|effect| !effect.body.is_outward()), "{text}");
                    assert!(visible_outputs(&step) > 0, "silence on {text:?}: {:?}", step.decision);
                    assert_ne!(step.decision.outcome, Verdict::Ignored);
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 10_000);
}

/// A record that was changed behind a card's back is not released, whatever the card releases.
#[test]
fn a_press_releases_what_was_shown() {
    let mut pressed = 0;
    for (state, harness) in states().into_iter().chain(decisions()) {
        let Some(card) = harness.lane.records.all::<Card>().find(|card| card.is_open()).cloned() else {
            continue;
        };
        for action in card.actions().into_iter().filter(|action| action.releases()) {
            let target = harness.target(&card, card.version, "", action);
            let press = |approved: Option<String>| {
                let press = Press::Token("token".into());
                let kind = EventKind::CardPressed { press, remember: false };
                let target = PressTarget { approved, ..target.clone() };
                harness.preview_event("bob", kind, Some(target)).decision.reason
            };
            if target.approved.is_none() || press(target.approved.clone()) != Reason::PressApplied {
                continue;
            }
            assert_eq!(press(Some("ab".repeat(32))), Reason::PressTampered, "{state}: {action:?}");
            pressed += 1;
        }
    }
    assert!(pressed > 3, "{pressed}");
}
