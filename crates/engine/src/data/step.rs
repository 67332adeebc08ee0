//! The result of one turn: everything it writes, as one value.

use crate::data::approval::ApprovalChange;
use crate::data::card::TimerPurpose;
use crate::data::decision::Decision;
use crate::data::effect::Effect;
use crate::data::effect::outcome::Outcome;
use crate::data::fact::{FactSet, FactsTouched};
use crate::data::id::{EffectId, MessageId, TimerId};
use crate::data::lane_state::LaneState;
use crate::data::record::Change;
use crate::data::time::Timestamp;
use crate::data::trace::Trace;
use alloc::string::String;
use alloc::vec::Vec;

/// The result of a turn: the decision and everything it writes, committed as a whole.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Step {
    /// The decision and its reason.
    pub decision: Decision,
    /// The new head.
    pub next: LaneState,
    /// The records that changed.
    pub changes: Vec<Change>,
    /// Effects to perform, in order.
    pub effects: Vec<Effect>,
    /// Changes of approvals.
    pub approvals: Vec<ApprovalChange>,
    /// Deadlines to set.
    pub timers: Vec<Timer>,
    /// Deadlines to clear.
    pub clear_timers: Vec<TimerId>,
    /// Effects to cancel, if they are still planned or uncertain.
    pub cancel: Vec<EffectId>,
    /// Uncertain effects a person adopted, each with the outcome that makes it done.
    pub adopt: Vec<(EffectId, Outcome)>,
    /// Messages that this turn added to the lane, of people and of the engine, in order.
    pub messages: Vec<MessageId>,
    /// Fact sets of epics and channels that it used or changed; the lane's own facts are records.
    pub facts: Vec<FactsTouched>,
    /// Channel user id of the person who confirmed that everything kept of them is to be erased.
    pub forget: Option<String>,
    /// The account of how it decided.
    pub trace: Trace,
}

impl Step {
    /// Returns the part of the given fact sets that the turn used: all of a set its decision rests on, and of
    /// other sets the facts it showed. The turn's log keeps these, because a replay with them gives the same
    /// result.
    #[must_use]
    pub fn used_fact_sets(&self, given: Vec<FactSet>) -> Vec<FactSet> {
        let trimmed = given.into_iter().filter_map(|mut set| {
            let touched = self.facts.iter().find(|touched| touched.key == set.key)?;
            if !touched.opened {
                set.facts.retain(|fact| touched.used.contains(&fact.canonical_id));
                set.gone.clear();
            }
            Some(set)
        });
        trimmed.collect()
    }
}

/// A deadline.
#[derive(Clone, Debug, PartialEq)]
pub struct Timer {
    /// Its id.
    pub id: TimerId,
    /// Moment at which it is due.
    pub due: Timestamp,
    /// Its purpose.
    pub about: TimerPurpose,
}
