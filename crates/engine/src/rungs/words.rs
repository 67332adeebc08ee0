//! Rungs 4 to 6: what the words refer to, whether they stop something, whether they answer something.

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;

use super::{
    Tried,
    Tried::{Decided, Passed},
    focus, said,
};
use crate::admit::{Admission, admit};
use crate::ask::Asked;
use crate::decision::{Applied, Decision, Reason, Verdict};
use crate::decisions;
use crate::event::{Event, EventKind};
use crate::focus as resolver;
use crate::id::{MessageId, TaskId};
use crate::lane::{MessageKind, RecordKind, Task, TaskStatus};
use crate::memory::flow as memory;
use crate::pending::{Answered, Fit, PendingKind, PendingState, Slot};
use crate::recognize::{self, Context, Expected, Interrupt, Match, Strength, Value, Words};
use crate::review::flow as review;
use crate::say;
use crate::selection::{choice, flow as lists};
use crate::tickets::flow;
use crate::trace::Predicate;
use crate::turn::{Said, Turn};
use crate::work;
use crate::workflow::{About, Step, allowed, press};

/// From here on there is a message, ours to answer: it is kept, and its anchor found.
pub(crate) fn focus_of_message(turn: &mut Turn<'_>) -> Tried {
    let event = turn.event;
    let EventKind::MessagePosted(posted) = &event.kind else { return Passed(Predicate::NoFocus) };
    let focus = resolver::resolve(turn.lane, event, turn.given);
    turn.hear(posted);
    join_burst(turn);
    turn.reference = resolver::reference(&said(turn).words, &context(turn));
    turn.focus = Some(focus);
    lists::begin(turn);
    Passed(Predicate::FocusAlone)
}

/// Under `busy = collect` a message soon after the one a model is being asked about joins it: the ask is superseded
/// and made again with both texts (`spec 06 §3.4`).
fn join_burst(turn: &mut Turn<'_>) {
    if admit(turn.lane, turn.event, turn.policy) != Admission::Collect {
        return;
    }
    let Some(ask) = turn.head.ask.take() else { return };
    turn.cancel(&ask.effect);
    let held = turn.held(&ask.message.0);
    turn.drop_record(RecordKind::Held, &ask.message.0);
    if let (Some(Event { kind: EventKind::MessagePosted(first), .. }), Some(said)) = (held, turn.said.take())
    {
        let words = Words::of(&format!("{}\n{}", first.text, said.text()));
        turn.said = Some(Rc::new(Said { words, since: ask.since, ..Rc::unwrap_or_clone(said) }));
    }
}

pub(crate) fn hard_interrupt(turn: &mut Turn<'_>) -> Tried {
    let Some(kind) = recognize::interrupt(&said(turn).words) else { return Passed(Predicate::NotAStop) };
    turn.trace.rule = Some(Cow::Borrowed(kind.code()));
    let reason = if interrupt(turn, kind) { Reason::InterruptStop } else { Reason::InterruptNothing };
    Decided(Decision::new(Verdict::Answered, reason))
}

/// Clears what can be stopped: the conversational pending and its task, what runs elsewhere for this person, and the
/// open model ask. Cards stay.
pub(crate) fn interrupt(turn: &mut Turn<'_>, kind: Interrupt) -> bool {
    let pending = turn.take_conversational();
    if let Some(task) = pending.as_ref().and_then(|pending| task_that_waits(turn, pending)) {
        turn.end_task(&task, TaskStatus::Cancelled);
    }
    let ask = turn.head.ask.take();
    if let Some(ask) = &ask {
        turn.cancel(&ask.effect);
        turn.drop_record(RecordKind::Held, &ask.message.0);
        if let Some(draft) = ask.about.draft().and_then(|draft| turn.draft(draft)) {
            turn.end_task(&draft.task, TaskStatus::Cancelled);
        }
        if let Some(batch) = ask.about.batch().and_then(|batch| turn.batch(batch)) {
            turn.end_task(&batch.task, TaskStatus::Cancelled);
        }
        if let Asked::Review(review) = &ask.about {
            review::abandon(turn, review);
        }
    }
    turn.head.lapsed = None;
    turn.head.answered = None;
    let stopped = work::stop(turn) || pending.is_some() || ask.is_some();
    let text = turn.said.as_ref().map(|said| String::from(said.text()));
    let by = turn.event.actor.clone();
    let list = lists::stopped(turn, &by, text.as_deref());
    let told =
        list.as_deref().filter(|_| !stopped).unwrap_or(say::stopped(stopped, kind == Interrupt::StartOver));
    let told = match &list {
        Some(list) if stopped => format!("{told} {list}"),
        _ => String::from(told),
    };
    turn.say(MessageKind::Answer, None, &told);
    stopped || list.is_some()
}

