//! What erasing a person leaves of lists and of views.

use crate::data::option_set::OptionSet;
use crate::data::person::{Person, Personal};
use crate::data::time::Timestamp;
use crate::data::view::View;

impl Personal for View {
    fn is_of(&self, person: &Person) -> bool {
        person.is(&self.user)
    }

    fn without(self, person: &Person, _now: Timestamp) -> Option<Self> {
        if self.is_of(person) { None } else { person.rewritten(&self) }
    }
}

impl Personal for OptionSet {
    fn is_of(&self, person: &Person) -> bool {
        self.user.as_deref().is_some_and(|user| person.is(user))
    }

    fn without(mut self, person: &Person, _now: Timestamp) -> Option<Self> {
        if self.is_of(person) {
            return None;
        }
        self.showings.retain(|showing| !showing.to.as_deref().is_some_and(|to| person.is(to)));
        person.rewritten(&self)
    }
}
