//! Asks the person which option is meant (docs/design/0022-choosing-an-option.md). A question names its
//! place, numbers what it shows, is addressed to the person who wrote, and executes nothing. The same wording
//! is not used twice in a row, unless the person asked for the list again.

use crate::data::card::Card;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::json;

use crate::data::card::CardSubject;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::fingerprint::{Fingerprint, fingerprint_of};
use crate::data::id::{MessageId, SetId};
use crate::data::message::MessageKind;
use crate::data::option_set::OptionSet;
use crate::data::selection_trace::Provenance;
use crate::data::set_option::OptionMask;
use crate::data::view::{
    ActionKind, ActionOutcome, Clarifier, ClarifierType, ParkReason, TargetRef, TraceEntry, View,
};
use crate::messages::option as words;
use crate::selection::resolution::{ClarifyingQuestion, QuestionSubject};
use crate::selection::rung;
use crate::selection::target_list::ScopePlace;
use crate::turn::Turn;
use throughline_messages as say;

/// A question about a list, before it is worded.
struct ListQuestion {
    set: OptionSet,
    order: Vec<u8>,
    displayed: u8,
    suggests: Option<usize>,
}

/// Asks the person. The view keeps the question and the number of unresolved texts.
pub(super) fn ask(
    turn: &mut Turn<'_>,
    mut view: View,
    question: &ClarifyingQuestion,
    provenance: Provenance,
) -> Decision {
    turn.selection_trace().provenance = Some(provenance);
    let by_model = provenance == Provenance::LlmInfluenced;
    match &question.about {
        QuestionSubject::List { set, first, ahead, rejected } => {
            let Some(set) = turn.get::<OptionSet>(set).cloned() else {
                return Decision::new(Verdict::Answered, Reason::ListReplaced);
            };
            let asks = arranged(turn, set, (*first, *ahead), *rejected);
            list(turn, view, question, asks, by_model)
        }
        QuestionSubject::More { set } => {
            let Some(set) = turn.get::<OptionSet>(set).cloned() else {
                return Decision::new(Verdict::Answered, Reason::ListReplaced);
            };
            let (order, displayed) = match set.newest(&view.user) {
                Some(showing) => (showing.order.clone(), usize::from(showing.displayed)),
                None => (super::target_list::base_order(&set.options), 0),
            };
            let most = (displayed + turn.policy.selection.max_shown).min(order.len());
            let displayed = u8::try_from(most).unwrap_or(u8::MAX);
            let asks = ListQuestion { set, order, displayed, suggests: None };
            list(turn, view, question, asks, by_model)
        }
        QuestionSubject::Confirm { set, option, rejected } => {
            let Some(set) = turn.get::<OptionSet>(set).cloned() else {
                return Decision::new(Verdict::Answered, Reason::ListReplaced);
            };
            rung::make_active(turn, &mut view, &set);
            reject(turn, &mut view, &set, *rejected);
            confirm(turn, view, question, &set, *option, by_model)
        }
        QuestionSubject::Refine { set, rejected } => {
            let Some(set) = turn.get::<OptionSet>(set).cloned() else {
                return Decision::new(Verdict::Answered, Reason::ListReplaced);
            };
            rung::make_active(turn, &mut view, &set);
            reject(turn, &mut view, &set, *rejected);
            view.all_rejected = true;
            view.refined = Some(view.turn);
            let text = say::option_refine(
                turn.language(),
                words::where_it_is(turn.language(), set.title.as_deref(), set.scope),
            );
            asked(turn, view, question, &text, &[], Some(&set.id), None, by_model)
        }
        QuestionSubject::Scopes { places, text } => scopes(turn, view, question, places, text),
        QuestionSubject::Running { set, option } => {
            let text = rung::under_way(turn, &view, set, option);
            asked(turn, view, question, &text, &[], None, None, by_model)
        }
        QuestionSubject::Nothing => {
            let text = &say::option_closed(turn.language());
            asked(turn, view, question, text, &[], None, None, by_model)
        }
    }
}

fn reject(turn: &Turn<'_>, view: &mut View, set: &OptionSet, rejected: OptionMask) {
    if view.active_option_set_id.as_ref() != Some(&set.id) {
        view.activate(set);
    }
    for (at, option) in set.options.iter().enumerate().rev() {
        if rejected & 1 << at != 0 && !view.rejected(&option.id) {
            view.reject(&option.id, &turn.policy.selection);
        }
    }
}

/// Arranges a list for a question: base order with the best guess in front, then the options that a description may mean,
/// without the rejected ones.
fn arranged(
    turn: &Turn<'_>,
    set: OptionSet,
    (first, ahead): (Option<usize>, OptionMask),
    rejected: OptionMask,
) -> ListQuestion {
    let mut order: Vec<u8> = (0u8..).zip(&set.options).map(|(at, _)| at).collect();
    order.retain(|at| rejected & 1 << *at == 0);
    order.sort_by_key(|at| (Some(usize::from(*at)) != first, ahead & 1 << *at == 0));
    let most = turn.policy.selection.max_shown.min(order.len());
    let displayed = u8::try_from(most).unwrap_or(u8::MAX);
    ListQuestion { set, order, displayed, suggests: first }
}

