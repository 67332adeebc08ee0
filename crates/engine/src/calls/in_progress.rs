//! Calls under way: progress reports, questions back from a tool or sub-agent, and cancellation.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::lifecycle::start;
use crate::data::call::{Call, Job, Risk, Work};
use crate::data::call::{CallPhase, OpenQuestion, RemoteQuestion};
use crate::data::decision::Reason;
use crate::data::id::{EffectId, TaskId};
use crate::data::language::Language;
use crate::data::message::MessageKind;
use crate::data::pending::{PendingClass, PendingKind, Slot};
use crate::data::policy::limits;
use crate::data::task::Task;
use crate::data::task_status::TaskStatus;
use crate::messages;
use crate::turn::Turn;

/// Reports progress of a call. It is a notification, which is never an anchor for "that".
pub(crate) fn progressed(turn: &mut Turn<'_>, id: &TaskId, effect: &EffectId, text: &str) -> Reason {
    let Some(task) = turn.get::<Task>(id).cloned() else { return Reason::EffectSuperseded };
    match &task.work {
        Some(work) if work.effect.as_ref() == Some(effect) => {
            let text = words_of(turn.language(), text);
            let told = messages::call::progress(turn.language(), &work.job, &text);
            turn.pass_on(&work.job, MessageKind::Notification, Some(id), &told);
            Reason::EffectProgress
        }
        _ => Reason::EffectSuperseded,
    }
}

/// Returns what is shown and kept of the words of a tool or a sub-agent.
pub(super) fn words_of(language: Language, text: &str) -> String {
    let text = messages::of_others(language, text);
    text.chars().take(limits::WORK_ANSWER).collect()
}

/// Takes in a question back: blocks the task and asks the person who requested it.
pub(super) fn question_asked(
    turn: &mut Turn<'_>,
    task: &mut Task,
    effect: &EffectId,
    asked: &RemoteQuestion,
) {
    let words = words_of(turn.language(), &asked.text);
    task.set_answer(&words);
    let Some(work) = &mut task.work else { return };
    let asked = RemoteQuestion { text: words, ..asked.clone() };
    work.waits = Some(OpenQuestion { effect: effect.clone(), asked, given: BTreeMap::new() });
    ask(turn, task);
}

/// Asks for the next field the far side needs. A conversational question that is already open stays open; a
/// reply to this one still answers it.
fn ask(turn: &mut Turn<'_>, task: &Task) {
    let Some(work) = &task.work else { return };
    let Some((waits, field)) = work.waits.as_ref().and_then(|waits| Some((waits, waits.next()?))) else {
        return;
    };
    let words = if waits.given.is_empty() { waits.asked.text.as_str() } else { "" };
    let asked = messages::call::asks_back(turn.language(), &work.job, words, &field.name);
    let message = turn.pass_on(&work.job, MessageKind::Question, Some(&task.id), &asked);
    let before = turn.take_conversational();
    let kind = PendingKind::SlotRequest(Slot::Asked { name: field.name.clone() });
    let by = Some(task.requested_by.as_str()).filter(|by| !by.is_empty());
    turn.open_pending(kind, Some(field.expected.clone()), &message, Some(&task.id), by, None);
    if let Some(before) = before {
        if let Some(asked) = turn.head.pendings.pop() {
            turn.set_question_aside(asked);
        }
        turn.head.pendings.push(before);
    }
}

/// Takes in one answer to a question back: asks for the next field, or sends all answers as a call.
pub(crate) fn question_answered(turn: &mut Turn<'_>, id: &TaskId, name: &str, value: &str) {
    let Some(mut task) = turn.get::<Task>(id).cloned() else { return };
    task.has_words_of(&turn.writer());
    let Some(waits) = task.work.as_mut().and_then(|work| work.waits.as_mut()) else { return };
    waits.given.insert(name.into(), value.into());
    if waits.next().is_some() {
        ask(turn, &task);
        turn.put_task(task);
        return;
    }
    let _ = send_answers(turn, task);
}

