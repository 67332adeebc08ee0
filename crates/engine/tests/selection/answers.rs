//! Random answers of a model: 50,000 in a test run, and `THROUGHLINE_ANSWERS` in a soak.

use throughline_engine::data::ask::{Answer, SELECT_CONTRACT, SelectVerdict};
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{Event, EventKind};
use throughline_engine::data::lane_key::LaneKey;
use throughline_engine::data::selection_trace::Provenance;
use throughline_engine::{Reason, Step, StepInput, step};

use crate::lists::{self, Lists, settled, shown};

/// Choices that are none of the three offered, or only look like one; ids of this list, of another, and of somebody
/// else's.
const ODD: [&str; 24] = [
    "c0",
    "c4",
    "c9",
    "c99",
    "C1",
    "c01",
    "c1 ",
    " c1",
    "c 1",
    "с1",
    "ｃ1",
    "c１",
    "c1\u{200b}",
    "1",
    "",
    "first",
    "opt-0",
    "p-1",
    "w-1",
    "sample2",
    "Links Panel D",
    "c1,c2",
    "*",
    "null",
];
const NEEDS: [&str; 8] = [
    "chat_active_options",
    "chat_recoverable_options",
    "active_widget_items",
    "active_dashboard_items",
    "active_workspace_items",
    "scope_disambiguation_hint",
    "everything",
    "",
];

/// A random number generator (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
    }
}

/// A well-formed answer.
pub(crate) fn proper(how: u8, place: usize, confidence: u8) -> Answer {
    let says = match how % 4 {
        0 => SelectVerdict::Select,
        1 => SelectVerdict::None,
        2 => SelectVerdict::NeedMoreInfo,
        _ => SelectVerdict::RequestContext,
    };
    let choice = (says == SelectVerdict::Select).then(|| format!("c{place}"));
    let needs = (says == SelectVerdict::RequestContext).then(|| "chat_active_options".to_string());
    let contract = SELECT_CONTRACT.into();
    Answer::Select { contract, says, choice, confidence, needs: needs.into_iter().collect() }
}

/// Any answer at all.
fn any(dice: &mut Dice) -> Answer {
    if dice.below(20) == 0 {
        return Answer::None {
            why: ["timeout", "out_of_pool", "schema", "prose", "x"][dice.below(5)].into(),
        };
    }
    let contract = if dice.below(8) == 0 {
        ["", "tl-ask-0", "tl-ask-10", "TL-ASK-1"][dice.below(4)]
    } else {
        SELECT_CONTRACT
    };
    let says = [
        SelectVerdict::Select,
        SelectVerdict::Select,
        SelectVerdict::Select,
        SelectVerdict::None,
        SelectVerdict::NeedMoreInfo,
        SelectVerdict::RequestContext,
    ][dice.below(6)];
    let choice = match dice.below(8) {
        0 => None,
        1..=3 => Some(format!("c{}", 1 + dice.below(3))),
        _ => Some(ODD[dice.below(ODD.len())].to_string()),
    };
    let needs = (0..dice.below(4)).map(|_| NEEDS[dice.below(NEEDS.len())].to_string()).collect();
    let confidence = u8::try_from(dice.below(256)).unwrap();
    Answer::Select { contract: contract.into(), says, choice, confidence, needs }
}

/// A lane where a model is asked about the first list; a second list is on the screen, and others belong to other
/// people.
fn asking(lane: &str, auto_execute: bool) -> (Lists, Effect) {
    let mut w = Lists::new(auto_execute);
    w.lane.key = LaneKey::new(lane, "app", "web", "session", "");
    let others =
        throughline_engine::data::option_set::OptionsShown { user: Some("bob".into()), ..shown(1, 0) };
    for list in [others, shown(2, 0), shown(0, 0)] {
        let _ = w.event("", EventKind::OptionsShown(list));
    }
    let step = w.says("ana", "open sampl");
    let ask = step.effects.iter().find(|effect| matches!(effect.body, EffectBody::ModelAsk(_)));
    let ask = ask.unwrap_or_else(|| panic!("a model is asked: {:?}", step.decision)).clone();
    (w, ask)
}

