//! Tasks of a turn: which one its messages belong to, begun, moved, ended.

use super::Turn;
use crate::effect::EffectBody;
use crate::event::TaskReported;
use crate::id::{MessageId, TaskId};
use crate::lane::{Moved, Record, RecordKind, Task, TaskStatus};
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
        self.put_task(Task::new(id.clone(), intent, by, self.now()));
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

    /// The tasks of this lane that are not over, in the order of their ids.
    pub(crate) fn live_tasks(&self) -> impl Iterator<Item = Task> {
        let ids = self.lane.records.of(RecordKind::Task).map(Record::id);
        ids.filter_map(|id| self.task(&TaskId::from(id))).filter(|task| task.status.live())
    }

    /// Takes in where a host says a task stands.
    pub(crate) fn report(&mut self, report: &TaskReported) -> Option<Moved> {
        let at = self.event.received_at;
        match self.task(&report.task) {
            Some(mut task) => {
                let moved = task.take(report, at);
                if matches!(moved, Moved::Changed | Moved::Same) {
                    let done = !task.status.live();
                    let effect = task.work.as_mut().filter(|_| done).and_then(|work| work.effect.take());
                    effect.iter().for_each(|effect| self.cancel(effect));
                    self.put_task(task);
                }
                Some(moved)
            }
            None if report.status.live()
                && self.live_tasks().count() >= crate::policy::limits::LIVE_TASKS =>
            {
                None
            }
            None => {
                self.put_task(Task::reported(report, at));
                Some(Moved::Changed)
            }
        }
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
