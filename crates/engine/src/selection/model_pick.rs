//! Asks a model which option an unresolved text means: one state machine, kept in the person's view
//! (docs/design/0023-model-picks.md).
//!
//! The number of calls for one text is limited. The model sees frozen options of one list under made-up
//! names, and its answer is judged against the list as it is when the answer arrives. A pick is suggested to
//! the person; it executes only behind every gate of `auto_execute`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use unicode_segmentation::UnicodeSegmentation;

use crate::ask::ask_loop;
use crate::data::ask::{
    Answer, AnswerRecipient, Ask, Candidate, EvidenceKind, Question, SELECT_CONTRACT, SelectInput,
    SelectVerdict,
};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::fingerprint::{EvidenceHashes, evidence_fingerprint};
use crate::data::id::EffectId;
use crate::data::ids::Ids;
use crate::data::lane_state::OpenAsk;
use crate::data::option_set::OptionSet;
use crate::data::permit::{Door, OptionIdentity, TextFacts};
use crate::data::purpose::Purpose;
use crate::data::selection_trace::{Provenance, Signal};
use crate::data::set_option::SetOption;
use crate::data::shown_at::ShownAt;
use crate::data::time::Timestamp;
use crate::data::view::{ClarifierType, LoopGuard, ModelPick, View};
use crate::selection::resolution::{ClarifyingQuestion, Execution, QuestionSubject};
use crate::selection::resolve::{check_continuity, names, text_facts};
use crate::selection::target_list::{ReplyTo, ResolveInput};
use crate::selection::vetoes::{ChoiceMade, permit};
use crate::selection::{clarify, control, more_evidence, newest, rung};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Words;
use throughline_messages as say;

/// The reasons for which a model may be asked. With any other reason the person is asked.
const ELIGIBLE: [Reason; 6] = [
    Reason::OptionNoMatch,
    Reason::OptionManyMatch,
    Reason::OptionTie,
    Reason::OptionCollision,
    Reason::OptionCommand,
    Reason::OptionUnreferenced,
];

/// Opens a cycle if a model may be asked. Otherwise returns the view and the question for the person.
pub(super) fn open(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    mut view: View,
    question: &ClarifyingQuestion,
) -> Result<Decision, Box<(View, ClarifyingQuestion)>> {
    let QuestionSubject::List { set, rejected, .. } = &question.about else {
        return Err(Box::new((view, question.clone())));
    };
    let (Some(set), Some(open)) = (turn.get::<OptionSet>(set).cloned(), &question.open) else {
        return Err(Box::new((view, question.clone())));
    };
    // `LoopGuard` comes from this guard as well: the text was put to a model before.
    let again = ELIGIBLE.contains(&question.reason) || question.reason == Reason::LoopGuard;
    if let Some(guard) = view.guard.clone().filter(|guard| guard.key == open.key && again) {
        return Err(Box::new((view, guarded(&set, question, &guard, *rejected))));
    }
    // A guard holds for its own text only.
    if ELIGIBLE.contains(&question.reason) {
        view.guard = None;
    }
    let asking = &turn.policy.selection.model;
    let why_not =
        if !asking.enabled || !asking.scopes.contains(&set.scope) || !turn.given.model.has(Purpose::Select) {
            Some("feature_disabled")
        } else if !ELIGIBLE.contains(&question.reason) || !ask_loop::may_ask(turn, Purpose::Select) {
            Some("classifier_not_eligible")
        } else {
            None
        };
    if let Some(why) = why_not {
        turn.selection_trace().why_no_model = Some(why.into());
        return Err(Box::new((view, question.clone())));
    }
    rung::make_active(turn, &mut view, &set);
    let candidates = frozen(&set, &open.hints, asking.max_candidates);
    let ids: Vec<String> = candidates.iter().map(|at| set.options[*at].id.clone()).collect();
    let runs = candidates.iter().map(|at| set.options[*at].exec_ref.clone().unwrap_or_default());
    let hints = open.hints.iter().filter_map(|at| set.options.get(*at)).map(|option| option.id.clone());
    let before = evidence_fingerprint(&set, set.scope, &candidates, &EvidenceHashes::new());
    let mut cycle = ModelPick {
        id: EffectId::from(""),
        set: set.id.clone(),
        text: open.text.clone(),
        cued: open.cued,
        reason: question.reason,
        exec_rev: set.exec_rev,
        candidates: ids,
        runs: runs.collect(),
        hints: hints.collect(),
        resembles: !open.hints.is_empty(),
        key: open.key.clone(),
        before,
        calls: 0,
        looks: 0,
        fetching: None,
    };
    view.guard = Some(LoopGuard {
        key: open.key.clone(),
        suggested: None,
        order: super::target_list::base_order(&set.options),
        executed: false,
    });
    let effect = call(turn, said, &view, &mut cycle, &set, Vec::new());
    cycle.id = effect.clone();
    note(turn, &cycle);
    view.cycle = Some(cycle);
    turn.put_view(view);
    Ok(Decision::new(Verdict::Deferred, question.reason))
}

