//! The sections of a prompt: their order, their limits, the budget, and the fingerprints
//! (`docs/design/0025-prompt-context.md`).
//!
//! The order is fixed, most stable first, so that successive prompts begin alike. The last section, the
//! user's own words, is added by the sender of the prompt; here it only counts against the budget.
//! Omissions are recorded as numbers.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::context::task_history::TaskHistory;
use crate::data::canonical_json::{hex, sha256};
use crate::data::decision::Reason;
use crate::data::policy::context::{
    ANCHOR_TOKENS, FACTS_KEPT, MESSAGES_KEPT, NEWEST_KEPT, SUMMARY_TOKENS, WINDOW_TOKENS,
};
use crate::data::prompt::FactLine;
use crate::data::prompt::{BuiltPrompt, PromptSection};
use crate::text::clean::{Size, tokens};

/// The name of the layout, which is part of the fingerprints.
const LAYOUT: &str = "tlctx1\n";

/// The contents of a prompt. Every line is one JSON object whose texts are quoted by
/// `crate::text::clean::quote`, without its line end.
#[derive(Clone, Debug, Default)]
pub struct PromptSections {
    /// The text of section 1, with its heading.
    pub rules: String,
    /// The text of section 2, with its heading.
    pub contract: String,
    /// Facts, in the order in which they are shown.
    pub facts: Vec<FactLine>,
    /// The summary's line.
    pub summary: Option<String>,
    /// Lines of its tail, oldest first.
    pub tail: Vec<String>,
    /// The record of tasks; only prompts for closed questions have none.
    pub block: Option<TaskHistory>,
    /// Messages, oldest first, one per line. A message that the anchor section shows is left out here.
    pub window: Vec<String>,
    /// The message replied to.
    pub anchor: Anchor,
    /// The size of section 8, in tokens.
    pub input_tokens: u32,
    /// The limit of the fact section, in tokens.
    pub facts_tokens: u32,
    /// The limit of the whole prompt, in tokens.
    pub max_tokens: u32,
}

/// Lines about the message replied to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The message before it.
    pub before: Option<String>,
    /// The message itself, the hint about it and its quote. These lines are never dropped.
    pub own: Vec<String>,
    /// The message after it.
    pub after: Option<String>,
}

/// Error: the parts that are never dropped exceed the limit, so nothing is sent (`context.too_large`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The smallest size of the prompt, in tokens.
    pub tokens: u32,
    /// The limit, in tokens.
    pub max_tokens: u32,
}

impl TooLarge {
    /// The reason that a turn records for this error.
    pub const REASON: Reason = Reason::ContextTooLarge;
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens, max_tokens } = self;
        write!(f, "the prompt takes {tokens} tokens at least and may have {max_tokens}")
    }
}

impl core::error::Error for TooLarge {}

/// Orders the sections, and cuts each to its own limit and all of them to the budget.
///
/// # Errors
///
/// [`TooLarge`] if what is never dropped does not fit.
pub fn build(sections: PromptSections) -> Result<BuiltPrompt, TooLarge> {
    let max_tokens = sections.max_tokens;
    let mut draft = PromptDraft::of(sections);
    draft.fit(max_tokens);
    match draft.tokens() {
        tokens if tokens > max_tokens => Err(TooLarge { tokens, max_tokens }),
        _ => Ok(draft.built()),
    }
}

/// The order in which lines are dropped while a prompt is too long: from each section, all but the given
/// number.
const CUTS: [(PromptSection, usize); 6] = [
    (PromptSection::Window, MESSAGES_KEPT),
    (PromptSection::Facts, FACTS_KEPT),
    (PromptSection::Summary, 1),
    (PromptSection::Window, 1),
    (PromptSection::Facts, 0),
    (PromptSection::Summary, 0),
];

/// The sections while lines are dropped from them.
struct PromptDraft {
    rules: String,
    contract: String,
    facts: SectionDraft,
    summary: SectionDraft,
    /// The number of lines of the summary itself, without its tail: 0 or 1.
    condensed: usize,
    block: Option<TaskHistory>,
    block_tokens: u32,
    /// The number of finished tasks that were dropped.
    forgotten: u32,
    window: SectionDraft,
    anchor: SectionDraft,
    /// The size of rules, contract and the user's words, in tokens.
    fixed: u32,
}

