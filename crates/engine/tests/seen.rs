//! Words are about what their writer saw: what was shown later is asked about.

#[path = "harness/mod.rs"]
mod harness;

use harness::TestLane;
use throughline_engine::Step;
use throughline_engine::data::decision::Reason;
use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted};
use throughline_engine::data::message::MessageKind;
use throughline_language::Expected;

fn says(t: &mut TestLane, text: &str, seen: u64) -> Step {
    let posted = MessagePosted { text: text.into(), seen: Some(seen), ..MessagePosted::default() };
    let given = t.given("ana");
    t.event("ana", EventKind::MessagePosted(posted), given)
}

fn asks(t: &mut TestLane, expected: Expected) -> Step {
    let posted = AssistantPosted {
        kind: MessageKind::Question,
        task: None,
        text: "Which one?".into(),
        expected: Some(expected),
        asked_of: None,
        expires: None,
        message_id: None,
    };
    let given = t.given("");
    t.event("", EventKind::AssistantPosted(posted), given)
}

fn questions() -> [(Expected, &'static str); 4] {
    let options = ["Seaview", "Mill"].map(Into::into).to_vec();
    [
        (Expected::Boolean, "yes"),
        (Expected::Number, "3"),
        (Expected::Selection(options), "the second one"),
        (Expected::Text, "It blinks"),
    ]
}

#[test]
fn a_question_that_was_not_seen_takes_no_answer() {
    for (expected, answer) in questions() {
        for text in [answer, "yes", "ok", "the second one"] {
            let mut t = TestLane::new();
            let before = t.lane.revision;
            let _ = asks(&mut t, expected.clone());
            let step = says(&mut t, text, before);
            assert_eq!(step.decision.applied, None, "{expected:?} {text}");
            assert!(
                step.trace.also.contains(&Reason::PendingUnseen),
                "{expected:?} {text}: {:?}",
                step.trace.also
            );
        }
    }
}

#[test]
fn a_question_that_was_seen_takes_its_answer_whatever_came_before() {
    for (expected, answer) in questions() {
        let mut t = TestLane::new();
        let _ = t.says("ana", "What do you think about the lamp in the hall?");
        let _ = asks(&mut t, expected.clone());
        let seen = t.lane.revision;
        let step = says(&mut t, answer, seen);
        assert!(step.decision.applied.is_some(), "{expected:?}: {:?}", step.decision);
    }
}

#[test]
fn a_gate_that_was_not_seen_is_not_answered() {
    for text in ["create ticket", "2", "not now", "the second one", "ok"] {
        let mut t = TestLane::new();
        let before = t.lane.revision;
        let opened = t.says("ana", "What do you think about microservices?");
        assert_eq!(opened.decision.reason, Reason::GateOpened);
        let step = says(&mut t, text, before);
        let answered = matches!(
            step.decision.reason,
            Reason::IntentChosen | Reason::GateDismissed | Reason::PressApplied
        );
        assert!(!answered, "{text}: {:?}", step.decision);
    }
}

#[test]
fn who_does_not_say_what_was_seen_saw_all_of_it() {
    let mut t = TestLane::new();
    let _ = asks(&mut t, Expected::Boolean);
    assert!(t.says("ana", "yes").decision.applied.is_some());
}
