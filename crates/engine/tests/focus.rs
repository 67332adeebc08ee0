//! Focus over whole lanes: every anchor exists, and a model names none it was not offered.

mod harness;

use harness::TestLane;
use proptest::prelude::*;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{AssistantPosted, MessagePosted};
use throughline_engine::data::focus::{FocusSource, ThreadPosition};

use throughline_engine::data::lane_state::LaneState;
use throughline_engine::data::message::{Message, MessageKind, Role};
use throughline_engine::data::prompt::PromptSection;
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::{Addressing, Neighbours};
use throughline_engine::focus;
use throughline_engine::{
    Event, EventKind, Lane, LaneKey, MessageId, Policy, Reason, StepInput, Timestamp, step,
};

fn message(id: &str, role: Role, text: &str) -> Message {
    Message {
        id: id.into(),
        role,
        by: if role == Role::User { "bob".into() } else { String::new() },
        kind: (role == Role::Assistant).then_some(MessageKind::Answer),
        to: None,
        task: None,
        card: None,
        text: text.into(),
        at: Timestamp(0),
        channel_id: Some(format!("c_{id}")),
        link: None,
        untrusted: false,
        files: Vec::new(),
    }
}

fn posted(posted: MessagePosted) -> Event {
    Event {
        id: "now".into(),
        received_at: Timestamp(1),
        actor: "ana".into(),
        kind: EventKind::MessagePosted(posted),
    }
}

/// A lane with a question and our answer, and the model call for the next message.
fn asked(text: &str, answer: &str) -> (TestLane, throughline_engine::EffectId, Ask) {
    let mut w = TestLane::new();
    w.model = true;
    let _ = w.event(
        "",
        EventKind::AssistantPosted(AssistantPosted {
            kind: MessageKind::Answer,
            task: None,
            text: answer.into(),
            expected: None,
            asked_of: None,
            expires: None,
            message_id: None,
        }),
        StepInput::default(),
    );
    let step = w.says("ana", text);
    let found = step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::ModelAsk(ask) => Some((effect.id.clone(), ask.clone())),
        _ => None,
    });
    let (id, ask) = found.expect("a model is asked");
    (w, id, ask)
}

/// An anchor that was not offered is removed, and one that was is kept.
// row: T20
#[test]
fn an_anchor_that_was_not_offered_is_removed() {
    for (named, clamped) in [(Some("m_999_0"), true), (None, false), (Some("offered"), false)] {
        let (mut w, effect, ask) = asked("how about the other one?", "Dear partners, password: hunter2x …");
        let Some(hint) = &ask.hint else { panic!("no hint: {ask:?}") };
        assert_eq!(hint.focus_anchor_text_snippet, "Dear partners, [redacted:assignment] …");
        let offered = hint.focus_anchor_internal_id.clone().unwrap();
        let anchor = named.map(|id| if id == "offered" { offered.clone() } else { id.into() });
        let answer = Answer::Classify { label: "discussion".into(), confidence: 90, anchor };
        let outcome = Outcome::Done { result: EffectResult::Answered(answer) };
        let step = w.event(
            "",
            EventKind::EffectSettled { effect, outcome, card: None, task: None, unshown: None },
            StepInput::default(),
        );
        assert_eq!(step.decision.reason, Reason::IntentModel);
        assert_eq!(step.trace.also.contains(&Reason::AnswerClamped), clamped);
        let told = format!("{:?}", step.trace);
        assert!(!told.contains("m_999_0"), "{told}");
        assert!(step.trace.candidates.contains(&offered.0));
        let about = format!("about {offered}");
        assert_eq!(step.trace.rule.unwrap().contains(&about), named == Some("offered"));
    }
}

/// A text that needs no anchor carries none, and shows no hint.
#[test]
fn without_a_reference_there_is_no_hint() {
    let (_, _, ask) = asked("Is a queue better than a log?", "Dear partners");
    assert!(ask.hint.is_none());
}

#[test]
fn an_unknown_message_is_hinted_by_its_quotation() {
    let lane = Lane::new(LaneKey::new("acme", "app", "web", "session", ""));
    let event = posted(MessagePosted {
        text: "do that again".into(),
        reply_to: Some("c_9".into()),
        quote: Some("Weather for Cardiff: sunny".into()),
        ..MessagePosted::default()
    });
    let given = StepInput { model: true.into(), ..direct() };
    let step = step(&lane, &event, &given, &Policy::default());
    let EffectBody::ModelAsk(Ask { hint: Some(hint), prompt, .. }) = &step.effects[0].body else {
        panic!("no hint")
    };
    assert_eq!(
        (&hint.focus_anchor_internal_id, hint.focus_anchor_channel_id.as_deref()),
        (&None, Some("c_9"))
    );
    assert_eq!(hint.focus_anchor_text_snippet, "Weather for Cardiff: sunny");
    assert!(prompt.sections.iter().all(|(section, _)| *section != PromptSection::Window));
}

