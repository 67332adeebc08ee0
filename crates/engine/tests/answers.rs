//! The step table as a property: in every state a conversation can leave a lane in, every action on every card, at
//! every version, by every person, as a press or as a form, has one defined answer.

mod harness;

use std::collections::BTreeMap;

use harness::states::{decisions, reviews, states};
use harness::{BATCH, TICKET, TestLane, visible_outputs};
use proptest::prelude::*;
use throughline_engine::data::action::{Action, CardStep as At, allowed, needs_approver};
use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::ask::Answer;
use throughline_engine::data::card::{Card, TimerPurpose};
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::record::{Change, Record};
use throughline_engine::{Step, StepInput, Timestamp, Verdict};

/// The expected table of actions by step. Calls of tools and sub-agents and the button that clears a remembered mode
/// have steps of their own.
const TABLE: &str = "
draft_preview         approve reject edit
multi_ticket_preview  approve edit_story remove_story add_story cancel confirm_quantity confirm_size split
decision_preview      approve edit cancel
review_active         show_full approve_decision turn_into_ticket finish
review_frozen         turn_into_ticket
scope_gate            select_review select_ticket dismiss remember
uncertain_effect      adopt create_again cancel
receipt               retry_missing comment
call_preview          approve reject
uncertain_call        happened do_again cancel
remembered            forget
";

fn table() -> BTreeMap<At, Vec<Action>> {
    let rows = TABLE.lines().filter(|line| !line.is_empty()).map(|line| {
        let mut words = line.split_whitespace();
        let step = serde_json::from_value(words.next().unwrap().into()).unwrap();
        (step, words.map(|word| Action::parse(word).unwrap()).collect())
    });
    rows.collect()
}

#[test]
fn the_step_table_is_the_one_written_down() {
    for (step, actions) in table() {
        let mut known = allowed(step).to_vec();
        known.sort();
        let mut written = actions;
        written.sort();
        assert_eq!(known, written, "{step:?}");
    }
}

/// One use of a button.
#[derive(Clone, Copy, Debug)]
struct Use<'a> {
    who: &'a str,
    action: Action,
    version: u32,
    item: &'a str,
    /// The fields of a form; `None` for a press.
    form: Option<&'a [(&'a str, &'a str)]>,
}

/// Checks the answer to a use of a button, for any card and lane.
fn check(w: &TestLane, card: &Card, used: Use<'_>) -> Step {
    let Use { who, action, version, item, form } = used;
    let step = match form {
        None => {
            let press = Press::Token("token".into());
            let target = w.target(card, version, item, action);
            w.preview_event(who, EventKind::CardPressed { press, remember: false }, Some(target))
        }
        Some(fields) => {
            let press = Press::Decision { card: card.id.clone(), version, item: item.into(), action };
            let values = fields.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
            w.preview_event(who, EventKind::FormSubmitted { press, values }, None)
        }
    };
    let what = format!("{used:?} on {:?}, {:?}: {:?}", card.step(), card.status, step.decision);
    assert!(visible_outputs(&step) > 0, "silence: {what}");
    let outward: Vec<_> = step.effects.iter().filter(|effect| effect.body.is_outward()).collect();
    let consumed = step.approvals.iter().filter(|change| matches!(change, ApprovalChange::Decide { .. }));
    let consumed: Vec<_> = consumed.collect();
    if step.decision.outcome == Verdict::Refused {
        let told = |body: &EffectBody| matches!(body, EffectBody::Notice { to, text } if to == who && !text.is_empty());
        assert!(step.effects.iter().any(|effect| told(&effect.body)), "nobody was told why: {what}");
        assert!(outward.is_empty() && step.approvals.is_empty(), "refused, and yet: {what}");
        // The card may show a confirmation that became due in the meantime; nothing else changes.
        let other = |change: &&Change| {
            !matches!(change, Change::Put(Record::Message(_)))
                && !matches!(change, Change::Put(Record::Card(changed)) if changed.id == card.id)
        };
        let others: Vec<_> = step.changes.iter().filter(other).collect();
        assert!(others.is_empty(), "refused, and yet something changed: {what}: {others:?}");
        return step;
    }
    assert!(!matches!(step.decision.outcome, Verdict::Ignored | Verdict::Observed), "{what}");
    assert_eq!(version, card.version, "another version: {what}");
    assert!(table()[&card.step()].contains(&action), "not in the table: {what}");
    assert!(card.actions().contains(&action), "not offered: {what}");
    assert!(!card.is_open() || card.expires_at.is_none_or(|end| w.now <= end), "too late: {what}");
    assert!(!needs_approver(card.step(), action) || who != "eve", "no approver: {what}");
    let of_an_item = matches!(action, Action::EditStory | Action::RemoveStory);
    assert!(!of_an_item || w.items_of(card).iter().any(|known| known == item), "no such item: {what}");
    let takes_form = matches!(action, Action::Edit | Action::EditStory | Action::AddStory | Action::Adopt);
    assert!(form.is_none() || takes_form, "a form for a button: {what}");
    if !outward.is_empty() {
        let releases = [Action::Approve, Action::CreateAgain, Action::DoAgain, Action::Comment];
        assert!(releases.contains(&action) && form.is_none(), "{what}");
        let [ApprovalChange::Decide { card: decided, .. }] = consumed.as_slice() else {
            panic!("one press, one approval: {what}")
        };
        assert_eq!(*decided, card.id, "{what}");
        let names_it =
            |effect: &&Effect| effect.approval.as_ref().is_some_and(|approval| approval.card == card.id);
        assert!(outward.iter().all(|effect| names_it(effect) || action == Action::CreateAgain), "{what}");
    }
    step
}