/// Sends the answers to a question back. Returns the task if nothing was asked, or an answer is missing.
pub(super) fn send_answers(turn: &mut Turn<'_>, task: Task) -> Option<Task> {
    let waits = task.work.as_ref().and_then(|work| work.waits.clone()).filter(|waits| waits.next().is_none());
    let Some((waits, job)) = waits.zip(task.work.as_ref().map(|work| work.job.clone())) else {
        return Some(task);
    };
    let values: Vec<&str> = waits.given.values().map(String::as_str).collect();
    let text = values.join("\n");
    let phase = CallPhase::Answer { remote: waits.asked.remote, given: waits.given };
    let _ = start(turn, task, job, phase, text, Reason::PendingApplied);
    None
}

/// Cancels the call of a task and its question back. A sub-agent that accepts stop requests is sent one.
pub(crate) fn cancel_call(turn: &mut Turn<'_>, task: &mut Task) {
    let Some(work) = &mut task.work else { return };
    let effect = work.effect.take();
    effect.iter().for_each(|effect| turn.cancel(effect));
    let waits = work.waits.take();
    let Some(effect) = effect.or(waits.map(|waits| waits.effect)) else { return };
    let job = work.job.clone();
    tell_to_stop(turn, task, &job, effect);
}

/// Sends a stop request to a sub-agent that accepts them. Stopping work changes nothing else, so it needs no approval.
fn tell_to_stop(turn: &mut Turn<'_>, task: &Task, job: &Job, effect: EffectId) {
    let told =
        matches!(job, Job::Agent { name } if turn.policy.agents.get(name).is_some_and(|agent| agent.stops));
    if told {
        let (job, task) = (job.clone(), task.id.clone());
        let phase = CallPhase::Stop { effect };
        let call = Call { job, phase, task, text: String::new(), risk: Risk::Read, prompt: None };
        turn.effect(call.effect(None), &[], None);
    }
}

/// Applies "stop": cancels this person's tasks that have a call on the way or wait for an answer. Returns
/// `true` if there were any.
///
/// A call that may change something and was sent already cannot be taken back: it stays awaited, so that what comes of it
/// is told.
pub(crate) fn stop(turn: &mut Turn<'_>) -> bool {
    let mine = |task: &Task| task.requested_by == turn.event.actor;
    let busy = |work: &Work| work.effect.is_some() || work.waits.is_some();
    let running = |task: &Task| task.work.as_ref().is_some_and(busy);
    let tasks: Vec<Task> = turn.live_tasks().filter(|task| mine(task) && running(task)).cloned().collect();
    let (sent, stopped): (Vec<Task>, Vec<Task>) = tasks.into_iter().partition(|task| is_out(turn, task));
    for task in &sent {
        if let Some((work, effect)) = task.work.as_ref().and_then(|work| Some((work, work.effect.clone()?))) {
            tell_to_stop(turn, task, &work.job, effect);
        }
    }
    for task in &stopped {
        ended(turn, task.clone());
    }
    !stopped.is_empty()
}

/// True if the task's call was released by a card and handed to its far side.
fn is_out(turn: &Turn<'_>, task: &Task) -> bool {
    let released = |work: &Work| {
        work.card.is_some() && work.effect.as_ref().is_some_and(|effect| turn.given.was_sent(effect))
    };
    task.work.as_ref().is_some_and(released)
}

fn ended(turn: &mut Turn<'_>, mut task: Task) {
    cancel_call(turn, &mut task);
    let id = task.id.clone();
    turn.put_task(task);
    turn.end_task(&id, TaskStatus::Cancelled);
}

/// Withdraws offers to try this tool or sub-agent again, because a call of it was settled.
pub(super) fn withdraw_offer(turn: &mut Turn<'_>, job: &Job) {
    let about = |kind: &PendingKind| match (kind, job) {
        (PendingKind::ToolRetryOffer { tool }, Job::Tool { name, .. }) => tool == name,
        (PendingKind::DelegationOffer { agent }, Job::Agent { name }) => agent == name,
        _ => false,
    };
    let offered = |pending: &crate::data::pending::PendingState| {
        pending.kind.class() == PendingClass::Conversational && about(&pending.kind)
    };
    turn.head.pendings.retain(|pending| !offered(pending));
    turn.head.lapsed.retain(|pending| !offered(pending));
}
