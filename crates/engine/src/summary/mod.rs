//! The summary of a conversation, and the cursor up to which it reaches. Each message is either covered by
//! the summary and its tail, or raw; never both, never neither. A model writes the summary; if none
//! answers, single lines of the messages are added to the tail: at once, or where nobody is shown them, when they
//! are read. No decision depends on either (`docs/design/0026-summaries.md`).

mod extractive;
mod validate;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::context::lane_context::LaneContext;
use crate::context::window;
use crate::data::ask::{Answer, Ask, Question};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::erasure::ErasureScope;
use crate::data::event::{Event, EventKind};
use crate::data::id::{EffectId, MessageId, message_position};
use crate::data::lane::Lane;
use crate::data::lane_key::LaneKey;
use crate::data::lane_state::LaneState;
use crate::data::message::Message;
use crate::data::policy::Policy;
use crate::data::policy::context::SUMMARY_AHEAD;
use crate::data::policy::hosting::{Fallback, Replies};
use crate::data::purpose::{Purpose, Purposes};
use crate::data::record::{RecordKey, RecordKind};
use crate::data::step_input::{StepInput, SummaryLines};
use crate::data::summary::{ConversationSummary, SummaryRequest};
use crate::data::trace::PromptTrace;
use crate::memory::fact_intake;
use crate::turn::Turn;
use crate::turn::routed_message::model_is_available;

/// Returns the moment at which lines are made in a lane: when somebody reads them, where no model is asked and neither a
/// host's agent nor a sub-agent is shown the lane.
#[must_use]
pub fn lines_made(lane: &LaneKey, model: Purposes, policy: &Policy) -> SummaryLines {
    let hosting = policy.hosting(lane);
    let host_reads = hosting.fallback == Fallback::Host || hosting.replies == Replies::None;
    if model.is_empty() && policy.agents.is_empty() && !host_reads {
        SummaryLines::WhenRead
    } else {
        SummaryLines::AtOnce
    }
}

/// The raw messages that will be folded if this turn adds some. The runtime loads the texts of those that
/// have left the window.
pub(crate) fn needs(lane: &Lane, event: &Event, given: &StepInput, policy: &Policy) -> Vec<RecordKey> {
    let head = &lane.head;
    let covered = head.covered.as_deref();
    let count = head.earlier.len() + head.window.len() + SUMMARY_AHEAD;
    let soon = given.lines == SummaryLines::AtOnce
        && count > policy.summary.trigger
        && count >= covered.map_or(0, |covered| covered.next);
    let folds = if soon { count.saturating_sub(policy.summary.keep) } else { 0 };
    let answered = match &event.kind {
        EventKind::EffectSettled { effect, .. } => {
            request_of(head, effect).map_or(0, |request| request.folds)
        }
        _ => 0,
    };
    let earlier = head.earlier.texts().take(folds.max(answered));
    earlier.map(|id| RecordKey { kind: RecordKind::Message, key: id.into() }).collect()
}

/// Folds raw messages at the end of a turn if there are too many: by a model if one may be asked, else by
/// extracting lines.
pub(crate) fn fold(turn: &mut Turn<'_>) {
    let (policy, head) = (&turn.policy.summary, &turn.head);
    if head.earlier.len() + head.window.len() <= policy.trigger {
        return;
    }
    let raw = head.raw();
    let covered = covered(turn);
    let capped = raw.len() >= policy.hard_cap;
    let waits = raw.len() < covered.next || covered.asked.is_some();
    if raw.len() <= policy.trigger || waits && !capped {
        return;
    }
    let batch = &raw[..raw.len() - policy.keep];
    if turn.given.lines == SummaryLines::WhenRead {
        take_back(turn);
        return owe(turn, batch);
    }
    // A batch with a message that was not loaded for this turn is left for the next one.
    let wanted = needs(turn.lane, turn.event, turn.given, turn.policy);
    let looked_up = |id: &&MessageId| {
        turn.named::<Message>(id.as_str()).is_none()
            && turn.lane.head.earlier.contains(id)
            && !wanted.iter().any(|key| key.key == id.as_str())
    };
    if batch.iter().any(|id| looked_up(&id)) {
        return;
    }
    let messages: Vec<Message> =
        batch.iter().filter_map(|id| turn.get::<Message>(id).cloned()).filter(for_all).collect();
    let given_up = capped || covered.tries >= policy.max_tries;
    if !given_up && model_is_available(turn, Purpose::Summary) && request(turn, &messages, batch) {
        return;
    }
    take_back(turn);
    extract(turn, &messages, batch);
}

