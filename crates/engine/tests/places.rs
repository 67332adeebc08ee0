//! Facts beyond one lane: facts about an epic are stored with the epic, and nothing of another lane or tenant is
//! shown.

mod harness;

use harness::places::Places;
use harness::{BATCH, TestLane};
use proptest::prelude::*;
use throughline_engine::data::action::Action;
use throughline_engine::data::ask::Answer;
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{EventKind, FactStated, MessagePosted};
use throughline_engine::data::fact::{FactKey, FactScope, FactType};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::lane_key::LaneKey;
use throughline_engine::data::message::Message;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::data::record::Record;
use throughline_engine::data::task::TaskReported;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::data::ticket::ItemType;
use throughline_engine::{Reason, Step, StepInput};

fn epic(id: &str) -> FactKey {
    FactKey::epic("acme", id)
}

/// A preview of an epic with stories, and the scope id of the epic's draft.
fn previewed() -> (TestLane, String) {
    let mut w = TestLane::new();
    let _ = w.says("ana", BATCH);
    w.settle();
    let draft = w.lane.records.iter().find_map(|record| match record {
        Record::Draft(draft) if draft.item_type == ItemType::Epic => Some(draft.id.0.clone()),
        _ => None,
    });
    (w, format!("draft:{}", draft.unwrap()))
}

/// Creates the epic as AUTH-12.
fn create(w: &mut TestLane, places: &mut Places) {
    let card = w.card();
    let _ = w.presses("ana", &card, card.version, Action::ConfirmQuantity);
    let step = w.presses("ana", &card, card.version, Action::Approve);
    let create = step.effects.iter().find(|one| matches!(one.body, EffectBody::TrackerCreate { .. }));
    let create = create.unwrap_or_else(|| panic!("{:?} {:?}", step.decision, step.effects));
    let kind = EventKind::EffectSettled {
        effect: create.id.clone(),
        outcome: Outcome::Done { result: EffectResult::Issue { key: "AUTH-12".into(), url: None } },
        card: create.body.card().cloned(),
        task: create.body.task().cloned(),
        unshown: None,
    };
    let given = w.given("");
    let _ = places.event(w, "", kind, given);
}

fn says(w: &mut TestLane, places: &mut Places, text: &str) -> Step {
    let given = w.given("ana");
    let posted =
        MessagePosted { text: text.into(), message_id: Some(text.into()), ..MessagePosted::default() };
    places.event(w, "ana", EventKind::MessagePosted(posted), given)
}

/// Returns the prompts of a discussion: the one that classifies the message, and the one that answers it.
fn prompts(w: &mut TestLane, places: &mut Places, step: Step) -> Vec<String> {
    let (mut told, mut step) = (Vec::new(), step);
    while let Some((effect, ask)) = step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::ModelAsk(ask) => Some((effect.clone(), ask.clone())),
        _ => None,
    }) {
        told.push(format!("{} {:?}", ask.prompt.text(), ask.question));
        let answer = match ask.purpose() {
            Purpose::Classify => {
                Answer::Classify { label: "discussion".into(), confidence: 90, anchor: None }
            }
            _ => Answer::Text { text: "Nothing yet.".into(), facts: Vec::new() },
        };
        let kind = EventKind::EffectSettled {
            effect: effect.id,
            outcome: Outcome::Done { result: EffectResult::Answered(answer) },
            card: None,
            task: None,
            unshown: None,
        };
        let given = w.given("");
        step = places.event(w, "", kind, given);
    }
    told
}

fn message(w: &TestLane, text: &str) -> Message {
    let found = w.lane.records.iter().find_map(|record| match record {
        Record::Message(message) if message.text == text => Some(message.clone()),
        _ => None,
    });
    found.unwrap()
}

/// A fact stated for the draft's id is stored with the draft's facts.
// row: C55
#[test]
fn a_late_fact_for_a_draft_is_stored_with_its_issue() {
    let (mut w, draft) = previewed();
    let mut places = Places::default();
    let state = |w: &mut TestLane, places: &mut Places, text: &str| {
        let fact = FactStated {
            kind: FactType::Constraint,
            scope: FactScope::Epic,
            epic: Some(draft.clone()),
            text: text.into(),
            subject: None,
        };
        let given = w.given("ana");
        assert_eq!(
            places.event(w, "ana", EventKind::FactStated(fact), given).decision.reason,
            Reason::FactAdded
        );
    };
    state(&mut w, &mut places, "no data leaves EU");
    assert_eq!(places.facts(&epic(&draft)).len(), 1);
    create(&mut w, &mut places);
    assert_eq!((places.facts(&epic(&draft)).len(), places.facts(&epic("AUTH-12")).len()), (0, 1));
    state(&mut w, &mut places, "audits need two people");
    assert_eq!((places.facts(&epic(&draft)).len(), places.facts(&epic("AUTH-12")).len()), (0, 2));
}

