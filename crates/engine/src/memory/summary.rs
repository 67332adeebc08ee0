//! What a conversation is condensed to, and how far that reaches (`spec 05 §7`). A message is covered by the summary and
//! its tail, or raw: never both, never neither. A model writes the summary; where none answers, single lines of the
//! messages stand in its tail. Nothing is ever decided by either.

mod line;
mod valid;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::ask::arbitrate::reachable;
use crate::ask::{Answer, Ask, Purpose, Question, Shown};
use crate::context::window;
use crate::decision::{Decision, Reason, Verdict};
use crate::effect::EffectBody;
use crate::erase::Erase;
use crate::event::{Event, EventKind};
use crate::given::Given;
use crate::id::{EffectId, MessageId, place};
use crate::lane::{Lane, LaneState, Message, RecordKey, RecordKind};
use crate::memory::flow;
use crate::policy::Policy;
use crate::policy::context::SUMMARY_AHEAD;
use crate::trace::PromptTrace;
use crate::turn::Turn;

/// What stands for the messages that are no longer raw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Covered {
    /// What a model made of them.
    #[serde(rename = "context_summary", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How often it was replaced.
    #[serde(rename = "summary_version")]
    pub version: u32,
    /// Single lines of those that came after it, oldest first.
    #[serde(rename = "summary_tail", skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// The place in the lane of the newest of them; the first message has place 1.
    #[serde(rename = "context_cursor")]
    pub cursor: u64,
    /// That message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<MessageId>,
    /// The request that is out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Request>,
    /// How often a request failed since the cursor moved.
    #[serde(skip_serializing_if = "is_zero")]
    pub tries: u32,
    /// How many messages have to be raw for the next one.
    #[serde(skip_serializing_if = "is_nothing")]
    pub next: usize,
}

/// A request for a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The effect that carries it.
    pub effect: EffectId,
    /// The cursor it goes on from: when that moved meanwhile, its answer is of no use.
    pub base_cursor: u64,
    /// How many messages it folds; none when it only condenses anew what is covered already.
    pub folds: usize,
    /// The newest of them.
    pub to: MessageId,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_nothing(count: &usize) -> bool {
    *count == 0
}

impl LaneState {
    /// The place of the newest message that is covered.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.covered.as_ref().map_or(0, |covered| covered.cursor)
    }

    /// Whether a message of this lane is raw: not covered by the summary or its tail.
    #[must_use]
    pub fn is_raw(&self, message: &MessageId) -> bool {
        let through = self.covered.as_ref().and_then(|covered| covered.through.as_ref());
        through.is_none_or(|through| place(message.as_str()) > place(through.as_str()))
    }

    /// The raw messages, oldest first.
    #[must_use]
    pub fn raw(&self) -> Vec<MessageId> {
        let in_window = self.window.iter().filter(|id| self.is_raw(id) && !self.earlier.contains(id));
        let mut raw: Vec<MessageId> = self.earlier.iter().chain(in_window).collect();
        raw.sort_by_key(|id| place(id.as_str()));
        raw
    }

    /// The summary to be written on.
    fn covered_mut(&mut self) -> &mut Covered {
        Arc::make_mut(self.covered.get_or_insert_default())
    }
}

/// The raw messages that will be folded, should this turn add some: of those that have left the window the runtime
/// reads the text.
pub(crate) fn needs(lane: &Lane, event: &Event, policy: &Policy) -> Vec<RecordKey> {
    let head = &lane.head;
    let covered = head.covered.as_deref();
    let count = head.earlier.len() + head.window.len() + SUMMARY_AHEAD;
    let soon = count > policy.summary.trigger && count >= covered.map_or(0, |covered| covered.next);
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

/// The end of a turn: too many raw messages are folded, by a model if one may be asked.
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
    // What was not looked up for this turn is for the next.
    let wanted = needs(turn.lane, turn.event, turn.policy);
    let looked_up = |id: &&MessageId| {
        turn.message_ref(id.as_str()).is_none()
            && turn.lane.head.earlier.contains(id)
            && !wanted.iter().any(|key| key.key == id.as_str())
    };
    if batch.iter().any(|id| looked_up(&id)) {
        return;
    }
    let messages: Vec<Message> = batch.iter().filter_map(|id| turn.message(id)).filter(for_all).collect();
    let given_up = capped || covered.tries >= policy.max_tries;
    if !given_up && reachable(turn, Purpose::Summary) && request(turn, &messages, batch) {
        return;
    }
    take_back(turn);
    extract(turn, &messages, batch);
}

