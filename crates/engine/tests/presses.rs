//! The press rules, over every step, action, version, person and state there is (`spec 06 §5.3`).

mod world;

use throughline_engine::approval::ApprovalChange;
use throughline_engine::effect::{EffectBody, Outcome};
use throughline_engine::event::EventKind;
use throughline_engine::workflow::{Action, Card, TimerAbout};
use throughline_engine::{Given, Reason, Timestamp, Verdict};
use world::{BATCH, TICKET, World, heard};

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
    let batch = || {
        let mut w = World::new();
        let _ = w.says("ana", BATCH);
        w.settle();
        w
    };
    let confirmed = || {
        with(batch(), &|w| {
            let card = w.card();
            let _ = w.presses("ana", &card, 1, Action::ConfirmQuantity);
        })
    };
    let long = || {
        let mut w = World::new();
        w.policy.latch.chars = 100;
        let _ = w.says("ana", BATCH);
        w.settle();
        w
    };
    let approved = || {
        with(confirmed(), &|w| {
            let card = w.card();
            let _ = w.presses("bob", &card, 1, Action::Approve);
        })
    };
    vec![
        ("batch", batch()),
        ("batch confirmed", confirmed()),
        ("batch too long", long()),
        (
            "batch without detail",
            with(World::new(), &|w| {
                let _ = w.says("ana", "Create epic with 5 stories for auth");
            }),
        ),
        (
            "batch edited",
            with(confirmed(), &|w| {
                let card = w.card();
                let item = w.items()[1].clone();
                let _ = w.presses_item("ana", &card, 1, &item, Action::RemoveStory);
                w.settle();
            }),
        ),
        ("batch working", approved()),
        ("batch created", with(approved(), &World::settle)),
        (
            "batch failed",
            with(approved(), &|w| {
                let epic = w.effects.iter().find(|e| e.approval.is_some()).unwrap().clone();
                let refused =
                    Outcome::Failed { reason: "rejected".into(), text: "no".into(), errors: Vec::new() };
                let _ = w.outcome(&epic, refused);
            }),
        ),
        (
            "batch uncertain",
            with(approved(), &|w| {
                let epic = w.effects.iter().find(|e| e.approval.is_some()).unwrap().clone();
                w.advance(1);
                let _ = w.outcome(&epic, Outcome::Uncertain { text: "no answer".into() });
            }),
        ),
        (
            "batch cancelled",
            with(batch(), &|w| {
                let card = w.card();
                let _ = w.presses("ana", &card, 1, Action::Cancel);
            }),
        ),
        ("batch expired", with(batch(), &|w| w.advance(14 * Timestamp::DAY + 1))),
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

/// A world at each of the states a review can be in, with the card of the review.
fn reviews() -> Vec<(&'static str, World, Card)> {
    let begun = |model: bool| {
        let mut w = World::new();
        let _ = w.says("ana", "Review this plan: we will use Postgres. A migration may break the reports.");
        w.model = model;
        let card = w.card();
        (w, card)
    };
    let then = |acts: &[&str]| {
        let (mut w, card) = begun(false);
        for text in acts {
            let _ = w.says("bob", text);
        }
        let card = w.lane.records.card(&card.id).unwrap().clone();
        (w, card)
    };
    let with = |name, (world, card)| (name, world, card);
    vec![
        with("active", begun(false)),
        with("active, with a model", begun(true)),
        with("patched", then(&["What about backups?"])),
        with("frozen", then(&["thanks"])),
        with("handed over", then(&["create the epic for that"])),
        with("superseded", then(&["Review this plan: we will use Redis."])),
        with("forgotten", then(&["/maro forget review"])),
        with("idle", {
            let (mut w, card) = begun(false);
            w.advance(Timestamp::DAY + 1);
            let about = TimerAbout::Cooldown { card: card.id.clone(), version: 1 };
            let given = Given { now: w.now, ..Given::default() };
            let _ = w.event("", EventKind::TimerDue { timer: card.timers[0].clone(), about }, given);
            let card = w.card();
            (w, card)
        }),
    ]
}

/// A world at each of the states a decision can be in, with its newest card.
fn decisions() -> Vec<(&'static str, World)> {
    let then = |track: &[&str], acts: &[&dyn Fn(&mut World)]| {
        let mut w = World::new();
        for key in track {
            let _ = w.says("ana", &format!("/maro track {key}"));
            w.settle();
        }
        let _ = w.says("ana", "Record the decision: we use Postgres because we know it.");
        acts.iter().for_each(|act| act(&mut w));
        w
    };
    let press = |w: &mut World, action| {
        let card = w.card();
        let _ = w.presses("bob", &card, card.version, action);
    };
    let approve: &dyn Fn(&mut World) = &move |w| press(w, Action::Approve);
    let comment: &dyn Fn(&mut World) = &move |w| press(w, Action::Comment);
    let settle: &dyn Fn(&mut World) = &World::settle;
    let lose: &dyn Fn(&mut World) = &|w| {
        let sent = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
        w.advance(1);
        let _ = w.outcome(&sent, Outcome::Uncertain { text: "no answer".into() });
    };
    let refuse: &dyn Fn(&mut World) = &|w| {
        let sent = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
        w.advance(1);
        let (reason, text) = ("rejected".into(), "we may not post there".into());
        let _ = w.outcome(&sent, Outcome::Failed { reason, text, errors: Vec::new() });
    };
    let edit: &dyn Fn(&mut World) = &|w| {
        let card = w.card();
        let _ = w.submits("ana", &card, &[("why", "It is there.")]);
    };
    vec![
        ("decision", then(&[], &[])),
        ("decision edited", then(&[], &[edit])),
        ("decision cancelled", then(&[], &[&move |w| press(w, Action::Cancel)])),
        ("decision being posted", then(&[], &[approve])),
        ("decision posted", then(&[], &[approve, settle])),
        ("decision refused", then(&[], &[approve, refuse])),
        ("decision posted, one issue", then(&["AUTH-1"], &[approve, settle])),
        ("decision posted, two issues", then(&["AUTH-1", "AUTH-2"], &[approve, settle])),
        ("decision with a comment on its way", then(&["AUTH-1"], &[approve, settle, comment])),
        ("decision with a comment", then(&["AUTH-1"], &[approve, settle, comment, settle])),
        ("decision with a comment nobody knows of", then(&["AUTH-1"], &[approve, settle, comment, lose])),
        ("decision nobody knows of", then(&[], &[approve, lose])),
        (
            "decision posted again",
            then(&[], &[approve, lose, &move |w| press(w, Action::CreateAgain), settle]),
        ),
        ("decision adopted", then(&[], &[approve, lose, &move |w| press(w, Action::Adopt)])),
        ("decision given up", then(&[], &[approve, lose, &move |w| press(w, Action::Cancel)])),
    ]
}

/// What leaves the thread is what was shown, with who decided and when behind it.
#[test]
fn a_decision_is_posted_as_it_was_approved() {
    let (_, mut w) = decisions().remove(1);
    let card = w.card();
    let opened = w.last.as_ref().unwrap().approvals.clone();
    let step = w.presses("bob", &card, 2, Action::Approve);
    let EffectBody::PostChannel { text, .. } = &step.effects.iter().find(|e| e.body.outward()).unwrap().body
    else {
        panic!()
    };
    let shown = opened.iter().find_map(|change| match change {
        ApprovalChange::Open(approval) => Some(approval.payload.clone()),
        _ => None,
    });
    let payload: serde_json::Value = serde_json::from_str(&shown.unwrap()).unwrap();
    let approved = payload["text"].as_str().unwrap();
    let signature = text.strip_prefix(approved).unwrap();
    assert_eq!(signature, "\nDecided by @bob on 2026-01-15 at 10:00 UTC");
    assert!(approved.contains("Why: It is there."), "{approved}");
}

/// `spec 03 §3`: what each state of a decision's card takes from an approver.
#[test]
fn a_decision_takes_the_presses_of_its_step() {
    for (state, world) in decisions() {
        let card = world.card();
        let takes = |action: &Action| {
            let step = world.clone().presses("bob", &card, card.version, *action);
            !matches!(step.decision.outcome, Verdict::Refused)
        };
        let taken: Vec<Action> = Action::ALL.into_iter().filter(takes).collect();
        let expected: &[Action] = match state {
            "decision" | "decision edited" | "decision refused" => {
                &[Action::Approve, Action::Edit, Action::Cancel]
            }
            "decision posted, one issue" | "decision posted, two issues" => &[Action::Comment],
            "decision nobody knows of" | "decision with a comment nobody knows of" => {
                &[Action::Adopt, Action::CreateAgain, Action::Cancel]
            }
            _ => &[],
        };
        assert_eq!(taken, expected, "{state}");
    }
}

#[test]
fn every_press_is_answered() {
    let states = states().into_iter().map(|(state, world)| (state, world.clone(), world.card()));
    let decided = decisions().into_iter().map(|(state, world)| (state, world.clone(), world.card()));
    for (state, world, card) in states.chain(reviews()).chain(decided) {
        let people = ["ana", "bob", "eve"];
        let items: Vec<String> =
            [String::new(), "nothing".into()].into_iter().chain(world.items().into_iter().take(2)).collect();
        for action in Action::ALL {
            for version in 0..=card.version + 1 {
                for (actor, item) in
                    people.into_iter().flat_map(|who| items.iter().map(move |item| (who, item)))
                {
                    let mut w = world.clone();
                    let step = w.presses_item(actor, &card, version, item, action);
                    let what = format!("{state}: {action:?} v{version} by {actor}: {:?}", step.decision);
                    assert!(heard(&step) > 0, "silence on {what}");
                    let outward = step.effects.iter().filter(|e| e.body.outward()).count();
                    let released = step.decision.reason == Reason::PressApplied
                        && (matches!(action, Action::Approve | Action::CreateAgain | Action::DoAgain)
                            || action == Action::Comment && state != "decision posted, two issues");
                    assert_eq!(outward > 0, released, "{what}");
                    assert!(!released || actor != "eve", "{what}");
                    assert!(!released || version == card.version, "{what}");
                    // Nothing is released while something has to be confirmed first, or an item says too little.
                    let shut = card.to_confirm().is_some() || state == "batch without detail";
                    assert!(!released || !shut, "{what}");
                    // Whoever presses again what was released releases nothing more.
                    if released {
                        let again = w.presses_item(actor, &card, version, item, action);
                        assert_eq!(again.decision.reason, Reason::PressConsumed, "{what}");
                    }
                }
            }
        }
    }
}

/// `spec 03 §3`: an active review offers its four buttons, a frozen one only to be turned into tickets, and one that was
/// superseded or forgotten nothing.
#[test]
fn a_review_takes_the_presses_of_its_step() {
    for (state, world, card) in reviews() {
        let takes = |action: &Action| {
            let step = world.clone().presses("bob", &card, card.version, *action);
            !matches!(step.decision.reason, Reason::StaleStep | Reason::StaleVersion)
        };
        let taken: Vec<Action> = Action::ALL.into_iter().filter(takes).collect();
        let expected: &[Action] = match state {
            "active" | "active, with a model" | "patched" => {
                &[Action::ShowFull, Action::ApproveDecision, Action::TurnIntoTicket, Action::Finish]
            }
            "frozen" | "handed over" | "idle" => &[Action::TurnIntoTicket],
            _ => &[],
        };
        assert_eq!(taken, expected, "{state}");
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
