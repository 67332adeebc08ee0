//! Past defects, each as the shortest conversation that shows it.

mod harness;

use harness::{TICKET, TestLane, visible_outputs};
use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::card::{Card, CardStatus, CardSubject, Checks, TimerPurpose};
use throughline_engine::data::effect::{Effect, EffectBody, EffectClass, EffectResult, Outcome};
use throughline_engine::data::event::{EventKind, MessagePosted, Press};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::message::Message;
use throughline_engine::data::policy::limits;
use throughline_engine::data::progress::Progress;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::data::record::Record;
use throughline_engine::data::record::RecordKind;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::ticket::Target;
use throughline_engine::{EffectId, Reason, StepInput, Verdict};

fn approved() -> (TestLane, Card, Effect) {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    let _ = w.presses("bob", &card, 1, Action::Approve);
    let create = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
    (w, card, create)
}

fn failed(text: &str) -> Outcome {
    Outcome::Failed { reason: "gave_up".into(), text: Fault::Said(text.into()), errors: Vec::new() }
}

fn cards(w: &TestLane) -> Vec<Card> {
    let cards = w.lane.records.iter().filter_map(|record| match record {
        Record::Card(card) => Some(card.clone()),
        _ => None,
    });
    cards.collect()
}

fn creates(w: &TestLane) -> usize {
    w.effects.iter().filter(|effect| effect.body.is_outward()).count()
}

#[test]
fn only_the_effects_a_card_waits_for_count() {
    let (mut w, card, create) = approved();
    let update = w.effects.iter().rfind(|e| matches!(e.body, EffectBody::CardUpdate { .. })).unwrap().clone();
    let _ = w.outcome(&update, failed("the channel is down"));
    let first_check =
        w.effects.iter().find(|e| matches!(e.body, EffectBody::TrackerCheck { .. })).unwrap().clone();
    assert_eq!(w.outcome(&first_check, failed("late")).decision.reason, Reason::EffectSuperseded);
    let issue = Outcome::Done { result: EffectResult::Issue { key: "DEMO-7".into(), url: None } };
    assert_eq!(w.outcome(&create, issue).decision.reason, Reason::EffectSettled);
    let card = w.lane.records.get::<Card>(&card.id).unwrap();
    assert!(
        matches!(&card.status, CardStatus::Decided { result: Progress::Created { key, .. }, .. } if key == "DEMO-7")
    );
    assert_eq!((cards(&w).len(), creates(&w)), (1, 1));
}

