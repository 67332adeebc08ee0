//! Lessons of gates and questions, and judgements of changed decisions.

use std::collections::BTreeMap;

use throughline_engine::data::action::Action;
use throughline_engine::data::event::{AssistantPosted, EventKind};
use throughline_engine::data::intent::Intent;
use throughline_engine::data::message::MessageKind;
use throughline_engine::{Decision, Reason, Verdict};
use throughline_language::intent::rules::rule;
use throughline_language::{Context, Expected, Value, Words, is_acknowledgement, read};
use throughline_testkit::Recorded;

use super::phrases::Meaning;
use super::{Shift, changes, lessons};
use crate::recorded::tests::{decided, gate, presses, says, turn};

fn ask() -> Recorded {
    let posted = AssistantPosted {
        kind: MessageKind::Question,
        task: None,
        text: "Shall I book it?".into(),
        expected: Some(Expected::Boolean),
        asked_of: None,
        expires: None,
        message_id: None,
    };
    turn(EventKind::AssistantPosted(posted), decided(Verdict::Recorded, Reason::AssistantPosted), &[])
}

fn answered(yes: bool) -> Decision {
    let value = Value::Boolean(yes);
    let applied = throughline_engine::data::decision::Applied { pending: "pd_1".into(), value };
    Decision { applied: Some(applied), ..decided(Verdict::Done, Reason::PendingApplied) }
}

/// A question that a text did not answer, so that it came again.
fn misread(text: &str, meant: bool) -> Vec<Recorded> {
    let unread = decided(Verdict::Answered, Reason::PendingMismatch);
    vec![ask(), says(text, unread, &[]), ask(), says(if meant { "yes" } else { "no" }, answered(meant), &[])]
}

/// A gate about a text, and the press on it.
fn gated(text: &str, action: Action) -> Vec<Recorded> {
    let chosen = match action {
        Action::SelectTicket => decided(Verdict::Shown, Reason::IntentChosen).with_intent(Intent::Ticket),
        Action::SelectReview => decided(Verdict::Shown, Reason::IntentChosen).with_intent(Intent::Review),
        _ => decided(Verdict::Done, Reason::GateDismissed),
    };
    vec![says(text, gate(), &[]), presses(action, chosen)]
}

fn learned(lanes: &[Vec<Recorded>]) -> Vec<(String, String)> {
    lessons(lanes, &[]).into_iter().map(|lesson| (lesson.entry.said, lesson.entry.means)).collect()
}

fn thrice(lane: impl Fn(usize) -> Vec<Recorded>) -> Vec<(String, String)> {
    learned(&[lane(0), lane(1), lane(2)])
}

fn one(said: &str, means: &str) -> Vec<(String, String)> {
    vec![(said.into(), means.into())]
}

#[test]
fn what_a_lesson_means_is_read_so() {
    let bare = &Context::default();
    for german in [false, true] {
        let words = |meaning: Meaning| Words::of(meaning.words(german));
        for (meaning, yes) in [(Meaning::Yes, true), (Meaning::No, false)] {
            let found = read(&Expected::Boolean, &words(meaning), bare).unwrap();
            assert_eq!(found.value, Value::Boolean(yes), "{meaning:?} {german}");
        }
        assert!(is_acknowledgement(&words(Meaning::Nothing), bare), "{german}");
        for (meaning, intent) in [(Meaning::Ticket, "Ticket"), (Meaning::Review, "Review")] {
            for about in ["the lamp in the hall flickers", "die Lampe im Flur flackert", "Plan"] {
                let text = format!("{} {about}", meaning.words(german));
                let ruling = rule(&Words::of(&text)).unwrap_or_else(|| panic!("no rule reads {text}"));
                assert_eq!(format!("{:?}", ruling.intent), intent, "{text}");
            }
        }
    }
}