/// The question for a text that was put to a model before: no new call, and the order and suggestion of that
/// time.
fn guarded(
    set: &OptionSet,
    question: &ClarifyingQuestion,
    guard: &LoopGuard,
    rejected: u64,
) -> ClarifyingQuestion {
    let first = guard.order.first().map(|first| usize::from(*first)).filter(|first| *first > 0);
    let suggested = guard.suggested.as_ref().and_then(|id| set.option(id)).map(|(at, _)| at);
    let (reason, kind, first) = match suggested {
        Some(at) => (Reason::LoopGuardContinuity, ClarifierType::Confirmation, Some(at)),
        None => (Reason::LoopGuard, question.kind, first),
    };
    let about = QuestionSubject::List { set: set.id.clone(), first, ahead: 0, rejected };
    ClarifyingQuestion { reason, kind, about, open: question.open.clone() }
}

/// The places of the options a model sees, in base order: all of them, or the best hints filled up from the
/// front.
fn frozen(set: &OptionSet, hints: &[usize], most: usize) -> Vec<usize> {
    let normal = |at: &usize| set.options.get(*at).is_some_and(SetOption::is_normal);
    let mut all: Vec<usize> = Vec::new();
    for at in hints.iter().copied().chain(0..set.options.len()).filter(normal) {
        if all.len() < most && !all.contains(&at) {
            all.push(at);
        }
    }
    all.sort_unstable();
    all
}

pub(super) fn alias(place: usize) -> String {
    format!("c{}", place + 1)
}

/// Starts a call to a model about the frozen options, worded as in `set`. Returns the call's effect.
pub(super) fn call(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    view: &View,
    cycle: &mut ModelPick,
    set: &OptionSet,
    lines: Vec<String>,
) -> EffectId {
    let policy = &turn.policy.selection;
    let place = |id: &String| cycle.candidates.iter().position(|known| known == id).map(alias);
    let shown = |(place, id): (usize, &String)| {
        let (_, option) = set.option(id)?;
        Some(Candidate {
            alias: alias(place),
            label: option.label.clone(),
            sublabel: option.sublabel.clone(),
            badge: option.badge.clone(),
            names: option.aliases.clone(),
            metadata: option.metadata.clone(),
            fields: option.fields.clone(),
        })
    };
    let rejected = |id: &&String| view.rejected_in(&set.id, id);
    cycle.calls += 1;
    let choice = SelectInput {
        scope: set.scope,
        candidates: cycle.candidates.iter().enumerate().filter_map(shown).collect(),
        hints: cycle.hints.iter().filter_map(place).collect(),
        rejected: cycle.candidates.iter().filter(rejected).filter_map(place).collect(),
        evidence: lines,
        may_ask: cycle.calls < policy.max_llm_calls && cycle.looks < policy.max_enrichment_steps,
    };
    let text: String = cycle.text.graphemes(true).take(policy.model.max_text).collect();
    let mut ask = Ask::about(Question::Select(Box::new(choice)), &text, turn.policy);
    ask.budget_ms = policy.model.timeout_ms;
    let put = Some(Box::new(ask.question.clone()));
    let effect = turn.effect(EffectBody::ModelAsk(ask), &[], None);
    hold(turn, said, view, effect.clone(), put, cycle.calls);
    effect
}

