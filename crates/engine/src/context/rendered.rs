//! The context of a prompt as it is shown outside of a turn: to a supervisor, to tools, or to a person
//! inspecting a lane.

use alloc::string::String;
use alloc::vec::Vec;

use crate::context::import::ImportWarning;
use crate::context::lane_context::LaneContext;
use crate::context::prompt::{TooLarge, build};
use crate::data::event::{Event, EventKind};
use crate::data::fact::FactSet;
use crate::data::lane::Lane;
use crate::data::policy::Policy;
use crate::data::prompt::{BuiltPrompt, PromptSection};
use crate::data::step_input::StepInput;
use crate::data::task::TaskReported;
use crate::data::time::Timestamp;
use crate::memory::fact_intake as memory;
use crate::turn::Turn;
use crate::turn::capability::Capabilities;

/// A prompt with its fingerprint, its omissions and its warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedContext {
    /// The whole prompt.
    pub prompt: String,
    /// The record of tasks in the prompt; empty if it has none.
    pub block: String,
    /// The fingerprint of the sections 1 to 7.
    pub context_fingerprint: String,
    /// The omissions: a section, and the number of lines or tasks that were dropped from it.
    pub omitted: Vec<(PromptSection, u32)>,
    /// The repairs that a supervisor's document needed.
    pub warnings: Vec<ImportWarning>,
}

impl RenderedContext {
    pub(super) fn of(built: BuiltPrompt, input: &str, warnings: Vec<ImportWarning>) -> Self {
        let mut prompt = built.text();
        if !input.is_empty() {
            prompt.push('\n');
            prompt.push_str(input);
        }
        let block =
            built.sections.into_iter().find(|(section, _)| *section == PromptSection::ReadOnlyContext);
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
        let given = StepInput { facts, ..StepInput::default() };
        let mut turn = Turn::new(lane, &event, &given, policy, capabilities);
        let facts = memory::shown(&mut turn).lines;
        let shown =
            LaneContext { facts, block: Some(turn.block()), ..LaneContext::conversation(&turn, None, "") };
        Ok(Self::of(build(shown.sections(policy))?, "", Vec::new()))
    }
}
