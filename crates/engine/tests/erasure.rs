//! Erasing a person or a lane: after any history, nothing of theirs is left in the stored lane.

mod harness;

use std::sync::Arc;

use harness::states::states;
use harness::{TICKET, TestLane};
use proptest::prelude::*;
use throughline_engine::data::action::Action;
use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::call::{Agent, Call, CallPhase, Risk};
use throughline_engine::data::card::{Card, CardStatus};
use throughline_engine::data::data_subject::DataSubject;
use throughline_engine::data::effect::{EffectBody, EffectClass};
use throughline_engine::data::erasure::{ERASED, ErasureScope};
use throughline_engine::data::event::{AssistantPosted, EventKind};
use throughline_engine::data::message::{Message, MessageKind};
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::record::{Change, Record};
use throughline_engine::data::summary::ConversationSummary;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::{EffectId, Reason, Step, StepInput, Timestamp, Verdict};

/// A word only Ana uses, and one only Bob uses.
const ANA: &str = "kestrelgate";
const BOB: &str = "marmotworth";

/// Messages; `W` stands for the author's own word.
const TEXTS: [&str; 20] = [
    "Create a ticket for the W login\nSteps: open W page\nExpected: W form\nActual: no W at all",
    "Create an epic with 3 stories for W\nProblem: W\nAcceptance criteria: W works\n- See W\n- Change W\n- Drop W",
    "What do you think about W?",
    "W",
    "Title: W is slow",
    "review this: we must keep W, the risk is that W leaks",
    "I disagree about W, it is a risk for all of us",
    "record the decision: we keep W for good",
    "because W is what we know",
    "@writer write about W",
    "/maro ticket W needs a button",
    "/maro review the plan for W",
    "no, the W one",
    "create a ticket for this",
    "remember that we use W for all of it",
    "we decided: W stays as it is",
    "yes",
    "stop",
    "what's open?",
    "close the cards",
];

#[derive(Clone, Debug)]
enum Act {
    Say(bool, usize),
    Press { ana: bool, card: usize, action: usize },
    Submit { ana: bool, card: usize },
    Settle,
    Asked(bool),
    Listed(bool),
    Advance(i64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => (any::<bool>(), 0..TEXTS.len()).prop_map(|(ana, text)| Act::Say(ana, text)),
        4 => (any::<bool>(), 0..6usize, 0..Action::ALL.len())
            .prop_map(|(ana, card, action)| Act::Press { ana, card, action }),
        1 => (any::<bool>(), 0..6usize).prop_map(|(ana, card)| Act::Submit { ana, card }),
        3 => Just(Act::Settle),
        1 => any::<bool>().prop_map(Act::Asked),
        1 => any::<bool>().prop_map(Act::Listed),
        1 => (0..3_600_000i64).prop_map(Act::Advance),
    ];
    prop::collection::vec(act, 1..40)
}

fn who(ana: bool) -> (&'static str, &'static str) {
    if ana { ("ana", ANA) } else { ("bob", BOB) }
}

fn cards(w: &TestLane) -> Vec<Card> {
    let cards = w.lane.records.iter().filter_map(|record| match record {
        Record::Card(card) => Some(card.clone()),
        _ => None,
    });
    cards.collect()
}

fn play(w: &mut TestLane, act: &Act, said: &mut Vec<(bool, String)>) {
    match act {
        Act::Say(ana, text) => {
            let (name, word) = who(*ana);
            let text = TEXTS[*text].replace('W', word);
            let _ = w.says(name, &text);
            said.push((*ana, text));
        }
        Act::Press { ana, card, action } => {
            if let Some(card) = cards(w).get(*card) {
                let version = card.version;
                let _ = w.presses(who(*ana).0, card, version, Action::ALL[*action]);
            }
        }
        Act::Submit { ana, card } => {
            let (name, word) = who(*ana);
            if let Some(card) = cards(w).get(*card) {
                let _ = w.submits(name, card, &[("title", word), ("key", "DEMO-1")]);
                said.push((*ana, word.into()));
            }
        }
        Act::Settle => w.settle(),
        Act::Asked(ana) => {
            let asks = AssistantPosted {
                kind: MessageKind::Question,
                task: None,
                text: "Which one?".into(),
                expected: serde_json::from_value(serde_json::json!("free_text")).ok(),
                asked_of: Some(who(*ana).0.into()),
                expires: None,
                message_id: None,
            };
            let given = StepInput { now: w.now, ..StepInput::default() };
            let _ = w.event("", EventKind::AssistantPosted(asks), given);
        }
        Act::Listed(ana) => {
            let (name, word) = who(*ana);
            let shown: OptionsShown = serde_json::from_value(serde_json::json!({
                "scope": "chat", "scope_instance": "chat", "user": name,
                "options": [
                    { "id": "1", "label": format!("The {word} file"), "exec_ref": "open:1" },
                    { "id": "2", "label": format!("Another {word} file"), "exec_ref": "open:2" },
                ],
            }))
            .unwrap();
            let given = StepInput { now: w.now, ..StepInput::default() };
            let _ = w.event("", EventKind::OptionsShown(shown), given);
            said.push((*ana, word.into()));
        }
        Act::Advance(by) => w.advance(*by),
    }
}

