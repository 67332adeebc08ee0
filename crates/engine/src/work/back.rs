//! What a far side says before it is done: progress, a question back; and what is taken back from it.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::flow::start;
use super::{Asked, Call, Job, Phase, Risk, Waits, Work};
use crate::decision::Reason;
use crate::id::{EffectId, TaskId};
use crate::lane::{MessageKind, Task, TaskStatus};
use crate::pending::{PendingClass, PendingKind, Slot};
use crate::policy::limits;
use crate::say;
use crate::turn::Turn;

/// It goes on. A notification: nobody means it when they say "that" (`spec 02 §4`).
pub(crate) fn progressed(turn: &mut Turn<'_>, id: &TaskId, effect: &EffectId, text: &str) -> Reason {
    let Some(task) = turn.task(id) else { return Reason::EffectSuperseded };
    match &task.work {
        Some(work) if work.effect.as_ref() == Some(effect) => {
            let text: String = text.chars().take(limits::WORK_ANSWER).collect();
            turn.pass_on(&work.job, MessageKind::Notification, Some(id), &say::progress(&work.job, &text));
            Reason::EffectProgress
        }
        _ => Reason::EffectSuperseded,
    }
}

/// It asks back: the task is blocked by that, and its person is asked (`spec 07 §8`).
pub(super) fn asked_back(turn: &mut Turn<'_>, task: &mut Task, effect: &EffectId, asked: &Asked) {
    let words: String = asked.text.chars().take(limits::WORK_ANSWER).collect();
    task.comes_to(&words);
    let Some(work) = &mut task.work else { return };
    let asked = Asked { text: words, ..asked.clone() };
    work.waits = Some(Waits { effect: effect.clone(), asked, given: BTreeMap::new() });
    ask(turn, task);
}

/// Asks for the next thing the far side has to know. A question that waits already is not pushed aside for it: a reply
/// to this one answers it then.
fn ask(turn: &mut Turn<'_>, task: &Task) {
    let Some(work) = &task.work else { return };
    let Some((waits, field)) = work.waits.as_ref().and_then(|waits| Some((waits, waits.next()?))) else {
        return;
    };
    let words = if waits.given.is_empty() { waits.asked.text.as_str() } else { "" };
    let asked = say::asks_back(&work.job, words, &field.name);
    let message = turn.pass_on(&work.job, MessageKind::Question, Some(&task.id), &asked);
    let before = turn.take_conversational();
    let kind = PendingKind::SlotRequest(Slot::Asked { name: field.name.clone() });
    let by = Some(task.requested_by.as_str()).filter(|by| !by.is_empty());
    turn.open_pending(kind, Some(field.expected.clone()), &message, Some(&task.id), by, None);
    if let Some(before) = before {
        turn.head.lapsed = turn.take_conversational();
        turn.head.pendings.push(before);
    }
}

/// An answer to what a far side asked back: the next question, or the answer goes out as a call of its own.
pub(crate) fn answered_back(turn: &mut Turn<'_>, id: &TaskId, name: &str, value: &str) {
    let Some(mut task) = turn.task(id) else { return };
    let Some(waits) = task.work.as_mut().and_then(|work| work.waits.as_mut()) else { return };
    waits.given.insert(name.into(), value.into());
    if waits.next().is_some() {
        ask(turn, &task);
        turn.put_task(task);
        return;
    }
    let _ = go_on(turn, task);
}

/// Sends what was answered. The task comes back when nothing was asked, or not all of it is known.
pub(super) fn go_on(turn: &mut Turn<'_>, task: Task) -> Option<Task> {
    let waits = task.work.as_ref().and_then(|work| work.waits.clone()).filter(|waits| waits.next().is_none());
    let Some((waits, job)) = waits.zip(task.work.as_ref().map(|work| work.job.clone())) else {
        return Some(task);
    };
    let values: Vec<&str> = waits.given.values().map(String::as_str).collect();
    let text = values.join("\n");
    let phase = Phase::Answer { remote: waits.asked.remote, given: waits.given };
    let _ = start(turn, task, job, phase, text, Reason::PendingApplied);
    None
}

/// Takes back what is on its way for a task, or waits for an answer; where the far side can be told, it is.
pub(crate) fn take_back(turn: &mut Turn<'_>, task: &mut Task) {
    let Some(work) = &mut task.work else { return };
    let effect = work.effect.take();
    effect.iter().for_each(|effect| turn.cancel(effect));
    let waits = work.waits.take();
    let Some(effect) = effect.or(waits.map(|waits| waits.effect)) else { return };
    let told = matches!(&work.job, Job::Agent { name } if turn.policy.agents.get(name).is_some_and(|agent| agent.stops));
    if told {
        let phase = Phase::Stop { effect };
        let job = work.job.clone();
        // What stops work changes nothing else, so it needs nobody's approval.
        let call =
            Call { job, phase, task: task.id.clone(), text: String::new(), risk: Risk::Read, prompt: None };
        turn.effect(call.effect(), &[], None);
    }
}

/// "Stop": what runs elsewhere for this person, or waits for their answer, is taken back. Whether anything was.
pub(crate) fn stop(turn: &mut Turn<'_>) -> bool {
    let mine = |task: &Task| task.requested_by == turn.event.actor;
    let busy = |work: &Work| work.effect.is_some() || work.waits.is_some();
    let running = |task: &Task| task.work.as_ref().is_some_and(busy);
    let tasks: Vec<Task> = turn.live_tasks().filter(|task| mine(task) && running(task)).cloned().collect();
    for task in &tasks {
        ended(turn, task.clone());
    }
    !tasks.is_empty()
}

fn ended(turn: &mut Turn<'_>, mut task: Task) {
    take_back(turn, &mut task);
    let id = task.id.clone();
    turn.put_task(task);
    turn.end_task(&id, TaskStatus::Cancelled);
}

/// An offer to try a tool or a sub-agent again is over once it answered, or refused for good (`spec 02 §5.2`).
pub(super) fn withdraw_offer(turn: &mut Turn<'_>, job: &Job) {
    let about = |kind: &PendingKind| match (kind, job) {
        (PendingKind::ToolRetryOffer { tool }, Job::Tool { name, .. }) => tool == name,
        (PendingKind::DelegationOffer { agent }, Job::Agent { name }) => agent == name,
        _ => false,
    };
    let offered = |pending: &crate::pending::PendingState| {
        pending.kind.class() == PendingClass::Conversational && about(&pending.kind)
    };
    turn.head.pendings.retain(|pending| !offered(pending));
    turn.head.lapsed.take_if(|pending| offered(pending));
}