/// Stores the open call in the lane's head, and the message until its answer arrives.
pub(super) fn hold(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    view: &View,
    effect: EffectId,
    question: Option<Box<Question>>,
    round: u8,
) {
    ask_loop::hold_message(turn, said);
    turn.head.ask = Some(OpenAsk {
        effect,
        about: AnswerRecipient::Selection(view.user.clone()),
        question,
        round,
        message: said.message.clone(),
        shown: Ids::default(),
        by: said.by.clone(),
        since: said.since,
        anchor: None,
        language: turn.language(),
        pressed: false,
    });
}

pub(super) fn note(turn: &mut Turn<'_>, cycle: &ModelPick) {
    let budget = turn.policy.selection.max_enrichment_steps.saturating_sub(cycle.looks);
    let account = turn.selection_trace();
    account.cycle = Some(cycle.id.0.clone());
    account.fingerprint_before = Some(cycle.before.0.clone());
    account.retry_index = Some(cycle.calls.saturating_sub(1));
    account.retry_budget = Some(budget);
    account.hints.clone_from(&cycle.hints);
}

/// Ends the acting person's cycle after they gave a command.
pub(crate) fn cancel_for_actor(turn: &mut Turn<'_>) {
    if !turn.has_lists() {
        return;
    }
    let user = turn.event.actor.clone();
    let mut view = turn.view(&user);
    if view.cycle.is_some() {
        cancel(turn, &mut view);
        turn.put_view(view);
    }
}

/// Ends the cycle of a view because something else happened, and cancels its call. An answer that still
/// arrives is too late and is ignored.
pub(super) fn cancel(turn: &mut Turn<'_>, view: &mut View) {
    if view.cycle.take().is_none() {
        return;
    }
    let own = turn.head.ask.take_if(|ask| ask.about == AnswerRecipient::Selection(view.user.clone()));
    if let Some(ask) = own {
        turn.cancel(&ask.effect);
        turn.delete::<crate::data::event::Event>(&ask.message.0);
        turn.note(Reason::EffectSuperseded);
    }
}

/// Judges a model's answer, or its failure, by the lane as it is now. Returns `None` if the text is no choice
/// after all: routing continues behind this rung.
pub(crate) fn answered(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    user: &str,
    answer: Answer,
) -> Option<Decision> {
    let (mut view, cycle, set) = match current(turn, user) {
        Ok(current) => current,
        Err(decision) => return Some(decision),
    };
    let (says, choice, confidence, needs) = match judged(turn, &cycle, answer) {
        Ok(answer) => answer,
        Err(_) if cycle.fetching.is_some() => {
            return Some(unresolved(turn, view, &cycle, &set, Reason::EnrichmentUnavailable));
        }
        Err(reason) => return Some(unresolved(turn, view, &cycle, &set, reason)),
    };
    let floor = turn.policy.selection.floor.clone();
    let decision = match says {
        SelectVerdict::Select => {
            let Some(meant) = choice.and_then(|place| candidate(&cycle, place)) else {
                return Some(unresolved(turn, view, &cycle, &set, Reason::ModelOutOfPool));
            };
            turn.selection_trace().signals.push(Signal::Picked);
            picked(turn, said, view, &cycle, &set, (&meant, confidence))
        }
        SelectVerdict::None => {
            let released = confidence >= floor.select
                && !cycle.cued
                && !cycle.resembles
                && turn.policy.selection.release_on_none;
            if !released {
                return Some(unresolved(turn, view, &cycle, &set, Reason::ModelAbstains));
            }
            view.cycle = None;
            let predicate = rung::leave(turn, said, view, Reason::SelectionReleased);
            turn.pass(predicate);
            turn.note(Reason::SelectionReleased);
            return None;
        }
        SelectVerdict::NeedMoreInfo => {
            turn.selection_trace().signals.push(Signal::NeedsMore);
            let reason = cycle.reason;
            vetoed(turn, said, view, &cycle, &set, reason)
        }
        SelectVerdict::RequestContext => {
            turn.selection_trace().signals.push(Signal::NeedsMore);
            more_evidence::enrich(turn, said, view, cycle, &set, &needs)
        }
    };
    Some(decision)
}