const FORMS: [&[(&str, &str)]; 4] =
    [&[], &[("title", "Another title"), ("problem", "p")], &[("nonsense", "x")], &[("key", "AUTH-1")]];

/// Checks everything that can be done with a card in this lane.
fn check_all(w: &TestLane, card: &Card) {
    let mut items = vec![String::new(), "nothing".into()];
    items.extend(w.items_of(card).into_iter().take(2));
    let forms = || FORMS.into_iter().map(Some).chain([None]);
    for action in Action::ALL {
        for version in card.version.saturating_sub(1)..=card.version + 1 {
            for who in ["ana", "bob", "eve"] {
                for item in &items {
                    for form in forms() {
                        let _ = check(w, card, Use { who, action, version, item, form });
                    }
                }
            }
        }
    }
}

#[test]
fn every_state_answers_every_action() {
    let known = states().into_iter().chain(decisions()).map(|(_, harness)| (harness.card(), harness));
    let known = known.chain(reviews().into_iter().map(|(_, harness, card)| (card, harness)));
    let mut seen: Vec<At> = Vec::new();
    for (card, harness) in known {
        seen.push(card.step());
        check_all(&harness, &card);
    }
    let missing: Vec<_> = table().into_keys().filter(|step| !seen.contains(step)).collect();
    assert!(missing.is_empty(), "no state at {missing:?}");
}

