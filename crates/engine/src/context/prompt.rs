//! A prompt's sections: their order, their limits, the budget, and what a prompt is known by (`spec 05 §4`).
//!
//! The order is fixed, most stable first, so that two prompts in a row begin alike. The last section, the user's own
//! words, is written where the prompt is sent: here it only counts. What had to be left out is said in numbers.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

use super::block::Block;
use super::text::{Size, tokens};
use crate::canon::{hex, sha256};
use crate::decision::Reason;
use crate::policy::context::{
    ANCHOR_TOKENS, FACTS_KEPT, MESSAGES_KEPT, NEWEST_KEPT, SUMMARY_TOKENS, WINDOW_TOKENS,
};

/// What the layout of a prompt is called in its fingerprints.
const LAYOUT: &str = "tlctx1\n";

/// A section, in the order of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// What holds for every answer.
    Rules,
    /// What an answer looks like, and what may be picked.
    Contract,
    /// What is remembered.
    Facts,
    /// What the conversation was before.
    Summary,
    /// What was done and what is blocked.
    ReadOnlyContext,
    /// The newest messages.
    Window,
    /// The message replied to.
    Anchor,
}

impl Section {
    /// Its name in fingerprints and traces.
    #[must_use]
    pub fn word(self) -> &'static str {
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

/// What goes into a prompt. Every line is one JSON object, quoted by [`super::text::quote`], without its line end.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// Section 1 as it stands, with its heading.
    pub rules: String,
    /// Section 2 as it stands, with its heading.
    pub contract: String,
    /// Facts in the order they are shown in.
    pub facts: Vec<FactLine>,
    /// The summary's line.
    pub summary: Option<String>,
    /// Lines of its tail, oldest first.
    pub tail: Vec<String>,
    /// The record of tasks; only closed questions have none.
    pub block: Option<Block>,
    /// Messages, oldest first: each is its line and, before it, the line of what it quotes. What stands around the
    /// message replied to stands there only.
    pub window: Vec<String>,
    /// The message replied to.
    pub anchor: Anchor,
    /// Tokens of section 8.
    pub input_tokens: u32,
    /// Tokens of the fact section.
    pub facts_tokens: u32,
    /// Tokens of the whole prompt.
    pub max_tokens: u32,
}

/// A fact's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactLine {
    /// The line.
    pub line: String,
    /// Its place in the order of choice: 0 was chosen first, and is the last to go.
    pub rank: usize,
}

/// Lines about the message replied to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The message before it.
    pub before: Option<String>,
    /// It itself, its quote, the hint about it: never dropped.
    pub own: Vec<String>,
    /// The message after it.
    pub after: Option<String>,
}

/// A prompt without its last section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The sections that are there, in order, each with its heading and final line end. None are kept once it was sent.
    #[serde(default)]
    pub sections: Vec<(Section, String)>,
    /// What all of it is known by.
    pub context_fingerprint: String,
    /// What sections 1 to 4 are known by.
    pub prefix_fingerprint: String,
    /// What was left out: of which section, how many units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<(Section, u32)>,
}

impl Built {
    /// How many units of a section were left out.
    #[must_use]
    pub fn left_out(&self, section: Section) -> usize {
        let of = self.omitted.iter().find(|(omitted, _)| *omitted == section);
        of.map_or(0, |(_, units)| *units as usize)
    }

    /// The sections' texts, one after the other, with an empty line between them.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.sections.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("\n")
    }
}

/// What may not be dropped is more than a prompt may hold: nothing is sent (`context.too_large`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// Tokens it takes at least.
    pub tokens: u32,
    /// Tokens it may have.
    pub max_tokens: u32,
}

impl TooLarge {
    /// What a turn that meets it says.
    pub const REASON: Reason = Reason::ContextTooLarge;
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens, max_tokens } = self;
        write!(f, "the prompt takes {tokens} tokens at least and may have {max_tokens}")
    }
}

impl core::error::Error for TooLarge {}

