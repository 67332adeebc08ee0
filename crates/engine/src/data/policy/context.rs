//! Limits of prompt context, summaries and facts. Shares and confidences are in percent: the engine holds no
//! floats.
//!
//! Reasons: `docs/design/0025-prompt-context.md`, `docs/design/0026-summaries.md`,
//! `docs/design/0027-facts.md`.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use serde::{Deserialize, Serialize};

use crate::data::task_status::TaskStatus;
use crate::data::time::{Millis, Timestamp};

/// Tokens of a prompt's summary, its tail included.
pub const SUMMARY_TOKENS: u32 = 600;
/// Tokens of a prompt's conversation.
pub const WINDOW_TOKENS: u32 = 2_500;
/// Tokens of the replied-to message with its neighbours.
pub const ANCHOR_TOKENS: u32 = 600;
/// Entries of each list that stay, whatever else has to be cut.
pub const NEWEST_KEPT: usize = 3;
/// Messages that stay in the first round of cuts.
pub const MESSAGES_KEPT: usize = 4;
/// Facts that stay in the first round of cuts.
pub const FACTS_KEPT: usize = 10;
/// Messages that a turn may add: those to fold are loaded that many before the trigger.
pub const SUMMARY_AHEAD: usize = 4;
/// Lines of one fold without a model.
pub const SUMMARY_LINES: usize = 6;
/// Graphemes of such a line.
pub const SUMMARY_LINE: usize = 160;
/// Bytes of a task's id.
pub const TASK_ID: usize = 128;
/// Graphemes of a task's or a project's id where it is shown.
pub const ID: usize = 64;
/// Graphemes of a task's intent.
pub const INTENT: usize = 120;
/// Graphemes of the reason that a task is blocked or failed.
pub const REASON: usize = 160;
/// Graphemes of a task's result.
pub const RESULT: usize = 60;
/// Graphemes of a project's goal.
pub const GOAL: usize = 200;

/// Limits of the past that prompts show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextPolicy {
    /// The project that all tasks belong to.
    pub project: Project,
    /// Finished tasks that are shown.
    pub recent_tasks: usize,
    /// Blocked tasks that are shown; the rest is counted.
    pub max_blockers: usize,
    /// Tokens of a prompt.
    pub max_tokens: u32,
    /// Tokens of the block of tasks.
    pub block_max_tokens: u32,
    /// Messages of the conversation.
    pub window: usize,
    /// Graphemes of one message of the conversation.
    pub message_graphemes: usize,
    /// Graphemes of the replied-to message.
    pub anchor_graphemes: usize,
    /// Graphemes of a quotation in a message.
    pub quote_graphemes: usize,
    /// Completed tasks that a lane keeps, and as many failed and cancelled ones together.
    pub history_kept: usize,
    /// Statuses of the finished tasks that are shown.
    pub history_statuses: Vec<TaskStatus>,
}

/// The project that an installation's tasks belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Project {
    /// Its name.
    pub id: String,
    /// Its goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
}

/// Triggers and limits of summaries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SummaryPolicy {
    /// Raw messages above which the oldest are folded.
    pub trigger: usize,
    /// Raw messages that stay.
    pub keep: usize,
    /// Raw messages from which on folding does not wait for a model.
    pub hard_cap: usize,
    /// Graphemes of a summary.
    pub max_graphemes: usize,
    /// Lines of a summary's tail.
    pub tail_lines: usize,
    /// Messages until a failed summary is tried again.
    pub retry_messages: usize,
    /// Tries for one position of the cursor.
    pub max_tries: u32,
}

/// Limits of remembered facts, and of those that are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactsPolicy {
    /// Facts of one scope.
    pub cap: FactCaps,
    /// Proposals of one model answer that are considered.
    pub max_per_answer: usize,
    /// Facts in one prompt.
    pub in_prompt: usize,
    /// Tokens of the facts in one prompt.
    pub tokens: u32,
    /// Lowest confidence, in percent, of a fact that is shown.
    pub min_confidence: u8,
    /// Lowest confidence, in percent, of a fact that may supersede another.
    pub supersede: u8,
    /// Highest confidence, in percent, of a fact from untrusted text.
    pub untrusted_max: u8,
    /// Highest confidence, in percent, of a fact that a model found.
    pub model_max: u8,
    /// Sources that one fact keeps.
    pub sources_kept: usize,
    /// Days during which an erased fact is not taken from the same message again.
    pub tombstone_days: u32,
    /// Percent of a scope's facts that may be untrusted.
    pub untrusted_share: u8,
    /// Principals whose words are trusted: `user:ana`, `role:member`. Empty means every full member of the
    /// tenant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trusted_authors: Vec<String>,
}

/// Most facts of one tenant, scope and scope id; facts of every status count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactCaps {
    /// Of a conversation.
    pub thread: usize,
    /// Of an epic.
    pub epic: usize,
    /// Of a channel.
    pub channel: usize,
}

impl Default for ContextPolicy {
    fn default() -> Self {
        Self {
            project: Project::default(),
            recent_tasks: 5,
            max_blockers: 10,
            max_tokens: 16_000,
            block_max_tokens: 2_500,
            window: 15,
            message_graphemes: 600,
            anchor_graphemes: 1_200,
            quote_graphemes: 180,
            history_kept: 100,
            history_statuses: vec![TaskStatus::Completed],
        }
    }
}

