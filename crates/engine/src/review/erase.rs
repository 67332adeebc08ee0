//! Erasure of a person from a review.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::authors::Authors;
use crate::data::data_subject::{DataSubject, Personal};
use crate::data::erasure::ERASED;
use crate::data::review::{Points, Review, ReviewStatus};
use crate::data::time::Timestamp;

impl Personal for Review {
    fn is_of(&self, person: &DataSubject) -> bool {
        person.is(&self.by) || person.has(&self.source.0)
    }

    fn without(mut self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        if !self.is_of(person) {
            for patch in self.patches.iter_mut().filter(|patch| person.is(&patch.by)) {
                patch.points = Points::default();
            }
            return Some(person.rewritten(self));
        }
        // Nobody but the model has seen a review that is still being drafted.
        if self.status == ReviewStatus::Drafting {
            return None;
        }
        self.topic = String::new();
        self.summary = String::new();
        self.points = Points::default();
        self.checks = Vec::new();
        self.patches = Vec::new();
        self.material = Authors::default();
        self.by = ERASED.into();
        self.status = ReviewStatus::Forgotten;
        Some(self)
    }
}
