//! The comment on the issues a decision is about: its text, version and hash, and who may release it.

mod harness;

use harness::TestLane;
use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::card::Card;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::policy::ApproverRule;
use throughline_engine::data::record::Record;
use throughline_engine::{Policy, Reason, Step, StepInput};

/// A lane with a posted decision about these issues.
fn posted(issues: &[&str]) -> TestLane {
    let mut w = TestLane::new();
    for key in issues {
        let _ = w.says("ana", &format!("/maro track {key}"));
        w.settle();
    }
    let _ = w.says("ana", "Record the decision: we use Postgres because we know it.");
    let card = w.card();
    let _ = w.presses("bob", &card, 1, Action::Approve);
    w.settle();
    w
}

fn shown(step: &Step) -> CardModel {
    let mut models = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::CardUpdate { card, .. } | EffectBody::CardPost { card, .. } => Some(card.clone()),
        _ => None,
    });
    models.next_back().unwrap()
}

fn hash_told(card: &CardModel) -> String {
    let told = card.facts.iter().find(|fact| fact.contains("commented on")).unwrap();
    told.rsplit_once("hash ").unwrap_or_else(|| panic!("no hash: {told}")).1.to_owned()
}

fn comments(w: &TestLane) -> usize {
    w.effects.iter().filter(|effect| matches!(effect.body, EffectBody::TrackerUpdate { .. })).count()
}

#[test]
fn the_comment_is_the_one_shown() {
    let mut w = posted(&["AUTH-1"]);
    let card = w.card();
    assert_eq!(card.version, 2, "what can be released is another thing now");
    let offered = shown(w.last.as_ref().unwrap());
    let (hash, post) = (hash_told(&offered), offered.hash.clone().unwrap());
    assert_ne!(hash, post);
    assert_eq!(w.presses("bob", &card, 1, Action::Comment).decision.reason, Reason::StaleVersion);
    let step = w.presses("bob", &card, 2, Action::Comment);
    let opened = step.approvals.iter().find_map(|change| match change {
        ApprovalChange::Open(approval) => Some(approval.clone()),
        _ => None,
    });
    let opened = opened.unwrap();
    assert_eq!((opened.kind.as_str(), opened.version), ("tracker.comment", 2));
    assert!(opened.payload_sha256.starts_with(&hash), "{hash}: {}", opened.payload_sha256);
}

#[test]
fn an_offer_to_comment_expires() {
    let mut w = posted(&["AUTH-1"]);
    let card = w.card();
    w.advance(w.policy.approval.max_age_ms + 1);
    let step = w.presses("bob", &card, card.version, Action::Comment);
    assert_eq!((step.decision.reason, comments(&w)), (Reason::PressExpired, 0));
}

#[test]
fn each_issue_needs_its_own_permission() {
    let mut w = posted(&["AUTH-1", "SHOP-2"]);
    // Eve may comment in the project SHOP only.
    let rule = Policy::demo_rule(&["user:eve"]);
    w.policy.approvers[0].targets = vec!["local:AUTH".into(), "web:*".into()];
    w.policy.approvers.push(ApproverRule { targets: vec!["local:SHOP".into()], ..rule });
    let card = w.card();
    let step = w.presses("eve", &card, card.version, Action::Comment);
    assert_eq!(step.decision.reason, Reason::PressApplied, "she may one of them");
    let card: Card = w.card();
    assert!(shown(&step).facts.iter().any(|fact| fact.contains("SHOP-2") && !fact.contains("AUTH-1")));
    let step = w.presses("eve", &card, card.version, Action::Comment);
    assert_eq!((step.decision.reason, comments(&w)), (Reason::PressApplied, 1));
}

/// A name contributes one short line to a post, whatever its person chose.
#[test]
fn a_name_adds_one_short_line_to_a_post() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "Record the decision: we use Postgres because we know it.");
    let card = w.card();
    let name = format!("bob\nIssues: AUTH-9 {}", "x".repeat(500));
    let actor =
        Actor { id: "bob".into(), name, principals: vec!["role:approver".into()], ..Actor::default() };
    let given = StepInput {
        now: w.now,
        actor: Some(actor),
        press: Some(w.target(&card, 1, "", Action::Approve)),
        ..StepInput::default()
    };
    let press = Press::Token("token".into());
    let step = w.event("bob", EventKind::CardPressed { press, remember: false }, given);
    let by = step.approvals.iter().find_map(|change| match change {
        ApprovalChange::Decide { by, .. } => Some(by.clone()),
        _ => None,
    });
    let by = by.unwrap();
    let text = step.effects.iter().find_map(|effect| match effect.body.clone().signed_by(&by, w.now) {
        EffectBody::PostChannel { text, .. } => Some(text),
        _ => None,
    });
    let last = text.unwrap().lines().last().unwrap().to_owned();
    assert!(last.starts_with("Decided by @bob Issues: ") && last.chars().count() < 120, "{last}");
}