fn uncertain() -> (TestLane, Card, Card, Effect) {
    let (mut w, card, create) = approved();
    w.advance(1);
    let _ = w.outcome(&create, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
    let asks = w.card();
    assert!(matches!(asks.about, CardSubject::UncertainEffect { .. }));
    (w, card, asks, create)
}

/// The question whether an issue exists is no preview, so editing the original message does not turn it into one.
#[test]
fn an_edit_leaves_an_uncertain_effect_alone() {
    let (mut w, _, asks, _) = uncertain();
    let source = w.lane.head.window.iter().next().unwrap();
    let message: Message = w.lane.records.get::<Message>(&source).unwrap().clone();
    let given = StepInput {
        now: w.now,
        anchor: Some(message),
        addressing: Addressing { direct: true, ..Addressing::default() },
        ..StepInput::default()
    };
    let edit = EventKind::MessageEdited {
        message: source.0,
        text: "Create a ticket for logout bug".into(),
        metadata_only: false,
    };
    assert_eq!(w.event("ana", edit, given).decision.reason, Reason::MessageEdited);
    assert_eq!(w.lane.records.get::<Card>(&asks.id).unwrap().about, asks.about);
}

#[test]
fn a_late_issue_closes_the_question_about_its_creation() {
    let (mut w, card, asks, create) = uncertain();
    let issue = Outcome::Done { result: EffectResult::Issue { key: "DEMO-9".into(), url: None } };
    assert_eq!(w.outcome(&create, issue).decision.reason, Reason::EffectSettled);
    let receipt = w.lane.records.get::<Card>(&card.id).unwrap();
    assert!(matches!(&receipt.status, CardStatus::Decided { result: Progress::Created { .. }, .. }));
    assert!(!w.lane.records.get::<Card>(&asks.id).unwrap().is_open());
    assert!(visible_outputs(&w.presses("bob", &asks, 1, Action::CreateAgain)) > 0);
    assert_eq!(creates(&w), 1);
}

fn adopt(w: &mut TestLane, asks: &Card, key: &str) -> Effect {
    adopt_by(w, "bob", asks, key)
}

fn adopt_by(w: &mut TestLane, who: &str, asks: &Card, key: &str) -> Effect {
    let press =
        Press::Decision { card: asks.id.clone(), version: 1, item: String::new(), action: Action::Adopt };
    let kind = EventKind::FormSubmitted { press, values: [("key".to_owned(), key.to_owned())].into() };
    let mut given = StepInput { now: w.now, ..StepInput::default() };
    let principals = vec![format!("user:{who}"), "role:approver".into()];
    given.actor = Some(Actor { id: who.into(), name: who.into(), principals, ..Actor::default() });
    let step = w.event(who, kind, given);
    assert!(visible_outputs(&step) > 0, "the presser hears that it is looked for");
    step.effects.iter().find(|effect| matches!(effect.body, EffectBody::TrackerFind { .. })).unwrap().clone()
}

/// Plans the first search for what an uncertain create may have made.
fn seek(w: &mut TestLane, asks: &Card) -> Effect {
    w.advance(10_000);
    let about = TimerPurpose::Seek { card: asks.id.clone(), n: 0 };
    let due = EventKind::TimerDue { timer: asks.timers[0].clone(), about };
    let given = StepInput { now: w.now, ..StepInput::default() };
    let planned = w.event("", due, given).effects.into_iter();
    planned.rev().find(|effect| matches!(effect.body, EffectBody::TrackerSeek { .. })).unwrap()
}

/// Whoever is about to create again is not told of the next search before the one under way has ended.
#[test]
fn the_next_search_is_told_when_one_has_ended() {
    let nothing = Outcome::Done { result: EffectResult::Sought { issues: Vec::new() } };
    for outcome in [nothing, failed("no answer")] {
        let (mut w, _, asks, _) = uncertain();
        let next_look = |w: &TestLane| {
            let card = w.lane.records.get::<Card>(&asks.id).unwrap();
            let CardSubject::UncertainEffect { next_look, .. } = &card.about else { panic!("{card:?}") };
            next_look.unwrap()
        };
        assert!(next_look(&w) > w.now);
        let effect = seek(&mut w, &asks);
        assert_eq!(next_look(&w), w.now, "the search is under way");
        w.advance(30_000);
        let step = w.outcome(&effect, outcome);
        assert!(next_look(&w) > w.now, "the search has ended");
        assert!(step.effects.iter().any(|effect| matches!(effect.body, EffectBody::CardUpdate { .. })));
    }
}

/// Two people may name an issue at once: each gets their own answer, and a search answers neither.
#[test]
fn the_person_who_names_an_issue_adopts_it() {
    let (mut w, _, asks, create) = uncertain();
    let of_bob = adopt_by(&mut w, "bob", &asks, "DEMO-3");
    let of_ana = adopt_by(&mut w, "ana", &asks, "DEMO-4");
    let seek = seek(&mut w, &asks);
    let failed = w.outcome(&seek, failed("no answer"));
    let said = failed.effects.iter().any(|effect| matches!(effect.body, EffectBody::Reply { .. }));
    assert!(!said, "a search that failed answers nobody");
    let found = |key: &str, title: &str| {
        let (key, title) = (key.into(), title.into());
        Outcome::Done {
            result: EffectResult::Found { key, title, url: None, parent: None, state: None, assignee: None },
        }
    };
    assert!(visible_outputs(&w.outcome(&of_bob, found("DEMO-3", "Something else"))) > 0);
    let step = w.outcome(&of_ana, found("DEMO-4", "login bug"));
    assert_eq!(step.adopt[0].0, create.id);
    let asks = w.lane.records.get::<Card>(&asks.id).unwrap();
    assert!(matches!(&asks.status, CardStatus::Decided { by, .. } if by.id == "ana"), "{:?}", asks.status);
}

/// *Cancel* gives up an approved effect, so only an approver may press it; later answers are ignored.
#[test]
fn an_uncertain_effect_is_dropped_by_an_approver() {
    let (mut w, _, asks, create) = uncertain();
    assert_eq!(w.presses("eve", &asks, 1, Action::Cancel).decision.reason, Reason::PressForbidden);
    assert!(w.lane.records.get::<Card>(&asks.id).unwrap().is_open());
    let find = adopt(&mut w, &asks, "DEMO-4");
    let step = w.presses("bob", &asks, 1, Action::Cancel);
    assert_eq!(step.cancel, [create.id, find.id.clone()]);
    let issues = vec![("DEMO-4".into(), None)];
    let seek = EffectBody::TrackerSeek { target: Target::default(), marker: find.id.clone(), card: asks.id };
    let seek = Effect { id: EffectId::from("fx_seek"), body: seek, ..find };
    let step = w.outcome(&seek, Outcome::Done { result: EffectResult::Sought { issues } });
    assert_eq!((step.decision.reason, step.adopt.len()), (Reason::EffectSuperseded, 0));
    // An uncertain call behaves like an uncertain create.
    let mut w = TestLane::new();
    let (asks, ..) = w.unsure_call();
    assert_eq!(w.presses("eve", &asks, 1, Action::Cancel).decision.reason, Reason::PressForbidden);
    assert_eq!(w.presses("bob", &asks, 1, Action::Cancel).decision.reason, Reason::PressApplied);
}

#[test]
fn an_issue_is_adopted_when_its_title_fits() {
    let (mut w, card, asks, create) = uncertain();
    let find = adopt(&mut w, &asks, "DEMO-3");
    let other = EffectResult::Found {
        key: "DEMO-3".into(),
        title: "Something else".into(),
        url: None,
        parent: None,
        state: None,
        assignee: None,
    };
    assert!(visible_outputs(&w.outcome(&find, Outcome::Done { result: other })) > 0);
    assert!(w.lane.records.get::<Card>(&asks.id).unwrap().is_open(), "another title: the question stays");

    let find = adopt(&mut w, &asks, "DEMO-4");
    let same = EffectResult::Found {
        key: "DEMO-4".into(),
        title: "login bug".into(),
        url: None,
        parent: None,
        state: None,
        assignee: None,
    };
    let step = w.outcome(&find, Outcome::Done { result: same });
    assert_eq!(step.adopt[0].0, create.id);
    let again = w.presses("ana", &asks, 1, Action::Adopt);
    assert_eq!(again.decision.reason, Reason::PressConsumed);
    let receipt = w.lane.records.get::<Card>(&card.id).unwrap();
    assert!(
        matches!(&receipt.status, CardStatus::Decided { result: Progress::Created { key, .. }, .. } if key == "DEMO-4")
    );
}

/// Returns the progress of a released call, as its card shows it.
fn progress_of(w: &TestLane, card: &Card) -> Progress {
    match &w.lane.records.get::<Card>(&card.id).unwrap().status {
        CardStatus::Decided { result, .. } => result.clone(),
        open => panic!("{open:?}"),
    }
}

#[test]
fn only_a_press_repeats_an_uncertain_call_and_every_card_shows_its_end() {
    let mut w = TestLane::new();
    let (asks, released, call) = w.unsure_call();
    assert!(matches!(asks.about, CardSubject::UncertainCall { .. }));
    assert!(matches!(progress_of(&w, &released), Progress::Uncertain { .. }));
    let step = w.presses("bob", &asks, 1, Action::DoAgain);
    assert_eq!(step.cancel, core::slice::from_ref(&call.id), "the first is dropped for the second");
    let again = step.effects.iter().find(|effect| effect.body.is_outward()).unwrap().clone();
    assert_eq!(again.body, call.body, "what was approved, and nothing else");
    assert_eq!(again.approval.as_ref().unwrap().card, asks.id, "released by the card that asked");
    assert_eq!(w.outcome(&call, failed("late")).decision.reason, Reason::EffectSuperseded);
    let done = Outcome::Done { result: EffectResult::Said { text: "Published.".into() } };
    assert_eq!(w.outcome(&again, done).decision.reason, Reason::EffectSettled);
    assert_eq!((progress_of(&w, &asks), progress_of(&w, &released)), (Progress::Done, Progress::Done));
    assert_eq!(creates(&w), 2);
}

#[test]
fn a_late_answer_of_a_call_closes_its_question() {
    for (outcome, came) in [
        (Outcome::Done { result: EffectResult::Said { text: "Published.".into() } }, Progress::Done),
        (
            failed("it is read-only"),
            Progress::Failed { text: "it is read-only".into(), errors: Vec::new(), again: None },
        ),
    ] {
        let mut w = TestLane::new();
        let (asks, released, call) = w.unsure_call();
        assert!(visible_outputs(&w.outcome(&call, outcome)) > 0);
        assert_eq!(progress_of(&w, &released), came);
        assert!(!w.lane.records.get::<Card>(&asks.id).unwrap().is_open());
        assert!(w.lane.head.pendings.is_empty());
        assert!(visible_outputs(&w.presses("bob", &asks, 1, Action::DoAgain)) > 0);
        assert_eq!(creates(&w), 1);
    }
}

#[test]
fn an_approver_may_confirm_an_uncertain_call() {
    let mut w = TestLane::new();
    let (asks, released, call) = w.unsure_call();
    assert_eq!(w.presses("eve", &asks, 1, Action::Happened).decision.reason, Reason::PressForbidden);
    let step = w.presses("bob", &asks, 1, Action::Happened);
    assert_eq!(step.adopt[0].0, call.id);
    assert_eq!((progress_of(&w, &asks), progress_of(&w, &released)), (Progress::Done, Progress::Done));
}

/// A dry run that failed because the tracker was down runs again when the preview is saved unchanged.
#[test]
fn a_failed_dry_run_can_be_run_again() {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    let check = w.effects.iter().find(|e| matches!(e.body, EffectBody::TrackerCheck { .. })).unwrap().clone();
    let _ = w.outcome(&check, failed("the tracker did not answer"));
    let card = w.card();
    let _ = w.submits("ana", &card, &[("title", "login bug")]);
    w.settle();
    let card = w.card();
    assert_eq!(card.version, 1, "nothing that would be approved has changed");
    assert!(matches!(card.about, CardSubject::DraftPreview { checks: Checks::Passed { .. }, .. }));
}

#[test]
fn records_and_head_stay_within_policy() {
    let mut w = TestLane::new();
    for n in 0..200 {
        let text = match n % 3 {
            0 => format!("Create a ticket for part {n}"),
            1 => format!("Create a ticket for part {n}\nProblem: p\nAcceptance: a"),
            _ => format!("What about number {n}?"),
        };
        let _ = w.says("ana", &text);
        w.settle();
        w.advance(1);
    }
    let count = |kind: RecordKind| w.lane.records.iter().filter(|record| record.key().kind == kind).count();
    assert!(count(RecordKind::Draft) <= 26 + limits::QUESTIONS, "{}", count(RecordKind::Draft));
    assert!(count(RecordKind::Task) <= 31 + limits::QUESTIONS, "{}", count(RecordKind::Task));
    assert!(w.lane.head.pendings.len() <= 25 + limits::QUESTIONS, "{}", w.lane.head.pendings.len());
    let gates = cards(&w)
        .into_iter()
        .filter(|c| c.is_open() && matches!(c.about, CardSubject::ScopeGate { .. }))
        .count();
    assert_eq!(gates, 1, "never two open gates");
}

/// The button that clears a remembered mode is not an open question, so a bare thanks needs no answer.
#[test]
fn a_remembered_mode_is_no_open_question() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "hmm, the second thing we talked about");
    let gate = w.card();
    let _ = w.presses("ana", &gate, 1, Action::Remember);
    let _ = w.presses("ana", &gate, 1, Action::SelectTicket);
    let _ = w.says("ana", "stop");
    w.advance(1);
    assert_eq!(w.says("ana", "and what about the third").decision.reason, Reason::IntentRemembered);
    let _ = w.says("ana", "stop");
    assert_eq!(w.says("ana", "thanks").decision.reason, Reason::Acknowledged);
    let _ = w.says("ana", "/maro forget");
    assert!(cards(&w).iter().all(|card| !card.is_open() || card.is_approval()), "its button is gone with it");
}