/// Returns the cycle an answer belongs to, and its list as it is now. If the cycle, the list or a candidate
/// is gone, returns the turn's decision as the error.
pub(super) fn current(turn: &mut Turn<'_>, user: &str) -> Result<(View, ModelPick, OptionSet), Decision> {
    let mut view = turn.view(user);
    let Some(cycle) = view.cycle.clone() else {
        return Err(Decision::new(Verdict::Recorded, Reason::LateAnswer));
    };
    note(turn, &cycle);
    let set = rung::standing_set(turn, &view, &cycle.set)
        .filter(|set| set.exec_rev == cycle.exec_rev && view.active_option_set_id.as_ref() == Some(&set.id));
    if let Some(set) = set {
        rung::note_set(turn, &set);
        let there = |id: &String| set.option(id).is_some();
        if !cycle.candidates.iter().all(there) {
            return Err(unresolved(turn, view, &cycle, &set, Reason::CandidatesChanged));
        }
        return Ok((view, cycle, set));
    }
    view.cycle = None;
    // The text is still unanswered and its list was replaced, so the person is asked about the new one.
    let stands =
        |view: &View| view.active_option_set_id.clone().and_then(|id| turn.get::<OptionSet>(&id).cloned());
    let Some(other) = stands(&view) else {
        turn.put_view(view);
        turn.say(crate::data::message::MessageKind::Answer, None, &say::option_list_gone(turn.language()));
        return Err(Decision::new(Verdict::Answered, Reason::ContextReplaced));
    };
    let about = QuestionSubject::List { set: other.id, first: None, ahead: 0, rejected: 0 };
    let question =
        ClarifyingQuestion::plain(Reason::ContextReplaced, ClarifierType::SelectionDisambiguation, about);
    Err(clarify::ask(turn, view, &question, Provenance::SafeClarifier))
}

type CheckedAnswer = (SelectVerdict, Option<usize>, u8, Vec<EvidenceKind>);

/// Checks an answer against its contract. Returns the decision, the place of the choice, the confidence in
/// percent and the evidence asked for; or the reason why it is not valid.
fn judged(turn: &Turn<'_>, cycle: &ModelPick, answer: Answer) -> Result<CheckedAnswer, Reason> {
    let (contract, says, choice, confidence, needs) = match answer {
        Answer::Select { contract, says, choice, confidence, needs } => {
            (contract, says, choice, confidence, needs)
        }
        Answer::None { why } => return Err(failure(&why)),
        _ => return Err(Reason::ModelMalformed),
    };
    if contract != SELECT_CONTRACT {
        return Err(Reason::ModelContract);
    }
    if confidence > 100 {
        return Err(Reason::ModelMalformed);
    }
    let place = |named: &String| (0..cycle.candidates.len()).find(|place| alias(*place) == *named);
    let choice = match (says, choice.as_ref()) {
        (SelectVerdict::Select, None) => return Err(Reason::ModelMalformed),
        (SelectVerdict::Select, Some(named)) => Some(place(named).ok_or(Reason::ModelOutOfPool)?),
        _ => None,
    };
    let known: Option<Vec<EvidenceKind>> = needs.iter().map(|word| EvidenceKind::parse(word)).collect();
    let most = turn.policy.selection.needed_evidence_types_max;
    let needs = known.filter(|known| known.len() <= most).ok_or(Reason::ModelNeeds)?;
    if says == SelectVerdict::RequestContext && needs.is_empty() {
        return Err(Reason::ModelNeeds);
    }
    Ok((says, choice, confidence, needs))
}