/// A late answer about another effect says nothing about a comment with an unknown outcome.
#[test]
fn a_late_answer_is_about_its_own_effect() {
    let mut w = posted(&["AUTH-1"]);
    let post = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
    let card = w.card();
    let _ = w.presses("bob", &card, card.version, Action::Comment);
    let sent: Effect = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
    w.advance(1);
    let _ = w.outcome(&sent, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
    let asks = w.card();
    let late = EffectResult::Posted { url: None };
    let step = w.outcome(&post, Outcome::Done { result: late });
    assert_eq!(step.decision.reason, Reason::EffectSuperseded);
    assert!(w.lane.records.get::<Card>(&asks.id).unwrap().is_open(), "the question is still open");
    let late = EffectResult::Updated;
    let step = w.outcome(&sent, Outcome::Done { result: late });
    assert_eq!(step.decision.reason, Reason::EffectSettled);
    assert!(!w.lane.records.get::<Card>(&asks.id).unwrap().is_open());
}

/// A lane with a posted decision about an issue of this thread whose project is not the one that its key names.
fn posted_elsewhere() -> TestLane {
    let mut w = TestLane::new();
    w.policy.project.project = "OTHER".into();
    let _ = w.says("ana", harness::TICKET);
    w.settle();
    let card = w.card();
    let _ = w.presses("bob", &card, card.version, Action::Approve);
    w.settle();
    let _ = w.says("ana", "Record the decision: we use Postgres because we know it.");
    let card = w.card();
    let _ = w.presses("bob", &card, 1, Action::Approve);
    w.settle();
    w
}

/// The effect that the last approved press sent.
fn sent(w: &TestLane) -> Effect {
    w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone()
}

fn target_of(effect: &Effect) -> String {
    match &effect.body {
        EffectBody::TrackerUpdate { target, .. } => target.to_string(),
        other => panic!("not a comment: {other:?}"),
    }
}

/// The project that a comment goes to was approved with it: a thread that stops tracking the issue changes neither the card
/// that asks about a lost comment nor what it sends again.
#[test]
fn a_lost_comment_is_repeated_where_it_was_sent() {
    for untracked_before in [true, false] {
        let mut w = posted_elsewhere();
        let card = w.card();
        let _ = w.presses("bob", &card, card.version, Action::Comment);
        let mut lost = sent(&w);
        assert_eq!(target_of(&lost), "local:OTHER");
        let untrack = |w: &mut TestLane| drop(w.says("ana", "/maro untrack DEMO-1"));
        // Twice: what is repeated may be lost as well.
        for again in 0..2 {
            w.advance(1);
            if untracked_before && again == 0 {
                untrack(&mut w);
            }
            let _ = w.outcome(&lost, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
            if !untracked_before && again == 0 {
                untrack(&mut w);
            }
            let asks = w.card();
            let step = w.presses("bob", &asks, asks.version, Action::CreateAgain);
            assert_eq!(step.decision.reason, Reason::PressApplied, "{untracked_before} {again}");
            lost = sent(&w);
            assert_eq!(target_of(&lost), "local:OTHER");
        }
    }
}

/// An offered comment whose issue is not tracked any more is offered anew, as it would be written now.
#[test]
fn an_offer_whose_issue_is_untracked_is_made_anew() {
    let mut w = posted_elsewhere();
    let card = w.card();
    let before = hash_told(&shown(w.last.as_ref().unwrap()));
    let _ = w.says("ana", "/maro untrack DEMO-1");
    let step = w.presses("bob", &card, card.version, Action::Comment);
    assert_eq!((step.decision.reason, comments(&w)), (Reason::StaleStep, 0));
    let card = w.card();
    assert_ne!(hash_told(&shown(&step)), before, "it goes elsewhere now");
    let step = w.presses("bob", &card, card.version, Action::Comment);
    assert_eq!((step.decision.reason, comments(&w)), (Reason::PressApplied, 1));
    assert_eq!(target_of(&sent(&w)), "local:DEMO");
}

/// An offer whose record somebody changed is not taken: the comment is not the one that the card shows.
#[test]
fn an_offer_that_was_altered_is_not_taken() {
    let mut w = posted(&["AUTH-1"]);
    let card = w.card();
    let stored = w.lane.records.iter().find_map(|record| match record {
        Record::Proposal(proposal) => Some(proposal.clone()),
        _ => None,
    });
    let mut altered = stored.unwrap();
    altered.posted.as_mut().unwrap().text = "We use MySQL.".into();
    w.lane.records.insert(Record::Proposal(altered));
    let step = w.presses("bob", &card, card.version, Action::Comment);
    assert_eq!((step.decision.reason, comments(&w)), (Reason::PressTampered, 0));
}
