//! State of a lane's work: what is asked, runs, waits and is uncertain. Every sentence about it is made from this one
//! value, so that no two of them can disagree (`docs/design/0042-sentences-about-state.md`).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::data::card::{Card, CardStatus};
use crate::data::id::{CardId, EffectId};
use crate::data::lane_state::LaneState;
use crate::data::progress::{EpicLink, Phase, Progress};
use crate::data::step_input::{ReleasedStanding, StepInput};
use crate::data::task::Task;

/// The work that goes on in a lane, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StateOfWork {
    /// True if a model is being asked.
    pub(crate) asking: bool,
    /// Effects on their way that nobody has begun to send.
    pub(crate) running: usize,
    /// Effects that were sent and have no outcome yet: they may happen whatever is said here.
    pub(crate) sent: usize,
    /// Questions and cards that still take an answer.
    pub(crate) waiting: usize,
    /// Effects of which nobody knows whether they happened.
    pub(crate) uncertain: usize,
    /// True if sending is paused.
    pub(crate) paused: bool,
}

/// The state of a live task, as its cards and effects show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskProgress {
    /// An effect of it is on its way, a model is asked, or somebody else reports on it.
    GoesOn,
    /// It goes on when somebody answers.
    Waits,
    /// Nothing of it is on its way, and nothing asks for an answer any more.
    Rests,
}

/// The records that say what goes on.
pub(crate) struct WorkRecords<'r> {
    pub(crate) head: &'r LaneState,
    /// The loaded cards.
    pub(crate) cards: Vec<&'r Card>,
    /// The loaded tasks.
    pub(crate) tasks: Vec<&'r Task>,
    /// Open cards that left the window.
    pub(crate) put_aside: usize,
    /// The effects that this turn ends: the look-up is from before it.
    pub(crate) over: Vec<&'r EffectId>,
}

impl StateOfWork {
    /// Counts what the records say, as they stand at the time of `given`.
    pub(crate) fn of(records: &WorkRecords<'_>, given: &StepInput) -> Self {
        let named = records.on_the_way();
        let beyond =
            given.released(ReleasedStanding::Awaited).filter(|effect| !records.over.contains(effect));
        let on_the_way: BTreeSet<&EffectId> = named.iter().copied().chain(beyond).collect();
        let sent = on_the_way.iter().filter(|effect| given.was_sent(effect)).count();
        Self {
            asking: records.head.ask.is_some(),
            running: on_the_way.len() - sent,
            sent,
            waiting: records.waiting(given),
            uncertain: records.uncertain(given, &named),
            paused: given.paused.is_some(),
        }
    }

    /// True if nothing is under way and nothing is left to be answered.
    pub(crate) fn is_idle(&self) -> bool {
        *self == Self { paused: self.paused, ..Self::default() }
    }
}

impl<'r> WorkRecords<'r> {
    /// The effects whose outcome is awaited: those that a card released, and calls of tasks. An effect may be on
    /// several cards.
    pub(crate) fn on_the_way(&self) -> BTreeSet<&'r EffectId> {
        let released = self.cards.iter().flat_map(|card| card.outcomes()).filter_map(effect_of);
        let live = self.tasks.iter().filter(|task| task.status.is_live());
        let calls = live.filter_map(|task| task.work.as_ref()?.effect.as_ref());
        released.chain(calls).collect()
    }

    /// The number of effects without an answer. `named` are those that the records await: an outcome that the lane has not
    /// taken in yet is none to people.
    fn uncertain(&self, given: &StepInput, named: &BTreeSet<&EffectId>) -> usize {
        let asked = self.asked_about();
        let card = |asks: &CardId| self.cards.iter().find(|card| card.id == *asks);
        let about: BTreeSet<&EffectId> =
            asked.iter().filter_map(|asks| card(asks)?.uncertain_effect()).collect();
        let unloaded = asked.iter().filter(|asks| card(asks).is_none()).count();
        let beyond = given.released(ReleasedStanding::Unknown);
        let beyond = beyond.filter(|effect| !about.contains(effect) && !named.contains(effect));
        let beyond = beyond.filter(|effect| !self.over.contains(effect)).count();
        // Which effect a question is about that is not loaded, the lane does not know; it is among those beyond.
        asked.len() - unloaded + beyond.max(unloaded)
    }

    /// The questions about effects without an answer. One that was decided is no question any more, whatever an older
    /// card still says.
    fn asked_about(&self) -> BTreeSet<&'r CardId> {
        let asked = self.cards.iter().flat_map(|card| card.outcomes()).filter_map(|progress| match progress
            .phase()
        {
            Phase::Unknown(asks) => Some(asks),
            _ => None,
        });
        let over = |asks: &&CardId| {
            let card = self.cards.iter().find(|card| card.id == **asks);
            card.is_some_and(|card| matches!(card.status, CardStatus::Decided { .. } | CardStatus::Withdrawn))
        };
        asked.filter(|asks| !over(asks)).collect()
    }

    /// The number of questions and cards that still take an answer: one that is over by the clock takes none, also
    /// before its timer has come.
    fn waiting(&self, given: &StepInput) -> usize {
        let pendings = || self.head.pendings.iter();
        let open = |card: &&&Card| card.takes_press(given.now);
        let alone = |card: &&&Card| !pendings().any(|pending| pending.kind.card() == Some(&card.id));
        let cards = self.cards.iter().filter(open).filter(alone).count() + self.put_aside;
        pendings().filter(|pending| pending.is_alive(given.now)).count() + cards
    }
}

/// Returns the effect that a released item is waiting for.
fn effect_of(progress: &Progress) -> Option<&EffectId> {
    match progress {
        Progress::Created {
            link: Some(EpicLink::Reading { effect, .. } | EpicLink::Mending { effect, .. }),
            ..
        } => Some(effect),
        other => match other.phase() {
            Phase::Running(effect) => Some(effect),
            _ => None,
        },
    }
}
