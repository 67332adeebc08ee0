//! Erasure of a person from messages.

use crate::data::data_subject::{DataSubject, Personal};
use crate::data::event::{Event, EventKind};
use crate::data::message::{Message, Role};
use crate::data::time::Timestamp;

impl Personal for Message {
    /// Returns true for their own messages, for those to them alone, and for answers that belong to what they began
    /// or hold their words.
    fn is_of(&self, person: &DataSubject) -> bool {
        if self.role == Role::User {
            return person.is(&self.by);
        }
        let begun = self.task.as_ref().is_some_and(|task| person.has(&task.0));
        self.to.as_deref().is_some_and(|to| person.is(to))
            || self.card.is_none() && (begun || person.holds(&self.text))
    }

    fn without(self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        if self.is_of(person) {
            return None;
        }
        // Somebody else's own message loses only what it quotes.
        Some(person.rewritten(self))
    }
}

/// A message that waits for a model.
impl Personal for Event {
    fn is_of(&self, person: &DataSubject) -> bool {
        person.is(&self.actor)
    }

    fn without(mut self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        if self.is_of(person) {
            return None;
        }
        if let EventKind::MessagePosted(posted) = &mut self.kind {
            let answers = posted.reply_to.as_deref().is_some_and(|to| person.has(to));
            posted.quote.take_if(|_| answers);
        }
        Some(person.rewritten(self))
    }
}