/// Maps the failure word of a model call to a reason.
fn failure(why: &str) -> Reason {
    match why {
        "timeout" | "gave_up" | "late" => Reason::ModelTimeout,
        "rate_limited" | "429" | "status_429" | "over_budget" | "budget" => Reason::ModelLimited,
        "out_of_pool" => Reason::ModelOutOfPool,
        "schema" | "malformed" | "prose" | "two_choices" | "cut" | "empty" | "too_long" | "refused"
        | "refusal" | "content_filter" | "tool_call" => Reason::ModelMalformed,
        _ => Reason::ModelUnreached,
    }
}

/// Handles a pick. It executes if every gate of `auto_execute` is open; with enough confidence it is
/// suggested, else it leads the list; below the floor the list is asked about as it was.
fn picked(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    mut view: View,
    cycle: &ModelPick,
    set: &OptionSet,
    (meant, confidence): (&OptionIdentity, u8),
) -> Decision {
    let policy = &turn.policy.selection;
    let (floor, auto) = (policy.floor.clone(), policy.auto_execute.clone());
    if confidence < floor.ask {
        return unresolved(turn, view, cycle, set, Reason::ModelUnsure);
    }
    let Some((at, option)) = set.option(&meant.option) else {
        return unresolved(turn, view, cycle, set, Reason::ModelOutOfPool);
    };
    lead(&mut view, set, at);
    if let Some(guard) = &mut view.guard {
        guard.suggested = Some(option.id.clone());
    }
    let code = cycle.reason.code();
    let allowed = auto.reasons.iter().any(|reason| code.strip_prefix("selection.") == Some(reason));
    let text = facts_of(turn, said, &view, cycle, set, at);
    view.cycle = None;
    if text.edited {
        return unresolved(turn, view, cycle, set, Reason::OptionNoMatch);
    }
    let may = auto.enabled && confidence >= auto.confidence && allowed && option.is_normal();
    if may && let Ok(chosen) = permit(&view, set, ChoiceMade { door: Door::Model, meant, text }) {
        let act = Execution { chosen, reason: Reason::ModelPickExecuted, corrects: None, remainder: None };
        return rung::execute(turn, view, act, Provenance::LlmExecuted);
    }
    let (reason, kind) = if confidence >= floor.select {
        (Reason::OptionSuggested, ClarifierType::Confirmation)
    } else {
        (cycle.reason, ClarifierType::SelectionDisambiguation)
    };
    let about = QuestionSubject::List { set: set.id.clone(), first: Some(at), ahead: 0, rejected: 0 };
    clarify::ask(turn, view, &ClarifyingQuestion::plain(reason, kind, about), Provenance::LlmInfluenced)
}

/// The option that stands at a place of the frozen order, as it was when the model was asked.
fn candidate(cycle: &ModelPick, place: usize) -> Option<OptionIdentity> {
    Some(OptionIdentity {
        set: cycle.set.clone(),
        exec_rev: cycle.exec_rev,
        option: cycle.candidates.get(place)?.clone(),
        exec_ref: cycle.runs.get(place)?.clone(),
    })
}

