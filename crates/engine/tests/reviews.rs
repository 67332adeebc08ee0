//! Reviews step by step: a model that is slow or stopped, a timer that is late, a review that is no longer loaded.

mod harness;

use harness::TestLane;
use throughline_engine::data::action::Action;
use throughline_engine::data::ask::Answer;
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{Event, EventKind, MessagePosted};
use throughline_engine::data::message::Message;
use throughline_engine::data::policy::context::ContextPolicy;
use throughline_engine::data::record::Record;
use throughline_engine::data::review::{Review, ReviewStatus};
use throughline_engine::data::task::Task;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::{Policy, Reason, Step, StepInput, Timestamp, Verdict, needs};

const PLAN: &str = "Review this plan: we will use Postgres. A migration may break the reports.";

fn reviews(w: &TestLane) -> Vec<&Review> {
    let all = w.lane.records.iter();
    all.filter_map(|record| if let Record::Review(review) = record { Some(review) } else { None }).collect()
}

fn ask(step: &Step) -> Effect {
    step.effects.iter().find(|effect| matches!(effect.body, EffectBody::ModelAsk(_))).unwrap().clone()
}

fn answers(w: &mut TestLane, asked: &Effect, answer: Answer) -> Step {
    w.outcome(asked, Outcome::Done { result: EffectResult::Answered(answer) })
}

fn said(step: &Step) -> String {
    let replies = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::Reply { text, .. } => Some(text.as_str()),
        _ => None,
    });
    replies.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_review_is_shown_in_full_by_a_model_or_from_its_record() {
    for (answer, expected) in [
        (
            Answer::Text { text: "All of it in one piece.".into(), facts: Vec::new() },
            "All of it in one piece.",
        ),
        (Answer::None { why: "timeout".into() }, "v1, in full"),
    ] {
        let mut w = TestLane::new();
        let _ = w.says("ana", PLAN);
        w.model = true;
        let card = w.card();
        let asked = ask(&w.presses("bob", &card, 1, Action::ShowFull));
        let step = answers(&mut w, &asked, answer);
        assert_eq!(step.decision.reason, Reason::ReviewShown);
        assert!(said(&step).contains(expected), "{}", said(&step));
    }
}

#[test]
fn a_patch_that_cannot_be_read_is_asked_for_once_more() {
    let mut w = TestLane::new();
    let _ = w.says("ana", PLAN);
    w.model = true;
    let mut asked = ask(&w.says("bob", "What about backups?"));
    let unread = || Answer::None { why: "prose".into() };
    let given = StepInput { now: w.now, model: true.into(), ..StepInput::default() };
    let settled = |effect: &Effect| EventKind::EffectSettled {
        effect: effect.id.clone(),
        outcome: Outcome::Done { result: EffectResult::Answered(unread()) },
        card: None,
        task: None,
        unshown: None,
    };
    let again = w.event("", settled(&asked), given.clone());
    assert_eq!((again.decision.outcome, again.decision.reason), (Verdict::Deferred, Reason::AnswerMended));
    asked = ask(&again);
    let step = w.event("", settled(&asked), given);
    assert_eq!(step.decision.reason, Reason::ReviewPatched, "what the feedback states");
    assert_eq!(said(&step), "Architecture review: Postgres · v2\nNew open questions\n• What about backups?");
}

#[test]
fn stopping_the_model_leaves_no_review() {
    let mut w = TestLane::new();
    w.model = true;
    let step = w.says("ana", PLAN);
    assert_eq!(step.decision.outcome, Verdict::Deferred);
    assert_eq!(reviews(&w)[0].status, ReviewStatus::Drafting);
    let task = reviews(&w)[0].task.clone();
    assert_eq!(w.says("ana", "stop").decision.reason, Reason::InterruptStop);
    assert!(reviews(&w).is_empty());
    assert_eq!(w.lane.records.get::<Task>(&task).unwrap().status, TaskStatus::Cancelled);
    let late = answers(&mut w, &ask(&step), Answer::None { why: "timeout".into() });
    assert_eq!(late.decision.reason, Reason::LateAnswer);
}

/// Tells the person whose feedback is answered only after the review was finished.
#[test]
fn feedback_answered_after_the_end_is_announced() {
    let mut w = TestLane::new();
    let _ = w.says("ana", PLAN);
    w.model = true;
    let asked = ask(&w.says("bob", "What about backups?"));
    let card = w.card();
    let _ = w.presses("ana", &card, 1, Action::Finish);
    let late = answers(&mut w, &asked, Answer::None { why: "timeout".into() });
    assert_eq!((late.decision.outcome, reviews(&w)[0].version), (Verdict::Answered, 1));
    assert!(said(&late).contains("was over before"), "{}", said(&late));
}

/// A forgotten review is not shown, even when a model was asked for it before.
#[test]
fn a_forgotten_review_is_not_shown_in_full() {
    let mut w = TestLane::new();
    let _ = w.says("ana", PLAN);
    w.model = true;
    let card = w.card();
    let asked = ask(&w.presses("bob", &card, 1, Action::ShowFull));
    let _ = w.says("ana", "/maro forget review");
    let late = answers(
        &mut w,
        &asked,
        Answer::Text { text: "Everything about Postgres.".into(), facts: Vec::new() },
    );
    assert_eq!(said(&late), "This review was forgotten");
}

