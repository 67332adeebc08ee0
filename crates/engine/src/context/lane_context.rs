//! The parts of a lane that a prompt shows around the question: sections 3 to 7
//! (`docs/design/0025-prompt-context.md`).

use alloc::string::String;
use alloc::vec::Vec;

use crate::context::prompt::{Anchor, PromptSections};
use crate::context::summary_section;
use crate::context::task_history::TaskHistory;
use crate::context::window::{self, ConversationSections};
use crate::data::focus::AnchorHint;
use crate::data::policy::Policy;
use crate::data::prompt::FactLine;
use crate::text::json_object::line;
use crate::turn::Turn;

/// The parts of a lane that go into a prompt, before they are cut to their limits.
#[derive(Debug, Default)]
pub struct LaneContext {
    /// Facts, in the order in which they are shown.
    pub facts: Vec<FactLine>,
    /// The summary.
    pub summary: Option<String>,
    /// Extracted lines that follow or replace the summary, oldest first.
    pub tail: Vec<String>,
    /// The record of finished and blocked tasks.
    pub block: Option<TaskHistory>,
    /// The newest messages, oldest first, one per line.
    pub window: Vec<String>,
    /// The replied-to message and its neighbours.
    pub anchor: Anchor,
}

impl LaneContext {
    /// The conversation at this point, as shown to a model that answers `user`; without facts and tasks.
    pub(crate) fn conversation(turn: &Turn<'_>, hint: Option<&AnchorHint>, user: &str) -> Self {
        let ConversationSections { window, anchor } = window::around(turn, hint, user);
        let (summary, tail) = summary_section::summary_section(turn);
        Self { summary, tail, window, anchor, ..Self::default() }
    }

    /// Turns it into sections, with the limits of the policy.
    pub(crate) fn sections(self, policy: &Policy) -> PromptSections {
        let tail = self.tail.iter().map(|text| line(&[("extractive", text)]));
        PromptSections {
            facts: self.facts,
            summary: self.summary.map(|text| line(&[("summary", &text)])),
            tail: tail.collect(),
            block: self.block,
            window: self.window,
            anchor: self.anchor,
            facts_tokens: policy.facts.tokens,
            max_tokens: policy.context.max_tokens,
            ..PromptSections::default()
        }
    }
}