/// The facts of the message as it is now, after the model was asked about a part of it.
fn facts_of(
    turn: &Turn<'_>,
    said: &RoutedMessage,
    view: &View,
    cycle: &ModelPick,
    set: &OptionSet,
    option: usize,
) -> TextFacts {
    let (sets, asked) = ([set], Words::new(&cycle.text, turn.languages()));
    let label = set.options.get(option).map_or("", |option| option.label.as_str());
    let whole = text_facts(&scene(turn, &said.words, view, &sets, said.since), set);
    let before = ShownAt::by_message(&said.message, said.since);
    TextFacts {
        unseen: whole.unseen
            || newest::shown_since(turn, view, &before)
            || newest::left_since(turn, said.since),
        edited: is_edited(said, cycle),
        unlike: !names(&scene(turn, &asked, view, &sets, said.since), set, option)
            || control::leaves_out_command(&asked, label),
        ..whole
    }
}

/// True if the message no longer says what the model was asked about.
fn is_edited(said: &RoutedMessage, cycle: &ModelPick) -> bool {
    !said.words.text().contains(cycle.text.trim())
}

/// A text beside one list, outside of the ladder.
fn scene<'s>(
    turn: &'s Turn<'_>,
    message: &'s Words,
    view: &'s View,
    sets: &'s [&'s OptionSet],
    since: Timestamp,
) -> ResolveInput<'s> {
    ResolveInput {
        lexicon: super::lexicon(message),
        view,
        sets,
        message,
        reply: &ReplyTo::Nothing,
        place: None,
        yes: None,
        since,
        others: &[],
        contested: false,
        left_since: false,
        policy: &turn.policy.selection,
        now: turn.now(),
    }
}

/// Keeps the order of the question in the guard, so that the same text is shown the same order again.
fn lead(view: &mut View, set: &OptionSet, first: usize) {
    if let Some(guard) = &mut view.guard {
        guard.order = super::target_list::base_order(&set.options);
        guard.order.sort_by_key(|place| usize::from(*place) != first);
    }
}

/// Ends the cycle and asks the person. The best hint leads the list only if the model was unsure or could not
/// decide, and never if several options matched equally.
fn unresolved(
    turn: &mut Turn<'_>,
    mut view: View,
    cycle: &ModelPick,
    set: &OptionSet,
    reason: Reason,
) -> Decision {
    view.cycle = None;
    let hinted = cycle.hints.first().filter(|_| cycle.reason != Reason::OptionManyMatch);
    let kept = matches!(reason, Reason::ModelUnsure) || reason == cycle.reason;
    let first = hinted.filter(|_| kept).and_then(|id| set.option(id)).map(|(at, _)| at);
    if let Some(first) = first {
        lead(&mut view, set, first);
    }
    let about = QuestionSubject::List { set: set.id.clone(), first, ahead: 0, rejected: 0 };
    let question = ClarifyingQuestion::plain(reason, ClarifierType::SelectionDisambiguation, about);
    clarify::ask(turn, view, &question, Provenance::SafeClarifier)
}

/// Tries the rules once more on the list as it is now, after a model could not tell; else asks the person,
/// for `reason`.
pub(super) fn vetoed(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    mut view: View,
    cycle: &ModelPick,
    set: &OptionSet,
    reason: Reason,
) -> Decision {
    if is_edited(said, cycle) {
        return unresolved(turn, view, cycle, set, Reason::OptionNoMatch);
    }
    let words = Words::new(&cycle.text, turn.languages());
    let sets = [set];
    // The host was asked for the list while the model was, so that a newer showing is no surprise.
    let checked = check_continuity(&scene(turn, &words, &view, &sets, turn.now()), set);
    match checked {
        Ok(chosen) => {
            turn.selection_trace().signals.push(Signal::Vetoed);
            view.cycle = None;
            let act = Execution { chosen, reason: Reason::ModelVetoed, corrects: None, remainder: None };
            rung::execute(turn, view, act, Provenance::Deterministic)
        }
        Err(blocked) => {
            let account = turn.selection_trace();
            account.signals.push(Signal::VetoBlocked);
            account.blocked = Some(blocked.name());
            unresolved(turn, view, cycle, set, reason)
        }
    }
}