/// Asks a model for a summary of these messages together with the present one. Returns false if they do not
/// fit into one prompt.
fn request(turn: &mut Turn<'_>, messages: &[Message], batch: &[MessageId]) -> bool {
    let before = covered(turn);
    let Some(to) = batch.last().or(before.through.as_ref()).cloned() else { return false };
    let most = turn.policy.context.message_graphemes;
    let lines: Vec<String> =
        messages.iter().filter_map(|message| window::line(turn, message, most)).collect();
    let question = Question::Summary { base_cursor: before.cursor, to: to.clone(), messages: lines };
    let shown =
        LaneContext { summary: before.summary.clone(), tail: before.tail.clone(), ..LaneContext::default() };
    let Ok(ask) = Ask::within(question, "", None, shown, turn.policy) else {
        turn.note(Reason::ContextTooLarge);
        return false;
    };
    turn.trace.prompt = Some(PromptTrace::of(&ask.prompt));
    let effect = turn.effect(EffectBody::ModelAsk(ask), &[], None);
    let (base_cursor, folds) = (before.cursor, batch.len());
    turn.head.covered_mut().asked = Some(SummaryRequest { effect, base_cursor, folds, to });
    true
}

pub(crate) fn covered(turn: &Turn<'_>) -> Arc<ConversationSummary> {
    turn.head.covered.clone().unwrap_or_default()
}

/// Folds without a model: the most informative lines join the tail, and the summary stays as it is.
fn extract(turn: &mut Turn<'_>, messages: &[Message], batch: &[MessageId]) {
    let lines = extractive::best_lines(messages);
    let most = turn.policy.summary.tail_lines;
    add_lines(turn.head.covered_mut(), lines, most);
    advance(turn, batch.len(), batch.last());
    turn.note(Reason::SummaryExtracted);
}

/// Adds lines to the tail, which keeps the newest.
fn add_lines(covered: &mut ConversationSummary, lines: impl IntoIterator<Item = String>, most: usize) {
    covered.tail.extend(lines);
    let over = covered.tail.len().saturating_sub(most);
    covered.tail.drain(..over);
}

/// Folds without a model and without a reader: the lines are made when somebody reads them.
fn owe(turn: &mut Turn<'_>, batch: &[MessageId]) {
    let most = turn.policy.summary.hard_cap;
    let owed = &mut turn.head.covered_mut().owed;
    owed.push(batch.len());
    // Lines are made of the newest so many messages alone, which is more than the tail holds.
    while owed.len() > 1 && owed[1..].iter().sum::<usize>() >= most {
        owed.remove(0);
    }
    advance(turn, batch.len(), batch.last());
    turn.note(Reason::SummaryExtracted);
}

/// Makes the lines that are owed, where somebody may be shown them from now on.
pub(crate) fn make_lines(turn: &mut Turn<'_>) {
    if is_owed(&turn.head, turn.given) {
        let (given, most) = (turn.given, turn.policy.summary.tail_lines);
        with_lines(turn.head.covered_mut(), &given.covered, most);
    }
}

/// True if lines of covered messages are left for whoever reads them.
#[must_use]
pub fn has_lines_to_make(head: &LaneState) -> bool {
    head.covered.as_ref().is_some_and(|covered| !covered.owed.is_empty())
}