impl Default for Project {
    fn default() -> Self {
        Self { id: "default".into(), goal: None }
    }
}

impl Default for SummaryPolicy {
    fn default() -> Self {
        Self {
            trigger: 30,
            keep: 20,
            hard_cap: 60,
            max_graphemes: 1_200,
            tail_lines: 20,
            retry_messages: 5,
            max_tries: 3,
        }
    }
}

impl Default for FactsPolicy {
    fn default() -> Self {
        Self {
            cap: FactCaps::default(),
            max_per_answer: 5,
            in_prompt: 40,
            tokens: 800,
            min_confidence: 50,
            supersede: 70,
            untrusted_max: 50,
            model_max: 90,
            sources_kept: 10,
            tombstone_days: 30,
            untrusted_share: 20,
            trusted_authors: Vec::new(),
        }
    }
}

impl Default for FactCaps {
    fn default() -> Self {
        Self { thread: 50, epic: 200, channel: 300 }
    }
}

/// A key, its value, and the allowed range.
type Bounded = (&'static str, usize, RangeInclusive<usize>);

/// A key of the policy, and the fault of its value.
pub type InvalidSetting = (&'static str, String);

fn outside(bounds: &[Bounded]) -> Option<InvalidSetting> {
    let (key, value, range) = bounds.iter().find(|(_, value, range)| !range.contains(value))?;
    let why = match (range.start(), range.end()) {
        (least, &usize::MAX) => format!("is {value}, and has to be at least {least}"),
        (least, most) => format!("is {value}, and has to be {least} to {most}"),
    };
    Some((key, why))
}

impl ContextPolicy {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the first key with a value out of its bounds.
    #[must_use]
    pub fn first_invalid(&self) -> Option<InvalidSetting> {
        let over = |status: &TaskStatus| !status.is_live();
        if !self.history_statuses.contains(&TaskStatus::Completed) || !self.history_statuses.iter().all(over)
        {
            let why = "names completed, and beside it at most failed and cancelled".into();
            return Some(("context.history_statuses", why));
        }
        outside(&[
            ("context.recent_tasks", self.recent_tasks, NEWEST_KEPT..=5),
            ("context.max_blockers", self.max_blockers, NEWEST_KEPT..=50),
            ("context.max_tokens", self.max_tokens as usize, 6_000..=usize::MAX),
            ("context.block_max_tokens", self.block_max_tokens as usize, 2_500..=6_000),
            ("context.window", self.window, 10..=20),
            ("context.message_graphemes", self.message_graphemes, 1..=40_000),
            ("context.anchor_graphemes", self.anchor_graphemes, 1..=40_000),
            ("context.quote_graphemes", self.quote_graphemes, 1..=40_000),
            ("context.history_kept", self.history_kept, 5..=10_000),
        ])
    }
}

impl SummaryPolicy {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the first key with a value out of its bounds.
    #[must_use]
    pub fn first_invalid(&self) -> Option<InvalidSetting> {
        outside(&[
            ("summary.trigger", self.trigger, 2..=1_000),
            ("summary.keep", self.keep, 1..=self.trigger),
            ("summary.hard_cap", self.hard_cap, self.trigger..=2_000),
            ("summary.max_graphemes", self.max_graphemes, 1..=10_000),
            ("summary.tail_lines", self.tail_lines, 1..=200),
            ("summary.retry_messages", self.retry_messages, 1..=1_000),
            ("summary.max_tries", self.max_tries as usize, 1..=100),
        ])
    }
}

/// True if a word can be a principal of a person.
fn is_principal(word: &str) -> bool {
    let named = word.split_once(':').filter(|(_, name)| !name.trim().is_empty());
    named.is_some_and(|(kind, _)| matches!(kind, "user" | "role" | "group"))
}

impl FactsPolicy {
    /// Returns the milliseconds during which an erased fact is not taken from the same message again.
    #[must_use]
    pub fn tombstone(&self) -> Millis {
        Millis::from(self.tombstone_days) * Timestamp::DAY
    }

    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the first key with a value out of its bounds.
    #[must_use]
    pub fn first_invalid(&self) -> Option<InvalidSetting> {
        if let Some(who) = self.trusted_authors.iter().find(|who| !is_principal(who)) {
            let why = format!("names “{who}”, which nobody is: write user:ana, role:pm or group:backend");
            return Some(("facts.trusted_authors", why));
        }
        outside(&[
            ("facts.cap.thread", self.cap.thread, 1..=10_000),
            ("facts.cap.epic", self.cap.epic, 1..=10_000),
            ("facts.cap.channel", self.cap.channel, 1..=10_000),
            ("facts.max_per_answer", self.max_per_answer, 0..=100),
            ("facts.in_prompt", self.in_prompt, FACTS_KEPT..=1_000),
            ("facts.tokens", self.tokens as usize, 1..=100_000),
            ("facts.min_confidence", self.min_confidence.into(), 0..=100),
            ("facts.supersede", self.supersede.into(), 0..=100),
            ("facts.untrusted_max", self.untrusted_max.into(), 0..=100),
            ("facts.model_max", self.model_max.into(), 0..=100),
            ("facts.sources_kept", self.sources_kept, 1..=100),
            ("facts.tombstone_days", self.tombstone_days as usize, 1..=3_650),
            ("facts.untrusted_share", self.untrusted_share.into(), 0..=100),
        ])
    }
}