/// A message is never its own anchor, whatever a channel says.
#[test]
fn a_message_is_never_its_own_anchor() {
    let lane = Lane::new(LaneKey::new("acme", "app", "web", "session", ""));
    let own = message("m_1_0", Role::User, "hm");
    let event = posted(MessagePosted {
        message_id: own.channel_id.clone(),
        reply_to: own.channel_id.clone(),
        ..MessagePosted::default()
    });
    let given = StepInput { anchor: Some(own), ..StepInput::default() };
    assert_eq!(focus::resolve(&lane, &event, &given).source, FocusSource::ReplyPayload);
}

fn direct() -> StepInput {
    StepInput { addressing: Addressing { direct: true, ..Addressing::default() }, ..StepInput::default() }
}

fn lanes() -> impl Strategy<Value = Lane> {
    let one = (0..4u8, prop::option::of("ana|bob"), "\\PC{0,20}");
    prop::collection::vec(one, 0..24).prop_map(|messages| {
        let mut lane = Lane::new(LaneKey::new("acme", "app", "web", "session", ""));
        let mut head = LaneState::default();
        for (n, (kind, to, text)) in messages.into_iter().enumerate() {
            let role = if kind == 0 { Role::User } else { Role::Assistant };
            let kinds = [MessageKind::Answer, MessageKind::Question, MessageKind::Notification];
            let kind = (kind > 0).then(|| kinds[usize::from(kind) - 1]);
            let message = Message { kind, to, ..message(&format!("m_{n}_0"), role, &text) };
            head.window.push(&message.id);
            // Every fifth message is no longer loaded: a window may name missing ones.
            if n % 5 != 4 {
                lane.records.insert(Record::Message(message));
            }
        }
        lane.head = head;
        lane
    })
}

proptest! {
    /// Focus is defined for any lane, and names only messages that are in the lane or were handed over.
    #[test]
    fn focus_names_only_existing_messages(
        lane in lanes(),
        text in "\\PC{0,30}",
        replied in prop::option::of(0..30u8),
        quote in prop::option::of("\\PC{0,10}"),
        beside in any::<[bool; 2]>(),
    ) {
        let other = |there: bool, id: &str| there.then(|| message(id, Role::User, "beside"));
        let given = StepInput {
            anchor: replied.map(|n| message(&format!("m_{n}_0"), Role::Assistant, "anchor")),
            beside: Neighbours { before: other(beside[0], "m_0_7"), after: other(beside[1], "m_0_9") },
            ..direct()
        };
        let reply_to = replied.map(|n| format!("c_m_{n}_0"));
        let event = posted(MessagePosted { text, reply_to, quote, ..MessagePosted::default() });
        let found = focus::resolve(&lane, &event, &given);
        let known = |id: &MessageId| {
            lane.records.get::<Message>(id).is_some() || given.anchor.as_ref().is_some_and(|anchor| anchor.id == *id)
        };
        prop_assert!(found.anchor.as_ref().is_none_or(known), "{found:?}");
        prop_assert_eq!(found.anchor.is_some(), matches!(found.source, FocusSource::Reply | FocusSource::LaneRecency));
        if let Some(ThreadPosition::Answers(id)) = &found.thread {
            prop_assert!(known(id), "{found:?}");
        }
        if found.source == FocusSource::LaneRecency {
            let anchor = lane.records.get::<Message>(found.anchor.as_ref().unwrap()).unwrap();
            prop_assert!(anchor.kind != Some(MessageKind::Notification) && anchor.to.as_deref() != Some("bob"));
        }
        let window = found.window(&lane, &given);
        let handed = [&given.anchor, &given.beside.before, &given.beside.after];
        for message in window {
            let there = lane.records.get::<Message>(&message.id).is_some()
                || handed.iter().any(|handed| handed.as_ref().is_some_and(|handed| handed.id == message.id));
            prop_assert!(there);
        }
        let step = step(&lane, &event, &given, &Policy::default());
        prop_assert_eq!(step.trace.focus.and_then(|focus| focus.anchor), found.anchor);
    }
}