fn erase(w: &mut TestLane, what: ErasureScope, person: Option<DataSubject>) -> Step {
    let given = StepInput { now: w.now, person: person.map(Box::new), ..StepInput::default() };
    w.event("", EventKind::Erasure(what), given)
}

fn erase_ana(w: &mut TestLane, said: &[(bool, String)]) -> Step {
    let mut ana = DataSubject::new("ana");
    let at = |n: usize| (Timestamp(0), n as u64);
    let said = || (0..).zip(said);
    said().filter(|(_, (theirs, _))| *theirs).for_each(|(n, (_, text))| ana.add_own_text(at(n), text));
    said().filter(|(_, (theirs, _))| !theirs).for_each(|(n, (_, text))| ana.add_other_text(at(n), text));
    ana.settle();
    erase(w, ErasureScope::Person { id: "ana".into() }, Some(ana))
}

/// Returns everything the lane stores, encoded.
fn kept(w: &TestLane) -> Vec<String> {
    let head = serde_json::to_string(&w.lane.head).unwrap();
    let records = w.lane.records.iter().map(|record| serde_json::to_string(record).unwrap());
    records.chain([head]).collect()
}

/// True if Bob's text lost nothing but words that Ana had said in a row before he said it first.
fn loses_only_quotations(before: &str, after: &str, said: &[(bool, String)]) -> bool {
    let spoken = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let until = said.iter().position(|(ana, text)| !ana && text == before).unwrap_or(0);
    let hers: Vec<_> = said[..until].iter().filter(|(ana, _)| *ana).map(|(_, text)| spoken(text)).collect();
    let quotes = |lost: &str| {
        let lost = spoken(lost);
        let said_in_a_row =
            |row: &[String]| hers.iter().any(|said| said.windows(row.len()).any(|run| run == row));
        !lost.is_empty() && lost.windows(lost.len().min(3)).all(said_in_a_row)
    };
    let mut rest = before;
    for (n, kept) in after.split(ERASED).enumerate() {
        let Some(at) = rest.find(kept) else { return false };
        if n == 0 && at != 0 || n > 0 && !quotes(&rest[..if kept.is_empty() { rest.len() } else { at }]) {
            return false;
        }
        rest = if kept.is_empty() && n > 0 { "" } else { &rest[at + kept.len()..] };
    }
    rest.is_empty()
}