/// Asks for the summary of these messages and what is there. `false`: too much for one prompt.
fn request(turn: &mut Turn<'_>, messages: &[Message], batch: &[MessageId]) -> bool {
    let before = covered(turn);
    let Some(to) = batch.last().or(before.through.as_ref()).cloned() else { return false };
    let most = turn.policy.context.message_graphemes;
    let lines: Vec<String> =
        messages.iter().filter_map(|message| window::line(turn, message, most)).collect();
    let question = Question::Summary { base_cursor: before.cursor, to: to.clone(), messages: lines };
    let shown = Shown { summary: before.summary.clone(), tail: before.tail.clone(), ..Shown::default() };
    let Ok(ask) = Ask::within(question, "", None, shown, turn.policy) else {
        turn.note(Reason::ContextTooLarge);
        return false;
    };
    turn.trace.prompt = Some(PromptTrace::of(&ask.prompt));
    let effect = turn.effect(EffectBody::ModelAsk(ask), &[], None);
    let (base_cursor, folds) = (before.cursor, batch.len());
    turn.head.covered_mut().asked = Some(Request { effect, base_cursor, folds, to });
    true
}

fn covered(turn: &Turn<'_>) -> Arc<Covered> {
    turn.head.covered.clone().unwrap_or_default()
}

/// Folds without a model: the lines that say most join the tail, the summary stays.
fn extract(turn: &mut Turn<'_>, messages: &[Message], batch: &[MessageId]) {
    let lines = line::best(messages);
    let most = turn.policy.summary.tail_lines;
    let covered = turn.head.covered_mut();
    covered.tail.extend(lines);
    let over = covered.tail.len().saturating_sub(most);
    covered.tail.drain(..over);
    advance(turn, batch.len(), batch.last());
    turn.note(Reason::SummaryExtracted);
}

/// The oldest so many raw messages are covered from here on.
fn advance(turn: &mut Turn<'_>, folds: usize, to: Option<&MessageId>) {
    let covered = turn.head.covered_mut();
    covered.cursor += folds as u64;
    covered.through = to.cloned().or(covered.through.take());
    (covered.asked, covered.tries, covered.next) = (None, 0, 0);
    let earlier = turn.head.earlier.iter().filter(|id| turn.head.is_raw(id)).collect();
    turn.head.earlier = earlier;
}

/// The lane's request that this effect carries.
fn request_of<'h>(head: &'h LaneState, effect: &EffectId) -> Option<&'h Request> {
    head.covered.as_ref()?.asked.as_ref().filter(|request| request.effect == *effect)
}

/// Whether an effect carries the lane's request for a summary.
#[must_use]
pub fn asks(head: &LaneState, effect: &EffectId) -> bool {
    request_of(head, effect).is_some()
}