/// True if a question for this reason counts as an unresolved text. Hesitating or asking to see the list, for
/// example, does not.
fn counts(reason: Reason) -> bool {
    !matches!(
        reason,
        Reason::ListHesitation
            | Reason::ListReshown
            | Reason::ListReturned
            | Reason::ScopeAlone
            | Reason::RepairRemaining
            | Reason::OptionsOnly
            | Reason::OptionSuggested
            | Reason::ContextReplaced
    )
}

fn list(
    turn: &mut Turn<'_>,
    mut view: View,
    question: &ClarifyingQuestion,
    asks: ListQuestion,
    by_model: bool,
) -> Decision {
    let ListQuestion { set, order, displayed, suggests } = asks;
    rung::make_active(turn, &mut view, &set);
    if question.kind == ClarifierType::Repair
        && let QuestionSubject::List { rejected, .. } = question.about
    {
        reject(turn, &mut view, &set, rejected);
    }
    let policy = &turn.policy.selection;
    if counts(question.reason) {
        view.attempts = view.attempts.saturating_add(1);
    }
    let spent = view.attempts >= policy.max_attempts;
    let ids: Vec<String> = order
        .iter()
        .take(usize::from(displayed))
        .filter_map(|at| set.options.get(usize::from(*at)))
        .map(|option| option.id.clone())
        .collect();
    let shown = numbered(&set, &order, displayed);
    let buttons = view.attempts == policy.max_attempts.saturating_sub(1) && counts(question.reason);
    let mut text = words::which(
        turn.language(),
        question.reason,
        set.title.as_deref(),
        set.scope,
        suggests.and_then(|at| set.options.get(at)).map(|o| o.label.as_str()),
        view.guard.as_ref().is_some_and(|guard| guard.executed),
    );
    let mut mark = fingerprint(&text, &order, buttons, spent);
    if view.clarifier.as_ref().is_some_and(|asked| asked.print == mark) && !repeats(question.reason) {
        text = say::option_still(
            turn.language(),
            words::where_it_is(turn.language(), set.title.as_deref(), set.scope),
        );
        mark = fingerprint(&text, &order, buttons, spent);
    }
    let suggested = suggests.and_then(|at| set.options.get(at)).map(|option| option.id.clone());
    turn.selection_trace().clarify = ids;
    let message = if spent && counts(question.reason) {
        let text = say::option_stays(turn.language());
        turn.say(MessageKind::Question, None, &text)
    } else if buttons {
        let about = CardSubject::Options {
            set: set.id.clone(),
            exec_rev: set.exec_rev,
            order: order.clone(),
            displayed,
            asks: text,
        };
        let user = view.user.clone();
        let card = turn.show(about, &user, None);
        turn.get::<Card>(&card).map_or_else(|| MessageId::from(""), |card| card.message.clone())
    } else {
        let more = order.len() > usize::from(displayed);
        let text = words::listed(turn.language(), &text, &shown, more);
        turn.say(MessageKind::Question, None, &text)
    };
    show(turn, &view.user, &set.id, &message, order, displayed);
    view.mark_seen(&set.id);
    view.pending_clarifier_type = match question.kind {
        ClarifierType::None => ClarifierType::SelectionDisambiguation,
        kind => kind,
    };
    let set_id = Some(set.id.clone());
    let (counted, at) = (view.turn, turn.now());
    let clarifier =
        Clarifier { message, set: set_id, suggests: suggested, by_model, print: mark, turn: counted, at };
    remember(turn, &mut view, clarifier, &set);
    if spent && counts(question.reason) {
        view.park(ParkReason::Attempts, turn.now());
    }
    turn.put_view(view);
    Decision::new(Verdict::Asked, question.reason)
}

/// True if the person asked to see the list, so the same wording is right.
fn repeats(reason: Reason) -> bool {
    matches!(reason, Reason::ListReshown | Reason::ListReturned | Reason::ScopeAlone)
}

/// One numbered line for each displayed option. A second line is added if there is one; a badge only where
/// labels are equal and there is no second line.
fn numbered(set: &OptionSet, order: &[u8], displayed: u8) -> Vec<String> {
    let options: Vec<&crate::data::set_option::SetOption> = order
        .iter()
        .take(usize::from(displayed))
        .filter_map(|at| set.options.get(usize::from(*at)))
        .collect();
    let alike = |label: &str| options.iter().filter(|option| option.label == label).count() > 1;
    let line = |(n, option): (usize, &&crate::data::set_option::SetOption)| {
        let besides = option.sublabel.as_deref().or(option.badge.as_deref());
        words::line(
            n + 1,
            &option.label,
            besides.filter(|_| alike(&option.label) || option.sublabel.is_some()),
        )
    };
    options.iter().enumerate().map(line).collect()
}

