//! Acts that a host asks leave for: what it is handed is what a person approved, to the byte, whatever is asked, revised,
//! pressed and said in between (`docs/design/0077-acts-of-hosts.md`).

mod harness;

use std::collections::BTreeMap;

use harness::TestLane;
use proptest::prelude::*;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::Card;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::decision::Verdict;
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::EventKind;
use throughline_engine::data::fault::Fault;
use throughline_engine::data::host_act::{HostAct, RequestState};
use throughline_engine::data::policy::{ApproverRule, limits};
use throughline_engine::data::record::Record;
use throughline_engine::{Policy, Reason, Step, Timestamp};

fn lane() -> TestLane {
    let mut w = TestLane::new();
    w.policy.approvers.push(ApproverRule {
        effects: vec!["host.act".into()],
        targets: vec!["act:*".into()],
        self_approve: false,
        ..Policy::demo_rule(&["role:approver"])
    });
    w
}

fn act(id: &str, payload: &str) -> HostAct {
    HostAct {
        request_id: id.into(),
        title: format!("Do {payload}"),
        target: "web".into(),
        payload: payload.into(),
        lines: vec!["one line".into()],
        expires: None,
    }
}

fn asks(w: &mut TestLane, by: &str, act: HostAct) -> Step {
    let given = w.given(by);
    w.event(by, EventKind::ApprovalRequested(act), given)
}

fn shown(step: &Step) -> Option<&CardModel> {
    step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } => Some(card),
        _ => None,
    })
}

fn state(step: &Step) -> RequestState {
    shown(step).and_then(|card| card.request.as_ref()).expect("a card of a request").state
}

fn handed(effects: &[Effect]) -> Vec<(Effect, HostAct)> {
    let act = |effect: &Effect| match &effect.body {
        EffectBody::HostAct(call) => Some((effect.clone(), call.job.act()?.clone())),
        _ => None,
    };
    effects.iter().filter_map(act).collect()
}

fn cards(w: &TestLane) -> Vec<Card> {
    let card = |record: &Record| match record {
        Record::Card(card) => Some(card.clone()),
        _ => None,
    };
    w.lane.records.iter().filter_map(card).collect()
}

#[test]
fn a_card_tells_its_host_how_the_request_stands() {
    let done = Outcome::Done { result: EffectResult::Said { text: String::new() } };
    let failed =
        Outcome::Failed { reason: "rejected".into(), text: Fault::Said("no".into()), errors: Vec::new() };
    let uncertain = Outcome::Uncertain { text: Fault::Said("no".into()) };
    for (outcome, ends) in
        [(done, RequestState::Done), (failed, RequestState::Failed), (uncertain, RequestState::Uncertain)]
    {
        let mut w = lane();
        let asked = asks(&mut w, "ana", act("r", "1"));
        assert_eq!((asked.decision.outcome, state(&asked)), (Verdict::Shown, RequestState::Pending));
        let card = w.card();
        let pressed = w.presses("bob", &card, 1, Action::Approve);
        assert_eq!(state(&pressed), RequestState::Approved);
        let (effect, _) = handed(&pressed.effects).remove(0);
        let _ = w.outcome(&effect, outcome);
        let again = asks(&mut w, "ana", act("r", "1"));
        assert_eq!((again.decision.reason, state(&again)), (Reason::RequestKnown, ends));
    }
    let mut w = lane();
    let _ = asks(&mut w, "ana", act("r", "1"));
    let card = w.card();
    assert_eq!(state(&w.presses("bob", &card, 1, Action::Reject)), RequestState::Rejected);
}

#[test]
fn who_asked_or_revised_does_not_approve() {
    let mut w = lane();
    let _ = asks(&mut w, "ana", act("r", "1"));
    let _ = asks(&mut w, "bob", act("r", "2"));
    let card = w.card();
    for who in ["ana", "bob"] {
        assert_eq!(w.presses(who, &card, 2, Action::Approve).decision.reason, Reason::PressSelf, "{who}");
    }
    assert_eq!(w.presses("cleo", &card, 2, Action::Approve).decision.reason, Reason::PressApplied);
}

#[test]
fn only_so_many_requests_wait() {
    let mut w = lane();
    for n in 0..limits::OPEN_REQUESTS {
        let step = asks(&mut w, "ana", act(&n.to_string(), "1"));
        assert_eq!(step.decision.reason, Reason::ApprovalNeeded, "{n}");
    }
    assert_eq!(asks(&mut w, "ana", act("more", "1")).decision.reason, Reason::RequestTooMany);
    let card = w.card();
    let _ = w.presses("bob", &card, 1, Action::Reject);
    assert_eq!(asks(&mut w, "ana", act("more", "1")).decision.reason, Reason::ApprovalNeeded);
}

