//! Erasure of a person from a decision record. The address of its post stays.

use alloc::string::String;

use crate::data::data_subject::{DataSubject, Personal};
use crate::data::erasure::ERASED;
use crate::data::proposal::Proposal;
use crate::data::time::Timestamp;

impl Personal for Proposal {
    fn is_of(&self, person: &DataSubject) -> bool {
        person.is(&self.by) || person.has(&self.source.0)
    }

    fn without(mut self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        if !self.is_of(person) {
            return Some(person.rewritten(self));
        }
        self.topic = ERASED.into();
        self.decision = ERASED.into();
        self.why = String::new();
        self.written.clear();
        self.by = ERASED.into();
        if let Some(posted) = &mut self.posted {
            posted.text = ERASED.into();
        }
        Some(self)
    }
}