/// The task that cannot go on without the answer to this question.
fn task_that_waits(turn: &Turn<'_>, pending: &PendingState) -> Option<TaskId> {
    let shown = |draft| matches!(flow::open_draft(turn, draft), Some(flow::Open::Preview(_)));
    match &pending.kind {
        // An item of a batch is asked about while its card waits, and cards stay.
        PendingKind::SlotRequest(Slot::Draft { draft, .. }) if shown(draft) => None,
        PendingKind::SlotRequest(Slot::Draft { .. } | Slot::Argument { .. } | Slot::Proposal { .. })
        | PendingKind::ClarificationNeeded(Slot::Agent) => pending.task.clone(),
        _ => None,
    }
}

pub(crate) fn conversational_pending(turn: &mut Turn<'_>) -> Tried {
    if let Some(decision) = answer_to_question(turn) {
        return Decided(decision);
    }
    if let Some(decision) = words_of_the_gate(turn) {
        return Decided(decision);
    }
    if let Some(decision) = approval_by_text(turn) {
        return Decided(decision);
    }
    Passed(turn.trace.also.last().map_or(Predicate::NothingWaits, |reason| Predicate::Left(*reason)))
}

/// The question that waits takes the message, or is left alone, or cleared (`spec 02 §5.3`). One that lapsed and is
/// replied to comes back for this message, and leaves the one that waits alone. A correction of the last answer leaves
/// both alone.
fn answer_to_question(turn: &mut Turn<'_>) -> Option<Decision> {
    let correction = correction(turn);
    if let Some(corrected) = correction.as_ref().filter(|corrected| corrected.said_wrong) {
        return take(turn, &corrected.pending, &corrected.found, Reason::PendingCorrected);
    }
    let lapsed = revive(turn);
    let revived = lapsed.is_some();
    let Some(pending) = lapsed.or_else(|| turn.conversational().cloned()) else {
        let corrected = correction?;
        return take(turn, &corrected.pending, &corrected.found, Reason::PendingCorrected);
    };
    let said = said(turn);
    let mut context = context(turn).to(text_of(turn, &pending.anchor));
    context.focused = focus(turn).anchor_id().is_none_or(|anchor| *anchor == pending.anchor);
    match pending.fit(&said.words, &said.by, focus(turn), turn.now(), &context) {
        Fit::Applies(found) => {
            settle_question(turn, revived);
            if found.strength == Strength::Weak {
                turn.trace.rule = Some(Cow::Borrowed("boolean.weak"));
            }
            return take(turn, &pending, &found, Reason::PendingApplied);
        }
        Fit::Expired => {
            settle_question(turn, revived);
            turn.note(Reason::PendingExpired);
        }
        Fit::OtherAnchor => turn.note(Reason::PendingOtherAnchor),
        Fit::OtherPerson => turn.note(Reason::PendingOtherPerson),
        Fit::Mismatch(_) if correction.is_some() => {}
        Fit::Mismatch(_) => {
            if !revived {
                turn.head.lapsed = turn.take_conversational();
            }
            turn.note(Reason::PendingMismatch);
        }
    }
    let corrected = correction?;
    take(turn, &corrected.pending, &corrected.found, Reason::PendingCorrected)
}

/// Takes an answer, or a correction of one. What else the message says goes on as a message of its own.
fn take(turn: &mut Turn<'_>, pending: &PendingState, found: &Match, reason: Reason) -> Option<Decision> {
    let said = said(turn);
    turn.applied = Some(Applied { pending: pending.id.clone(), value: found.value.clone() });
    if let Some(task) = &pending.task {
        turn.belongs_to(task);
    }
    keep_answer(turn, pending, &said.by);
    apply(turn, pending, &found.value, reason == Reason::PendingCorrected);
    let Some(rest) = &found.remainder else {
        return Some(Decision::new(Verdict::Done, reason));
    };
    turn.note(match reason {
        Reason::PendingApplied => Reason::PendingAppliedWithRemainder,
        other => other,
    });
    turn.another_task();
    let words = Words::of(rest);
    turn.said = Some(Rc::new(Said { words, ..Rc::unwrap_or_clone(said) }));
    None
}

