//! A prompt's context as it is shown outside of a turn: to a supervisor, to tools, to whoever looks into a lane.

use alloc::string::String;
use alloc::vec::Vec;

use super::block::Block;
use super::import::Warning;
use super::prompt::{Built, Section, Sections, TooLarge, build};
use crate::lane::Lane;
use crate::policy::Policy;

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

    /// What an agent of this lane would be told of it now, whatever it is asked.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] when what is never dropped does not fit.
    pub fn of_lane(lane: &Lane, policy: &Policy) -> Result<Self, TooLarge> {
        let built = build(Sections {
            block: Some(Block::of_lane(lane, &policy.context)),
            facts_tokens: policy.facts.tokens,
            max_tokens: policy.context.max_tokens,
            ..Sections::default()
        })?;
        Ok(Self::of(built, "", Vec::new()))
    }
}