/// Adds every text of a value, the names of its members too.
fn strings(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => into.push(text.clone()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| strings(value, into)),
        serde_json::Value::Object(members) => {
            for (name, value) in members {
                into.push(name.clone());
                strings(value, into);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_the_erased_person_is_left_and_the_others_stay(acts in acts(), model in any::<bool>()) {
        let mut w = TestLane::new();
        w.model = model;
        let mut said = Vec::new();
        for act in &acts {
            play(&mut w, act, &mut said);
        }
        let of_bob = |w: &TestLane| {
            let theirs = w.lane.records.iter().filter_map(|record| match record {
                Record::Message(message) if message.by == "bob" => Some(message.clone()),
                _ => None,
            });
            theirs.collect::<Vec<_>>()
        };
        let bobs = of_bob(&w);
        let step = erase_ana(&mut w, &said);
        prop_assert_eq!((step.decision.reason, step.decision.outcome), (Reason::Erasure, Verdict::Done));
        for stored in kept(&w) {
            for word in [ANA, "\"ana\"", "@ana"] {
                prop_assert!(!stored.to_lowercase().contains(word), "{} is in {}", word, stored);
            }
        }
        let told = serde_json::to_string(&step.effects).unwrap().to_lowercase();
        prop_assert!(!told.contains(ANA) && !told.contains("@ana"), "{}", told);
        // The end of a task may put its messages aside, as the end of any turn does. They stay in the store.
        let aside = |message: &Message| {
            step.changes.iter().any(|change| matches!(change, Change::Retire(key) if key.key == message.id.0))
        };
        let stay: Vec<Message> = bobs.into_iter().filter(|message| !aside(message)).collect();
        let left = of_bob(&w);
        prop_assert_eq!(left.len(), stay.len());
        for (before, after) in stay.iter().zip(&left) {
            prop_assert_eq!(&Message { text: before.text.clone(), ..after.clone() }, before);
            let quoted = loses_only_quotations(&before.text, &after.text, &said);
            prop_assert!(quoted, "what Bob wrote is Bob's: {:?} became {:?}", before.text, after.text);
        }
        for change in &step.approvals {
            prop_assert!(matches!(change, ApprovalChange::Close { .. }), "nothing is opened or decided: {:?}", change);
        }
        let again = erase_ana(&mut w, &said);
        let written = again.changes.iter().any(|change| !matches!(change, Change::Retire(_)));
        prop_assert!(!written && again.effects.is_empty(), "a second time changes nothing: {:?}", again);
    }

    /// People called like anything a lane stores: its keys, codes, ids, kinds and words.
    #[test]
    fn a_person_who_was_never_here_takes_nothing(acts in acts(), model in any::<bool>(), which in any::<prop::sample::Index>()) {
        let mut w = TestLane::new();
        w.model = model;
        let _ = w.says("bob", "Is the DEMO of AUTH-1 done?");
        for act in &acts {
            play(&mut w, act, &mut Vec::new());
        }
        let mut names = Vec::new();
        for stored in kept(&w) {
            strings(&serde_json::from_str(&stored).unwrap(), &mut names);
        }
        names.retain(|name| !["ana", "bob"].contains(&name.as_str()));
        let before = kept(&w);
        let step = erase(&mut w, ErasureScope::Person { id: names[which.index(names.len())].clone() }, None);
        prop_assert!(step.approvals.is_empty() && step.effects.is_empty() && step.cancel.is_empty(), "{:?}", step);
        prop_assert_eq!(&kept(&w)[..before.len() - 1], &before[..before.len() - 1]);
    }

    #[test]
    fn nothing_of_an_erased_lane_is_left(acts in acts(), model in any::<bool>()) {
        let mut w = TestLane::new();
        w.model = model;
        for act in &acts {
            play(&mut w, act, &mut Vec::new());
        }
        let step = erase(&mut w, ErasureScope::Lane, None);
        prop_assert_eq!(w.lane.records.iter().count(), 0);
        prop_assert_eq!(&w.lane.head, &throughline_engine::data::lane_state::LaneState::default());
        let told = serde_json::to_string(&step.effects).unwrap().to_lowercase();
        prop_assert!(!told.contains(ANA) && !told.contains(BOB), "{}", told);
    }
}

/// In each of the states a card can be in.
#[test]
fn an_erased_persons_card_is_closed_and_keeps_its_id() {
    for (name, mut w) in states() {
        let before = cards(&w);
        let step = erase(&mut w, ErasureScope::Person { id: "ana".into() }, None);
        let stored = kept(&w).join("\n").to_lowercase();
        for word in ["\"ana\"", "@ana", "login bug", "blank page", "for auth", "log out"] {
            assert!(!stored.contains(word), "{name}: {word} is in {stored}");
        }
        let after = cards(&w);
        let ids = |cards: &[Card]| cards.iter().map(|card| card.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&before), ids(&after), "{name}: cards keep their ids");
        for card in &after {
            let approvable = card.is_open() && card.is_approval();
            assert!(!approvable, "{name}: {card:?}");
        }
        let closed = before.iter().filter(|card| card.is_approval() && card.is_open()).count();
        let closes =
            step.approvals.iter().filter(|change| matches!(change, ApprovalChange::Close { .. })).count();
        assert_eq!(closes, closed, "{name}: each open approval is cancelled");
        let live = w.lane.records.iter().any(|record| {
            matches!(record, Record::Task(task) if task.status.is_live() && task.status != TaskStatus::Queued)
        });
        assert!(!live, "{name}: what they asked for is over");
    }
}

/// A person who has another's review shown in full, which a model is asked for, has not said its words.
#[test]
fn a_review_that_was_shown_in_full_stays_its_authors() {
    let mut w = TestLane::new();
    let text = "review this: we must keep the cache, the risk is that it leaks";
    let _ = w.says("bob", text);
    w.model = true;
    let card = cards(&w).pop().expect("a review");
    let _ = w.presses("ana", &card, card.version, Action::ShowFull);
    assert!(w.lane.head.ask.is_some(), "a model is asked");
    let _ = erase_ana(&mut w, &[(false, text.to_owned())]);
    let said = |record: &Record| matches!(record, Record::Message(message) if message.text == text);
    assert!(w.lane.records.iter().any(said), "{:#?}", kept(&w));
}

/// Another person's card with erased words in it cannot be approved any more: its content has changed.
#[test]
fn another_persons_card_with_erased_words_is_closed() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "The search page shows nothing at all on Mondays");
    let _ = w.says("bob", "Create a ticket for The search page shows nothing at all on Mondays");
    let mut said = vec![(true, "The search page shows nothing at all on Mondays".to_owned())];
    let step = erase_ana(&mut w, &said);
    assert!(
        matches!(step.approvals[..], [ApprovalChange::Close { .. }]),
        "her very words are on Bob's card, which is closed"
    );

    let mut w = TestLane::new();
    let asked = w.says("bob", TICKET);
    let card = w.card();
    w.settle();
    let _ = w.submits("ana", &card, &[("title", "Kestrelgate is down"), ("actual", "a kestrelgate page")]);
    said = vec![(true, "Kestrelgate is down".to_owned()), (true, "a kestrelgate page".to_owned())];
    assert!(!asked.messages.is_empty());
    let step = erase_ana(&mut w, &said);
    assert!(matches!(step.approvals[..], [ApprovalChange::Close { .. }]), "{:?}", step.approvals);
    assert_eq!(w.card().status, CardStatus::Withdrawn);
    assert!(!kept(&w).join("").to_lowercase().contains(ANA));
    let told = serde_json::to_string(&step.effects).unwrap();
    assert!(told.contains("Somebody's data was erased"), "{told}");
    let stored = kept(&w).join("");
    assert!(
        stored.contains("open /login") && stored.contains(ERASED),
        "what Bob wrote of it stays: {stored}"
    );
}