/// An answer came, or it is certain that none will. Nothing else ever replaces a summary.
pub(crate) fn settled(turn: &mut Turn<'_>, effect: &EffectId, answer: &Answer) -> Decision {
    let recorded = |reason| Decision::new(Verdict::Recorded, reason);
    let current = |request: &&Request| request.base_cursor == turn.head.cursor();
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
            valid::checked(text, words, turn.policy)
        }
        _ => Err(Reason::SummaryFailed),
    };
    match text {
        Ok(text) => {
            if let Answer::Summary { facts, .. } = answer {
                let shown: Vec<MessageId> = sources.iter().map(|message| message.id.clone()).collect();
                flow::proposed(turn, facts, &shown);
            }
            let covered = turn.head.covered_mut();
            covered.summary = Some(text);
            covered.version += 1;
            covered.tail.clear();
            advance(turn, request.folds, Some(&request.to));
            recorded(Reason::SummaryReplaced)
        }
        // What it would be made of is covered already: nothing later is folded that holds it.
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

/// The messages a request showed.
fn sources(turn: &Turn<'_>, request: &Request) -> Vec<Message> {
    if request.folds == 0 {
        return turn.given.covered.iter().filter(|message| for_all(message)).cloned().collect();
    }
    let raw = turn.head.raw();
    raw.iter().take(request.folds).filter_map(|id| turn.message(id)).filter(for_all).collect()
}

/// What one person was told alone is covered as well, but stands in no summary: others read it.
fn for_all(message: &Message) -> bool {
    message.to.is_none()
}

/// A message says something else now, or nothing: what was made of it, or is just being made, is not used.
pub(crate) fn reworded(turn: &mut Turn<'_>, message: &MessageId) {
    if !turn.head.is_raw(message) {
        return withhold(turn, &|_| false);
    }
    let folded = |request: &Request| place(message.as_str()) <= place(request.to.as_str());
    if covered(turn).asked.as_ref().is_some_and(folded) {
        take_back(turn);
    }
}

/// Takes the request back that is out.
pub(crate) fn take_back(turn: &mut Turn<'_>) {
    let Some(request) = covered(turn).asked.clone() else { return };
    turn.cancel(&request.effect);
    turn.head.covered_mut().asked = None;
}

/// A message that is covered says something else now, or nothing: what was made of it is not shown any more, and made
/// anew from the rest of what is covered, as far as the runtime handed it over.
///
/// `gone`: those that are not to be looked at again.
pub(crate) fn withhold(turn: &mut Turn<'_>, gone: &dyn Fn(&Message) -> bool) {
    let covered = covered(turn);
    if covered.summary.is_none() && covered.tail.is_empty() && covered.asked.is_none() {
        return;
    }
    take_back(turn);
    let covered = turn.head.covered_mut();
    (covered.summary, covered.tries, covered.next) = (None, 0, 0);
    covered.tail.clear();
    turn.note(Reason::SummaryWithheld);
    let known = |message: &Message| turn.message(&message.id).unwrap_or_else(|| message.clone());
    let left = turn.given.covered.iter().filter(|message| !gone(message));
    let says = |message: &Message| for_all(message) && !message.text.trim().is_empty();
    let rest: Vec<Message> = left.map(known).filter(says).collect();
    if rest.is_empty() {
        return;
    }
    if !(reachable(turn, Purpose::Summary) && request(turn, &rest, &[])) {
        extract(turn, &rest, &[]);
    }
}

/// The summary and its tail, as a prompt shows them.
pub(crate) fn shown(turn: &Turn<'_>) -> (Option<String>, Vec<String>) {
    let covered = turn.head.covered.as_deref();
    covered.map(|covered| (covered.summary.clone(), covered.tail.clone())).unwrap_or_default()
}

/// Whether the step of this event looks at what is covered: the runtime then reads it. Because the words of such a
/// message are taken back, or because an answer comes that was made of them.
#[must_use]
pub fn looks_back(lane: &Lane, event: &Event, given: &Given) -> bool {
    let head = &lane.head;
    match &event.kind {
        EventKind::MessageDeleted { .. } | EventKind::MessageEdited { .. } => {
            let message = given.anchor.as_ref().map(|anchor| &anchor.id);
            head.cursor() > 0 && message.is_some_and(|message| !head.is_raw(message))
        }
        EventKind::EffectSettled { effect, .. } => {
            request_of(head, effect).is_some_and(|request| request.folds == 0)
        }
        EventKind::Erasure(Erase::Person { .. }) => head.cursor() > 0,
        _ => false,
    }
}
