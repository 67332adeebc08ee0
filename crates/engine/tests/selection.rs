//! Lists of options under random play: invariants over anything shown, said, pressed and answered.
//! `selection/texts.rs` covers one text with one list, and `selection/answers.rs` the answers of a model.

mod harness;

#[path = "selection/answers.rs"]
mod answers;
#[path = "selection/lists.rs"]
mod lists;
#[path = "selection/texts.rs"]
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use lists::{Lists, SPOKEN, shown};
use proptest::prelude::*;
use throughline_engine::data::ask::{Answer, Question as Put};
use throughline_engine::data::call::Job;
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{EventKind, FocusChanged, Press};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::selection_trace::{Provenance, SelectionTrace};
use throughline_engine::data::task::Task;
use throughline_engine::data::view::{InFlight, ListState, ListStatus, ParkReason, View};
use throughline_engine::{Reason, Step, Timestamp, Verdict};

#[derive(Clone, Debug)]
enum Act {
    Show {
        list: usize,
        variant: u8,
    },
    Close {
        list: usize,
    },
    Focus {
        list: usize,
    },
    Say {
        who: &'static str,
        text: usize,
    },
    /// A text that no rule resolves, its answer, and the text once more.
    Unclear {
        text: usize,
        how: u8,
        place: usize,
        confidence: u8,
    },
    Press {
        who: &'static str,
        list: usize,
        option: usize,
        version: u32,
    },
    Settle {
        effect: usize,
        how: u8,
        place: usize,
        confidence: u8,
    },
    Advance(i64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let who = || prop_oneof![4 => Just("ana"), 1 => Just("bob")];
    let show = |lists| (lists, 0..3u8).prop_map(|(list, variant)| Act::Show { list, variant });
    let certain = || prop_oneof![3 => 85..=100u8, 1 => 0..=100u8];
    let unclear = prop::sample::select(
        (0..SPOKEN.len()).filter(|at| SPOKEN[*at].0.starts_with("ope")).collect::<Vec<_>>(),
    );
    let act = prop_oneof![
        2 => show(0..5usize),
        1 => (0..5usize).prop_map(|list| Act::Close { list }),
        1 => (0..5usize).prop_map(|list| Act::Focus { list }),
        10 => (who(), 0..SPOKEN.len()).prop_map(|(who, text)| Act::Say { who, text }),
        4 => (unclear, 2..10u8, 1..4usize, certain())
            .prop_map(|(text, how, place, confidence)| Act::Unclear { text, how, place, confidence }),
        3 => (who(), 0..5usize, 0..4usize, 1..3u32)
            .prop_map(|(who, list, option, version)| Act::Press { who, list, option, version }),
        8 => (prop_oneof![4 => Just(0), 1 => 0..3usize], 0..10u8, 0..5usize, certain())
            .prop_map(|(effect, how, place, confidence)| Act::Settle { effect, how, place, confidence }),
        1 => (0..40i64 * Timestamp::MINUTE).prop_map(Act::Advance),
    ];
    (show(0..3usize), prop::collection::vec(act, 1..40)).prop_map(|(first, rest)| {
        let unclear = |act| match act {
            Act::Unclear { text, how, place, confidence } => vec![
                Act::Say { who: "ana", text },
                Act::Settle { effect: 0, how, place, confidence },
                Act::Settle { effect: 0, how: 9, place, confidence },
                Act::Say { who: "ana", text },
            ],
            act => vec![act],
        };
        std::iter::once(first).chain(rest.into_iter().flat_map(unclear)).collect()
    })
}

/// Plays an act; returns the step it made, if any, and who acted.
fn play(w: &mut Lists, act: &Act) -> Option<(Step, &'static str)> {
    match act {
        Act::Show { list, variant } => {
            Some((w.event("", EventKind::OptionsShown(shown(*list, *variant))), ""))
        }
        Act::Close { list } => {
            let scope_instance = Some(shown(*list, 0).scope_instance);
            Some((w.event("", EventKind::OptionsClosed { set: None, scope_instance }), ""))
        }
        Act::Focus { list } => {
            let list = shown(*list, 0);
            let (scope, scope_instance) = (list.scope, list.scope_instance);
            let focus = FocusChanged { user: "ana".into(), scope, scope_instance, option: None };
            Some((w.event("", EventKind::FocusChanged(focus)), ""))
        }
        Act::Say { who, text } => Some((w.says(who, SPOKEN[*text].0), who)),
        Act::Press { who, list, option, version } => {
            let set = lists::id(*list);
            let option = shown(*list, 0).options.get(*option)?.id.clone();
            let press = Press::Option { set, version: *version, option };
            Some((w.event(who, EventKind::CardPressed { press, remember: false }), who))
        }
        Act::Settle { effect, how, place, confidence } => {
            let effect = w.open().into_iter().rev().nth(*effect)?;
            let outcome = outcome(&effect.body, *how, *place, *confidence)?;
            Some((w.settles(&effect, outcome), ""))
        }
        Act::Advance(by) => {
            w.advance(*by);
            None
        }
        // This act is played as its parts.
        Act::Unclear { .. } => None,
    }
}

fn outcome(body: &EffectBody, how: u8, place: usize, confidence: u8) -> Option<Outcome> {
    let answered = |answer| Outcome::Done { result: EffectResult::Answered(answer) };
    let failed =
        || Outcome::Failed { reason: "gave_up".into(), text: Fault::Said(String::new()), errors: Vec::new() };
    Some(match body {
        EffectBody::ModelAsk(_) => match how {
            0 => answered(Answer::None { why: "timeout".into() }),
            1 => failed(),
            _ => answered(answers::proper(how, place, confidence)),
        },
        EffectBody::EvidenceFetch { set, .. } => {
            let list = (0..5).find(|list| lists::id(*list) == *set)?;
            let mut options = shown(list, how % 3).options;
            if how > 6 {
                options.iter_mut().for_each(|option| option.metadata.path = Some("/new".into()));
            }
            if how == 9 {
                failed()
            } else {
                Outcome::Done { result: EffectResult::Snapshot { options, focused: None } }
            }
        }
        EffectBody::OptionExecute(_) if how < 2 => failed(),
        EffectBody::OptionExecute(_) => Outcome::Done { result: EffectResult::Said { text: String::new() } },
        _ => return None,
    })
}

/// Returns what a step executed: the list, the option's id, and whose choice it was.
fn executed(step: &Step) -> Vec<(String, String, String)> {
    let chosen = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::OptionExecute(call) => match &call.job {
            Job::Option(chosen) => {
                let is = chosen.identity();
                Some((is.set.as_str().into(), is.option, chosen.user().into()))
            }
            _ => None,
        },
        _ => None,
    });
    chosen.collect()
}