#[test]
fn a_phrase_is_learned_from_what_people_showed() {
    let at = |n: usize| format!("prio eins: the lamp {n} flickers");
    assert_eq!(thrice(|n| gated(&at(n), Action::SelectTicket)), one("prio eins", "create a ticket:"));
    assert_eq!(thrice(|n| gated(&at(n), Action::SelectReview)), one("prio eins", "review this:"));
    assert_eq!(thrice(|_| gated("Moin zusammen!", Action::Dismiss)), one("moin zusammen", "thanks"));
    assert_eq!(thrice(|_| misread("Roger dodger", true)), one("roger dodger", "yes"));
    assert_eq!(thrice(|_| misread("nixi", false)), one("nixi", "no"));
    let german = |n: usize| {
        let chat = says("Wie machen wir das jetzt mit der Lampe im Flur?", gate(), &[]);
        [vec![chat], gated(&format!("Prio: Lampe {n}"), Action::SelectTicket)].concat()
    };
    assert_eq!(thrice(german), one("prio", "erstelle ein Ticket:"));
}

#[test]
fn what_shows_nothing_or_two_things_is_no_lesson() {
    let press = |text: &str| thrice(|_| gated(text, Action::SelectTicket));
    assert_eq!(press("the lamp in the hall flickers"), [], "no label");
    assert_eq!(press("https://example.org/a flickers"), [], "an address is no label");
    assert_eq!(press("see you at 10:30 at the gate"), [], "a time is no label");
    assert_eq!(press("one two three four five: the lamp"), [], "a sentence is no label");
    assert_eq!(thrice(|_| gated("we talk about that some other day", Action::Dismiss)), [], "a sentence");
    assert_eq!(thrice(|_| misread("👍🏻👍🏻", true)), []);
    assert_eq!(learned(&[misread("jein", true), misread("jein", true)]), [], "twice");
    assert_eq!(thrice(|n| misread("jein", n > 0)), [], "one of them meant the other");
    let known = lessons(&[misread("jein", true), misread("jein", true), misread("jein", true)], &[]);
    let entries: Vec<_> = known.into_iter().map(|lesson| lesson.entry).collect();
    let lanes = [misread("jein", true), misread("jein", true), misread("jein", true)];
    assert_eq!(lessons(&lanes, &entries), [], "it is known");
}

fn shift(turns: Vec<Recorded>, at: usize, now: Decision) -> Vec<Shift> {
    let numbered = turns.into_iter().zip(1..);
    let turns: Vec<Recorded> = numbered.map(|(turn, revision)| Recorded { revision, ..turn }).collect();
    let now = BTreeMap::from([(at as u64 + 1, now)]);
    changes(&turns, &now).into_iter().map(|change| change.shift).collect()
}

#[test]
fn a_changed_decision_is_judged_by_what_happened_next() {
    let ticket = || decided(Verdict::Shown, Reason::IntentRule).with_intent(Intent::Ticket);
    let same = decided(Verdict::Answered, Reason::PendingMismatch);
    assert_eq!(shift(misread("jo", true), 1, same), [], "nothing changed");
    assert_eq!(shift(misread("jo", true), 1, answered(true)), [Shift::Better]);
    assert_eq!(shift(misread("jo", true), 1, answered(false)), [Shift::Worse]);
    assert_eq!(shift(misread("jo", true), 3, answered(false)), [Shift::Worse], "the answer was right");
    assert_eq!(shift(gated("jo", Action::SelectTicket), 0, ticket()), [Shift::Better]);
    assert_eq!(shift(gated("jo", Action::SelectReview), 0, ticket()), [Shift::Worse]);
    assert_eq!(shift(gated("jo", Action::Dismiss), 0, ticket()), [Shift::Worse]);
    let silent = decided(Verdict::Done, Reason::Acknowledged);
    assert_eq!(shift(gated("jo", Action::Dismiss), 0, silent.clone()), [Shift::Better]);
    assert_eq!(shift(gated("jo", Action::SelectTicket), 0, silent.clone()), [Shift::Worse]);
    assert_eq!(shift(vec![says("jo", gate(), &[])], 0, silent), [Shift::Unknown], "nobody pressed");
    let approved = |action| {
        vec![says("jo", ticket(), &[]), presses(action, decided(Verdict::Done, Reason::PressApplied))]
    };
    assert_eq!(shift(approved(Action::Approve), 0, gate()), [Shift::Worse], "it was wanted");
    assert_eq!(shift(approved(Action::Reject), 0, gate()), [Shift::Better], "it was not");
}
