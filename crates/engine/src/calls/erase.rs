//! Erasure of a person from a task.

use crate::data::authors::Authors;
use crate::data::call::Work;
use crate::data::data_subject::{DataSubject, Personal};
use crate::data::erasure::ERASED;
use crate::data::task::{Task, TaskMove};
use crate::data::task_status::{TaskSource, TaskStatus};
use crate::data::time::Timestamp;

impl Personal for Task {
    fn is_of(&self, person: &DataSubject) -> bool {
        person.is(&self.requested_by) || person.has(&self.id.0)
    }

    fn without(mut self, person: &DataSubject, now: Timestamp) -> Option<Self> {
        if !self.is_of(person) {
            return Some(person.rewritten(self));
        }
        let at = now.max(self.last_at);
        // A host reports the status of its own tasks itself.
        let ours = self.status.is_live() && self.source == TaskSource::Engine;
        if ours && self.move_to(TaskStatus::Cancelled, at) == TaskMove::Changed {
            self.work = None;
        }
        self.work = self.work.map(|work| Work { job: work.job.without_words(), ..work });
        self.intent = ERASED.into();
        self.requested_by = ERASED.into();
        self.authors = Authors::default();
        self.reason = self.reason.map(|_| ERASED.into());
        self.result = self.result.map(|_| ERASED.into());
        Some(self)
    }
}