/// An erased person may write again, and is treated as new.
#[test]
fn an_erased_person_may_write_again() {
    let mut w = TestLane::new();
    let _ = w.says("ana", TICKET);
    w.settle();
    let _ = erase(&mut w, ErasureScope::Person { id: "ana".into() }, None);
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    assert!(card.is_open() && card.by == "ana");
    let done = w.presses("bob", &card, 1, Action::Approve);
    assert_eq!(done.decision.reason, Reason::PressApplied);
}

/// A message that waits for a model, and the question to the model.
#[test]
fn a_model_call_with_erased_words_is_cancelled() {
    let mut w = TestLane::new();
    w.model = true;
    let _ = w.says("ana", "What do you think about kestrelgate?");
    let ask = w.lane.head.ask.clone().expect("a model is asked");
    let step = erase(&mut w, ErasureScope::Person { id: "ana".into() }, None);
    assert_eq!((w.lane.head.ask.as_ref(), &step.cancel[..]), (None, &[ask.effect][..]));
    assert!(!w.lane.records.iter().any(|record| matches!(record, Record::Held(_))));

    let mut w = TestLane::new();
    w.model = true;
    let _ = w.says("bob", "What do you think about marmotworth?");
    let _ = erase(&mut w, ErasureScope::Person { id: "ana".into() }, None);
    assert!(w.lane.head.ask.is_some(), "what Bob asked goes on");
}

/// Work an erased person started elsewhere is told to stop, once; work for others goes on.
#[test]
fn work_elsewhere_for_an_erased_person_is_stopped() {
    for (by, what, stops) in [
        ("ana", ErasureScope::Person { id: "ana".into() }, true),
        ("bob", ErasureScope::Person { id: "ana".into() }, false),
        ("bob", ErasureScope::Lane, true),
    ] {
        let mut w = TestLane::new();
        w.policy.agents.insert("writer".into(), Agent { risk: Risk::Read, stops: true });
        let handed = w.says(by, "@writer write about the launch");
        let call = handed.effects.iter().find(|effect| effect.body.class() == EffectClass::AgentDelegate);
        let call = call.expect("it is handed over").id.clone();
        let step = erase(&mut w, what.clone(), None);
        let told: Vec<&EffectId> = stopped(&step);
        assert_eq!(told, [&call].into_iter().filter(|_| stops).collect::<Vec<_>>(), "{by}: {what:?}");
        assert_eq!(step.cancel.contains(&call), stops, "{by}: {what:?}");
        assert_eq!(stopped(&erase(&mut w, what, None)), [] as [&EffectId; 0], "only once");
    }
}