fn answered(w: &Lists, ask: &Effect, answer: Answer) -> Step {
    let outcome = Outcome::Done { result: EffectResult::Answered(answer) };
    let event =
        Event { id: "answer".into(), received_at: w.now, actor: String::new(), kind: settled(ask, outcome) };
    let given = StepInput { now: w.now, model: true.into(), ..StepInput::default() };
    step(&w.lane, &event, &given, &w.policy)
}

/// Returns the only option the answer may execute: the one that "open sampl" begins to spell, named by its alias,
/// well-formed and confident enough.
fn may(answer: &Answer) -> Option<&'static str> {
    let Answer::Select { contract, says: SelectVerdict::Select, choice, confidence, needs } = answer else {
        return None;
    };
    let proper = contract == SELECT_CONTRACT && (85..=100).contains(confidence) && needs.len() <= 2;
    let known = needs.iter().all(|need| NEEDS[..6].contains(&need.as_str()));
    (proper && known && choice.as_deref() == Some("c3")).then_some("opt-2")
}

#[test]
fn no_answer_executes_anything_outside_the_pool() {
    let rounds = std::env::var("THROUGHLINE_ANSWERS").ok().and_then(|n| n.parse().ok()).unwrap_or(50_000);
    let (off, ask_off) = asking("acme", false);
    let (on, ask_on) = asking("acme", true);
    let (_, foreign) = asking("other-tenant", true);
    let mut dice = Dice(42);
    let mut executions = 0;
    for _ in 0..rounds {
        let answer = any(&mut dice);
        // Without auto-execution only the rules may execute an option, and they matched none.
        let step = answered(&off, &ask_off, answer.clone());
        assert_eq!(crate::executed(&step), [], "{answer:?}");
        // With it, only an offered option may run, named exactly.
        let step = answered(&on, &ask_on, answer.clone());
        let done = crate::executed(&step);
        match (done.as_slice(), may(&answer)) {
            ([], None) => {}
            ([(set, option, user)], Some(named)) => {
                executions += 1;
                assert_eq!(
                    (set.as_str(), option.as_str(), user.as_str()),
                    (lists::id(0).as_str(), named, "ana")
                );
                let account = step.trace.selection.as_deref().unwrap();
                assert_eq!(account.provenance, Some(Provenance::LlmExecuted));
            }
            (done, may) => panic!("{answer:?} executed {done:?} and not {may:?}"),
        }
        // The answer to a question in another tenant's lane has no effect here.
        if dice.below(50) == 0 {
            assert_eq!(crate::executed(&answered(&on, &foreign, answer)), []);
        }
    }
    assert!(executions > rounds / 1_000, "{executions} of {rounds} answers were proper");
}

/// A text that was written before a list or a question was shown answers neither.
#[test]
fn what_its_writer_had_not_seen_is_not_answered() {
    let mut w = Lists::new(false);
    let _ = w.event("", EventKind::OptionsShown(shown(0, 0)));
    let early = |w: &Lists, text: &str| {
        let posted =
            throughline_engine::data::event::MessagePosted { text: text.into(), ..Default::default() };
        let received_at = w.now.plus(-1);
        let event = Event {
            id: "early".into(),
            received_at,
            actor: "ana".into(),
            kind: EventKind::MessagePosted(posted),
        };
        step(&w.lane, &event, &w.given("ana"), &w.policy)
    };
    let said = early(&w, "2");
    assert_eq!((said.decision.reason, crate::executed(&said)), (Reason::OptionUnseen, Vec::new()));
    let asked = serde_json::json!({ "kind": "question", "text": "Shall I send it?", "expected": "boolean" });
    let asked = serde_json::from_value(asked).unwrap();
    let _ = w.event("", EventKind::AssistantPosted(asked));
    let said = early(&w, "yes");
    assert!(said.trace.also.contains(&Reason::PendingUnseen), "{:?}", said.decision);
    assert_eq!(said.decision.applied, None);
}
