//! Lanes in each of the states a card can be in.

use throughline_engine::data::action::Action;
use throughline_engine::data::card::{Card, TimerPurpose};
use throughline_engine::data::effect::Outcome;
use throughline_engine::data::event::EventKind;
use throughline_engine::data::fault::Fault;
use throughline_engine::{StepInput, Timestamp};

use super::{BATCH, TICKET, TestLane};

/// Lanes in each of the states a card can be in, by name.
pub(crate) fn states() -> Vec<(&'static str, TestLane)> {
    let preview = || {
        let mut w = TestLane::new();
        let _ = w.says("ana", TICKET);
        w.settle();
        w
    };
    let with = |mut w: TestLane, act: &dyn Fn(&mut TestLane)| {
        act(&mut w);
        w
    };
    let batch = || {
        let mut w = TestLane::new();
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
        let mut w = TestLane::new();
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
            with(TestLane::new(), &|w| {
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
        ("batch created", with(approved(), &TestLane::settle)),
        (
            "batch failed",
            with(approved(), &|w| {
                let epic = w.effects.iter().find(|e| e.approval.is_some()).unwrap().clone();
                let refused = Outcome::Failed {
                    reason: "rejected".into(),
                    text: Fault::Said("no".into()),
                    errors: Vec::new(),
                };
                let _ = w.outcome(&epic, refused);
            }),
        ),
        (
            "batch uncertain",
            with(approved(), &|w| {
                let epic = w.effects.iter().find(|e| e.approval.is_some()).unwrap().clone();
                w.advance(1);
                let _ = w.outcome(&epic, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
            }),
        ),
        (
            "batch split",
            with(long(), &|w| {
                let card = w.card();
                let _ = w.presses("ana", &card, 1, Action::Split);
                w.settle();
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
            with(TestLane::new(), &|w| {
                let _ = w.says("ana", "What do you think about microservices?");
            }),
        ),
        (
            "unchecked",
            with(TestLane::new(), &|w| {
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
            "remembered",
            with(TestLane::new(), &|w| {
                let _ = w.says("ana", "What do you think about microservices?");
                let card = w.card();
                let _ = w.presses("ana", &card, 1, Action::Remember);
                let _ = w.presses("ana", &card, 1, Action::SelectTicket);
                let _ = w.says("ana", "stop");
                let _ = w.says("ana", "And what about event sourcing?");
            }),
        ),
        (
            "call",
            with(TestLane::new(), &|w| {
                w.has_publisher();
                let _ = w.says("ana", "@publisher publish the release notes");
            }),
        ),
        (
            "act asked for",
            with(TestLane::new(), &|w| {
                let _ = w.asks_for_act("1");
            }),
        ),
        (
            "act revised",
            with(TestLane::new(), &|w| {
                let _ = w.asks_for_act("1");
                let _ = w.asks_for_act("2");
            }),
        ),
        (
            "act nobody reported",
            with(TestLane::new(), &|w| {
                let _ = w.asks_for_act("1");
                let card = w.card();
                let _ = w.presses("bob", &card, 1, Action::Approve);
                let act = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
                w.advance(1);
                let _ = w.outcome(&act, Outcome::Uncertain { text: Fault::Said("no report".into()) });
            }),
        ),
        (
            "uncertain call",
            with(TestLane::new(), &|w| {
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
                let _ = w.outcome(&create, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
            }),
        ),
    ]
}

/// Lanes in each of the states a review can be in, with its card.
pub(crate) fn reviews() -> Vec<(&'static str, TestLane, Card)> {
    let begun = |model: bool| {
        let mut w = TestLane::new();
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
        let card = w.lane.records.get::<Card>(&card.id).unwrap().clone();
        (w, card)
    };
    let with = |name, (harness, card)| (name, harness, card);
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
            let about = TimerPurpose::Cooldown { card: card.id.clone(), version: 1 };
            let given = StepInput { now: w.now, ..StepInput::default() };
            let _ = w.event("", EventKind::TimerDue { timer: card.timers[0].clone(), about }, given);
            let card = w.card();
            (w, card)
        }),
    ]
}

/// Lanes in each of the states a decision can be in, with its newest card.
pub(crate) fn decisions() -> Vec<(&'static str, TestLane)> {
    let then = |track: &[&str], acts: &[&dyn Fn(&mut TestLane)]| {
        let mut w = TestLane::new();
        for key in track {
            let _ = w.says("ana", &format!("/maro track {key}"));
            w.settle();
        }
        let _ = w.says("ana", "Record the decision: we use Postgres because we know it.");
        acts.iter().for_each(|act| act(&mut w));
        w
    };
    let press = |w: &mut TestLane, action| {
        let card = w.card();
        let _ = w.presses("bob", &card, card.version, action);
    };
    let approve: &dyn Fn(&mut TestLane) = &move |w| press(w, Action::Approve);
    let comment: &dyn Fn(&mut TestLane) = &move |w| press(w, Action::Comment);
    let settle: &dyn Fn(&mut TestLane) = &TestLane::settle;
    let lose: &dyn Fn(&mut TestLane) = &|w| {
        let sent = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
        w.advance(1);
        let _ = w.outcome(&sent, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
    };
    let refuse: &dyn Fn(&mut TestLane) = &|w| {
        let sent = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
        w.advance(1);
        let (reason, text) = ("rejected".into(), Fault::Said("we may not post there".into()));
        let _ = w.outcome(&sent, Outcome::Failed { reason, text, errors: Vec::new() });
    };
    let edit: &dyn Fn(&mut TestLane) = &|w| {
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