/// Returns the effects that a step tells others to stop.
fn stopped(step: &Step) -> Vec<&EffectId> {
    let calls = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::AgentDelegate(Call { phase: CallPhase::Stop { effect }, .. }) => Some(effect),
        _ => None,
    });
    calls.collect()
}

fn facts(w: &TestLane) -> Vec<(String, String, i64, usize)> {
    let facts = w.lane.records.iter().filter_map(|record| match record {
        Record::Fact(fact) => {
            Some((fact.text.clone(), fact.author.clone(), fact.source_ts.0, fact.sources.len()))
        }
        _ => None,
    });
    facts.collect()
}

/// A fact stated by Ana and Bob stays with Bob's words and time; one stated by Ana alone goes, and her message cannot
/// yield it again.
// row: C62
#[test]
fn a_fact_stated_by_two_stays_with_the_other() {
    let mut w = TestLane::new();
    let _ = w.says("bob", "remember that we use POSTGRES");
    let bobs = w.now;
    w.advance(60_000);
    let _ = w.says("ana", "remember that we use Postgres.");
    let _ = w.says("ana", "remember that the kestrelgate opens in May");
    assert_eq!(facts(&w).len(), 2);
    let hers = w.lane.records.iter().find_map(|record| match record {
        Record::Message(message) if message.text.contains("kestrelgate opens") => Some(message.clone()),
        _ => None,
    });
    let hers = hers.unwrap();
    assert!(
        facts(&w).iter().any(|(_, author, at, sources)| author == "ana" && *at > bobs.0 && *sources == 2)
    );
    let _ = erase(&mut w, ErasureScope::Person { id: "ana".into() }, None);
    assert_eq!(facts(&w), [("we use POSTGRES".to_owned(), "bob".to_owned(), bobs.0, 1)]);
    assert_eq!(w.lane.head.gone.len(), 2, "each of her messages, and no word of it: {:?}", w.lane.head.gone);
    let kept = kept(&w).join("").to_lowercase();
    assert!(!kept.contains(ANA) && !kept.contains("\"ana\""), "{kept}");
    // Her message arrives once more, from somebody who still has it.
    let kind =
        EventKind::MessageEdited { message: "1".into(), text: hers.text.clone(), metadata_only: false };
    let step = w.event("ana", kind, StepInput { anchor: Some(hers), ..w.given("ana") });
    assert!(step.trace.also.contains(&Reason::FactErased), "{:?}", step.trace.also);
    assert_eq!(facts(&w).len(), 1, "not re-created from her message");
    let _ = w.says("ana", "remember that the kestrelgate opens in May");
    assert_eq!(facts(&w).len(), 2, "she may state it anew");
}

/// A summary's tail that covers erased messages is withheld, and made again from the others.
// row: C41
#[test]
fn a_summary_that_covers_erased_words_is_made_again_without_them() {
    let mut w = TestLane::new();
    for n in 0..6 {
        let (who, word) = who(n % 2 == 0);
        let _ = w.says(who, &format!("We decided: {word} {n} must be done by Friday"));
    }
    let said = w.lane.records.iter().filter_map(|record| match record {
        Record::Message(message) if !message.by.is_empty() => Some(message.clone()),
        _ => None,
    });
    let mut covered: Vec<_> = said.collect();
    covered.sort_by_key(|message| message.id.clone());
    covered.truncate(4);
    w.lane.head.covered = Some(Arc::new(ConversationSummary {
        summary: Some(format!("They want {ANA} and {BOB} by Friday.")),
        tail: vec![format!("2026-01-15 ana: We decided: {ANA} 0 must be done by Friday")],
        cursor: 4,
        through: covered.last().map(|message| message.id.clone()),
        ..ConversationSummary::default()
    }));
    let tail = |w: &TestLane| {
        let covered = w.lane.head.covered.as_deref();
        covered
            .map(|covered| format!("{:?} {}", covered.summary, covered.tail.join("\n")))
            .unwrap_or_default()
    };
    let given = StepInput { now: w.now, covered, ..StepInput::default() };
    let step = w.event("", EventKind::Erasure(ErasureScope::Person { id: "ana".into() }), given);
    assert!(step.trace.also.contains(&Reason::SummaryWithheld), "{:?}", step.trace.also);
    assert!(!tail(&w).contains(ANA) && tail(&w).contains(BOB), "{}", tail(&w));
    assert!(!kept(&w).join("").to_lowercase().contains(ANA));
}