fn account(step: &Step) -> Option<&SelectionTrace> {
    step.trace.selection.as_deref()
}

/// At most one list is read against ordinary text and can execute an option, and it is the one the view names.
fn one_is_active(w: &Lists, view: &View) -> Result<(), TestCaseError> {
    let active = view.standings.iter().filter(|standing| {
        standing.status == ListStatus::Active && w.set(&standing.set).is_some_and(|set| set.is_executable())
    });
    let active: Vec<_> = active.map(|standing| &standing.set).collect();
    prop_assert!(active.len() <= 1, "{active:?} are active at once");
    // A focused list without executable options may be the one last spoken about; then the view names that list.
    let named = view.active_option_set_id.as_ref();
    let named = named
        .filter(|id| w.set(id).is_some_and(throughline_engine::data::option_set::OptionSet::is_executable));
    if let (Some(named), Some(active)) = (named, active.first()) {
        prop_assert_eq!(named, *active);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Only displayed options are executed, in any order of acts. Every step is also decided twice and read back from
    /// its encoding.
    #[test]
    fn only_displayed_options_are_executed(acts in acts(), auto_execute in any::<bool>()) {
        let mut w = Lists::new(auto_execute);
        let (mut calls, mut looks) = (BTreeMap::new(), BTreeMap::new());
        // For each person: the last question, and whether anything has changed since.
        let mut asked: BTreeMap<&str, String> = BTreeMap::new();
        // For each person: the question whether a misspelt word names a scope. A yes names it, and so brings its list
        // back.
        let mut place_asked: BTreeSet<&str> = BTreeSet::new();
        for act in &acts {
            let before = w.clone();
            let Some((step, who)) = play(&mut w, act) else { continue };
            let done = executed(&step);
            match act {
                _ if step.decision.reason == Reason::ScopeTypo => _ = place_asked.insert(who),
                Act::Say { text, .. } if SPOKEN[*text].0.starts_with("stop") => _ = place_asked.remove(who),
                _ => {}
            }
            // At most one option runs, of a list that is open to this person, as it was registered.
            prop_assert!(done.len() <= 1, "{done:?}");
            for (set, option, user) in &done {
                let set = before.set(&set.as_str().into()).expect("the list is registered");
                let (_, option) = set.option(option).expect("the list has the option");
                prop_assert!(option.exec_ref.is_some() && set.is_executable());
                prop_assert!(set.user.as_ref().is_none_or(|owner| owner == user), "somebody else's list");
                let standing = before.view(user).standing(&set.id).cloned();
                prop_assert!(standing.is_some(), "the list is not this person's, or it is gone");
                if let Act::Say { text, .. } = act {
                    // A text that may not execute anything does not, and a list parked by a stop runs nothing before
                    // it is called back.
                    prop_assert!(SPOKEN[*text].1, "{} executed {}", SPOKEN[*text].0, option.id);
                    let stopped = matches!(standing.map(|s| s.status), Some(ListStatus::Parked(ParkReason::Stop)));
                    let calls_back = ["chat", "back", "recent"].iter().any(|cue| SPOKEN[*text].0.contains(cue))
                        || place_asked.contains(who);
                    prop_assert!(!stopped || calls_back, "a list that was put aside executed by {}", SPOKEN[*text].0);
                }
                // An execution is not repeated before its outcome is known, unless it was stopped.
                let flying = before.view(user).in_flight.clone();
                let lives = |act: &&InFlight| {
                    before.lane.records.get::<Task>(&act.task).is_some_and(|task| task.status.is_live())
                };
                let again = |act: &InFlight| act.set == set.id && act.option == option.id;
                prop_assert!(!flying.iter().filter(lives).any(again), "sent twice");
                let of_host = matches!(act, Act::Show { .. } | Act::Close { .. } | Act::Focus { .. });
                prop_assert!(!of_host, "what a host shows executes nothing");
            }
            if let Some(account) = account(&step) {
                // Without auto-execution no model executes an option.
                if !auto_execute {
                    prop_assert_ne!(account.provenance, Some(Provenance::LlmExecuted));
                }
                // A cycle has at most two model calls and one request for evidence.
                let cycle = account.cycle.clone().unwrap_or_default();
                for effect in &step.effects {
                    let count = match &effect.body {
                        EffectBody::ModelAsk(ask) if matches!(ask.question, Put::Select(_)) => calls.entry(cycle.clone()).or_insert(0),
                        EffectBody::EvidenceFetch { .. } => looks.entry(cycle.clone()).or_insert(0),
                        _ => continue,
                    };
                    *count += 1;
                }
                // A text that was put to a model before executes nothing and keeps its order.
                let guarded = [Reason::LoopGuard, Reason::LoopGuardContinuity].contains(&step.decision.reason);
                if guarded {
                    prop_assert!(done.is_empty());
                    let view = before.view(who);
                    let guard = view.guard.clone().expect("there is something to be kept from");
                    let set = account.set.as_ref().and_then(|set| before.set(set)).expect("the list");
                    let kept = guard.order.iter().filter_map(|at| set.options.get(usize::from(*at)));
                    let kept: Vec<&str> = kept.map(|option| option.id.as_str()).collect();
                    let is: Vec<&str> = account.clarify.iter().map(String::as_str).collect();
                    prop_assert!(kept.starts_with(&is) || is.is_empty(), "{is:?} was {kept:?}");
                }
            }
            prop_assert!(calls.values().all(|calls| *calls <= 2), "{calls:?}");
            prop_assert!(looks.values().all(|looks| *looks <= 1), "{looks:?}");
            // A question is not put twice in a row, unless somebody asks for it.
            match act {
                Act::Say { .. } => {
                    // The hint where to tap an option may be repeated as often as it is asked for.
                    let repeats =
                        [Reason::ListReshown, Reason::ListReturned, Reason::ScopeAlone, Reason::OptionsOnly];
                    let question = lists::posted_text(&step);
                    if step.decision.outcome == Verdict::Asked
                        && account(&step).is_some_and(|account| !account.clarify.is_empty())
                        && !repeats.contains(&step.decision.reason)
                    {
                        prop_assert_ne!(asked.get(who), Some(&question), "asked twice in a row");
                        asked.insert(who, question);
                    } else {
                        asked.remove(who);
                    }
                }
                _ => asked.clear(),
            }
            for user in ["ana", "bob", ""] {
                one_is_active(&w, &w.view(user))?;
            }
        }
    }

    /// Showing a list again changes no decision about it.
    #[test]
    fn showing_a_list_again_changes_no_gate(acts in acts(), variant in 0..3u8, text in 0..SPOKEN.len()) {
        let mut w = Lists::new(false);
        for act in &acts {
            let _ = play(&mut w, act);
        }
        let view = w.view("ana");
        let active = view.active_option_set_id.clone().and_then(|id| w.set(&id).cloned());
        let Some(set) = active.filter(|set| set.scope == Scope::Chat && view.cycle.is_none()) else { return Ok(()) };
        let mut again = w.clone();
        let mut list = lists::as_shown(&set);
        // Even in another order: a position then means the newest order, and every other reading stays the same.
        if variant > 0 {
            list.displayed = Some(list.options.iter().rev().map(|option| option.id.clone()).collect());
        }
        let _ = again.event("", EventKind::OptionsShown(list));
        let (was, is) = (w.view("ana"), again.view("ana"));
        let gates = |view: &View| View { standings: Vec::new(), ..view.clone() };
        prop_assert_eq!(gates(&was), gates(&is));
        // A list that lapsed is back once it is shown again.
        let (ttl, shown) = (&w.policy.selection.ttl, set.showings.last().unwrap());
        let lapsed =
            w.now.since(shown.at) >= ttl.active_chat_ms || w.lane.revision - shown.revision >= ttl.active_chat;
        // So is one that was chosen from some texts ago.
        let standing = was.standing(&set.id).expect("the list is this person's");
        let spent = standing.status == ListStatus::Soft && was.turn + 1 - standing.turn > ttl.soft;
        // Beside another question a list that is shown again is the newer one, and takes what both could.
        if SPOKEN[text].2 || !w.lane.head.pendings.is_empty() || lapsed || spent {
            return Ok(());
        }
        let (one, other) = (w.says("ana", SPOKEN[text].0), again.says("ana", SPOKEN[text].0));
        // Of a list that was just chosen from, and was not shown again, a text that fits nothing is about something else.
        let soft = standing.status == ListStatus::Soft;
        // It gives way to a list that came since. Shown again, it is the newest, and is the one that is read.
        let newer = |one: &ListState| one.set != set.id && one.status == ListStatus::Active;
        if soft && was.standings.iter().any(newer) {
            return Ok(());
        }
        if !soft {
            prop_assert_eq!(one.decision.reason, other.decision.reason, "{}", SPOKEN[text].0);
        }
        prop_assert_eq!(executed(&one), executed(&other));
    }
}
