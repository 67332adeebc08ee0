//! A prompt's context as it is shown outside of a turn: to a supervisor, to tools, to whoever looks into a lane.

use alloc::string::String;
use alloc::vec::Vec;

use super::import::Warning;
use super::prompt::{Built, Section, TooLarge, build};
use crate::ask::Shown;
use crate::event::{Event, EventKind, TaskReported};
use crate::given::Given;
use crate::lane::Lane;
use crate::memory::{FactSet, flow as memory};
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::turn::Turn;

/// A prompt, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// All of it.
    pub prompt: String,
    /// The record of tasks in it.
    pub block: String,
    /// What the sections 1 to 7 are known by.
    pub context_fingerprint: String,
    /// What was left out: of which section, how many units.
    pub omitted: Vec<(Section, u32)>,
    /// What was repaired in a supervisor's document.
    pub warnings: Vec<Warning>,
}

impl Rendered {
    pub(super) fn of(built: Built, input: &str, warnings: Vec<Warning>) -> Self {
        let mut prompt = built.text();
        if !input.is_empty() {
            prompt.push('\n');
            prompt.push_str(input);
        }
        let block = built.sections.into_iter().find(|(section, _)| *section == Section::ReadOnlyContext);
        Self {
            prompt,
            block: block.map(|(_, text)| text).unwrap_or_default(),
            context_fingerprint: built.context_fingerprint,
            omitted: built.omitted,
            warnings,
        }
    }

    /// What an agent of this lane would be told of it now, whatever it is asked: sections 3 to 6 of its prompt. `facts`
    /// are the sets [`in_reach`](crate::memory::in_reach). What was said to one person alone is in none of it.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] when what is never dropped does not fit.
    pub fn of_lane(lane: &Lane, facts: Vec<FactSet>, policy: &Policy) -> Result<Self, TooLarge> {
        // Nothing happens in this turn: it is the lane as it stands.
        let kind = EventKind::TaskReported(TaskReported::default());
        let event =
            Event { id: String::new(), received_at: Timestamp::default(), actor: String::new(), kind };
        let given = Given { facts, ..Given::default() };
        let mut turn = Turn::new(lane, &event, &given, policy);
        let facts = memory::shown(&mut turn).lines;
        let shown = Shown { facts, block: Some(turn.block()), ..Shown::conversation(&turn, None, "") };
        Ok(Self::of(build(shown.sections(policy))?, "", Vec::new()))
    }
}
