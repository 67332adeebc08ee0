//! Erasure of a person from drafts and batches.

use crate::data::batch::Batch;
use crate::data::data_subject::{DataSubject, Personal};
use crate::data::ticket::Draft;
use crate::data::time::Timestamp;

impl Personal for Batch {}

impl Personal for Draft {
    fn is_of(&self, person: &DataSubject) -> bool {
        person.is(&self.by) || person.has(&self.source.0) || person.has(&self.task.0)
    }

    fn without(mut self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        if self.is_of(person) {
            self.erase();
            return Some(self);
        }
        // A part that was filled by their answer goes, even if it was reworded since.
        for filled in self.filled.clone().iter().filter(|filled| person.has(&filled.message.0)) {
            self.forget(filled.part);
        }
        self.filled.retain(|filled| !person.has(&filled.message.0));
        Some(person.rewritten(self))
    }
}
