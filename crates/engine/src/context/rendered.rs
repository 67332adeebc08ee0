//! The context of a prompt as it is shown outside of a turn: to a supervisor, to tools, or to a person
//! inspecting a lane.

use alloc::string::String;
use alloc::vec::Vec;

use crate::context::import::Warning;
use crate::context::prompt::{TooLarge, build};
use crate::context::shown::Shown;
use crate::data::event::{Event, EventKind};
use crate::data::fact::FactSet;
use crate::data::given::Given;
use crate::data::lane::Lane;
use crate::data::policy::Policy;
use crate::data::prompt::{Built, Section};
use crate::data::task::TaskReported;
use crate::data::time::Timestamp;
use crate::memory::flow as memory;
use crate::turn::Turn;
use crate::turn::capability::Capabilities;

/// A prompt with its fingerprint, its omissions and its warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The whole prompt.
    pub prompt: String,
    /// The record of tasks in the prompt; empty if it has none.
    pub block: String,
    /// The fingerprint of the sections 1 to 7.
    pub context_fingerprint: String,
    /// The omissions: a section, and the number of lines or tasks that were dropped from it.
    pub omitted: Vec<(Section, u32)>,
    /// The repairs that a supervisor's document needed.
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

    /// Renders the context of a lane ([`crate::lane_context`]).
    pub(crate) fn of_lane(
        lane: &Lane,
        facts: Vec<FactSet>,
        policy: &Policy,
        capabilities: Capabilities,
    ) -> Result<Self, TooLarge> {
        // An empty report changes nothing, so this turn shows the lane as it is.
        let kind = EventKind::TaskReported(TaskReported::default());
        let event =
            Event { id: String::new(), received_at: Timestamp::default(), actor: String::new(), kind };
        let given = Given { facts, ..Given::default() };
        let mut turn = Turn::new(lane, &event, &given, policy, capabilities);
        let facts = memory::shown(&mut turn).lines;
        let shown = Shown { facts, block: Some(turn.block()), ..Shown::conversation(&turn, None, "") };
        Ok(Self::of(build(shown.sections(policy))?, "", Vec::new()))
    }
}
