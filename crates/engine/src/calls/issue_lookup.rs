//! Changes of issues before their card: the issue, and the one that a link goes to, are looked up first. A missing issue is told
//! at once, and the card shows what the change would change (`docs/design/0057-changes-of-issues.md`).

use alloc::string::String;

use crate::calls::in_progress::words_of;
use crate::calls::lifecycle::asked_with;
use crate::data::authors::Authors;
use crate::data::call::{Call, CallPhase, Job, PlannedChange, Risk, Work};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::effect::{EffectBody, IssueChange, IssueView};
use crate::data::id::{CardId, EffectId, MessageId, TaskId};
use crate::data::message::MessageKind;
use crate::data::task::Task;
use crate::data::task_status::TaskStatus;
use crate::data::ticket::Target;
use crate::messages;
use crate::turn::{RoutedMessage, Turn};

/// Starts a change of an issue as a task of its own, and looks the issue up. `titled` are the people whose words its title is.
pub(crate) fn change(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    planned: PlannedChange,
    titled: &Authors,
) -> Option<Decision> {
    let id = turn.start_task(said.text(), &said.by);
    let mut task = turn.get::<Task>(&id).cloned()?;
    task.has_words_of(titled);
    look_up(turn, task, planned, said.message.clone());
    Some(Decision::new(Verdict::Deferred, Reason::IssueSought))
}

/// Asks the tracker for the first issue of the change that is not known yet.
fn look_up(turn: &mut Turn<'_>, mut task: Task, planned: PlannedChange, asked_in: MessageId) {
    let (target, key) = match &planned.change {
        IssueChange::Link(other) if planned.issue.is_some() => (project_of(&planned.target, other), other),
        _ => (planned.target.clone(), &planned.key),
    };
    let (key, by) = (key.clone(), planned.by.clone());
    let waits = Some(task.id.clone());
    let body = EffectBody::TrackerFind { target, key, by, card: CardId::from(""), task: waits };
    let effect = Some(turn.effect(body, &[], None));
    task.work = Some(Work { effect, asked_in: Some(asked_in), ..Work::of(Job::Change(planned)) });
    turn.put_task(task);
}

/// Returns the project that a key names, of the same tracker.
fn project_of(target: &Target, key: &str) -> Target {
    let project = key.rsplit_once('-').map_or(key, |(project, _)| project);
    Target { project: project.into(), ..target.clone() }
}

/// Applies the outcome of a look-up: goes on with the next one, shows the card, or says why there is none. `None` if the task
/// waits for no look-up.
pub(super) fn settled(
    turn: &mut Turn<'_>,
    id: &TaskId,
    effect: &EffectId,
    outcome: &Outcome,
) -> Option<Reason> {
    let mut task = turn.get::<Task>(id).cloned()?;
    let work = task.work.clone()?;
    let (Job::Change(mut planned), Some(asked_in)) = (work.job, work.asked_in) else { return None };
    if work.effect.as_ref() != Some(effect) || !task.status.is_live() {
        return Some(Reason::EffectSuperseded);
    }
    match outcome {
        Outcome::Done { result: EffectResult::Found { title, state, assignee, .. } } => {
            if planned.issue.is_none() {
                let (title, assignee) = (title.clone(), assignee.clone());
                planned.issue = Some(IssueView { title, state: *state, assignee });
            } else {
                planned.other = Some(title.clone());
            }
            if matches!(planned.change, IssueChange::Link(_)) && planned.other.is_none() {
                look_up(turn, task, planned, asked_in);
            } else {
                show(turn, task, planned, asked_in);
            }
        }
        Outcome::Failed { text, .. } | Outcome::Uncertain { text } => {
            let why = words_of(turn.language(), &text.text(turn.language()));
            let told = messages::call::could_not(turn.language(), &Job::Change(planned.clone()), &why);
            task.work = Some(Work::of(Job::Change(planned)));
            end(turn, task, &told, TaskStatus::Failed);
        }
        Outcome::Done { .. } => return Some(Reason::EffectSuperseded),
    }
    Some(Reason::EffectSettled)
}

/// Shows the change for approval, unless the issue is so already.
fn show(turn: &mut Turn<'_>, mut task: Task, planned: PlannedChange, asked_in: MessageId) {
    let already = messages::change::already(turn.language(), &planned);
    let job = Job::Change(planned);
    task.work = Some(Work::of(job.clone()));
    if let Some(told) = already {
        return end(turn, task, &told, TaskStatus::Completed);
    }
    let id = task.id.clone();
    let (words, _) = asked_with(turn, &id, None);
    let text: String = if words.is_empty() { task.intent.clone() } else { words };
    turn.put_task(task);
    let call = Call { job, phase: CallPhase::Begin, task: id, text, risk: Risk::Write, prompt: None };
    turn.preview_call(call, asked_in);
}

fn end(turn: &mut Turn<'_>, task: Task, told: &str, status: TaskStatus) {
    let id = task.id.clone();
    turn.put_task(task);
    turn.say(MessageKind::Answer, Some(&id), told);
    turn.end_task(&id, status);
}