/// True if the step of this lane has to make lines that earlier steps left.
fn is_owed(head: &LaneState, given: &StepInput) -> bool {
    given.lines == SummaryLines::AtOnce && has_lines_to_make(head)
}

/// Returns the lane's summary as it is read: with the lines that are owed, made of the newest messages that it covers, oldest
/// first.
#[must_use]
pub fn as_read(head: &LaneState, newest: &[Message], policy: &Policy) -> ConversationSummary {
    let mut covered = head.covered.as_deref().cloned().unwrap_or_default();
    with_lines(&mut covered, newest, policy.summary.tail_lines);
    covered
}

fn with_lines(covered: &mut ConversationSummary, newest: &[Message], most: usize) {
    let mut left = newest;
    let mut folds = Vec::new();
    for size in core::mem::take(&mut covered.owed).into_iter().rev() {
        let (older, fold) = left.split_at(left.len().saturating_sub(size));
        let fold: Vec<Message> = fold.iter().filter(|message| for_all(message)).cloned().collect();
        folds.push(extractive::best_lines(&fold));
        left = older;
    }
    add_lines(covered, folds.into_iter().rev().flatten(), most);
}

/// Moves the cursor: the oldest `folds` raw messages are covered from here on.
fn advance(turn: &mut Turn<'_>, folds: usize, to: Option<&MessageId>) {
    let covered = turn.head.covered_mut();
    covered.cursor += folds as u64;
    covered.through = to.cloned().or(covered.through.take());
    (covered.asked, covered.tries, covered.next) = (None, 0, 0);
    let earlier = turn.head.earlier.iter().filter(|id| turn.head.is_raw(id)).collect();
    turn.head.earlier = earlier;
}

/// The lane's open request for a summary, if this effect carries it.
fn request_of<'h>(head: &'h LaneState, effect: &EffectId) -> Option<&'h SummaryRequest> {
    head.covered.as_ref()?.asked.as_ref().filter(|request| request.effect == *effect)
}

/// True if an effect carries the lane's open request for a summary.
#[must_use]
pub fn is_open_request(head: &LaneState, effect: &EffectId) -> bool {
    request_of(head, effect).is_some()
}

/// Takes the answer to a request for a summary, or the certainty that none will come. Only here is a
/// summary replaced; an answer to a request that is no longer current is [`Reason::SummarySuperseded`].
pub(crate) fn settled(turn: &mut Turn<'_>, effect: &EffectId, answer: &Answer) -> Decision {
    let recorded = |reason| Decision::new(Verdict::Recorded, reason);
    let current = |request: &&SummaryRequest| request.base_cursor == turn.head.cursor();
    let Some(request) = request_of(&turn.head, effect).filter(current).cloned() else {
        return recorded(Reason::SummarySuperseded);
    };
    turn.head.covered_mut().asked = None;
    let sources = sources(turn, &request);
    let text = match answer {
        Answer::Summary { text, .. } => {
            let before =
                turn.head.covered.iter().flat_map(|covered| covered.summary.iter().chain(&covered.tail));
            let words = before.map(String::as_str).chain(sources.iter().map(|message| message.text.as_str()));
            validate::validate(text, words, turn.policy)
        }
        _ => Err(Reason::SummaryFailed),
    };
    match text {
        Ok(text) => {
            if let Answer::Summary { facts, .. } = answer {
                let shown: Vec<MessageId> = sources.iter().map(|message| message.id.clone()).collect();
                fact_intake::proposed(turn, facts, &shown);
            }
            let covered = turn.head.covered_mut();
            covered.summary = Some(text);
            covered.version += 1;
            covered.tail.clear();
            advance(turn, request.folds, Some(&request.to));
            recorded(Reason::SummaryReplaced)
        }
        // The messages are covered already, so no later fold contains them: their lines have to be
        // extracted now.
        Err(reason) if request.folds == 0 => {
            extract(turn, &sources, &[]);
            recorded(reason)
        }
        Err(reason) => {
            let raw = turn.head.raw().len();
            let tries = turn.policy.summary.max_tries;
            let covered = turn.head.covered_mut();
            covered.tries += 1;
            covered.next = if covered.tries < tries { raw + turn.policy.summary.retry_messages } else { 0 };
            recorded(reason)
        }
    }
}