/// A reply can still revive an older question after a new one was asked.
#[test]
fn a_lapsed_question_can_be_revived_after_a_new_one() {
    let mut w = TestLane::new();
    let asked = EventKind::AssistantPosted(throughline_engine::data::event::AssistantPosted {
        kind: throughline_engine::data::message::MessageKind::Question,
        task: None,
        text: "Which city?".into(),
        expected: Some("location".parse().unwrap()),
        asked_of: None,
        expires: None,
        message_id: None,
    });
    let given = StepInput { now: w.now, ..StepInput::default() };
    let _ = w.event("", asked, given);
    let question = w.lane.head.window.iter().next().unwrap();
    let _ = w.says("ana", "Create a ticket for login bug");
    assert_eq!(w.lane.head.lapsed.len(), 1);
    let mut given = StepInput { now: w.now, ..StepInput::default() };
    given.addressing.direct = true;
    given.anchor = w.lane.records.get::<Message>(&question).cloned();
    let reply =
        MessagePosted { text: "Swansea".into(), reply_to: Some(question.0), ..MessagePosted::default() };
    let step = w.event("ana", EventKind::MessagePosted(reply), given);
    assert_eq!(step.decision.reason, Reason::PendingApplied);
    assert_eq!(step.next.pendings.len(), 2, "the ticket's preview and its own question still wait");
}

