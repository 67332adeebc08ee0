//! Pending questions under random conversations: each person has at most one that is not for words, only the person asked
//! may answer it, and each message has one of the defined outcomes.

mod harness;

use harness::{TICKET, TestLane};
use proptest::prelude::*;
use throughline_engine::Reason;
use throughline_engine::data::call::{Agent, Risk, Tool};
use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted};
use throughline_engine::data::message::{Message, MessageKind, Role};
use throughline_engine::data::pending::{PendingClass, PendingState};
use throughline_engine::data::policy::limits;
use throughline_engine::data::task::TaskReported;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::{Policy, Step, StepInput, Timestamp};
use throughline_language::Expected;

/// The outcomes for an open question, as the decision's reason or one noted on the way.
const OUTCOMES: [Reason; 11] = [
    Reason::PendingKept,
    Reason::PendingStands,
    Reason::PendingNewer,
    Reason::PendingUnseen,
    Reason::PendingApplied,
    Reason::PendingAppliedWithRemainder,
    Reason::PendingMismatch,
    Reason::PendingExpired,
    Reason::PendingOtherAnchor,
    Reason::PendingOtherPerson,
    Reason::PendingCorrected,
];

#[derive(Clone, Debug)]
enum Act {
    Ask { expected: Expected, of: Option<&'static str> },
    Say { who: &'static str, text: String, reply: Option<usize> },
    Advance(i64),
}

fn expected() -> impl Strategy<Value = Expected> {
    prop_oneof![
        Just(Expected::Boolean),
        Just(Expected::Number),
        Just(Expected::Location),
        Just(Expected::Text),
        Just(Expected::Selection(vec!["Red".into(), "Blue".into()])),
    ]
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let who = || prop_oneof![Just("ana"), Just("bob")];
    let words = [
        "yes",
        "no thanks",
        "five",
        "Actually make it 6",
        "no wait, I meant the second",
        "Swansea",
        "Swansea, and mail Bob the plan",
        "the first one",
        "ok but what about the database?",
        "stop",
        "do that via sub-agent",
        "delegate that to writer",
        "run weather",
        "retry weather",
        "Blue",
        TICKET,
        "Create a ticket for the export",
        "I meant: it is slow",
        "What do you think?",
        "/maro status",
    ];
    let text =
        prop_oneof![3 => prop::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,30}"];
    let act = prop_oneof![
        2 => (expected(), prop::option::of(who())).prop_map(|(expected, of)| Act::Ask { expected, of }),
        6 => (who(), text, prop::option::weighted(0.3, 0..6usize))
            .prop_map(|(who, text, reply)| Act::Say { who, text, reply }),
        1 => (0..2 * Timestamp::HOUR).prop_map(Act::Advance),
    ];
    prop::collection::vec(act, 1..40)
}

fn harness() -> TestLane {
    let mut w = TestLane::new();
    let mut policy: Policy = w.policy.clone();
    policy.agents.insert("writer".into(), Agent { risk: Risk::Read, stops: false });
    let args = [("city".to_owned(), Expected::Location)].into();
    policy.tools.insert("weather".into(), Tool { risk: Risk::Read, args });
    w.policy = policy;
    w
}

/// Returns the n-th newest message of the lane.
fn message(w: &TestLane, back: usize) -> Option<Message> {
    let id = w.lane.head.window.iter().rev().nth(back)?;
    w.lane.records.get::<Message>(&id).cloned()
}

fn says(w: &mut TestLane, who: &str, text: &str, reply: Option<usize>) -> Step {
    let anchor = reply.and_then(|back| message(w, back));
    let mut given = StepInput { now: w.now, anchor: anchor.clone(), ..StepInput::default() };
    given.addressing.direct = true;
    let reply_to = anchor.map(|anchor| anchor.id.0);
    let posted = MessagePosted { text: text.into(), reply_to, ..MessagePosted::default() };
    w.event(who, EventKind::MessagePosted(posted), given)
}

fn asks(w: &mut TestLane, expected: &Expected, of: Option<&str>) -> Step {
    let posted = AssistantPosted {
        kind: MessageKind::Question,
        task: None,
        text: "Which?".into(),
        expected: Some(expected.clone()),
        asked_of: of.map(Into::into),
        expires: None,
        message_id: None,
    };
    let given = StepInput { now: w.now, ..StepInput::default() };
    w.event("", EventKind::AssistantPosted(posted), given)
}

fn question(w: &TestLane) -> Option<PendingState> {
    w.lane.head.pendings.iter().rfind(|open| open.kind.class() == PendingClass::Conversational).cloned()
}

/// The question that counts for a person: the newest they are asked, else the newest of all.
fn question_for(w: &TestLane, who: &str) -> Option<PendingState> {
    let all = || w.lane.head.pendings.iter().filter(|open| open.kind.class() == PendingClass::Conversational);
    all().rfind(|open| open.is_asked_of(who)).cloned().or_else(|| question(w))
}

fn outcomes(step: &Step) -> Vec<Reason> {
    let all = step.trace.also.iter().copied().chain([step.decision.reason]);
    all.filter(|reason| OUTCOMES.contains(reason)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn one_question_one_person_one_outcome(acts in acts()) {
        let mut w = harness();
        for act in &acts {
            match act {
                Act::Ask { expected, of } => {
                    let _ = asks(&mut w, expected, *of);
                    let asked = question(&w).unwrap();
                    prop_assert_eq!(asked.expected.as_ref(), Some(expected));
                }
                Act::Advance(by) => w.advance(*by),
                Act::Say { who, text, reply } => {
                    let before = question_for(&w, who);
                    let workflow: Vec<_> = workflow(&w);
                    let step = says(&mut w, who, text, *reply);
                    let told = outcomes(&step);
                    if let Some(before) = &before {
                        let interrupted = matches!(
                            step.decision.reason,
                            Reason::InterruptStop | Reason::InterruptNothing | Reason::CommandStatus
                        );
                        prop_assert!(interrupted || !told.is_empty(), "{text:?} says nothing of the question");
                        let late = before.expires_at.is_some_and(|end| w.now > end);
                        let others = before.asked_of.as_deref().is_some_and(|of| of != *who);
                        if others && !late && !interrupted {
                            prop_assert!(question(&w).is_some(), "{who} took a question from {:?}", before.asked_of);
                            // A reply revives a lapsed question for its own person, beside the open one.
                            let revived = step.trace.also.contains(&Reason::PendingRevived);
                            prop_assert!(revived || !told.contains(&Reason::PendingMismatch));
                        }
                    } else {
                        let revived = step.trace.also.contains(&Reason::PendingRevived);
                        let corrected = told.contains(&Reason::PendingCorrected);
                        prop_assert!(told.is_empty() || revived || corrected, "{text:?}: {told:?} of nothing");
                    }
                    // No message removes a question that waits on a card; one that fills a gap gives its card the next
                    // version. Correcting an answer makes the draft it
                    // went into again, which supersedes that draft's card.
                    let answered = w.lane.head.answered.as_ref().map(|answered| &answered.pending.task);
                    let remade = answered.filter(|_| told.contains(&Reason::PendingCorrected));
                    for open in &workflow {
                        let gate = open.kind.as_str() == "waiting_scope_choice" || remade == Some(&open.task);
                        let waits = w.lane.head.pendings.iter().any(|pending| pending.id == open.id);
                        prop_assert!(gate || waits, "{text:?} took {open:?}");
                    }
                }
            }
            let open = || w.lane.head.pendings.iter().filter(|p| p.kind.class() == PendingClass::Conversational);
            prop_assert!(open().count() <= limits::QUESTIONS, "few questions wait");
            let mut of: Vec<_> = open().filter(|p| !p.takes_words()).map(|p| &p.asked_of).collect();
            let (all, _) = (of.len(), of.sort());
            of.dedup();
            prop_assert_eq!(of.len(), all, "each person has at most one question that is not for words");
            for message in w.lane.head.window.iter().filter_map(|id| w.lane.records.get::<Message>(&id)) {
                let ours = message.role == Role::Assistant;
                prop_assert!(!ours || (message.task.is_some() && message.kind.is_some()), "{message:?}");
            }
        }
    }
}

fn workflow(w: &TestLane) -> Vec<PendingState> {
    w.lane.head.pendings.iter().filter(|open| open.kind.class() == PendingClass::Workflow).cloned().collect()
}

/// Every conversational kind expires at its own millisecond and not before.
#[test]
fn every_offer_ends_to_the_millisecond() {
    let policy = Policy::default();
    assert_eq!(policy.expiry.retry_ms, 5 * Timestamp::MINUTE);
    assert_eq!(policy.expiry.delegation_ms, 10 * Timestamp::MINUTE);
    for late in [0, 1] {
        let mut w = harness();
        let _ = asks(&mut w, &Expected::Number, Some("ana"));
        w.advance(policy.expiry.slot_ms + late);
        let step = says(&mut w, "ana", "five", None);
        assert_eq!(step.decision.applied.is_some(), late == 0, "{late} ms late");
        assert_eq!(step.trace.also.contains(&Reason::PendingExpired), late == 1);
    }
}

/// A host cannot fill a lane with tasks: a thousand live ones are accepted, and another only when one has ended.
#[test]
fn a_lane_has_a_thousand_live_tasks_at_most() {
    let mut w = TestLane::new();
    let mut report = |n: usize, status| {
        let report =
            TaskReported { task: format!("t{n}").as_str().into(), status, ..TaskReported::default() };
        let given = StepInput { now: w.now, ..StepInput::default() };
        w.event("", EventKind::TaskReported(report), given).decision.reason
    };
    for n in 0..limits::LIVE_TASKS {
        assert_eq!(report(n, TaskStatus::Running), Reason::TaskReported, "{n}");
    }
    assert_eq!(report(9_999, TaskStatus::Queued), Reason::TaskTooManyLive);
    assert_eq!(report(9_998, TaskStatus::Completed), Reason::TaskReported, "one that is over is no live one");
    assert_eq!(report(0, TaskStatus::Completed), Reason::TaskReported);
    assert_eq!(report(9_999, TaskStatus::Queued), Reason::TaskReported);
}