/// Puts the sections in order, holds each to its own limit and all of them to the budget.
///
/// # Errors
///
/// [`TooLarge`] when what is never dropped does not fit.
pub fn build(sections: Sections) -> Result<Built, TooLarge> {
    let max_tokens = sections.max_tokens;
    let mut draft = Draft::of(sections);
    draft.fit(max_tokens);
    match draft.tokens() {
        tokens if tokens > max_tokens => Err(TooLarge { tokens, max_tokens }),
        _ => Ok(draft.built()),
    }
}

/// What goes while a prompt is too long, in this order: of a section, all but so many lines (`spec 05 §4.2`).
const CUTS: [(Section, usize); 6] = [
    (Section::Window, MESSAGES_KEPT),
    (Section::Facts, FACTS_KEPT),
    (Section::Summary, 1),
    (Section::Window, 1),
    (Section::Facts, 0),
    (Section::Summary, 0),
];

/// Sections while lines are taken out of them.
struct Draft {
    rules: String,
    contract: String,
    facts: Part,
    summary: Part,
    /// Lines of the summary that are no tail.
    condensed: usize,
    block: Option<Block>,
    block_tokens: u32,
    /// Finished tasks that were left out.
    forgotten: u32,
    window: Part,
    anchor: Part,
    /// Tokens of rules, contract and the message.
    fixed: u32,
}

impl Draft {
    /// The sections, each held to its own limit.
    fn of(given: Sections) -> Self {
        let facts = given.facts.into_iter().map(|fact| Line::of(fact.line, fact.rank));
        let condensed = usize::from(given.summary.is_some());
        let summary = given.summary.map(|line| Line::of(line, 0)).into_iter();
        let Anchor { before, own, after } = given.anchor;
        let lasting = own.len();
        let anchor = before.map(|line| Line::of(line, 2)).into_iter();
        let anchor = anchor.chain(own.into_iter().map(|line| Line::of(line, 0)));
        let anchor = anchor.chain(after.map(|line| Line::of(line, 1)));
        let anchor = Part::held(Section::Anchor, anchor, ANCHOR_TOKENS, lasting);
        let mut window = given.window;
        window.retain(|message| anchor.lines.iter().all(|line| line.text != *message));
        Self {
            facts: Part::held(Section::Facts, facts, given.facts_tokens, 0),
            summary: Part::held(
                Section::Summary,
                summary.chain(oldest_goes_first(given.tail)),
                SUMMARY_TOKENS,
                0,
            ),
            condensed,
            block_tokens: given.block.as_ref().map_or(0, Block::tokens),
            block: given.block,
            forgotten: 0,
            window: Part::held(Section::Window, oldest_goes_first(window), WINDOW_TOKENS, 1),
            anchor,
            fixed: tokens(&given.rules)
                .saturating_add(tokens(&given.contract))
                .saturating_add(given.input_tokens),
            rules: given.rules,
            contract: given.contract,
        }
    }

    fn tokens(&self) -> u32 {
        [&self.facts, &self.summary, &self.window, &self.anchor]
            .into_iter()
            .fold(self.fixed.saturating_add(self.block_tokens), |sum, part| sum.saturating_add(part.tokens()))
    }

    /// Takes lines out until the budget holds, or nothing is left that may go.
    fn fit(&mut self, most: u32) {
        for (section, keep) in CUTS {
            while self.tokens() > most && self.drop_from(section, keep) {}
        }
        while self.tokens() > most && self.forget() {}
    }

    fn drop_from(&mut self, section: Section, keep: usize) -> bool {
        match section {
            Section::Window => self.window.drop_one(keep),
            Section::Facts => self.facts.drop_one(keep),
            _ => self.summary.drop_one(keep.min(self.condensed)),
        }
    }

    fn forget(&mut self) -> bool {
        let Some(block) = self.block.as_mut().filter(|block| block.history() > NEWEST_KEPT) else {
            return false;
        };
        block.forget();
        self.block_tokens = block.tokens();
        self.forgotten += 1;
        true
    }

