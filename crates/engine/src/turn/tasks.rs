//! Tasks within a turn: the task of its messages, and how tasks start, move and end
//! (`docs/design/0024-tasks.md`).

use crate::data::message::Message;
use alloc::vec::Vec;

use crate::data::call::Work;
use crate::data::effect::EffectBody;
use crate::data::id::{MessageId, TaskId};
use crate::data::policy::limits;
use crate::data::record::RecordKind;
use crate::data::record::{Change, Record};
use crate::data::task::TaskReported;
use crate::data::task::{Task, TaskMove, first_line};
use crate::data::task_status::TaskStatus;
use crate::data::time::Timestamp;
use crate::turn::Turn;

impl Turn<'_> {
    /// Returns the task of this turn's messages: that of the message being routed, or a new one if it has
    /// none.
    pub(crate) fn task_here(&mut self) -> TaskId {
        if let Some(task) = &self.task {
            return task.clone();
        }
        let said = self.said.as_ref().and_then(|said| self.get::<Message>(&said.message).cloned());
        let task = match said {
            Some(message) => message.task.clone().unwrap_or_else(|| begun_by(&message.id)),
            None => TaskId(self.new_id(TaskId::PREFIX)),
        };
        self.belongs_to(&task);
        task
    }

    /// Makes `task` the task of this turn and of the message being routed.
    pub(crate) fn belongs_to(&mut self, task: &TaskId) {
        self.task = Some(task.clone());
        let said = self.said.as_ref().and_then(|said| self.get::<Message>(&said.message).cloned());
        if let Some(mut message) = said.filter(|message| message.task.as_ref() != Some(task)) {
            message.task = Some(task.clone());
            self.put(message);
        }
    }

    /// Gives the rest of this turn a new task: the message went on after it answered a question.
    pub(crate) fn another_task(&mut self) {
        self.task = Some(TaskId(self.new_id(TaskId::PREFIX)));
    }

    /// Stores a record for the task of the message being routed, so that work can be tracked.
    pub(crate) fn start_task(&mut self, intent: &str, by: &str) -> TaskId {
        let here = self.task_here();
        // A host may have reported a task under this id; the new one must not overwrite it.
        let id = if self.get::<Task>(&here).is_some() { TaskId(self.new_id(TaskId::PREFIX)) } else { here };
        self.belongs_to(&id);
        let task = Task::new(id.clone(), first_line(intent), by, self.now());
        self.put_task(Task { language: self.language(), ..task });
        id
    }

    pub(crate) fn put_task(&mut self, mut task: Task) {
        task.seq = self.lane.revision + 1;
        self.put(task);
    }

    pub(crate) fn end_task(&mut self, id: &TaskId, status: TaskStatus) {
        if let Some(mut task) = self.get::<Task>(id).cloned()
            && task.move_to(status, self.moment(&task)) == TaskMove::Changed
        {
            self.put_task(task);
        }
    }

    /// Returns the present, but never earlier than the task's last change: a host's clock may be ahead of
    /// ours.
    pub(crate) fn moment(&self, task: &Task) -> Timestamp {
        self.now().max(task.last_at)
    }

    /// The loaded tasks as this turn sees them.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Task> {
        let loaded = self.lane.records.of(RecordKind::Task);
        let kept = loaded.filter(|record| self.change(RecordKind::Task, record.id()).is_none());
        let records = kept.chain(self.changes_of(RecordKind::Task).filter_map(Change::written));
        records.filter_map(|record| if let Record::Task(task) = record { Some(task) } else { None })
    }

    pub(crate) fn live_tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks().filter(|task| task.status.is_live())
    }

    /// Deletes the oldest ended tasks beyond the number policy keeps. Completed tasks are counted apart
    /// from those that failed or were cancelled.
    pub(super) fn prune_ended(&mut self) {
        if !self.wrote(RecordKind::Task) {
            return;
        }
        let kept = self.policy.context.history_kept;
        let (mut done, mut others) = (Vec::new(), Vec::new());
        for task in self.tasks().filter(|task| !task.status.is_live()) {
            let list = if task.status == TaskStatus::Completed { &mut done } else { &mut others };
            list.push((task.ended_at(), task.seq, &task.id));
        }
        let mut gone = Vec::new();
        for mut list in [done, others] {
            list.sort_unstable();
            let over = list.len().saturating_sub(kept);
            gone.extend(list.into_iter().take(over).map(|(_, _, id)| id.clone()));
        }
        for id in gone {
            self.delete::<Task>(&id);
        }
    }

    /// Applies a host's report of a task. `None` if it would make one live task too many.
    pub(crate) fn report(&mut self, report: &TaskReported) -> Option<TaskMove> {
        let at = self.event.received_at;
        match self.get::<Task>(&report.task).cloned() {
            Some(task) if !task.status.is_live() && report.status.is_live() && self.full() => None,
            Some(mut task) => {
                let moved = task.apply_report(report, at);
                if matches!(moved, TaskMove::Changed | TaskMove::Same) {
                    let done = !task.status.is_live();
                    let effect = task.work.as_mut().filter(|_| done).and_then(|work| work.effect.take());
                    effect.iter().for_each(|effect| self.cancel(effect));
                    match moved {
                        TaskMove::Changed => self.put_task(task),
                        // The report repeats the present status, so the task keeps its position among tasks
                        // of that moment.
                        _ => self.put(task),
                    }
                }
                Some(moved)
            }
            None if report.status.is_live() && self.full() => None,
            None => {
                self.put_task(Task::reported(report, at));
                Some(TaskMove::Changed)
            }
        }
    }

    /// True if the limit of live tasks is reached.
    fn full(&self) -> bool {
        self.live_tasks().count() >= limits::LIVE_TASKS
    }

    /// Plans the effect of a call and marks its task as running.
    pub(crate) fn send(
        &mut self,
        mut task: Task,
        call: crate::data::call::Call,
        approval: Option<crate::data::effect::ApprovalRef>,
    ) {
        let job = call.job.clone();
        let card = approval.as_ref().map(|approval| approval.card.clone());
        let body: EffectBody = call.effect(card.as_ref());
        let effect = self.effect(body, &[], approval);
        let at = self.moment(&task);
        task.move_to(TaskStatus::Running, at);
        let waits = task.work.take().and_then(|work| work.waits);
        task.work = Some(Work { effect: Some(effect), card, waits, ..Work::of(job) });
        self.put_task(task);
    }
}

/// The id of the task that a message begins. It is derived from the message's, so that plain talk uses up
/// no id.
pub(crate) fn begun_by(message: &MessageId) -> TaskId {
    let place = message.0.strip_prefix(MessageId::PREFIX).unwrap_or(&message.0);
    TaskId(alloc::format!("{}{place}", TaskId::PREFIX))
}
