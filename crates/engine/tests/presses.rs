//! The press rules, over every step, action, version, person and state there is (`spec 06 §5.3`).

mod world;

use throughline_engine::effect::{EffectBody, Outcome};
use throughline_engine::workflow::Action;
use throughline_engine::{Reason, Timestamp, Verdict};
use world::{TICKET, World, heard};

/// A world at each of the states a card can be in, by name.
fn states() -> Vec<(&'static str, World)> {
    let preview = || {
        let mut w = World::new();
        let _ = w.says("ana", TICKET);
        w.settle();
        w
    };
    let with = |mut w: World, act: &dyn Fn(&mut World)| {
        act(&mut w);
        w
    };
    vec![
        (
            "gate",
            with(World::new(), &|w| {
                let _ = w.says("ana", "What do you think about microservices?");
            }),
        ),
        (
            "unchecked",
            with(World::new(), &|w| {
                let _ = w.says("ana", TICKET);
            }),
        ),
        ("preview", preview()),
        (
            "edited",
            with(preview(), &|w| {
                let card = w.card();
                let _ = w.submits("ana", &card, &[("title", "Another title")]);
                w.settle();
            }),
        ),
        (
            "working",
            with(preview(), &|w| {
                let card = w.card();
                let _ = w.presses("bob", &card, 1, Action::Approve);
            }),
        ),
        (
            "created",
            with(preview(), &|w| {
                let card = w.card();
                let _ = w.presses("bob", &card, 1, Action::Approve);
                w.settle();
            }),
        ),
        (
            "rejected",
            with(preview(), &|w| {
                let card = w.card();
                let _ = w.presses("bob", &card, 1, Action::Reject);
            }),
        ),
        ("expired", with(preview(), &|w| w.advance(14 * Timestamp::DAY + 1))),
        (
            "uncertain call",
            with(World::new(), &|w| {
                let _ = w.unsure_call();
            }),
        ),
        (
            "uncertain",
            with(preview(), &|w| {
                let card = w.card();
                let _ = w.presses("bob", &card, 1, Action::Approve);
                let create = w.effects.iter().rfind(|e| e.approval.is_some()).unwrap().clone();
                w.advance(1);
                let _ = w.outcome(&create, Outcome::Uncertain { text: "no answer".into() });
            }),
        ),
    ]
}

#[test]
fn every_press_is_answered() {
    for (state, world) in states() {
        let card = world.card();
        for action in Action::ALL {
            for version in 0..=card.version + 1 {
                for actor in ["ana", "bob", "eve"] {
                    let mut w = world.clone();
                    let step = w.presses(actor, &card, version, action);
                    let what = format!("{state}: {action:?} v{version} by {actor}: {:?}", step.decision);
                    assert!(heard(&step) > 0, "silence on {what}");
                    let outward = step.effects.iter().filter(|e| e.body.outward()).count();
                    let released = step.decision.reason == Reason::PressApplied
                        && matches!(action, Action::Approve | Action::CreateAgain | Action::DoAgain);
                    assert_eq!(outward, usize::from(released), "{what}");
                    assert!(!released || actor != "eve", "{what}");
                    assert!(!released || version == card.version, "{what}");
                }
            }
        }
    }
}

#[test]
fn two_people_press_approve_and_one_issue_is_created() {
    let mut w = World::new();
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    assert_eq!(w.presses("ana", &card, 1, Action::Approve).decision.reason, Reason::PressApplied);
    w.settle();
    let second = w.presses("bob", &card, 1, Action::Approve);
    assert_eq!(second.decision.reason, Reason::PressConsumed);
    let told = second.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::Notice { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert_eq!(told.unwrap(), "Already approved by @ana at 10:00 → DEMO-1");
    let created = w.effects.iter().filter(|effect| effect.body.outward()).count();
    assert_eq!(created, 1);
}

#[test]
fn approve_is_good_at_the_last_millisecond_and_not_after() {
    for (late, reason) in [(0, Reason::PressApplied), (1, Reason::PressExpired)] {
        let mut w = World::new();
        let _ = w.says("ana", TICKET);
        w.settle();
        let card = w.card();
        w.now = card.expires_at.unwrap().plus(late);
        assert_eq!(w.presses("bob", &card, 1, Action::Approve).decision.reason, reason);
    }
}

/// `E15`, `T15`: ten thousand yes-like sentences while an approval waits release nothing, and each is answered.
#[test]
fn t15_text_never_approves() {
    let (openers, middles, closers) = (
        ["yes", "yeah", "yep", "sure", "ok", "okay", "absolutely", "please do", "go for it", "approve"],
        [
            "",
            "approve it",
            "go ahead",
            "do it",
            "create it",
            "that is right",
            "sounds good",
            "make it so",
            "ship it",
            "confirm",
        ],
        [
            "",
            "please",
            "now",
            "thanks",
            "!",
            "👍",
            "I approve",
            "right now",
            "as soon as you can",
            "for everybody",
        ],
    );
    let mut world = World::new();
    let _ = world.says("ana", TICKET);
    world.settle();
    let mut count = 0;
    for opener in openers {
        for middle in middles {
            for closer in closers {
                for shape in 0..10 {
                    let words: Vec<&str> =
                        [opener, middle, closer].into_iter().filter(|word| !word.is_empty()).collect();
                    let text = match shape {
                        0 => words.join(" "),
                        1 => words.join(", "),
                        2 => words.join(" ").to_uppercase(),
                        3 => format!("\"{}\"", words.join(" ")),
                        4 => format!("{}!!!", words.join(" ")),
                        5 => format!("@throughline {}", words.join(" ")),
                        6 => words.join(" - "),
                        7 => format!("{}…", words.join(" ")),
                        8 => format!("  {}  ", words.join("  ")),
                        _ => words.join("\n"),
                    };
                    let mut w = world.clone();
                    let step = w.says("ana", &text);
                    assert!(step.effects.iter().all(|effect| !effect.body.outward()), "{text}");
                    assert!(heard(&step) > 0, "silence on {text:?}: {:?}", step.decision);
                    assert_ne!(step.decision.outcome, Verdict::Ignored);
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 10_000);
}