    fn built(self) -> Built {
        let omitted = [
            (Section::Facts, self.facts.omitted),
            (Section::Summary, self.summary.omitted),
            (Section::ReadOnlyContext, self.forgotten),
            (Section::Window, self.window.omitted),
            (Section::Anchor, self.anchor.omitted),
        ];
        let sections = [
            (Section::Rules, self.rules),
            (Section::Contract, self.contract),
            (Section::Facts, self.facts.text()),
            (Section::Summary, self.summary.text()),
            (Section::ReadOnlyContext, self.block.map(|block| block.render()).unwrap_or_default()),
            (Section::Window, self.window.text()),
            (Section::Anchor, self.anchor.text()),
        ];
        let sections: Vec<_> = sections.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        Built {
            context_fingerprint: fingerprint(&sections),
            prefix_fingerprint: fingerprint(
                &sections[..sections.partition_point(|(section, _)| *section <= Section::Summary)],
            ),
            omitted: omitted.into_iter().filter(|(_, units)| *units > 0).collect(),
            sections,
        }
    }
}

/// A section of lines, while lines are taken out of it.
struct Part {
    section: Section,
    lines: Vec<Line>,
    size: Size,
    omitted: u32,
}

struct Line {
    text: String,
    /// The highest goes first.
    rank: usize,
    size: Size,
}

impl Line {
    fn of(text: String, rank: usize) -> Self {
        Self { size: Size::of(&text).plus(Size::of("\n")), text, rank }
    }
}

fn oldest_goes_first(lines: Vec<String>) -> impl Iterator<Item = Line> {
    let count = lines.len();
    lines.into_iter().enumerate().map(move |(i, line)| Line::of(line, count - i))
}

impl Part {
    /// The lines, as many of them as fit into so many tokens, but never fewer than `keep`.
    fn held(section: Section, lines: impl Iterator<Item = Line>, most: u32, keep: usize) -> Self {
        let lines: Vec<Line> = lines.collect();
        let size = lines.iter().fold(Size::default(), |size, line| size.plus(line.size));
        let mut part = Self { section, lines, size, omitted: 0 };
        while part.tokens() > most && part.drop_one(keep) {}
        part
    }

    fn drop_one(&mut self, keep: usize) -> bool {
        let last = self.lines.iter().enumerate().max_by_key(|(_, line)| line.rank);
        let Some((at, _)) = last.filter(|_| self.lines.len() > keep) else { return false };
        let gone = self.lines.remove(at);
        self.size = self.size.minus(gone.size);
        self.omitted += 1;
        true
    }

    /// What stands before the lines: the heading, and in a conversation how much is missing.
    fn head(&self) -> Cow<'static, str> {
        match self.section {
            Section::Facts => "## FACTS\n".into(),
            Section::Summary => "## SUMMARY\n".into(),
            Section::Window if self.omitted > 0 => {
                format!("## CONVERSATION\n{{\"omitted\": {}}}\n", self.omitted).into()
            }
            Section::Window => "## CONVERSATION\n".into(),
            _ => "## REPLIED-TO MESSAGE\n".into(),
        }
    }

    fn tokens(&self) -> u32 {
        if self.lines.is_empty() { 0 } else { self.size.plus(Size::of(&self.head())).tokens() }
    }

    fn text(&self) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let mut text = self.head().into_owned();
        for line in &self.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }
}

/// SHA-256 over the layout's name and each section's name, length and bytes (`spec 05 §4.3`).
fn fingerprint(sections: &[(Section, String)]) -> String {
    let heads: Vec<String> =
        sections.iter().map(|(section, text)| format!("{} {}\n", section.word(), text.len())).collect();
    let mut parts = Vec::from([LAYOUT.as_bytes()]);
    for (head, (_, text)) in heads.iter().zip(sections) {
        parts.extend([head.as_bytes(), text.as_bytes()]);
    }
    hex(&sha256(&parts))
}