/// A fact erased from a draft stays erased when the draft becomes an issue, whether or not other facts are known.
#[test]
fn facts_erased_from_a_draft_stay_erased_in_its_issue() {
    const WORDS: &str = "Remember for this epic that no data leaves the EU";
    for others in [false, true] {
        let (mut w, draft) = previewed();
        let mut places = Places::default();
        if others {
            let _ = says(&mut w, &mut places, "Remember for this epic that audits need two people");
        }
        assert_eq!(says(&mut w, &mut places, WORDS).decision.reason, Reason::FactAdded);
        let said = message(&w, WORDS);
        let fact = places.facts(&epic(&draft)).into_iter().find(|fact| fact.text.contains("EU")).unwrap();
        let back = EventKind::FactTakenBack { key: epic(&draft), fact: fact.canonical_id };
        let given = w.given("ana");
        let _ = places.event(&mut w, "ana", back, given);
        create(&mut w, &mut places);
        let again = |w: &mut TestLane, places: &mut Places| {
            let text = format!("{WORDS}. So much for that");
            let kind = EventKind::MessageEdited { message: WORDS.into(), text, metadata_only: false };
            let given = StepInput { anchor: Some(said.clone()), ..w.given("ana") };
            places.event(w, "ana", kind, given)
        };
        let step = again(&mut w, &mut places);
        assert!(step.trace.also.contains(&Reason::FactErased), "{:?}", step.trace.also);
        assert_eq!(places.facts(&epic("AUTH-12")).len(), usize::from(others));
        // Another message may state it again.
        assert_eq!(says(&mut w, &mut places, WORDS).decision.reason, Reason::FactAdded);
        assert_eq!(places.facts(&epic("AUTH-12")).len(), 1 + usize::from(others));
    }
}

/// Lanes that share some of their places.
fn lanes() -> Vec<TestLane> {
    let key = |tenant: &str, app: &str, channel: &str, conversation: &str, thread: &str| {
        LaneKey::new(tenant, app, channel, conversation, thread)
    };
    let keys = [
        key("acme", "app", "web", "room", ""),
        key("acme", "app", "web", "room", "t1"),
        key("acme", "app", "web", "hall", ""),
        key("acme", "app", "slack", "room", ""),
        key("acme", "other", "web", "room", ""),
        key("globex", "app", "web", "room", ""),
        key("globex", "app", "web", "room", "t1"),
    ];
    let harness = |key: LaneKey| {
        let mut harness = TestLane::new();
        (harness.lane, harness.model) = (Lane::new(key), true);
        harness
    };
    keys.into_iter().map(harness).collect()
}

/// A word that is used in one lane only.
fn word(lane: usize, of: &str) -> String {
    format!("{of}word{}", ["alpha", "bravo", "carol", "delta", "ember", "fjord", "gamma"][lane])
}

/// Messages of people and hosts; `W` is the lane's own word, `C` one that its channel may know.
const SAID: [&str; 6] = [
    "remember that W is so",
    "remember for this channel that C is so",
    "Decision: W stays",
    "note W",
    "We agreed for this channel that C stays",
    "what of W?",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A prompt contains nothing of another tenant or lane, except facts of its channel.
    #[test]
    fn a_prompt_shows_its_own_lane_and_channel_facts(acts in prop::collection::vec((0..7usize, 0..8usize), 1..40)) {
        let (mut lanes, mut places) = (lanes(), Places::default());
        let count = lanes.len();
        let mut seen = 0;
        // Every lane knows something, and every lane is asked at the end.
        let know = (0..count).flat_map(|lane| [(lane, 0), (lane, 1)]);
        let ask = (0..count).map(|lane| (lane, 7));
        for (lane, act) in know.chain(acts).chain(ask) {
            let w = &mut lanes[lane];
            w.advance(60_000);
            let (own, common) = (word(lane, "lane"), word(lane, "channel"));
            let kind = match SAID.get(act) {
                Some(text) => {
                    let text = text.replace('W', &own).replace('C', &common);
                    EventKind::MessagePosted(MessagePosted { text, ..MessagePosted::default() })
                }
                None if act == 6 => EventKind::TaskReported(TaskReported {
                    task: own.clone().as_str().into(),
                    status: TaskStatus::Completed,
                    intent: Some(format!("do {own}")),
                    ..TaskReported::default()
                }),
                None => {
                    let text = "what do you think of all this?".into();
                    EventKind::MessagePosted(MessagePosted { text, ..MessagePosted::default() })
                }
            };
            let given = w.given("ana");
            let step = places.event(w, "ana", kind, given);
            let key = w.lane.key.clone();
            for prompt in prompts(w, &mut places, step) {
                seen += usize::from(prompt.contains("## FACTS"));
                for other in (0..count).filter(|other| *other != lane) {
                    prop_assert!(!prompt.contains(&word(other, "lane")), "{other} in {lane}: {prompt}");
                    let theirs = &lanes[other].lane.key;
                    if FactKey::channel(theirs) != FactKey::channel(&key) {
                        prop_assert!(!prompt.contains(&word(other, "channel")), "{other} in {lane}: {prompt}");
                    }
                }
            }
        }
        prop_assert!(seen >= count, "facts are shown at all");
    }
}

/// Channel facts are shown in the other threads; without this test the property above would hold for prompts that
/// show nothing.
#[test]
fn a_channel_fact_is_shown_in_its_other_threads() {
    let (mut lanes, mut places) = (lanes(), Places::default());
    let _ = says(&mut lanes[0], &mut places, "remember for this channel that magpies are free");
    for (n, lane) in lanes.iter_mut().enumerate() {
        let step = says(lane, &mut places, "what do you think of all this?");
        let prompt = prompts(lane, &mut places, step).pop().unwrap();
        assert_eq!(prompt.contains("magpies are free"), n < 2, "{n}");
    }
}
