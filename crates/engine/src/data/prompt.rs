//! A finished prompt, section by section.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A section of a prompt; variants are in prompt order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptSection {
    /// Rules for every answer.
    Rules,
    /// The form of the answer, and what may be picked.
    Contract,
    /// Remembered facts.
    Facts,
    /// Summary of the earlier conversation.
    Summary,
    /// Finished and blocked tasks.
    ReadOnlyContext,
    /// The newest messages.
    Window,
    /// The message replied to.
    Anchor,
}

impl PromptSection {
    /// Returns its name in fingerprints and traces.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Contract => "contract",
            Self::Facts => "facts",
            Self::Summary => "summary",
            Self::ReadOnlyContext => "read_only_context",
            Self::Window => "window",
            Self::Anchor => "anchor",
        }
    }
}

/// A prompt without its last section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltPrompt {
    /// The sections in order, each with its heading and final line end. Empty once the prompt was sent.
    #[serde(default)]
    pub sections: Vec<(PromptSection, String)>,
    /// Fingerprint of the whole prompt.
    pub context_fingerprint: String,
    /// Fingerprint of sections 1 to 4.
    pub prefix_fingerprint: String,
    /// Number of units left out, by section.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<(PromptSection, u32)>,
}

impl BuiltPrompt {
    /// Returns the number of units left out of a section.
    #[must_use]
    pub fn left_out(&self, section: PromptSection) -> usize {
        let of = self.omitted.iter().find(|(omitted, _)| *omitted == section);
        of.map_or(0, |(_, units)| *units as usize)
    }

    /// Returns the sections' texts, with an empty line between them.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.sections.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("\n")
    }
}

/// The line of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactLine {
    /// Its text.
    pub line: String,
    /// Place in the order of choice: 0 was chosen first, and is the last to be cut.
    pub rank: usize,
}

/// The name that an answer uses for the replied-to message.
pub const ANCHOR: &str = "c1";
