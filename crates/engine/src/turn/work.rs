//! The work that goes on in a lane, as a turn leaves it.

use alloc::vec;
use alloc::vec::Vec;

use crate::data::card::Card;
use crate::data::state_of_work::{StateOfWork, TaskProgress, WorkRecords};
use crate::data::task::Task;
use crate::data::task_status::TaskStatus;
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

    /// The state of a live task. Its own status says only that it was begun.
    pub(crate) fn progress_of(&self, task: &Task) -> TaskProgress {
        if task.status != TaskStatus::Running || !task.source.is_engine() {
            return TaskProgress::GoesOn;
        }
        let of_it = |card: &&Card| self.task_of(card).as_ref() == Some(&task.id);
        let loaded = self.head.cards.texts().filter_map(|id| self.named::<Card>(id));
        let cards: Vec<&Card> = loaded.chain(self.put_aside()).filter(of_it).collect();
        let asks = cards.iter().any(|card| card.takes_press(self.now()))
            || self.head.pendings.iter().any(|p| p.task.as_ref() == Some(&task.id) && p.is_alive(self.now()));
        let records =
            WorkRecords { head: &self.head, cards, tasks: vec![task], put_aside: 0, over: Vec::new() };
        match records.on_the_way().is_empty() && self.head.ask.is_none() {
            false => TaskProgress::GoesOn,
            true if asks => TaskProgress::Waits,
            true => TaskProgress::Rests,
        }
    }
}