/// The last answer to a question for a value can be corrected.
fn keep_answer(turn: &mut Turn<'_>, pending: &PendingState, by: &str) {
    if pending.kind.slot().is_none_or(|slot| matches!(slot, Slot::Agent | Slot::Facts { .. })) {
        return;
    }
    let expires_at = pending.kind.lifetime(turn.policy).map(|age| turn.now().plus(age));
    turn.head.answered =
        Some(Answered { pending: PendingState { expires_at, ..pending.clone() }, by: by.into() });
}

/// The last answer, with the value this message puts in its place.
struct Corrected {
    pending: PendingState,
    found: Match,
    said_wrong: bool,
}

/// "Actually make it 5" from who answered, while the task still runs (`spec 02 §5.4`).
fn correction(turn: &Turn<'_>) -> Option<Corrected> {
    let Answered { pending, by } = turn.head.answered.as_ref()?;
    let said = said(turn);
    let over = |task: Task| !task.status.live();
    let focus = focus(turn);
    if *by != said.by
        || !pending.alive(turn.now())
        || (focus.replies() && focus.anchor_id() != Some(&pending.anchor))
        || pending.task.as_ref().and_then(|task| turn.task(task)).is_some_and(over)
        || !correctable(turn, pending)
    {
        return None;
    }
    let frame = recognize::correction(&said.words)?;
    let expected = pending.expected.as_ref()?;
    if *expected == Expected::Text && !frame.said_wrong {
        return None;
    }
    let context = context(turn).to(text_of(turn, &pending.anchor));
    let found = recognize::answer(expected, &frame.value, &context).ok()?;
    Some(Corrected { pending: pending.clone(), found, said_wrong: frame.said_wrong })
}

/// What the answer went into can still be changed.
fn correctable(turn: &Turn<'_>, pending: &PendingState) -> bool {
    match pending.kind.slot() {
        Some(Slot::Draft { draft, .. }) => flow::open_draft(turn, draft).is_some(),
        Some(Slot::Argument { .. } | Slot::Host) => true,
        Some(
            Slot::Asked { .. }
            | Slot::Agent
            | Slot::Proposal { .. }
            | Slot::Issue { .. }
            | Slot::Facts { .. },
        )
        | None => false,
    }
}

/// What a message of the turn's actor is read against.
pub(crate) fn context<'t>(turn: &Turn<'t>) -> Context<'t> {
    let language = turn.given.actor.as_ref().and_then(|actor| actor.language.as_deref());
    Context::at(turn.event.received_at, turn.given.offset_s)
        .speaking(language.unwrap_or_default())
        .knowing(&turn.policy.places)
}

/// The words of a message, while the lane or the reply has it.
pub(crate) fn text_of<'t>(turn: &Turn<'t>, id: &MessageId) -> &'t str {
    let replied_to = turn.given.anchor.as_ref().filter(|anchor| anchor.id == *id);
    let known = replied_to.or_else(|| turn.lane.records.message(id));
    known.map_or("", |message| &message.text)
}

/// The question is over: the one that waited, or the one that had lapsed.
fn settle_question(turn: &mut Turn<'_>, lapsed: bool) {
    if lapsed {
        turn.head.lapsed = None;
    } else {
        turn.take_conversational();
    }
}

/// An explicit reply to the anchor of a lapsed question brings it back for this one message.
fn revive(turn: &mut Turn<'_>) -> Option<PendingState> {
    let (lapsed, focus) = (turn.head.lapsed.as_ref()?, focus(turn));
    if !(focus.replies() && focus.anchor_id() == Some(&lapsed.anchor) && lapsed.alive(turn.now())) {
        return None;
    }
    let lapsed = lapsed.clone();
    turn.note(Reason::PendingRevived);
    Some(lapsed)
}

