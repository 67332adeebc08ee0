//! Every expectation against one known turn: a true one passes, a false one is reported.

use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::event::{EventKind, MessagePosted};
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::data::message::{Message, MessageKind, Role};
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::StepInput;
use throughline_engine::data::trace::TurnSummary;
use throughline_engine::{Event, Lane, LaneKey, MessageId, Policy, Timestamp, step};

use super::*;
use crate::driver::{CommittedTurn, SeenCard, SeenMessage, SeenNotice};
use crate::seed::SeedNames;

/// The result of one message to a lane.
struct Turned {
    before: Lane,
    after: Lane,
    seen: TurnSeen,
    transcript_before: Transcript,
    transcript: Transcript,
}

/// Ana writes in a lane that has earlier messages. Every effect succeeds.
fn ana_writes(text: &str) -> Turned {
    let mut before = Lane::new(LaneKey::new("acme", "app", "web", "main", ""));
    let hi = Message {
        id: MessageId::from("m_hi"),
        role: Role::Assistant,
        by: String::new(),
        kind: Some(MessageKind::Answer),
        to: None,
        task: None,
        card: None,
        text: "Hi".into(),
        at: Timestamp(0),
        channel_id: None,
        link: None,
        untrusted: false,
        files: Vec::new(),
    };
    before.head.window.push(&hi.id);
    before.records.insert(Record::Message(hi));
    let names: SeedNames = [(("main".to_string(), "hi".to_string()), MessageId::from("m_hi"))].into();
    let mut transcript_before = Transcript::new(&names);
    transcript_before.note("main", &before, &TurnSeen::default());

    let posted = MessagePosted { text: text.into(), ..MessagePosted::default() };
    let kind = EventKind::MessagePosted(posted);
    let event = Event { id: "e1".into(), received_at: Timestamp(0), actor: "ana".into(), kind };
    let mut given = StepInput::default();
    given.addressing.direct = true;
    let step = step(&before, &event, &given, &Policy::default());
    let summary = TurnSummary {
        turn: IdGenerator::new(&before.key, 1).turn(),
        at: Timestamp(0),
        event: "message.posted".into(),
        decision: step.decision.clone(),
        trace: step.trace.clone(),
        effects: Vec::new(),
    };
    let mut seen = TurnSeen::default();
    for effect in step.effects {
        let lane = "main".to_string();
        match effect.body {
            EffectBody::Reply { message, text, .. } => {
                seen.messages.push(SeenMessage { lane, message, kind: None, text });
            }
            EffectBody::CardPost { message, card } => seen.cards.push(SeenCard { lane, message, card }),
            _ => {}
        }
    }
    seen.turns.push(CommittedTurn { lane: "main".into(), delivery: Some("e1".into()), summary });
    seen.notices.push(SeenNotice { lane: "main".into(), to: "ana".into(), text: "for Ana only".into() });
    seen.notices.push(SeenNotice { lane: "main".into(), to: "bob".into(), text: "for Bob only".into() });
    let mut after = before.clone();
    after.apply(step.next, &step.changes);
    let mut transcript = transcript_before.clone();
    transcript.note("main", &after, &seen);
    Turned { before, after, seen, transcript_before, transcript }
}

fn wrong(turned: &Turned, expect: &str) -> Vec<String> {
    let file = format!("scenario: s\nturns:\n  - ana: hi\n    expect: {{ {expect} }}\n");
    let scenario = crate::parse("t", &file).unwrap_or_else(|error| panic!("{error}\n{file}"));
    let turn = &turned.seen.turns[0].summary;
    let mut reasons = vec![turn.decision.reason];
    reasons.extend(&turn.trace.also);
    let observation = Observation {
        lane: Some("main"),
        user: Some("ana"),
        seen: &turned.seen,
        decisive: Some(turn),
        path: vec![turn],
        reasons,
        before: &turned.before,
        after: &turned.after,
        transcript_before: &turned.transcript_before,
        transcript: &turned.transcript,
        facts: &[],
        faulty: false,
    };
    let wrong = compare(scenario.turns[0].expect.as_deref().unwrap(), &observation);
    wrong.into_iter().map(|one| format!("{}: {} / {}", one.key, one.expected, one.seen)).collect()
}

#[test]
fn true_expectations_pass() {
    let ticket = ana_writes("Create a ticket for login bug");
    let gate = ana_writes("What do you think about microservices?");
    for (turned, expect) in [
        (&ticket, "decision: shown, reason: intent.rule, rung: intent, intent: ticket, applied: none"),
        (
            &ticket,
            "pending: [waiting_approval, slot_request], focus: { source: lane.recency, anchor: hi }, effects: none",
        ),
        (&ticket, "pending: { kind: slot_request, expected: text }, model_calls: 0"),
        (&ticket, "says: [Steps to reproduce, Expected], private: for Ana"),
        (&ticket, "task: { title: login bug, status: running }"),
        (
            &ticket,
            "not: { intent: review, says: banana, card: { version: 2 }, private: for Bob, pending: none }",
        ),
        (&gate, "rung: 11, card: { step: scope_gate, version: 1, title: What should I do, state: open }"),
        (&gate, "card: { buttons: [select_review, select_ticket, dismiss, remember] }, task: none"),
        (&gate, "says: What should I do with this?, pending: waiting_scope_choice, focus: lane.recency"),
    ] {
        assert_eq!(wrong(turned, expect), Vec::<String>::new(), "{expect}");
    }
}

