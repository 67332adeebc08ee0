//! Requests of hosts that a person approves an act of theirs. A request is a call whose card was asked for by the host; what
//! follows, from the press to the outcome, is that of every call (`docs/design/0077-acts-of-hosts.md`).

use crate::data::call::{Call, CallPhase, Job, Risk, Work};
use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::host_act::HostAct;
use crate::data::id::TaskId;
use crate::data::policy::limits;
use crate::data::task::{Task, first_line};
use crate::turn::Turn;

/// Takes in a request: shows a card for it, the same card if it is known, or the next version of the card if its bytes differ.
/// A request that is over stays so, whatever comes under its id.
pub(crate) fn requested(turn: &mut Turn<'_>, act: &HostAct) -> Decision {
    let id = act.task();
    turn.belongs_to(&id);
    let Some(task) = turn.get::<Task>(&id).cloned() else { return first(turn, &id, act) };
    let card = task.work.as_ref().and_then(|work| work.card.as_ref());
    let card = card.and_then(|card| turn.get::<Card>(card).cloned());
    let asked = card.as_ref().and_then(|card| card.call()?.0.job.act());
    match (asked, card.clone()) {
        (Some(asked), Some(card)) if asked == act => {
            // The answer to the host has the card as it is now.
            turn.update(card);
            Decision::new(Verdict::Recorded, Reason::RequestKnown)
        }
        (Some(_), Some(card)) if card.takes_press(turn.now()) && is_preview(&card) => {
            revise(turn, task, card, act)
        }
        _ => Decision::new(Verdict::Refused, Reason::RequestOver),
    }
}

fn is_preview(card: &Card) -> bool {
    matches!(card.about, CardSubject::CallPreview { .. })
}

/// Returns the reason for which nobody could approve it any more, or that too much waits already.
fn refusal(turn: &Turn<'_>, act: &HostAct) -> Option<Reason> {
    if act.expires.is_some_and(|end| end <= turn.now()) {
        return Some(Reason::RequestLate);
    }
    let waits = |task: &&Task| {
        task.work.as_ref().is_some_and(|work| work.job.act().is_some() && work.effect.is_none())
    };
    (turn.live_tasks().filter(waits).count() >= limits::OPEN_REQUESTS).then_some(Reason::RequestTooMany)
}

fn first(turn: &mut Turn<'_>, id: &TaskId, act: &HostAct) -> Decision {
    if let Some(reason) = refusal(turn, act) {
        return Decision::new(Verdict::Refused, reason);
    }
    let by = turn.author();
    let task = Task::new(id.clone(), first_line(&act.title), &by, turn.now());
    turn.put_task(Task { language: turn.language(), ..task });
    let source = turn.source();
    turn.preview_call(call(id, act), source);
    Decision::new(Verdict::Shown, Reason::ApprovalNeeded)
}

/// Makes the next version of the card: presses on the one before are refused, and whoever asked for either wrote of it.
fn revise(turn: &mut Turn<'_>, mut task: Task, card: Card, act: &HostAct) -> Decision {
    if act.expires.is_some_and(|end| end <= turn.now()) {
        return Decision::new(Verdict::Refused, Reason::RequestLate);
    }
    task.has_words_of(&turn.writer());
    task.work = Some(Work { card: Some(card.id.clone()), ..Work::of(Job::Act(act.clone())) });
    let call = call(&task.id, act);
    turn.put_task(task);
    let source = turn.source();
    turn.revise(card, CardSubject::CallPreview { call, source });
    Decision::new(Verdict::Shown, Reason::RequestRevised)
}

fn call(task: &TaskId, act: &HostAct) -> Call {
    Call {
        job: Job::Act(act.clone()),
        phase: CallPhase::Begin,
        task: task.clone(),
        text: act.title.clone(),
        risk: Risk::Destructive,
        prompt: None,
    }
}