/// The messages that a request showed to the model.
fn sources(turn: &Turn<'_>, request: &SummaryRequest) -> Vec<Message> {
    if request.folds == 0 {
        return turn.given.covered.iter().filter(|message| for_all(message)).cloned().collect();
    }
    let raw = turn.head.raw();
    raw.iter().take(request.folds).filter_map(|id| turn.get::<Message>(id).cloned()).filter(for_all).collect()
}

/// True if everybody may read the message. One to a single person is covered too, but does not enter the
/// summary.
fn for_all(message: &Message) -> bool {
    message.to.is_none()
}

/// Handles the edit or deletion of a message: a summary that was made of it, or is being made, is not used.
pub(crate) fn reworded(turn: &mut Turn<'_>, message: &MessageId) {
    if !turn.head.is_raw(message) {
        return withhold(turn, &|_| false);
    }
    let folded = |request: &SummaryRequest| {
        message_position(message.as_str()) <= message_position(request.to.as_str())
    };
    if covered(turn).asked.as_ref().is_some_and(folded) {
        take_back(turn);
    }
}

/// Cancels the open request for a summary.
pub(crate) fn take_back(turn: &mut Turn<'_>) {
    let Some(request) = covered(turn).asked.clone() else { return };
    turn.cancel(&request.effect);
    turn.head.covered_mut().asked = None;
}

/// Withholds the summary after a covered message was edited or deleted, and makes it anew from the other
/// covered messages that the runtime handed over.
///
/// `gone` selects the messages that must not be used again.
pub(crate) fn withhold(turn: &mut Turn<'_>, gone: &dyn Fn(&Message) -> bool) {
    let covered = covered(turn);
    if covered.summary.is_none() && covered.tail.is_empty() && covered.asked.is_none() {
        return;
    }
    take_back(turn);
    let covered = turn.head.covered_mut();
    (covered.summary, covered.tries, covered.next) = (None, 0, 0);
    covered.tail.clear();
    covered.owed.clear();
    turn.note(Reason::SummaryWithheld);
    let known =
        |message: &Message| turn.get::<Message>(&message.id).cloned().unwrap_or_else(|| message.clone());
    let left = turn.given.covered.iter().filter(|message| !gone(message));
    let says = |message: &Message| for_all(message) && !message.text.trim().is_empty();
    let rest: Vec<Message> = left.map(known).filter(says).collect();
    if rest.is_empty() {
        return;
    }
    if !(model_is_available(turn, Purpose::Summary) && request(turn, &rest, &[])) {
        extract(turn, &rest, &[]);
    }
}

/// True if the step of this event needs the covered messages, so that the runtime loads them: because the
/// words of such a message are changed or erased, because an answer arrives that was made of them, or because
/// lines of them are owed.
#[must_use]
pub fn needs_covered(lane: &Lane, event: &Event, given: &StepInput) -> bool {
    let head = &lane.head;
    if is_owed(head, given) {
        return true;
    }
    match &event.kind {
        EventKind::MessageDeleted { .. } | EventKind::MessageEdited { .. } => {
            let message = given.anchor.as_ref().map(|anchor| &anchor.id);
            head.cursor() > 0 && message.is_some_and(|message| !head.is_raw(message))
        }
        EventKind::EffectSettled { effect, .. } => {
            request_of(head, effect).is_some_and(|request| request.folds == 0)
        }
        EventKind::Erasure(ErasureScope::Person { .. }) => head.cursor() > 0,
        _ => false,
    }
}