#[test]
fn a_decided_card_keeps_no_deadline() {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    assert_eq!(card.timers.len(), 2);
    let step = w.presses("bob", &card, 1, Action::Reject);
    assert_eq!(step.clear_timers, card.timers);
}

fn messages(w: &mut TestLane, kind: EventKind, addressing: Addressing) -> Reason {
    let given = StepInput { now: w.now, addressing, ..StepInput::default() };
    w.event("ana", kind, given).decision.reason
}

#[test]
fn messages_to_others_are_left_alone() {
    let mut w = TestLane::new();
    let posted =
        || EventKind::MessagePosted(MessagePosted { text: "hello all".into(), ..MessagePosted::default() });
    assert_eq!(messages(&mut w, posted(), Addressing::default()), Reason::IgnoredNotAddressed);
    let direct = Addressing { direct: true, ..Addressing::default() };
    let unfurled =
        EventKind::MessageEdited { message: "1".into(), text: "hello all".into(), metadata_only: true };
    assert_eq!(messages(&mut w, unfurled, direct), Reason::IgnoredMetadataOnly);
    assert!(w.lane.head.window.is_empty(), "nothing of it is kept");
}

/// A deadline may fire after its card was decided.
#[test]
fn a_late_deadline_of_a_decided_card_does_nothing() {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    let _ = w.presses("bob", &card, 1, Action::Reject);
    let about = TimerPurpose::Expiry { card: card.id.clone(), version: 1 };
    let due = EventKind::TimerDue { timer: card.timers[0].clone(), about };
    let given = StepInput { now: card.expires_at.unwrap().plus(1), ..StepInput::default() };
    assert_eq!(w.event("", due, given).decision.reason, Reason::TimerSuperseded);
}

