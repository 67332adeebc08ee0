//! Decisions about single texts, without a model.

use crate::data::id::SetId;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec;

use crate::data::call::Risk;
use crate::data::option_set::{OptionSetOrigin, OptionsShown};
use crate::data::policy::selection::SelectionPolicy;
use crate::data::set_option::{Metadata, OptionRole, SetOption};
use crate::data::time::Timestamp;
use crate::data::view::{
    ActionKind, ActionOutcome, ListState, ListStatus, ParkReason, TargetRef, TraceEntry, View,
};
use crate::selection::resolve::*;
use crate::selection::target_list::ReplyTo;

fn set(scope: Scope, instance: &str, title: Option<&str>, prefix: &str, labels: &[&str]) -> OptionSet {
    let option = |(n, label): (usize, &&str)| SetOption {
        id: format!("{prefix}-{n}"),
        label: (*label).into(),
        sublabel: None,
        badge: label.strip_prefix("Links Panel ").filter(|_| prefix == "opt").map(String::from),
        aliases: Vec::new(),
        metadata: Metadata::default(),
        fields: crate::data::field::Fields::new(),
        role: OptionRole::Normal,
        repeatable: true,
        exec_ref: Some("open".into()),
        risk: Risk::Read,
    };
    let shown = OptionsShown {
        scope,
        scope_instance: instance.into(),
        title: title.map(String::from),
        user: None,
        options: labels.iter().enumerate().map(option).collect(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    };
    OptionSet::from_shown(&shown, OptionSetOrigin::Host).unwrap()
}

fn f1() -> OptionSet {
    set(Scope::Chat, "lane-1", None, "opt", &["Links Panel D", "Links Panel E", "sample2"])
}

fn f2() -> OptionSet {
    set(Scope::Chat, "lane-1", None, "p", &["Links Panels", "Links Panel D", "Links Panel E"])
}

fn f4() -> OptionSet {
    set(Scope::Chat, "lane-1", None, "f", &["sample2 F", "sample2", "Workspace 4"])
}

fn f5() -> OptionSet {
    set(Scope::Chat, "lane-1", None, "g", &["Alpha", "Beta"])
}

fn w1() -> OptionSet {
    set(Scope::Widget, "w-1", Some("Recent"), "w", &["Budget", "sample2", "Roadmap"])
}

fn standing(set: &OptionSet, status: ListStatus) -> ListState {
    ListState { set: set.id.clone(), status, turn: 0, at: Timestamp(0), seen: 0 }
}

/// A view with this list active in the chat and its question open.
fn active(set: &OptionSet) -> View {
    View {
        active_option_set_id: Some(set.id.clone()),
        active_scope: Some(set.scope),
        pending_clarifier_type: ClarifierType::SelectionDisambiguation,
        standings: vec![standing(set, ListStatus::Active)],
        ..View::default()
    }
}

fn rejecting(set: &OptionSet, rejected: &[usize]) -> View {
    let ids = rejected.iter().map(|at| set.options[*at].id.clone()).collect();
    View { recent_rejected_choice_ids: ids, ..active(set) }
}

fn executed(set: &OptionSet, option: usize) -> View {
    let option = &set.options[option];
    let last = TraceEntry {
        kind: ActionKind::SelectOption,
        target_ref: TargetRef { kind: "choice".into(), id: option.id.clone(), label: option.label.clone() },
        source_scope: set.scope,
        option_set_id: Some(set.id.clone()),
        timestamp: Timestamp(0),
        outcome: ActionOutcome::Success,
        turn: 0,
        executed: set.option(&option.id).and_then(|(at, _)| set.identity(at)),
    };
    View { last_resolved_action: Some(last), last_accepted_choice_id: Some(option.id.clone()), ..active(set) }
}

fn ruled(view: &View, sets: &[&OptionSet], text: &str, policy: &SelectionPolicy) -> Resolution {
    let message = Words::of(text);
    let lexicon = super::super::lexicon(&message);
    let yes = match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    let now = Timestamp(0);
    resolve(&ResolveInput {
        lexicon,
        view,
        sets,
        message: &message,
        reply: &ReplyTo::Nothing,
        since: now,
        others: &[],
        contested: false,
        left_since: false,
        place: None,
        yes,
        policy,
        now,
    })
}

fn on() -> SelectionPolicy {
    SelectionPolicy { enabled: true, ..SelectionPolicy::default() }
}

/// A ruling as one line: `X opt-2 exact_label`, `C no_deterministic_match p-0`, `P question_intent`.
fn told(view: &View, sets: &[&OptionSet], text: &str, policy: &SelectionPolicy) -> String {
    let code = |reason: Reason| reason.code().trim_start_matches("selection.").to_string();
    let id = |set: &SetId, option: usize| {
        sets.iter()
            .find(|known| known.id == *set)
            .map_or("?", |set| set.options[option].id.as_str())
            .to_string()
    };
    match ruled(view, sets, text, policy) {
        Resolution::Pass(reason) => format!("P {}", code(reason)),
        Resolution::Act(act) => format!("X {} {}", act.chosen.identity().option, code(act.reason)),
        Resolution::Ask(question) => {
            let about = match &question.about {
                QuestionSubject::List { set, first: Some(first), .. } => id(set, *first),
                QuestionSubject::Confirm { set, option, .. } => format!("{}?", id(set, *option)),
                _ => String::new(),
            };
            format!("C {} {about}", code(question.reason)).trim_end().to_string()
        }
    }
}

#[test]
fn one_active_list() {
    let (one, two, four) = (f1(), f2(), f4());
    for (set, text, expected) in [
        (&one, "open the sample2 pls", "X opt-2 exact_label"),
        (&two, "open links", "C multi_match_no_exact_winner"),
        (&one, "what is sample2", "P question_intent"),
        (&two, "open links panel", "C no_deterministic_match p-0"),
        (&two, "open links panel d", "X p-1 exact_label"),
        (&two, "panel d", "C no_deterministic_match p-1"),
        (&two, "d", "C no_deterministic_match p-1"),
        (&two, "can you ope panel d pls", "C no_deterministic_match p-1"),
        (&one, "is it the right choice", "P question_intent"),
        (&one, "is links panel d open?", "P question_intent"),
        (&one, "did i ask you to open links panel d?", "P question_intent"),
        (&one, "open links panel d?", "X opt-0 exact_label"),
        (&one, "links panel d?", "X opt-0 exact_label"),
        (&one, "can you open links panel d?", "X opt-0 exact_label"),
        (&one, "have i opened sample2 this session?", "P verify_open"),
        (&one, "delete sample2", "C command_selection_collision opt-2"),
        (&one, "second", "X opt-1 ordinal"),
        (&one, "sedond", "C no_deterministic_match opt-1"),
        (&one, "I want that", "C reference_unresolved"),
        (&one, "want", "P not_selection_like"),
        (&one, "fifth", "C ordinal_out_of_range"),
        (&one, "first and third", "C multiple_requested"),
        (&one, "none of these", "C list_rejected"),
        (&one, "hmm", "C hesitation"),
        (&one, "asdf", "C noise"),
        (&one, "not the first", "C repair_remaining"),
        (&one, "don't open sample2", "C repair_remaining"),
        (&one, "no sample2", "C no_deterministic_match opt-2"),
        (&one, "open recent", "C no_deterministic_match"),
        (&one, "paint the fence", "P not_selection_like"),
        (&four, "sample2", "X f-1 exact_label"),
    ] {
        assert_eq!(told(&active(set), &[set], text, &on()), expected, "{text}");
    }
    assert_eq!(told(&View::default(), &[], "open that", &on()), "P no_context");
}

#[test]
fn what_was_done_and_rejected() {
    let (one, five) = (f1(), f5());
    assert_eq!(
        told(&rejecting(&one, &[0]), &[&one], "open that panel", &on()),
        "C multi_match_no_exact_winner"
    );
    assert_eq!(told(&rejecting(&one, &[0, 1]), &[&one], "open that", &on()), "X opt-2 continuity_reference");
    assert_eq!(told(&rejecting(&one, &[0, 1]), &[&one], "open Links Panel D", &on()), "X opt-0 exact_label");
    assert_eq!(told(&executed(&one, 2), &[&one], "open that", &on()), "C loop_guard_same_cycle");
    assert_eq!(told(&executed(&one, 2), &[&one], "open it again", &on()), "X opt-2 continuity_reference");
    assert_eq!(told(&executed(&one, 0), &[&one], "no, sample2", &on()), "X opt-2 corrected_pick");
    assert_eq!(told(&active(&five), &[&five], "the other one", &on()), "C reference_unresolved");
    assert_eq!(told(&rejecting(&five, &[0]), &[&five], "the other one", &on()), "X g-1 other_one");
    assert_eq!(told(&executed(&five, 0), &[&five], "the other one", &on()), "X g-1 other_one");
    assert_eq!(told(&executed(&five, 0), &[&five], "not that", &on()), "C repair_remaining g-1?");
}

#[test]
fn the_place_is_read_first() {
    let (chat, widget) = (f4(), w1());
    let mut view = active(&widget);
    view.standings.push(standing(&chat, ListStatus::Parked(ParkReason::Displaced)));
    let sets = [&chat, &widget];
    for (text, expected) in [
        ("open sample2 from chat", "X f-1 exact_label"),
        ("sample2 from chat in this widget", "C scope_conflict"),
        ("open sample2 from chta", "C typo_ambiguous"),
        ("from chat", "C cue_only"),
        ("open budget from dashboard", "C scope_not_available"),
        ("the second one from recent", "X w-1 ordinal"),
        ("roadmap", "X w-2 exact_label"),
    ] {
        assert_eq!(told(&view, &sets, text, &on()), expected, "{text}");
    }
    let mut other = active(&chat);
    other.standings.push(standing(&widget, ListStatus::Parked(ParkReason::Displaced)));
    assert_eq!(told(&other, &sets, "roadmap", &on()), "C cross_source_tie");
}

#[test]
fn a_label_that_reads_like_a_place_is_the_label() {
    let (chat, widget) = (f1(), set(Scope::Widget, "w-1", Some("Recent"), "n", &["Notes from chat", "Plan"]));
    let mut view = active(&widget);
    view.standings.push(standing(&chat, ListStatus::Parked(ParkReason::Displaced)));
    let sets = [&chat, &widget];
    for (text, expected) in [
        ("notes from chat", "X n-0 exact_label"),
        ("open notes from chat please", "X n-0 exact_label"),
        ("plan from chat", "C no_deterministic_match"),
        ("sample2 from chat", "X opt-2 exact_label"),
    ] {
        assert_eq!(told(&view, &sets, text, &on()), expected, "{text}");
    }
}

#[test]
fn a_list_that_was_put_aside() {
    let one = f1();
    let parked = |why| View { standings: vec![standing(&one, ListStatus::Parked(why))], ..View::default() };
    assert_eq!(told(&parked(ParkReason::Stop), &[&one], "2", &on()), "C list_closed");
    assert_eq!(told(&parked(ParkReason::Stop), &[&one], "sample2", &on()), "P no_context");
    assert_eq!(told(&parked(ParkReason::Stop), &[&one], "back to the list", &on()), "C returned");
    assert_eq!(told(&parked(ParkReason::Interrupt), &[&one], "2", &on()), "X opt-1 ordinal");
    let later = View { turn: 2, ..parked(ParkReason::Interrupt) };
    assert_eq!(told(&later, &[&one], "2", &on()), "C list_closed");
}

#[test]
fn a_command_of_the_host_is_no_option() {
    let one = f1();
    let command = crate::data::policy::selection::HostCommand { phrase: "open recent".into(), target: None };
    let policy = SelectionPolicy { commands: vec![command], ..on() };
    assert_eq!(told(&active(&one), &[&one], "open recent", &policy), "P known_command");
}

mod descriptions;
