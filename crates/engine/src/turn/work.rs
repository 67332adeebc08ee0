//! The work that goes on in a lane, as a turn leaves it.

use crate::data::card::Card;
use crate::data::state_of_work::{StateOfWork, WorkRecords};
use crate::turn::Turn;

impl Turn<'_> {
    /// The work that goes on in the lane as this turn leaves it, if the event's answer tells it. `None` if a version decided this
    /// that did not look.
    pub(crate) fn state_of_work(&self) -> Option<StateOfWork> {
        self.given.effects.as_ref()?;
        let cards = self.head.cards.texts().filter_map(|id| self.named::<Card>(id)).collect();
        let over = self.cancel.iter().chain(self.adopt.iter().map(|(effect, _)| effect)).collect();
        let (tasks, put_aside) = (self.tasks().collect(), self.put_aside().count());
        let records = WorkRecords { head: &self.head, cards, tasks, put_aside, over };
        Some(StateOfWork::of(&records, self.given))
    }

    /// The cards that left the window and still take a press, oldest first, if the event's answer tells them.
    pub(crate) fn put_aside(&self) -> impl Iterator<Item = &Card> {
        let aside = self.given.waiting.iter().filter(|id| !self.head.cards.contains(id));
        aside.filter_map(|id| self.get::<Card>(id)).filter(|card| card.takes_press(self.now()))
    }
}
