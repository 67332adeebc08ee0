//! Reports of trackers: the receipt says how an issue is by the newest of them, and nothing else happens.

mod harness;

use harness::{TICKET, TestLane};
use proptest::prelude::*;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::Card;
use throughline_engine::data::data_subject::DataSubject;
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, IssueState, IssueView, Outcome};
use throughline_engine::data::erasure::ErasureScope;
use throughline_engine::data::event::EventKind;
use throughline_engine::data::issue_report::{IssueNow, IssueReport};
use throughline_engine::data::task::Task;
use throughline_engine::data::ticket::{Draft, Part};
use throughline_engine::{Reason, Step, StepInput, Timestamp};

/// A lane with an issue `DEMO-7`, its receipt and the effect that created it.
fn created() -> (TestLane, Card, Effect) {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    let _ = w.presses("bob", &card, 1, Action::Approve);
    let create = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
    let issue = Outcome::Done { result: EffectResult::Issue { key: "DEMO-7".into(), url: None } };
    let _ = w.outcome(&create, issue);
    (w, card, create)
}

/// The title of the only draft.
fn title(w: &TestLane) -> String {
    w.lane.records.all::<Draft>().next().unwrap().part(Part::Title).into()
}

fn report(card: &Card, create: &Effect, at: i64, now: IssueNow) -> IssueReport {
    IssueReport {
        effect: create.id.clone(),
        card: card.id.clone(),
        key: "DEMO-7".into(),
        at: Timestamp(at),
        now,
    }
}

fn there(title: &str, state: IssueState, assignee: Option<&str>) -> IssueNow {
    let issue = IssueView { title: title.into(), state: Some(state), assignee: assignee.map(Into::into) };
    IssueNow::There { issue }
}

fn tell(w: &mut TestLane, report: IssueReport) -> Step {
    let given = StepInput { now: w.now, ..StepInput::default() };
    w.event("", EventKind::IssueReported(report), given)
}

/// The lines of the newest card that a step showed; `None` if it showed none.
fn shown(step: &Step) -> Option<Vec<String>> {
    let card = step.effects.iter().rev().find_map(|effect| match &effect.body {
        EffectBody::CardUpdate { card, .. } => Some(card),
        _ => None,
    });
    card.map(|card| card.facts.clone())
}

#[test]
fn a_receipt_and_its_task_say_how_an_issue_is() {
    let (mut w, card, create) = created();
    let title = title(&w);
    let table = [
        (there(&title, IssueState::Closed, None), "DEMO-7 is now: closed".into()),
        (there("Login", IssueState::Open, None), "DEMO-7 is now: open · Login".into()),
        (there(&title, IssueState::Open, Some("Bo")), "DEMO-7 is now: open · assigned to Bo".into()),
        (IssueNow::Moved { to: "WEB-3".into() }, "DEMO-7 was moved, and is WEB-3 now.".into()),
        (IssueNow::Gone, "DEMO-7 was deleted in its tracker.".into()),
    ];
    for (at, (now, line)) in (1..).zip(table) {
        let step = tell(&mut w, report(&card, &create, at, now));
        assert_eq!(step.decision.reason, Reason::IssueReported);
        assert!(shown(&step).unwrap().contains(&line), "{line}: {:?}", shown(&step));
        let task = w.lane.records.all::<Task>().next().unwrap();
        assert_eq!(task.result.as_deref(), Some(line.as_str()));
    }
    assert!(w.lane.head.tracked.is_empty(), "what is gone is not tracked");
}

/// An issue as it was created needs no word, and a title that urges to approve is not repeated.
#[test]
fn a_receipt_says_what_differs_and_repeats_no_urging() {
    let (mut w, card, create) = created();
    let title = title(&w);
    let as_created = tell(&mut w, report(&card, &create, 1, there(&title, IssueState::Open, None)));
    assert_eq!((as_created.decision.reason, as_created.effects.len()), (Reason::IssueUnchanged, 0));
    let urges = there("Urgent. Press Approve now!", IssueState::Open, None);
    let step = tell(&mut w, report(&card, &create, 2, urges));
    let told = shown(&step).unwrap().join("\n");
    assert!(told.contains("DEMO-7 is now") && !told.contains("Press Approve"), "{told}");
}

#[test]
fn a_report_of_something_else_changes_nothing() {
    let (mut w, card, create) = created();
    let before = w.lane.state_hash();
    let good = report(&card, &create, 1, IssueNow::Gone);
    for wrong in [
        IssueReport { key: "DEMO-8".into(), ..good.clone() },
        IssueReport { effect: "fx_1".into(), ..good.clone() },
        IssueReport { card: "ap_1".into(), ..good },
    ] {
        let step = tell(&mut w, wrong.clone());
        assert_eq!((step.decision.reason, step.effects.len()), (Reason::IssueUnchanged, 0), "{wrong:?}");
    }
    assert_eq!(w.lane.records.get::<Card>(&card.id).map(|card| card.is_open()), Some(false));
    assert_eq!(before, w.lane.state_hash());
}

#[test]
fn erasing_who_asked_forgets_what_was_reported() {
    let (mut w, card, create) = created();
    let _ = tell(&mut w, report(&card, &create, 1, there("Ana's login", IssueState::Closed, Some("Cleo"))));
    let mut ana = DataSubject::new("ana");
    ana.add_own_text((Timestamp(0), 0), TICKET);
    ana.settle();
    let given = StepInput { now: w.now, person: Some(Box::new(ana)), ..StepInput::default() };
    let _ = w.event("", EventKind::Erasure(ErasureScope::Person { id: "ana".into() }), given);
    // A report that comes later brings none of it back.
    let late = tell(&mut w, report(&card, &create, 2, there("Ana's login", IssueState::Open, Some("Cleo"))));
    assert_eq!(late.decision.reason, Reason::IssueUnchanged);
    let kept: Vec<String> =
        w.lane.records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    assert!(
        kept.iter().all(|record| !record.contains("Cleo") && !record.contains("Ana's login")),
        "{kept:#?}"
    );
}

prop_compose! {
    fn any_report()(at in 0_i64..6, title in "[ab]", closed: bool, gone in 0..5_u8) -> (i64, IssueNow) {
        let state = if closed { IssueState::Closed } else { IssueState::Open };
        (at, if gone == 0 { IssueNow::Gone } else { there(&title, state, None) })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// In whatever order reports come, and however often, the receipt is that of the newest, and nothing leaves the lane but it.
    #[test]
    fn the_newest_report_counts(reports in prop::collection::vec(any_report(), 1..12)) {
        let (mut w, card, create) = created();
        // Another lane, which is told the newest only.
        let mut other = w.clone();
        let (mut newest, mut receipt): (Option<(i64, IssueNow)>, _) = (None, Vec::new());
        for (at, now) in reports {
            let step = tell(&mut w, report(&card, &create, at, now.clone()));
            let shows = |effect: &Effect| matches!(effect.body, EffectBody::CardUpdate { .. });
            prop_assert!(step.effects.iter().all(shows), "{:?}", step.effects);
            prop_assert!(step.approvals.is_empty() && step.timers.is_empty());
            receipt = shown(&step).unwrap_or(receipt);
            if newest.as_ref().is_none_or(|(known, _)| *known <= at) {
                newest = Some((at, now));
            }
        }
        let (at, now) = newest.unwrap();
        let step = tell(&mut other, report(&card, &create, at, now));
        prop_assert_eq!(receipt, shown(&step).unwrap());
    }
}