#[test]
fn false_expectations_are_reported() {
    let ticket = ana_writes("Create a ticket for login bug");
    let hello = ana_writes("hello");
    let gate = ana_writes("What do you think about microservices?");
    for (turned, expect, shown) in [
        (&ticket, "decision: done", "decision: done / shown"),
        (&ticket, "reason: gate.opened", "reason: gate.opened / intent.rule"),
        (&ticket, "rung: 3", "rung: settled / intent"),
        (&ticket, "intent: review", "intent: review / ticket"),
        (&ticket, "applied: yes", "applied: yes / none"),
        (
            &ticket,
            "pending: none",
            "pending: none / waiting approval, until 15 Jan 00:00 UTC; slot request, expects text, until 01:00 UTC",
        ),
        (
            &ticket,
            "pending: []",
            "pending: [] / waiting approval, until 15 Jan 00:00 UTC; slot request, expects text, until 01:00 UTC",
        ),
        (
            &ticket,
            "pending: [slot_request, slot_request]",
            "pending: [slot_request, slot_request] / waiting approval, until 15 Jan 00:00 UTC; slot request, expects text, until 01:00 UTC",
        ),
        (&ticket, "focus: reply", "focus.source: reply / lane.recency"),
        (&ticket, "focus: { anchor: none }", "focus.anchor: none / m_hi"),
        (&ticket, "private: for Bob", "private: for Bob / for Ana only"),
        (&hello, "card: { version: 1 }", "card: { version: 1 } / no card was shown or changed"),
        (&ticket, "effects: { tracker.create: 1 }", "effects: tracker.create: 1 / none"),
        (&ticket, "model_calls: 2", "model_calls: 2 / 0"),
        (&ticket, "task: none", "task: none / login bug (running)"),
        (&ticket, "task: completed", "task: { status: completed } / login bug (running)"),
        (&ticket, "prompt: x", "prompt: x / nothing"),
        (&ticket, "not: { intent: ticket }", "not.intent: anything but intent: ticket / this"),
        (&ticket, "not: { says: [banana, Expected] }", "not.says: anything but says: Expected / this"),
        (&gate, "card: none", "card: none / a card was shown or changed"),
        (&gate, "card: { step: receipt }", "card.step: receipt / scope_gate"),
        (&gate, "card: { version: 2 }", "card.version: 2 / 1"),
        (
            &gate,
            "card: { buttons: [dismiss] }",
            "card.buttons: dismiss / select_review, select_ticket, dismiss, remember",
        ),
        (&gate, "card: { state: expired }", "card.state: expired / open"),
    ] {
        assert_eq!(wrong(turned, expect), [shown], "{expect}");
    }
    let says = wrong(&ticket, "says: banana");
    assert!(says.len() == 1 && says[0].starts_with("says: banana / Steps to reproduce?"), "{says:?}");
}

#[test]
fn an_unknown_name_is_reported() {
    let ticket = ana_writes("Create a ticket for login bug");
    let shown = wrong(&ticket, "focus: { anchor: hello }");
    assert!(
        shown[0].starts_with("focus.anchor: nothing is called `hello`")
            && shown[0].contains("named so far: hi"),
        "{shown:?}"
    );
}

#[test]
fn buttons_are_found_by_name_version_and_action() {
    use throughline_engine::data::action::Action;
    use throughline_engine::data::event::Press;
    let mut turned = ana_writes("What do you think about microservices?");
    let mut shown = turned.seen.cards[0].clone();
    for button in &mut shown.card.buttons {
        button.token = Some(format!("v{}-{}", shown.card.version, button.action.as_str()));
    }
    let id = shown.card.id.clone();
    let mut newer = shown.clone();
    newer.card.version = 2;
    newer.card.buttons.retain(|button| button.action == Action::Dismiss);
    newer.card.buttons[0].token = Some("v2-dismiss".into());
    turned.seen.cards = vec![shown, newer];
    let mut transcript = turned.transcript_before.clone();
    let known = transcript.note("main", &turned.after, &turned.seen);
    transcript.name("gate", "main", known, &turned.seen);
    let press = |name: &str, action| transcript.button("main", name, None, &[action]).map(|(press, _)| press);
    let token = |text: &str| Ok(Press::Token(text.into()));
    assert_eq!(press("latest", Action::Dismiss), token("v2-dismiss"));
    assert_eq!(press("card.v1", Action::Dismiss), token("v1-dismiss"));
    assert_eq!(press("gate.v1", Action::Remember), token("v1-remember"));
    assert_eq!(press("first.card", Action::Dismiss), token("v2-dismiss"));
    // The button is not shown at this version, so the press is a decision by id and version, as the API makes it.
    let decision = Press::Decision { card: id, version: 2, item: String::new(), action: Action::Remember };
    assert_eq!(press("gate", Action::Remember), Ok(decision));
    for (name, shown) in [
        ("card.v7", "there is no card `card.v7`"),
        ("gate.v7", "the card was never shown at version 7"),
        ("door", "nothing is called `door`"),
    ] {
        assert!(press(name, Action::Dismiss).unwrap_err().0.starts_with(shown), "{name}");
    }
    assert!(
        transcript
            .button("t2", "latest", None, &[Action::Dismiss])
            .unwrap_err()
            .0
            .contains("no card `latest` in lane t2")
    );
}
