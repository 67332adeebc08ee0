//! Rungs 4 to 6: what the words refer to, whether they stop something, whether they answer a question
//! (`docs/design/0014-pending-questions.md`).

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;

use crate::admit::{Admission, admit};
use crate::data::action::{Step, allowed};
use crate::data::card::About;
use crate::data::decision::{Applied, Decision, Reason, Verdict};
use crate::data::event::{Event, EventKind};
use crate::data::message::MessageKind;
use crate::data::pending::{Answered, PendingState, Slot};
use crate::data::task::Task;
use crate::data::task_status::TaskStatus;
use crate::data::trace::Predicate;
use crate::focus as resolver;
use crate::pending::Fit;
use crate::routing::press;
use crate::say;
use crate::selection::{choice, flow as lists};
use crate::turn::capability::{Capability, Pressed};
use crate::turn::routed::Tried::{Decided, Passed};
use crate::turn::routed::{Tried, focus};
pub(crate) use crate::turn::routed::{context, text_of};
use crate::turn::{Said, Turn};
use crate::work;
use throughline_language::{self as language, Expected, Interrupt, Match, Strength, Value, Words};

/// Stores the message and finds its anchor. All later rungs have a message to answer.
pub(crate) fn focus_of_message(turn: &mut Turn<'_>) -> Tried {
    let event = turn.event;
    let EventKind::MessagePosted(posted) = &event.kind else { return Passed(Predicate::NoFocus) };
    let focus = resolver::resolve(turn.lane, event, turn.given);
    let said = turn.hear(posted);
    let said = join_burst(turn, said);
    turn.reference = resolver::reference(&said.words);
    turn.focus = Some(focus);
    lists::begin(turn, &said);
    Passed(Predicate::FocusAlone)
}

/// Joins a message to the one a model is being asked about, if policy collects bursts: that question is
/// cancelled and routing goes on with both texts. Returns the message that is routed.
fn join_burst(turn: &mut Turn<'_>, said: Rc<Said>) -> Rc<Said> {
    if admit(turn.lane, turn.event, turn.policy) != Admission::Collect {
        return said;
    }
    let Some(ask) = turn.head.ask.take() else { return said };
    turn.cancel(&ask.effect);
    let held = turn.get::<Event>(&ask.message.0).cloned();
    turn.delete::<Event>(&ask.message.0);
    let Some(Event { kind: EventKind::MessagePosted(first), .. }) = held else { return said };
    let words = Words::new(&format!("{}\n{}", first.text, said.text()), turn.languages());
    turn.route(Said { words, since: ask.since, ..Rc::unwrap_or_clone(said) })
}

pub(crate) fn hard_interrupt(turn: &mut Turn<'_>, said: &Rc<Said>) -> Tried {
    let Some(kind) = language::interrupt(&said.words) else { return Passed(Predicate::NotAStop) };
    turn.trace.rule = Some(Cow::Borrowed(kind.code()));
    let reason = if interrupt(turn, kind) { Reason::InterruptStop } else { Reason::InterruptNothing };
    Decided(Decision::new(Verdict::Answered, reason))
}