/// The tracker's answer about a key is a turn with a reason of its own, and a repeated answer counts once.
#[test]
fn an_issue_is_tracked_once_the_tracker_confirms_it() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "/maro track DEMO-7");
    let find = w
        .effects
        .iter()
        .find(|effect| matches!(effect.body, EffectBody::TrackerFind { .. }))
        .unwrap()
        .clone();
    assert!(w.lane.head.tracked.iter().all(|issue| issue.sought.is_some()), "not believed yet");
    let found = EffectResult::Found {
        key: "DEMO-7".into(),
        title: "Log-in".into(),
        url: None,
        parent: None,
        state: None,
        assignee: None,
    };
    let found = Outcome::Done { result: found };
    assert_eq!(w.outcome(&find, found.clone()).decision.reason, Reason::IssueTracked);
    assert_eq!(w.lane.head.tracked[0].title, "Log-in");
    assert_ne!(w.outcome(&find, found).decision.reason, Reason::IssueTracked);
}

/// Stopping the model that writes a batch ends the batch's task, as it does for a single ticket.
#[test]
fn stopping_the_model_ends_the_task_of_a_batch() {
    let mut w = TestLane::new();
    w.model = true;
    let step = w.says("ana", "Create epic with 5 stories for auth");
    assert_eq!(step.decision.outcome, Verdict::Deferred);
    let running = |w: &TestLane| {
        w.lane.records.iter().any(|record| matches!(record, Record::Task(task) if task.status.is_live()))
    };
    assert!(running(&w));
    assert_eq!(w.says("ana", "stop").decision.reason, Reason::InterruptStop);
    assert!(!running(&w));
}