/// What an answer does, by the kind of question.
fn apply(turn: &mut Turn<'_>, pending: &PendingState, value: &Value, again: bool) {
    match (&pending.kind, value, &pending.task) {
        (PendingKind::SlotRequest(Slot::Draft { draft, part }), Value::Text(text), _) if again => {
            flow::corrected(turn, draft, *part, text);
        }
        (PendingKind::SlotRequest(Slot::Draft { draft, part }), Value::Text(text), _) => {
            flow::filled(turn, draft, *part, text);
        }
        (PendingKind::SlotRequest(Slot::Argument { name }), value, Some(task)) => {
            if again {
                work::call_corrected(turn, task, name, value.text());
            } else {
                work::argument_given(turn, task, name, value.text());
            }
        }
        (PendingKind::SlotRequest(Slot::Asked { name }), value, Some(task)) => {
            work::answered_back(turn, task, name, value.text());
        }
        (PendingKind::ClarificationNeeded(Slot::Agent), Value::Selection(agent), Some(task)) => {
            if let Some(task) = turn.task(task) {
                let _ = work::delegate_to(turn, task, agent);
            }
        }
        (
            PendingKind::ToolRetryOffer { .. } | PendingKind::DelegationOffer { .. },
            Value::Boolean(yes),
            _,
        ) => {
            work::offer_answered(turn, pending, *yes);
        }
        (PendingKind::WaitingStoryEdit { card, draft, part }, Value::Text(text), _) => {
            let skips = folded(say::SKIP).eq(folded(text));
            flow::edit_by_text(turn, card, draft, *part, Some(text.as_str()).filter(|_| !skips));
        }
        (PendingKind::SlotRequest(Slot::Proposal { proposal }), Value::Text(text), _) => {
            decisions::flow::filled(turn, proposal, text);
        }
        (PendingKind::ClarificationNeeded(Slot::Issue { card }), Value::Selection(issue), _) => {
            decisions::chosen(turn, card, issue);
        }
        (PendingKind::ClarificationNeeded(Slot::Facts { key, earlier, now }), Value::OneOf(which), _) => {
            memory::answered(turn, key, earlier, now, which);
        }
        (PendingKind::WaitingDecisionEdit { card }, Value::Text(text), _) => {
            decisions::flow::edit_by_text(turn, card, text);
        }
        // A value a host asked for is the host's to act on: it is in the decision.
        _ => {}
    }
}

/// The gate also takes the words of its buttons, and their places while it is what the text is about: choosing a scope has
/// no effect outside.
fn words_of_the_gate(turn: &mut Turn<'_>) -> Option<Decision> {
    let said = said(turn);
    let gate = turn.open_cards().rev().find(|card| matches!(card.about, About::ScopeGate { .. }))?;
    let in_focus = focus(turn).anchor_id() == Some(&gate.message);
    let action = choice::chosen(allowed(Step::ScopeGate), &said.words, in_focus)?;
    let answers_else = focus(turn).replies() && focus(turn).anchor_id() != Some(&gate.message);
    if answers_else || gate.expires_at.is_some_and(|end| turn.now() > end) {
        return None;
    }
    let gate = gate.clone();
    Some(press::perform(turn, gate, action, "", false))
}

/// Text never approves (`spec 06 §5.4`): affirmation of an approval in focus is answered with the way to it.
fn approval_by_text(turn: &mut Turn<'_>) -> Option<Decision> {
    let in_focus = focus(turn).anchor_id().and_then(|anchor| turn.card_shown_by(anchor))?;
    if !(in_focus.open() && in_focus.is_approval() && turn.head.cards.contains(&in_focus.id)) {
        return None;
    }
    let said = said(turn);
    let affirms = recognize::affirms(&said.words)
        || recognize::answer(&Expected::Boolean, &said.words, &context(turn))
            .is_ok_and(|found| found.value == Value::Boolean(true));
    if !affirms {
        return None;
    }
    let task = turn.task_of(in_focus);
    turn.say(MessageKind::Notification, task.as_ref(), say::PRESS_APPROVE);
    Some(Decision::new(Verdict::Answered, Reason::ApprovalNotByText))
}

/// Lower case, single blanks, no closing punctuation: for comparing with a button's label.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let words = text.trim_matches(|c: char| !c.is_alphanumeric()).split_whitespace();
    words.enumerate().flat_map(|(i, word)| {
        (i > 0).then_some(' ').into_iter().chain(word.chars().flat_map(char::to_lowercase))
    })
}