impl PromptDraft {
    /// The sections, each cut to its own limit.
    fn of(given: PromptSections) -> Self {
        let facts = given.facts.into_iter().map(|fact| Line::of(fact.line, fact.rank));
        let condensed = usize::from(given.summary.is_some());
        let summary = given.summary.map(|line| Line::of(line, 0)).into_iter();
        let Anchor { before, own, after } = given.anchor;
        let lasting = own.len();
        let anchor = before.map(|line| Line::of(line, 2)).into_iter();
        let anchor = anchor.chain(own.into_iter().map(|line| Line::of(line, 0)));
        let anchor = anchor.chain(after.map(|line| Line::of(line, 1)));
        let anchor = SectionDraft::held(PromptSection::Anchor, anchor, ANCHOR_TOKENS, lasting);
        let mut window = given.window;
        window.retain(|message| anchor.lines.iter().all(|line| line.text != *message));
        Self {
            facts: SectionDraft::held(PromptSection::Facts, facts, given.facts_tokens, 0),
            summary: SectionDraft::held(
                PromptSection::Summary,
                summary.chain(oldest_goes_first(given.tail)),
                SUMMARY_TOKENS,
                0,
            ),
            condensed,
            block_tokens: given.block.as_ref().map_or(0, TaskHistory::tokens),
            block: given.block,
            forgotten: 0,
            window: SectionDraft::held(PromptSection::Window, oldest_goes_first(window), WINDOW_TOKENS, 1),
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

    /// Drops lines until the budget holds or nothing more may be dropped.
    fn fit(&mut self, most: u32) {
        for (section, keep) in CUTS {
            while self.tokens() > most && self.drop_from(section, keep) {}
        }
        while self.tokens() > most && self.forget() {}
    }

    fn drop_from(&mut self, section: PromptSection, keep: usize) -> bool {
        match section {
            PromptSection::Window => self.window.drop_one(keep),
            PromptSection::Facts => self.facts.drop_one(keep),
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

    fn built(self) -> BuiltPrompt {
        let omitted = [
            (PromptSection::Facts, self.facts.omitted),
            (PromptSection::Summary, self.summary.omitted),
            (PromptSection::ReadOnlyContext, self.forgotten),
            (PromptSection::Window, self.window.omitted),
            (PromptSection::Anchor, self.anchor.omitted),
        ];
        let sections = [
            (PromptSection::Rules, self.rules),
            (PromptSection::Contract, self.contract),
            (PromptSection::Facts, self.facts.text()),
            (PromptSection::Summary, self.summary.text()),
            (PromptSection::ReadOnlyContext, self.block.map(|block| block.render()).unwrap_or_default()),
            (PromptSection::Window, self.window.text()),
            (PromptSection::Anchor, self.anchor.text()),
        ];
        let sections: Vec<_> = sections.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        BuiltPrompt {
            context_fingerprint: fingerprint(&sections),
            prefix_fingerprint: fingerprint(
                &sections[..sections.partition_point(|(section, _)| *section <= PromptSection::Summary)],
            ),
            omitted: omitted.into_iter().filter(|(_, units)| *units > 0).collect(),
            sections,
        }
    }
}

/// A section of lines while lines are dropped from it.
struct SectionDraft {
    section: PromptSection,
    lines: Vec<Line>,
    size: Size,
    omitted: u32,
}

struct Line {
    text: String,
    /// The line with the highest rank is dropped first.
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

impl SectionDraft {
    /// The lines that fit into `most` tokens, but never fewer than `keep`.
    fn held(section: PromptSection, lines: impl Iterator<Item = Line>, most: u32, keep: usize) -> Self {
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

    /// The heading, and in a conversation the number of dropped messages.
    fn head(&self) -> Cow<'static, str> {
        match self.section {
            PromptSection::Facts => "## FACTS\n".into(),
            PromptSection::Summary => "## SUMMARY\n".into(),
            PromptSection::Window if self.omitted > 0 => {
                format!("## CONVERSATION\n{{\"omitted\": {}}}\n", self.omitted).into()
            }
            PromptSection::Window => "## CONVERSATION\n".into(),
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

/// SHA-256 over the layout's name and each section's name, length and bytes, in hexadecimal.
fn fingerprint(sections: &[(PromptSection, String)]) -> String {
    let heads: Vec<String> =
        sections.iter().map(|(section, text)| format!("{} {}\n", section.as_str(), text.len())).collect();
    let mut parts = Vec::from([LAYOUT.as_bytes()]);
    for (head, (_, text)) in heads.iter().zip(sections) {
        parts.extend([head.as_bytes(), text.as_bytes()]);
    }
    hex(&sha256(&parts))
}
