//! Erasure of a person from lists and views.

use crate::data::data_subject::{DataSubject, Personal};
use crate::data::option_set::OptionSet;
use crate::data::time::Timestamp;
use crate::data::view::View;

impl Personal for View {
    fn is_of(&self, person: &DataSubject) -> bool {
        person.is(&self.user)
    }

    fn without(self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        if self.is_of(person) { None } else { Some(person.rewritten(self)) }
    }
}

impl Personal for OptionSet {
    fn is_of(&self, person: &DataSubject) -> bool {
        self.user.as_deref().is_some_and(|user| person.is(user))
    }

    fn without(mut self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        if self.is_of(person) {
            return None;
        }
        self.showings.retain(|showing| !showing.to.as_deref().is_some_and(|to| person.is(to)));
        Some(person.rewritten(self))
    }
}
