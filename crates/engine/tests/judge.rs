//! The learned judge answers questions of hosts that no rule read, and nothing else; policy turns it off.

mod harness;

use harness::{TICKET, TestLane};
use throughline_engine::data::event::{AssistantPosted, EventKind};
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::policy::judge::JudgePolicy;
use throughline_engine::{Policy, Reason, Step, StepInput};
use throughline_language::{Expected, Value};

const OFFER: &str = "Would you like to book a table there?";
const CONFIRM: &str = "Please confirm: a table at the Ritz. Is that right?";
/// No rule reads it, and the judge is sure.
const YES: &str = "Lunch there sounds like something I'd enjoy";
const CONFIRMED: &str = "Looks like you got everything";
const END: &str = "That covers all of it, you were a great help";

fn asked(lane: &mut TestLane, text: &str, expected: Option<Expected>) -> Step {
    let kind = if expected.is_some() { MessageKind::Question } else { MessageKind::Answer };
    let posted = AssistantPosted {
        kind,
        task: None,
        text: text.into(),
        expected,
        asked_of: None,
        expires: None,
        message_id: None,
    };
    let given = StepInput { now: lane.now, ..StepInput::default() };
    lane.event("", EventKind::AssistantPosted(posted), given)
}

fn under(judge: JudgePolicy) -> TestLane {
    let mut lane = TestLane::new();
    lane.policy.judge = judge;
    lane
}

fn judged(step: &Step) -> bool {
    step.trace.also.contains(&Reason::Judged)
}

fn applied(step: &Step) -> Option<Value> {
    step.decision.applied.clone().map(|applied| applied.value)
}

#[test]
fn a_host_is_answered_and_told_by_which_words() {
    let mut lane = under(JudgePolicy::default());
    let _ = asked(&mut lane, OFFER, Some(Expected::Boolean));
    let step = lane.says("ana", YES);
    assert!(judged(&step), "{:?}", step.trace);
    assert_eq!((step.decision.reason, applied(&step)), (Reason::PendingApplied, Some(Value::Boolean(true))));
    let account = step.trace.rule.as_deref().unwrap_or_default();
    assert!(account.starts_with("judge.yes ") && account.contains("sounds"), "{account}");
}

#[test]
fn a_message_after_an_answer_may_end_it() {
    for (judge, ends) in [(JudgePolicy::default(), true), (JudgePolicy::off(), false)] {
        let mut lane = under(judge);
        let _ = asked(&mut lane, "It is booked.", None);
        let step = lane.says("ana", END);
        assert_eq!((judged(&step), step.decision.reason == Reason::Acknowledged), (ends, ends));
    }
}

#[test]
fn policy_turns_it_off_and_sets_its_margins() {
    let margins = [
        (JudgePolicy::off(), OFFER, YES, false),
        (JudgePolicy { yes: 10_000, ..JudgePolicy::default() }, OFFER, YES, false),
        (JudgePolicy::default(), OFFER, YES, true),
        (JudgePolicy::default(), CONFIRM, CONFIRMED, false),
        (JudgePolicy { confirm: Some(1), ..JudgePolicy::default() }, CONFIRM, CONFIRMED, true),
    ];
    for (judge, question, message, answered) in margins {
        let mut lane = under(judge.clone());
        let _ = asked(&mut lane, question, Some(Expected::Boolean));
        let step = lane.says("ana", message);
        assert_eq!((judged(&step), applied(&step).is_some()), (answered, answered), "{judge:?} {question}");
    }
}

#[test]
fn nothing_but_a_hosts_yes_or_no_is_judged() {
    for expected in [Expected::Text, Expected::Number, Expected::Location] {
        let mut lane = under(JudgePolicy::default());
        let _ = asked(&mut lane, OFFER, Some(expected));
        assert!(!judged(&lane.says("ana", YES)));
    }
    // A card waits for an approval, and then a gate for a choice.
    for opens in [TICKET, "What about event sourcing?"] {
        let mut lane = under(JudgePolicy::default());
        let _ = lane.says("ana", opens);
        let step = lane.says("ana", YES);
        assert!(!judged(&step) && applied(&step).is_none(), "{opens}: {:?}", step.decision);
    }
}

#[test]
fn a_policy_from_before_has_no_judge() {
    let before = Policy { judge: JudgePolicy::off(), ..Policy::default() };
    let stored = serde_json::to_value(&before).unwrap();
    assert!(stored.get("judge").is_none(), "such a policy keeps its version");
    let read: Policy = serde_json::from_value(stored).unwrap();
    assert_eq!(read, before);
    assert_ne!(read.version(), Policy::default().version());
    let now: Policy = serde_json::from_value(serde_json::to_value(Policy::default()).unwrap()).unwrap();
    assert!(now.judge.enabled);
    let wrong = Policy { judge: JudgePolicy { no: 0, ..JudgePolicy::default() }, ..Policy::default() };
    assert_eq!(wrong.first_invalid().map(|(key, _)| key), Some("judge.no"));
}
