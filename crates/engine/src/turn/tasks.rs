//! Tasks of a turn: which one its messages belong to, begun, moved, ended.

use alloc::vec::Vec;

use super::Turn;
use crate::context::block::Block;
use crate::effect::EffectBody;
use crate::event::TaskReported;
use crate::id::{MessageId, TaskId};
use crate::lane::{Change, Moved, Record, RecordKind, Task, TaskStatus, first_line};
use crate::policy::limits;
use crate::time::Timestamp;

impl Turn<'_> {
    /// The task this turn's messages belong to: that of the message being routed, which begins one if it has none.
    pub(crate) fn task_here(&mut self) -> TaskId {
        if let Some(task) = &self.task {
            return task.clone();
        }
        let said = self.said.as_ref().and_then(|said| self.message(&said.message));
        let task = match said {
            Some(message) => message.task.clone().unwrap_or_else(|| begun_by(&message.id)),
            None => TaskId(self.fresh(TaskId::PREFIX)),
        };
        self.belongs_to(&task);
        task
    }

    /// From here on this turn is about this task, and so is the message being routed.
    pub(crate) fn belongs_to(&mut self, task: &TaskId) {
        self.task = Some(task.clone());
        let said = self.said.as_ref().and_then(|said| self.message(&said.message));
        if let Some(mut message) = said.filter(|message| message.task.as_ref() != Some(task)) {
            message.task = Some(task.clone());
            self.put(Record::Message(message));
        }
    }

    /// What is said from here on belongs to a task of its own: the rest of a message whose beginning was an answer.
    pub(crate) fn another_task(&mut self) {
        self.task = Some(TaskId(self.fresh(TaskId::PREFIX)));
    }

    /// Makes the task of the message being routed work: it gets a record.
    pub(crate) fn start_task(&mut self, intent: &str, by: &str) -> TaskId {
        let here = self.task_here();
        // A host's task may be there under this id; what is begun now is another.
        let id = if self.task(&here).is_some() { TaskId(self.fresh(TaskId::PREFIX)) } else { here };
        self.belongs_to(&id);
        self.put_task(Task::new(id.clone(), first_line(intent), by, self.now()));
        id
    }

    pub(crate) fn task(&self, id: &TaskId) -> Option<Task> {
        match self.find(RecordKind::Task, &id.0)? {
            Record::Task(task) => Some(task.clone()),
            _ => None,
        }
    }

    pub(crate) fn put_task(&mut self, mut task: Task) {
        task.seq = self.lane.revision + 1;
        self.put(Record::Task(task));
    }

    pub(crate) fn end_task(&mut self, id: &TaskId, status: TaskStatus) {
        if let Some(mut task) = self.task(id)
            && task.go(status, self.moment(&task)) == Moved::Changed
        {
            self.put_task(task);
        }
    }

    /// Now, for a task whose news are never older than what is known of it: a host's clock may be ahead of ours.
    pub(crate) fn moment(&self, task: &Task) -> Timestamp {
        self.now().max(task.last_at)
    }

    /// The tasks of this lane, as this turn sees them.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Task> {
        let loaded = self.lane.records.of(RecordKind::Task);
        let kept = loaded.filter(|record| self.change(RecordKind::Task, record.id()).is_none());
        let records = kept.chain(self.changes_of(RecordKind::Task).filter_map(Change::written));
        records.filter_map(|record| if let Record::Task(task) = record { Some(task) } else { None })
    }

    /// Those that are not over.
    pub(crate) fn live_tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks().filter(|task| task.status.live())
    }

    /// What a prompt of this turn is told of the lane's tasks, but for the one it is for.
    pub(crate) fn block(&self) -> Block {
        Block::of(self.tasks(), self.task.as_ref(), &self.policy.context)
    }

    /// Of completed tasks the newest are kept, and as many of those that failed or were cancelled: the others are
    /// pruned by the turn that ends one more (`spec 05 §2.1`).
    pub(super) fn prune_ended(&mut self) {
        if !self.wrote(RecordKind::Task) {
            return;
        }
        let kept = self.policy.context.history_kept;
        let (mut done, mut others) = (Vec::new(), Vec::new());
        for task in self.tasks().filter(|task| !task.status.live()) {
            let list = if task.status == TaskStatus::Completed { &mut done } else { &mut others };
            list.push((task.ended(), task.seq, &task.id));
        }
        let mut gone = Vec::new();
        for mut list in [done, others] {
            list.sort_unstable();
            let over = list.len().saturating_sub(kept);
            gone.extend(list.into_iter().take(over).map(|(_, _, id)| id.clone()));
        }
        for id in gone {
            self.drop_record(RecordKind::Task, &id.0);
        }
    }

    /// Takes in where a host says a task stands.
    pub(crate) fn report(&mut self, report: &TaskReported) -> Option<Moved> {
        let at = self.event.received_at;
        match self.task(&report.task) {
            Some(task) if !task.status.live() && report.status.live() && self.full() => None,
            Some(mut task) => {
                let moved = task.take(report, at);
                if matches!(moved, Moved::Changed | Moved::Same) {
                    let done = !task.status.live();
                    let effect = task.work.as_mut().filter(|_| done).and_then(|work| work.effect.take());
                    effect.iter().for_each(|effect| self.cancel(effect));
                    match moved {
                        Moved::Changed => self.put_task(task),
                        // It was moved before, and keeps its place among others of that moment.
                        _ => self.put(Record::Task(task)),
                    }
                }
                Some(moved)
            }
            None if report.status.live() && self.full() => None,
            None => {
                self.put_task(Task::reported(report, at));
                Some(Moved::Changed)
            }
        }
    }

    /// As many tasks are live as may be.
    fn full(&self) -> bool {
        self.live_tasks().count() >= limits::LIVE_TASKS
    }

    /// Sends a piece of work out for a task, which runs from now.
    pub(crate) fn send(
        &mut self,
        mut task: Task,
        call: crate::work::Call,
        approval: Option<crate::effect::ApprovalRef>,
    ) {
        let job = call.job.clone();
        let body: EffectBody = call.effect();
        let card = approval.as_ref().map(|approval| approval.card.clone());
        let effect = self.effect(body, &[], approval);
        let at = self.moment(&task);
        task.go(TaskStatus::Running, at);
        let waits = task.work.take().and_then(|work| work.waits);
        task.work = Some(crate::work::Work { job, effect: Some(effect), card, waits });
        self.put_task(task);
    }
}

/// The task a message begins: named like the message, so that talk costs no number.
pub(crate) fn begun_by(message: &MessageId) -> TaskId {
    let place = message.0.strip_prefix(MessageId::PREFIX).unwrap_or(&message.0);
    TaskId(alloc::format!("{}{place}", TaskId::PREFIX))
}