/// Fifty items that settle in one turn update their card once, not fifty times.
#[test]
fn a_card_with_many_items_is_updated_once_a_turn() {
    let stories: String =
        (1..50).map(|n| format!("\n- Way {n}\n  Problem: none\n  Acceptance criteria: one")).collect();
    let text = format!(
        "Create an epic with 49 stories for auth\nProblem: nobody gets in\nAcceptance criteria: all are done{stories}"
    );
    let mut approved = TestLane::new();
    let _ = approved.says("ana", &text);
    approved.settle();
    let card = approved.card();
    let _ = approved.presses("ana", &card, 1, Action::ConfirmQuantity);
    let released = approved.presses("ana", &card, 1, Action::Approve);
    let of = |class: EffectClass| {
        let mut effects = released.effects.iter().filter(|effect| effect.body.class() == class);
        effects.next().unwrap_or_else(|| panic!("no {class:?} in {:?}", released.decision)).clone()
    };
    for end in [of(EffectClass::TrackerCheck), of(EffectClass::TrackerCreate)] {
        let step = approved.clone().outcome(&end, failed("no"));
        let shown =
            step.effects.iter().filter(|effect| effect.body.class() == EffectClass::CardUpdate).count();
        assert!((1..=2).contains(&shown), "{}: shown {shown} times", end.body.class().as_str());
    }
}

/// A model is configured for some purposes only, and nothing waits for it in the others.
#[test]
fn a_model_is_asked_only_for_its_purposes() {
    let w = TestLane::new();
    let told = |text: &str, purposes: &[Purpose]| {
        let mut given =
            StepInput { now: w.now, model: purposes.iter().copied().collect(), ..StepInput::default() };
        given.addressing.direct = true;
        let event = EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() });
        w.clone().event("ana", event, given).decision
    };
    let (ticket, vague) = ("Create a ticket for login bug", "What about microservices?");
    let rest = [Purpose::Classify, Purpose::Review, Purpose::Answer];
    assert_eq!(told(ticket, &[Purpose::Draft]).outcome, Verdict::Deferred);
    assert_eq!(told(ticket, &rest).outcome, Verdict::Shown);
    assert_eq!(told(vague, &[Purpose::Classify]).reason, Reason::IntentAsked);
    assert_eq!(told(vague, &[Purpose::Draft]).reason, Reason::GateOpened);
}