#[derive(Clone, Debug)]
enum Does {
    Asks { by: &'static str, id: u8, payload: String },
    Presses { who: &'static str, card: usize, version: u32, approves: bool },
    Says(&'static str, &'static str),
    Settles { effect: usize, how: u8 },
    Waits(i64),
}

/// Words that approve, stop or speak of what waits, in English and German.
const WORDS: [&str; 12] = [
    "approve",
    "yes, do it",
    "stop",
    "approve the first one",
    "LGTM, ship it",
    "what is open?",
    "freigeben",
    "ja, mach das",
    "Stopp",
    "die erste freigeben",
    "genehmigt",
    "was ist offen?",
];

fn doings() -> impl Strategy<Value = Vec<Does>> {
    let who = || prop_oneof![Just("ana"), Just("bob"), Just("cleo"), Just("eve")];
    let payload = prop_oneof!["[a-z{}\":,0-9]{1,12}", "\\PC{1,12}"];
    let one = prop_oneof![
        4 => (who(), 0..3u8, payload).prop_map(|(by, id, payload)| Does::Asks { by, id, payload }),
        4 => (who(), 0..4usize, 1..4u32, any::<bool>())
            .prop_map(|(who, card, version, approves)| Does::Presses { who, card, version, approves }),
        2 => (who(), 0..WORDS.len()).prop_map(|(who, at)| Does::Says(who, WORDS[at])),
        2 => (0..3usize, 0..3u8).prop_map(|(effect, how)| Does::Settles { effect, how }),
        1 => (0..3 * Timestamp::DAY).prop_map(Does::Waits),
    ];
    prop::collection::vec(one, 1..40)
}

proptest! {
    /// Each act that a host is handed has the content that its card showed at the version that somebody pressed, under the
    /// approval of that version; and it is handed once for each press.
    #[test]
    fn what_a_host_is_handed_is_what_a_person_approved(doings in doings()) {
        let mut w = lane();
        // The contents that cards showed, by card and version.
        let mut shown_as: BTreeMap<(String, u32), String> = BTreeMap::new();
        for doing in doings {
            let mut pressed = None;
            let step = match doing {
                Does::Asks { by, id, payload } => asks(&mut w, by, act(&format!("r{id}"), &payload)),
                Does::Presses { who, card, version, approves } => {
                    let Some(card) = cards(&w).get(card).cloned() else { continue };
                    let action = match (&card.uncertain_effect(), approves) {
                        (Some(_), true) => Action::DoAgain,
                        (Some(_), false) => Action::Happened,
                        (None, true) => Action::Approve,
                        (None, false) => Action::Reject,
                    };
                    pressed = Some((card.id.0.clone(), version));
                    w.presses(who, &card, version, action)
                }
                Does::Says(who, text) => w.says(who, text),
                Does::Settles { effect, how } => {
                    let acts = handed(&w.effects);
                    let Some((effect, _)) = acts.iter().rev().nth(effect) else { continue };
                    w.outcome(effect, match how {
                        0 => Outcome::Done { result: EffectResult::Said { text: String::new() } },
                        1 => Outcome::Uncertain { text: Fault::Said("no".into()) },
                        _ => Outcome::Failed {
                            reason: "rejected".into(), text: Fault::Said("no".into()), errors: Vec::new(),
                        },
                    })
                }
                Does::Waits(by) => {
                    w.advance(by);
                    continue;
                }
            };
            for effect in &step.effects {
                if let EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } = &effect.body
                    && let Some(field) = card.fields.iter().find(|field| field.name == "payload")
                {
                    let before = shown_as.insert((card.id.0.clone(), card.version), field.text.clone());
                    prop_assert!(before.is_none_or(|before| before == field.text), "a version shows one content");
                }
            }
            let acts = handed(&step.effects);
            prop_assert!(acts.len() <= usize::from(pressed.is_some()), "only a press hands over an act");
            for (effect, act) in acts {
                let approval = effect.approval.expect("it names its approval");
                let at = (approval.card.0.clone(), approval.version);
                prop_assert_eq!(Some(&at), pressed.as_ref());
                prop_assert_eq!(shown_as.get(&at), Some(&act.payload));
            }
        }
    }
}