#[derive(Clone, Debug)]
enum Act {
    Say(&'static str, &'static str),
    /// A press on an offered button of the n-th newest card.
    Press {
        who: &'static str,
        card: usize,
        button: usize,
        item: usize,
    },
    /// The last step's effects end: all of them, or one.
    Settle(usize),
    Model(bool),
    Advance(i64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let who = || prop_oneof![Just("ana"), Just("bob"), Just("eve")];
    let text = prop::sample::select(vec![
        TICKET,
        BATCH,
        "Create a ticket for the export",
        "Create epic with 5 stories for auth",
        "Problem: it is slow\nAcceptance criteria: it is fast",
        "What do you think about microservices?",
        "And what about event sourcing?",
        "Review this plan: we will use Postgres. A migration may break the reports.",
        "What about backups?",
        "thanks",
        "create the epic for that",
        "Record the decision: we use Postgres because we know it.",
        "Please log this decision",
        "@publisher publish the release notes",
        "yes",
        "stop",
        "Not now",
        "Review",
        "AUTH-1",
        "/maro track AUTH-1",
        "/maro track AUTH-2",
        "/maro forget",
        "/maro forget review",
    ]);
    let act = prop_oneof![
        4 => (who(), text).prop_map(|(who, text)| Act::Say(who, text)),
        6 => (who(), 0..3usize, 0..8usize, 0..4usize)
            .prop_map(|(who, card, button, item)| Act::Press { who, card, button, item }),
        6 => (0..6usize).prop_map(Act::Settle),
        1 => any::<bool>().prop_map(Act::Model),
        1 => (0..2 * Timestamp::DAY).prop_map(Act::Advance),
    ];
    prop::collection::vec(act, 0..24)
}

/// Lanes in each of the known states, where a random conversation continues.
fn starts() -> Vec<TestLane> {
    thread_local! {
        static STARTS: Vec<TestLane> = {
            let known = states().into_iter().chain(decisions()).map(|(_, harness)| harness);
            known.chain(reviews().into_iter().map(|(_, harness, _)| harness)).collect()
        };
    }
    STARTS.with(Clone::clone)
}

fn cards(w: &TestLane) -> Vec<Card> {
    let order: Vec<_> = w.lane.head.cards.iter().collect();
    order.iter().rev().filter_map(|id| w.lane.records.get::<Card>(id).cloned()).collect()
}

fn play(w: &mut TestLane, act: &Act) {
    match act {
        Act::Say(who, text) => {
            let _ = w.says(who, text);
        }
        Act::Press { who, card, button, item } => {
            let Some(card) = cards(w).get(*card).cloned() else { return };
            let offered = card.actions();
            let Some(action) = offered.get(button % offered.len().max(1)) else { return };
            let items = w.items_of(&card);
            let item = items.get(*item).cloned().unwrap_or_default();
            let _ = w.presses_item(who, &card, card.version, &item, *action);
        }
        Act::Settle(how) => settle(w, *how),
        Act::Model(on) => w.model = *on,
        Act::Advance(by) => {
            w.advance(*by);
            for card in cards(w) {
                due(w, &card);
            }
        }
    }
}

fn settle(w: &mut TestLane, how: usize) {
    let reports = |effect: &&Effect| effect.body.class().reports_success();
    let Some(effect) = w.effects.iter().rfind(reports).cloned() else { return };
    let outcome = match how {
        0 => {
            Outcome::Failed { reason: "rejected".into(), text: Fault::Said("no".into()), errors: Vec::new() }
        }
        1 if effect.body.is_outward() => Outcome::Uncertain { text: Fault::Said("no answer".into()) },
        _ if matches!(effect.body, EffectBody::ModelAsk(_)) => {
            Outcome::Done { result: EffectResult::Answered(Answer::None { why: "timeout".into() }) }
        }
        _ => return w.settle(),
    };
    let _ = w.outcome(&effect, outcome);
}

/// Fires the deadlines of a card that are due.
fn due(w: &mut TestLane, card: &Card) {
    let (id, version) = (card.id.clone(), card.version);
    let about = if card.expires_at.is_some_and(|end| w.now > end) {
        TimerPurpose::Expiry { card: id, version }
    } else if card.step() == At::ReviewActive {
        TimerPurpose::Cooldown { card: id, version }
    } else {
        return;
    };
    let given = StepInput { now: w.now, ..StepInput::default() };
    let _ = w.event("", EventKind::TimerDue { timer: "tm_test".into(), about }, given);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_action_has_its_answer_after_any_conversation(start in 0..64usize, acts in acts(), long in any::<bool>()) {
        let starts = starts();
        let mut w = starts[start % starts.len()].clone();
        w.has_publisher();
        if long {
            w.policy.latch.chars = 100;
        }
        for act in &acts {
            play(&mut w, act);
        }
        // The newest cards, and the oldest that is loaded.
        let all = cards(&w);
        for card in all.iter().take(2).chain(all.iter().skip(2).last()) {
            check_all(&w, card);
        }
    }
}