fn confirm(
    turn: &mut Turn<'_>,
    mut view: View,
    question: &ClarifyingQuestion,
    set: &OptionSet,
    option: usize,
    by_model: bool,
) -> Decision {
    let Some(option) = set.options.get(option) else {
        return Decision::new(Verdict::Answered, question.reason);
    };
    view.pending_clarifier_type = ClarifierType::Confirmation;
    turn.selection_trace().clarify = alloc::vec![option.id.clone()];
    let text = words::this_one(turn.language(), question.reason, &option.label);
    let suggests = Some(option.id.clone());
    asked(turn, view, question, &text, &words::yes_no(turn.language()), Some(&set.id), suggests, by_model)
}

fn scopes(
    turn: &mut Turn<'_>,
    mut view: View,
    question: &ClarifyingQuestion,
    places: &[ScopePlace],
    text: &str,
) -> Decision {
    let titles = turn.titles(&view);
    let name = |place: &ScopePlace| words::place(turn.language(), place.0, place.1.as_deref(), &titles);
    let names: Vec<String> = places.iter().map(name).collect();
    let told = words::scopes(turn.language(), question.reason, &names, text);
    if question.reason == Reason::ScopeMissing {
        view.scope_question = None;
        return asked(turn, view, question, &told, &[], None, None, false);
    }
    rung::keep_text(turn, &mut view, places, text);
    view.pending_clarifier_type = ClarifierType::ScopeDisambiguation;
    let offers = if names.len() == 1 { words::yes_no(turn.language()).into() } else { names };
    asked(turn, view, question, &told, &offers, None, None, false)
}

/// Asks in words, with short answers to tap; no list is shown.
#[expect(clippy::too_many_arguments, reason = "what was asked, with all it is known by")]
fn asked(
    turn: &mut Turn<'_>,
    mut view: View,
    question: &ClarifyingQuestion,
    text: &str,
    offers: &[String],
    set: Option<&SetId>,
    suggests: Option<String>,
    by_model: bool,
) -> Decision {
    let mut told = String::from(text);
    let mut mark = fingerprint(text, &[], !offers.is_empty(), false);
    if view.clarifier.as_ref().is_some_and(|asked| asked.print == mark) {
        told = say::option_once_more(turn.language(), text);
        mark = fingerprint(&told, &[], !offers.is_empty(), false);
    }
    let kind = if question.kind == ClarifierType::None { MessageKind::Answer } else { MessageKind::Question };
    let message = turn.say_offering(kind, None, &told, offers);
    if question.kind != ClarifierType::None {
        view.pending_clarifier_type = question.kind;
        let (counted, at) = (view.turn, turn.now());
        let clarifier =
            Clarifier { message, set: set.cloned(), suggests, by_model, print: mark, turn: counted, at };
        match set.and_then(|id| turn.get::<OptionSet>(id)).cloned() {
            Some(set) => remember(turn, &mut view, clarifier, &set),
            None => view.clarifier = Some(clarifier),
        }
    }
    turn.put_view(view);
    let verdict = if question.reason == Reason::OptionInFlight { Verdict::Answered } else { Verdict::Asked };
    Decision::new(verdict, question.reason)
}

/// Stores a showing of the list: positions, and replies to this message, mean this order.
fn show(turn: &mut Turn<'_>, user: &str, id: &SetId, message: &MessageId, order: Vec<u8>, displayed: u8) {
    let now = turn.now();
    if let Some(mut set) = turn.get::<OptionSet>(id).cloned() {
        let numbers = 1..1 + u16::from(displayed);
        set.show(Some(user), Some(message.clone()), order, &numbers, (turn.revision(), now));
        turn.put(set);
    }
}

fn remember(turn: &Turn<'_>, view: &mut View, clarifier: Clarifier, set: &OptionSet) {
    let entry = TraceEntry {
        kind: ActionKind::SelectOption,
        target_ref: TargetRef {
            kind: "option_set".into(),
            id: set.id.0.clone(),
            label: set.title.clone().unwrap_or_default(),
        },
        source_scope: set.scope,
        option_set_id: Some(set.id.clone()),
        timestamp: turn.now(),
        outcome: ActionOutcome::Clarified,
        turn: view.turn,
        executed: None,
    };
    view.trace(entry, turn.policy.selection.trace);
    view.clarifier = Some(clarifier);
}

/// A fingerprint of the question as the person sees it. `text` already holds the template and its arguments.
fn fingerprint(text: &str, order: &[u8], buttons: bool, last: bool) -> Fingerprint {
    fingerprint_of(&json!([text, order, buttons, last]))
}

/// Displays further options on a card, after a press on *More*.
pub(super) fn more(turn: &mut Turn<'_>, card: &crate::data::card::Card) -> Decision {
    let CardSubject::Options { set, exec_rev, order, displayed, asks } = card.about.clone() else {
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    };
    let step = turn.policy.selection.max_shown;
    let displayed = u8::try_from((usize::from(displayed) + step).min(order.len())).unwrap_or(u8::MAX);
    let (message, user) = (card.message.clone(), card.by.clone());
    let about = CardSubject::Options { set: set.clone(), exec_rev, order: order.clone(), displayed, asks };
    turn.update(crate::data::card::Card { about, ..card.clone() });
    show(turn, &user, &set, &message, order, displayed);
    Decision::new(Verdict::Done, Reason::ListReshown)
}