/// Stops what can be stopped: the conversational pending and its task, this person's work elsewhere, and
/// the open question to a model. Cards stay open. Returns true if there was something to stop.
pub(crate) fn interrupt(turn: &mut Turn<'_>, kind: Interrupt) -> bool {
    let pending = turn.take_conversational();
    if let Some(task) = pending.as_ref().and_then(|pending| owner(turn, pending).blocked(turn, pending)) {
        turn.end_task(&task, TaskStatus::Cancelled);
    }
    let ask = turn.head.ask.take();
    if let Some(ask) = &ask {
        turn.cancel(&ask.effect);
        turn.delete::<Event>(&ask.message.0);
        turn.capabilities.named(ask.about.owner()).stopped(turn, &ask.about);
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

/// Returns the capability that a question belongs to.
fn owner(turn: &Turn<'_>, pending: &PendingState) -> &'static dyn Capability {
    turn.capabilities.named(pending.kind.owner().unwrap_or_default())
}

pub(crate) fn conversational_pending(turn: &mut Turn<'_>, said: &Rc<Said>) -> Tried {
    if let Some(decision) = answer_to_question(turn, said) {
        return Decided(decision);
    }
    // An answer may leave a rest of the message, which is routed instead.
    let said = turn.said.clone().unwrap_or_else(|| Rc::clone(said));
    if let Some(decision) = words_of_the_gate(turn, &said) {
        return Decided(decision);
    }
    if let Some(decision) = approval_by_text(turn, &said) {
        return Decided(decision);
    }
    Passed(turn.trace.also.last().map_or(Predicate::NothingWaits, |reason| Predicate::Left(*reason)))
}

/// Lets the open question take the message, be left open, or be cleared by it. A lapsed question that is
/// replied to comes back for this message alone, and a correction of the last answer leaves both untouched.
fn answer_to_question(turn: &mut Turn<'_>, said: &Rc<Said>) -> Option<Decision> {
    let correction = correction(turn, said);
    if let Some(corrected) = correction.as_ref().filter(|corrected| corrected.said_wrong) {
        return take(turn, said, &corrected.pending, &corrected.found, Reason::PendingCorrected);
    }
    let lapsed = revive(turn);
    let revived = lapsed.is_some();
    let Some(pending) = lapsed.or_else(|| turn.conversational().cloned()) else {
        let corrected = correction?;
        return take(turn, said, &corrected.pending, &corrected.found, Reason::PendingCorrected);
    };
    let mut context = context(turn).to(text_of(turn, &pending.anchor));
    context.focused = focus(turn).anchor_id().is_none_or(|anchor| *anchor == pending.anchor);
    match pending.fit(&said.words, &said.by, focus(turn), turn.now(), &context) {
        Fit::Applies(found) => {
            settle_question(turn, revived);
            if found.strength == Strength::Weak {
                turn.trace.rule = Some(Cow::Borrowed("boolean.weak"));
            }
            return take(turn, said, &pending, &found, Reason::PendingApplied);
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
    take(turn, said, &corrected.pending, &corrected.found, Reason::PendingCorrected)
}

/// Applies an answer or a correction. If the message says more, that rest is routed as a message of its
/// own: `None`.
fn take(
    turn: &mut Turn<'_>,
    said: &Rc<Said>,
    pending: &PendingState,
    found: &Match,
    reason: Reason,
) -> Option<Decision> {
    turn.applied = Some(Applied { pending: pending.id.clone(), value: found.value.clone() });
    if let Some(task) = &pending.task {
        turn.belongs_to(task);
    }
    keep_answer(turn, pending, &said.by);
    owner(turn, pending).answered(turn, pending, &found.value, reason == Reason::PendingCorrected);
    let Some(rest) = &found.remainder else {
        return Some(Decision::new(Verdict::Done, reason));
    };
    turn.note(match reason {
        Reason::PendingApplied => Reason::PendingAppliedWithRemainder,
        other => other,
    });
    turn.another_task();
    let words = Words::new(rest, turn.languages());
    turn.route(Said { words, ..Said::clone(said) });
    None
}

/// Remembers the last answer to a question for a value, so that it can be corrected.
fn keep_answer(turn: &mut Turn<'_>, pending: &PendingState, by: &str) {
    if pending.kind.slot().is_none_or(|slot| matches!(slot, Slot::Agent | Slot::Facts { .. })) {
        return;
    }
    let expires_at = pending.kind.lifetime(turn.policy).map(|age| turn.now().plus(age));
    turn.head.answered =
        Some(Answered { pending: PendingState { expires_at, ..pending.clone() }, by: by.into() });
}

/// A question that was answered, with the value that this message replaces the answer by.
struct Corrected {
    pending: PendingState,
    found: Match,
    said_wrong: bool,
}

/// Reads a correction such as "Actually make it 5", from the person who answered, while the task still
/// runs.
fn correction(turn: &Turn<'_>, said: &Said) -> Option<Corrected> {
    let Answered { pending, by } = turn.head.answered.as_ref()?;
    let over = |task: Task| !task.status.live();
    let focus = focus(turn);
    if *by != said.by
        || !pending.alive(turn.now())
        || (focus.replies() && focus.anchor_id() != Some(&pending.anchor))
        || pending.task.as_ref().and_then(|task| turn.get::<Task>(task).cloned()).is_some_and(over)
        || !correctable(turn, pending)
    {
        return None;
    }
    let frame = language::correction(&said.words)?;
    let expected = pending.expected.as_ref()?;
    if *expected == Expected::Text && !frame.said_wrong {
        return None;
    }
    let context = context(turn).to(text_of(turn, &pending.anchor));
    let found = language::read(expected, &frame.value, &context).ok()?;
    Some(Corrected { pending: pending.clone(), found, said_wrong: frame.said_wrong })
}

/// True if what the answer went into can still be changed. A host decides that of its own questions.
fn correctable(turn: &Turn<'_>, pending: &PendingState) -> bool {
    matches!(pending.kind.slot(), Some(Slot::Host)) || owner(turn, pending).correctable(turn, pending)
}

/// Clears the question: the lapsed one if `lapsed`, else the open one.
fn settle_question(turn: &mut Turn<'_>, lapsed: bool) {
    if lapsed {
        turn.head.lapsed = None;
    } else {
        turn.take_conversational();
    }
}

/// Returns the lapsed question if the message is a reply to its anchor and it has not expired.
fn revive(turn: &mut Turn<'_>) -> Option<PendingState> {
    let (lapsed, focus) = (turn.head.lapsed.as_ref()?, focus(turn));
    if !(focus.replies() && focus.anchor_id() == Some(&lapsed.anchor) && lapsed.alive(turn.now())) {
        return None;
    }
    let lapsed = lapsed.clone();
    turn.note(Reason::PendingRevived);
    Some(lapsed)
}

/// Takes the words of a gate's buttons as a press; their positions too while the focus is on the gate. This
/// is safe: choosing has no effect outside.
fn words_of_the_gate(turn: &mut Turn<'_>, said: &Said) -> Option<Decision> {
    let gate = turn.open_cards().rev().find(|card| matches!(card.about, About::ScopeGate { .. }))?;
    let in_focus = focus(turn).anchor_id() == Some(&gate.message);
    let action = choice::chosen(allowed(Step::ScopeGate), &said.words, in_focus)?;
    let answers_else = focus(turn).replies() && focus(turn).anchor_id() != Some(&gate.message);
    if answers_else || gate.expires_at.is_some_and(|end| turn.now() > end) {
        return None;
    }
    let gate = gate.clone();
    Some(press::hand_over(turn, gate, &Pressed { action, item: "", remember: false }))
}

/// Answers an affirmation of an approval in focus with how to approve it: text never approves
/// (`docs/design/0032-approvals.md`).
fn approval_by_text(turn: &mut Turn<'_>, said: &Said) -> Option<Decision> {
    let in_focus = focus(turn).anchor_id().and_then(|anchor| turn.card_shown_by(anchor))?;
    if !(in_focus.open() && in_focus.is_approval() && turn.head.cards.contains(&in_focus.id)) {
        return None;
    }
    let affirms = language::affirms(&said.words)
        || language::read(&Expected::Boolean, &said.words, &context(turn))
            .is_ok_and(|found| found.value == Value::Boolean(true));
    if !affirms {
        return None;
    }
    let task = turn.task_of(in_focus);
    turn.say(MessageKind::Notification, task.as_ref(), say::PRESS_APPROVE);
    Some(Decision::new(Verdict::Answered, Reason::ApprovalNotByText))
}