/// A timer that was set before an answer does not end the review.
#[test]
fn feedback_that_waits_for_a_model_counts() {
    let mut w = TestLane::new();
    let _ = w.says("ana", PLAN);
    w.model = true;
    w.advance(Timestamp::DAY);
    let set = w.card().timers;
    let asked = w.says("bob", "What about backups?");
    assert!(asked.clear_timers.contains(&set[0]), "{:?}", asked.clear_timers);
    w.advance(Timestamp::HOUR);
    let step = answers(&mut w, &ask(&asked), Answer::None { why: "timeout".into() });
    assert_eq!(step.decision.reason, Reason::ReviewPatched);
}

/// A review is over one millisecond after its cooldown, even when its timer is late.
#[test]
fn a_late_timer_does_not_keep_a_review_going() {
    for (late, reason, also) in
        [(0, Reason::ReviewPatched, None), (1, Reason::GateOpened, Some(Reason::ReviewIdle))]
    {
        let mut w = TestLane::new();
        let _ = w.says("ana", PLAN);
        w.advance(Timestamp::DAY + late);
        let step = w.says("bob", "What about backups?");
        assert_eq!(step.decision.reason, reason);
        assert_eq!(step.trace.also.iter().find(|code| **code == Reason::ReviewIdle), also.as_ref());
    }
}

#[test]
fn the_same_content_has_the_same_hash() {
    let artifact = |text: &str, now: i64| {
        let mut w = TestLane::new();
        let _ = w.says("ana", text);
        reviews(&w)[0].artifact(Timestamp(now))
    };
    let (one, later) = (artifact(PLAN, 1), artifact(PLAN, 2));
    assert_eq!((one.content_hash.len(), &one.content_hash), (64, &later.content_hash));
    assert_ne!(one.content_hash, artifact("Review this plan: we will use Redis.", 1).content_hash);
}

/// A superseded review is unloaded with its card, and a reply to one of its messages loads it again.
#[test]
fn a_reply_to_a_review_that_is_not_loaded_finds_it() {
    let mut w = TestLane::new();
    w.policy = Policy {
        window: throughline_engine::data::policy::WindowLimits {
            cards: 2,
            messages: 3,
            ..Default::default()
        },
        context: ContextPolicy { window: 3, ..Default::default() },
        ..w.policy
    };
    let _ = w.says("ana", PLAN);
    let _ = w.says("bob", "What about backups?");
    let answer: Message =
        w.lane.records.get::<Message>(&w.lane.head.window.iter().next_back().unwrap()).unwrap().clone();
    let first = reviews(&w)[0].clone();
    let _ = w.says("ana", "Review this plan: we will use Redis.");
    let kept: Vec<Record> = w.lane.records.iter().cloned().collect();
    let _ = w.says("ana", "Review this plan: we will use Kafka.");
    for _ in 0..4 {
        let _ = w.says("ana", "hello");
    }
    assert!(reviews(&w).iter().all(|review| review.id != first.id), "it is only in the store now");
    assert!(w.lane.records.get::<Message>(&answer.id).is_none());
    let mut given = StepInput { now: w.now, anchor: Some(answer.clone()), ..StepInput::default() };
    given.addressing.direct = true;
    let text = "create the epic for that".into();
    let kind = EventKind::MessagePosted(MessagePosted {
        text,
        reply_to: Some(answer.id.0),
        ..MessagePosted::default()
    });
    let event =
        Event { id: "test:reply".into(), received_at: w.now, actor: "ana".into(), kind: kind.clone() };
    for _ in 0..3 {
        let wanted = needs(&w.lane, &event, &given, &Policy::default());
        given.revived.extend(kept.iter().filter(|record| wanted.contains(&record.key())).cloned());
    }
    let step = w.event("ana", kind, given);
    assert!(step.trace.also.contains(&Reason::ReviewHandedOver), "{:?}", step.decision);
    let draft = w
        .lane
        .records
        .iter()
        .find_map(|record| if let Record::Draft(draft) = record { Some(draft) } else { None });
    let parts = format!("{:?}", draft.unwrap().parts());
    assert!(parts.contains("Postgres") && parts.contains("What about backups?"), "{parts}");
}

/// A conversation has no limit, but the versions kept of a review do.
#[test]
fn a_review_keeps_a_limited_number_of_versions() {
    let mut w = TestLane::new();
    let _ = w.says("ana", PLAN);
    let most = throughline_engine::data::policy::limits::REVIEW_VERSIONS;
    for n in 1..most {
        let step = w.says("bob", &format!("What about backups of number {n}?"));
        assert_eq!(step.decision.reason, Reason::ReviewPatched, "{n}");
    }
    let step = w.says("bob", "What about the cloud?");
    assert_eq!(step.decision.reason, Reason::ReviewFull);
    assert!(said(&step).contains("start another one"), "{}", said(&step));
    assert_eq!((reviews(&w)[0].version, reviews(&w)[0].patches.len()), (most, 49));
}
