//! German answers of paths that once had English sentences of their own: the account of a turn, and the notices of the host.

#[path = "harness/mod.rs"]
mod harness;

use harness::{TICKET, TestLane};
use throughline_engine::data::card::Card;
use throughline_engine::data::decision::Reason;
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::event::EventKind;
use throughline_engine::data::notice::{Interruption, Notice};
use throughline_engine::data::rung::Rung;
use throughline_engine::data::trace::Predicate;
use throughline_engine::{Language, Step, StepInput};

fn german() -> TestLane {
    let mut t = TestLane::new();
    t.policy.language = Some("de".into());
    t
}

/// Steps a notice that is for nobody in particular, as intake gives it.
fn noticed(t: &mut TestLane, notice: Notice) -> Step {
    let given = StepInput { now: t.now, multilingual: true, ..StepInput::default() };
    t.event("", EventKind::IntakeNotice(notice), given)
}

fn notices(t: &TestLane) -> [Notice; 5] {
    let after = Interruption::Outage { from: t.now, to: t.now };
    [
        Notice::QueueFull { beginning: "Hallo".into(), most: 50 },
        Notice::Dead { turn: "tn_1".into() },
        Notice::StillOpen { after, aloud: true },
        Notice::StillOpen { after: Interruption::Moved, aloud: true },
        Notice::LinkOver,
    ]
}

#[test]
fn notices_are_said_in_the_language_of_the_lane() {
    for notice in notices(&german()) {
        let mut t = german();
        let _ = t.says("ana", TICKET);
        let step = noticed(&mut t, notice.clone());
        let told = notice.text(Language::De, t.now);
        assert_ne!(told, notice.text(Language::En, t.now));
        let said = step.effects.iter().filter_map(|effect| match &effect.body {
            EffectBody::Reply { text, .. } => Some(text.clone()),
            _ => None,
        });
        assert_eq!(said.collect::<Vec<_>>(), [told], "{notice:?}");
    }
}

/// A card keeps its language, whoever is told of it.
#[test]
fn a_card_that_is_shown_again_says_why_in_its_own_language() {
    let mut t = TestLane::new();
    let mut given = t.given("ana");
    given.multilingual = true;
    given.actor.as_mut().unwrap().language = Some("de".into());
    let posted = throughline_engine::data::event::MessagePosted { text: TICKET.into(), ..Default::default() };
    let _ = t.event("ana", EventKind::MessagePosted(posted), given);
    let card: Card = t.card();
    assert_eq!(card.language, Language::De);
    let notice = Notice::StillOpen { after: Interruption::Moved, aloud: false };
    let step = noticed(&mut t, notice.clone());
    let shown = step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::CardUpdate { card, .. } => Some(card.facts[0].clone()),
        _ => None,
    });
    assert_eq!(shown, Some(notice.text(Language::De, t.now)));
}

/// A notice that waited while the program was replaced says what it said.
#[test]
fn a_notice_of_an_earlier_version_is_said_as_it_is() {
    let mut t = german();
    let step = noticed(&mut t, Notice::Told { why: "dead".into(), message: "I could not handle it.".into() });
    let said = |body: &EffectBody| matches!(body, EffectBody::Reply { text, .. } if text == "I could not handle it.");
    assert!(step.effects.iter().any(|effect| said(&effect.body)));
}

#[test]
fn every_reason_and_every_rung_has_its_own_words_in_each_language() {
    let (english, german) = (Language::En, Language::De);
    for reason in Reason::ALL {
        assert_ne!(reason.says(german), reason.says(english), "{reason}");
    }
    for predicate in Predicate::ALL {
        assert_ne!(predicate.says(german), predicate.says(english), "{predicate:?}");
    }
    for rung in Rung::ALL {
        assert!(!rung.title(german).is_empty(), "{rung:?}");
        assert_eq!(rung.title(Language::Pseudo).matches('⟦').count(), 1, "{rung:?}");
    }
}
