//! What of the lane stands in a prompt around the question (`spec 05 §4.1`, sections 3 to 7).

use alloc::string::String;
use alloc::vec::Vec;

use super::wording::line;
use crate::context::block::Block;
use crate::context::prompt::{Anchor, FactLine, Sections};
use crate::context::window::{self, Around};
use crate::focus::Hint;
use crate::memory::summary;
use crate::policy::Policy;
use crate::turn::Turn;

/// What of the lane goes into a prompt; see [`Ask::within`](super::Ask::within).
#[derive(Debug, Default)]
pub struct Shown {
    /// Facts, in the order they are shown in.
    pub facts: Vec<FactLine>,
    /// The summary.
    pub summary: Option<String>,
    /// Lines in the place of one, oldest first.
    pub tail: Vec<String>,
    /// What was done and what is blocked.
    pub block: Option<Block>,
    /// The newest messages, oldest first, one a line.
    pub window: Vec<String>,
    /// The replied-to message and what stands around it.
    pub anchor: Anchor,
}

impl Shown {
    /// The conversation as it stands, shown to a model that answers `user`; without facts and tasks.
    pub(crate) fn conversation(turn: &Turn<'_>, hint: Option<&Hint>, user: &str) -> Self {
        let Around { window, anchor } = window::around(turn, hint, user);
        let (summary, tail) = summary::shown(turn);
        Self { summary, tail, window, anchor, ..Self::default() }
    }

    /// The sections of it, with their limits.
    pub(crate) fn sections(self, policy: &Policy) -> Sections {
        let tail = self.tail.iter().map(|text| line(&[("extractive", text)]));
        Sections {
            facts: self.facts,
            summary: self.summary.map(|text| line(&[("summary", &text)])),
            tail: tail.collect(),
            block: self.block,
            window: self.window,
            anchor: self.anchor,
            facts_tokens: policy.facts.tokens,
            max_tokens: policy.context.max_tokens,
            ..Sections::default()
        }
    }
}
