//! Limits, lifetimes and the settings of an installation, each with its reason. Other modules take their
//! numbers from here.

mod approver_rule;
pub mod context;
pub mod destination;
pub mod drafts;
pub mod hosting;
pub mod judge;
pub mod lexicon;
pub mod limits;
pub mod selection;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::call::{Agent, Tool};
use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::language::Language;
use crate::data::policy::context::{ContextPolicy, FactsPolicy, SummaryPolicy};
use crate::data::policy::destination::Destination;
use crate::data::policy::drafts::DraftPolicy;
use crate::data::policy::hosting::{BuiltIn, Fallback, HostedPlace, Replies};
use crate::data::policy::judge::JudgePolicy;
use crate::data::policy::lexicon::LexiconEntry;
use crate::data::policy::selection::SelectionPolicy;
use crate::data::purpose::Purpose;
use crate::data::ticket::Target;
use crate::data::time::{Millis, Timestamp};

pub use approver_rule::ApproverRule;

/// Settings that an installation may change, with their defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The command's name, with its slash.
    pub command: CommandName,
    /// Language, as a BCP 47 code, in which people are answered whose own is not known; English without one. Omitted while
    /// there is none, so that such a policy keeps its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Handling of messages that arrive while a model is being asked.
    pub busy: BusyPolicy,
    /// Sizes of what a lane keeps loaded.
    pub window: WindowLimits,
    /// Lifetimes of pending questions.
    pub expiry: ExpiryLimits,
    /// Limits of questions to models.
    pub ask: AskLimits,
    /// Lifetime of the remembered intent.
    pub remember: RememberLimits,
    /// Limits of reviews.
    pub review: ReviewLimits,
    /// Limits of recorded decisions and of tracked issues.
    pub decision: DecisionLimits,
    /// Lifetime and reminder of approvals.
    pub approval: ApprovalLimits,
    /// Thresholds above which a batch has to be confirmed before it is approved.
    pub latch: LatchLimits,
    /// Gaps of drafts. Omitted while they are the default, so that such a policy keeps its version.
    #[serde(skip_serializing_if = "DraftPolicy::is_default")]
    pub drafts: DraftPolicy,
    /// Rules about who may approve. Without a matching rule nobody may.
    pub approvers: Vec<ApproverRule>,
    /// Tracker and project of a ticket that names none, where no destination fits.
    pub project: Target,
    /// Trackers of projects, by key; those that are not named are in the usual project's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub trackers: BTreeMap<String, String>,
    /// Projects of places. The first that fits counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub destinations: Vec<Destination>,
    /// The tools that may be called, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Tool>,
    /// The sub-agents that may be handed a task, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, Agent>,
    /// Settings of choosing an option by text. Omitted while they are the default, so that such a policy
    /// keeps its version.
    #[serde(skip_serializing_if = "SelectionPolicy::is_default")]
    pub selection: SelectionPolicy,
    /// Settings of the learned judge. A policy without them has none, so that older turns are decided as they were.
    #[serde(default = "JudgePolicy::off", skip_serializing_if = "JudgePolicy::is_off")]
    pub judge: JudgePolicy,
    /// Limits of the past that prompts show.
    #[serde(skip_serializing_if = "ContextPolicy::is_default")]
    pub context: ContextPolicy,
    /// Triggers and limits of summaries.
    #[serde(skip_serializing_if = "SummaryPolicy::is_default")]
    pub summary: SummaryPolicy,
    /// Limits of remembered facts.
    #[serde(skip_serializing_if = "FactsPolicy::is_default")]
    pub facts: FactsPolicy,
    /// Age at which what was said is erased. Omitted while there is none, so that such a policy keeps its version.
    #[serde(skip_serializing_if = "RetentionLimits::is_default")]
    pub retention: RetentionLimits,
    /// Limits of intake, which the runtime enforces.
    pub intake: IntakeLimits,
    /// Names of places known here, beside those of the gazetteer. Omitted while empty, so that a policy
    /// without them keeps its version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Phrases that people say here, with words that mean the same and are read. Omitted while empty, so that such a policy
    /// keeps its version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lexicon: Vec<LexiconEntry>,
    /// Way on for a message that no rung decides. This and the next four are omitted while they are the default, so that
    /// such a policy keeps its version.
    #[serde(skip_serializing_if = "is_default")]
    pub fallback: Fallback,
    /// Capabilities that are on; all of them if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<BuiltIn>>,
    /// Speaker of what the engine has to say.
    #[serde(skip_serializing_if = "is_default")]
    pub replies: Replies,
    /// Milliseconds that a host has to answer a turn that was handed to it, if they are not the usual ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handover_ms: Option<Millis>,
    /// Places where the work is divided otherwise. The first that fits counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosted: Vec<HostedPlace>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The slash command's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommandName(pub String);

impl CommandName {
    /// Returns the text behind the command's name, if a message begins with that as a whole word.
    #[must_use]
    pub fn rest<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = text.trim_start().strip_prefix(self.0.as_str())?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest)
    }
}

impl Default for CommandName {
    fn default() -> Self {
        Self("/maro".into())
    }
}

/// Handling of a message that arrives while a model is being asked in its lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BusyPolicy {
    /// It waits in order.
    #[default]
    Queue,
    /// One of the same user, soon after, is joined to the question being asked.
    Collect,
}

/// Sizes of what a lane keeps loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WindowLimits {
    /// Messages: about what "the last few" means to a person. A lane holds more of them where
    /// [`ContextPolicy::window`](context::ContextPolicy::window) shows more.
    pub messages: usize,
    /// Cards: enough that an old preview is still found by name. Older ones are read from the store.
    pub cards: usize,
    /// Characters of the message shown on the scope gate.
    pub gate_chars: usize,
    /// Characters of one message's text that routing reads; the rest is cut.
    pub text_chars: usize,
    /// Characters of an issue's title: Jira's limit for a summary, kept for every tracker.
    pub title_chars: usize,
}

impl Default for WindowLimits {
    fn default() -> Self {
        Self { messages: 15, cards: 24, gate_chars: 50, text_chars: 40_000, title_chars: 255 }
    }
}

/// Lifetimes of pending questions, in milliseconds. A question is still valid at exactly its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpiryLimits {
    /// A question for a value: an hour covers a meeting.
    pub slot_ms: Millis,
    /// A clarification: later nobody remembers the choices.
    pub clarification_ms: Millis,
    /// The offer to try a tool again: later nobody waits for it.
    pub retry_ms: Millis,
    /// The offer to hand a task to a sub-agent.
    pub delegation_ms: Millis,
    /// An edit in progress.
    pub edit_ms: Millis,
    /// The scope gate.
    pub gate_ms: Millis,
}

impl Default for ExpiryLimits {
    fn default() -> Self {
        Self {
            slot_ms: 60 * Timestamp::MINUTE,
            clarification_ms: 10 * Timestamp::MINUTE,
            retry_ms: 5 * Timestamp::MINUTE,
            delegation_ms: 10 * Timestamp::MINUTE,
            edit_ms: 30 * Timestamp::MINUTE,
            gate_ms: Timestamp::DAY,
        }
    }
}

/// Limits of questions to models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskLimits {
    /// Total milliseconds for a classification.
    pub classify_ms: Millis,
    /// Total milliseconds for the text of tickets.
    pub draft_ms: Millis,
    /// Total milliseconds for a review.
    pub review_ms: Millis,
    /// Total milliseconds for an answer or a summary.
    pub answer_ms: Millis,
    /// Total milliseconds for the choice of an option: somebody waits for it.
    pub select_ms: Millis,
    /// Percent of confidence below which a label counts as ambiguous.
    pub min_confidence: u8,
    /// Milliseconds after the start of a question in which a message is merged into it under
    /// [`BusyPolicy::Collect`].
    pub collect_ms: Millis,
}

impl Default for AskLimits {
    fn default() -> Self {
        Self {
            classify_ms: 10 * Timestamp::SECOND,
            draft_ms: 90 * Timestamp::SECOND,
            review_ms: 90 * Timestamp::SECOND,
            answer_ms: 30 * Timestamp::SECOND,
            select_ms: 800,
            min_confidence: 70,
            collect_ms: 2_500,
        }
    }
}

impl AskLimits {
    /// Returns the total milliseconds for a question of that purpose.
    #[must_use]
    pub fn budget(&self, purpose: Purpose) -> Millis {
        match purpose {
            Purpose::Classify => self.classify_ms,
            Purpose::Select => self.select_ms,
            Purpose::Draft => self.draft_ms,
            Purpose::Review => self.review_ms,
            Purpose::Summary | Purpose::Answer => self.answer_ms,
        }
    }
}

/// Lifetime of the remembered intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RememberLimits {
    /// Milliseconds without a message in the lane after which it ends; still valid at exactly that.
    pub idle_ms: Millis,
}

impl Default for RememberLimits {
    fn default() -> Self {
        Self { idle_ms: 2 * Timestamp::HOUR }
    }
}

/// Limits of reviews.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewLimits {
    /// Milliseconds without an answer after which a review freezes; still active at exactly that.
    pub cooldown_ms: Millis,
    /// Bullets of a patch that are shown: as many as a person reads at once.
    pub bullets: usize,
    /// Characters of a bullet that quotes the thread.
    pub bullet_chars: usize,
    /// Characters of a topic, the title of a card.
    pub topic_chars: usize,
    /// Percent of the shorter topic's words that two topics have to share to count as one: most of them, so
    /// that a word more or less makes no new topic, but one word of two does.
    pub same_topic_percent: u8,
}

impl Default for ReviewLimits {
    fn default() -> Self {
        Self {
            cooldown_ms: Timestamp::DAY,
            bullets: 12,
            bullet_chars: 240,
            topic_chars: 80,
            same_topic_percent: 75,
        }
    }
}

/// Limits of recorded decisions, and of the issues a thread tracks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionLimits {
    /// Sentences of a message that make up the decision; the rest is its reason.
    pub sentences: usize,
    /// Characters of a topic, the title of a card.
    pub topic_chars: usize,
    /// Characters of a decision: one or two long sentences.
    pub chars: usize,
    /// Characters of its reason.
    pub why_chars: usize,
    /// Issues that a thread tracks; the oldest is dropped. Few, because they are in the head, which every
    /// turn rewrites.
    pub tracked: usize,
}

impl Default for DecisionLimits {
    fn default() -> Self {
        Self { sentences: 2, topic_chars: 80, chars: 600, why_chars: 1_000, tracked: 20 }
    }
}

/// Lifetime and reminder of approvals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalLimits {
    /// Milliseconds that an approval is valid; 0 means for ever.
    pub max_age_ms: Millis,
    /// Milliseconds after which the thread is reminded.
    pub remind_ms: Millis,
}

impl Default for ApprovalLimits {
    fn default() -> Self {
        Self { max_age_ms: 14 * Timestamp::DAY, remind_ms: Timestamp::DAY }
    }
}

/// Thresholds above which a batch has to be confirmed before it can be approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LatchLimits {
    /// Items, epics counted, above which it is confirmed: a slip of the tongue must not make 40 issues.
    pub items: usize,
    /// Milliseconds during which items approved in the lane count with those of a batch.
    pub recent_ms: Millis,
    /// Characters of all titles and texts above which it is confirmed: nobody has read that much on one card.
    pub chars: usize,
}

impl Default for LatchLimits {
    fn default() -> Self {
        Self { items: 3, recent_ms: 10 * Timestamp::MINUTE, chars: 10_000 }
    }
}

/// Age at which what was said is erased, which the runtime does (`docs/erasure.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionLimits {
    /// Days that contents of turns, old messages and keys of deliveries are kept; 0 keeps them for good.
    pub days: u32,
}

impl RetentionLimits {
    /// Returns the age in milliseconds; `None` if everything is kept.
    #[must_use]
    pub fn keep(&self) -> Option<Millis> {
        (self.days > 0).then(|| i64::from(self.days) * Timestamp::DAY)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Limits of intake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IntakeLimits {
    /// Events that may wait in one lane. The next is refused, and its user is informed.
    pub queue: u32,
    /// Failures of the same kind after which an event is dead.
    pub failures: u32,
    /// Turns that one claim runs while other lanes wait.
    pub turns_per_claim: u32,
}

impl Default for IntakeLimits {
    fn default() -> Self {
        Self { queue: 50, failures: 5, turns_per_claim: 20 }
    }
}

impl Policy {
    /// Returns the language of people whose own is not known: the configured one, if it has a catalogue, else English.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language.as_deref().and_then(Language::of).unwrap_or_default()
    }

    /// Returns the first key with an invalid value, and the reason.
    #[must_use]
    pub fn first_invalid(&self) -> Option<(&'static str, String)> {
        let selection = || self.selection.first_invalid().map(|(key, why)| (key, why.into()));
        let hosting = || self.first_invalid_hosting().map(|(key, why)| (key, why.into()));
        selection()
            .or_else(hosting)
            .or_else(|| self.judge.first_invalid().map(|(key, why)| (key, why.into())))
            .or_else(|| self.first_invalid_of_lexicon())
            .or_else(|| self.context.first_invalid())
            .or_else(|| self.summary.first_invalid())
            .or_else(|| self.facts.first_invalid())
    }

    /// Returns the policy's version: the first 12 hex digits of the hash over all of it.
    #[must_use]
    pub fn version(&self) -> String {
        let mut digest = hex(&sha256(&[jcs(self).as_bytes()]));
        digest.truncate(12);
        digest
    }

    /// Returns a rule that lets `principals` change issues and post decisions anywhere, and approve their own
    /// requests. For demonstrations and scenarios.
    #[must_use]
    pub fn demo_rule(principals: &[&str]) -> ApproverRule {
        ApproverRule {
            effects: vec!["tracker.*".into(), "post.channel".into()],
            targets: ["local:*", "web:*", "api:*", "terminal:*", "telegram:*", "slack:*"]
                .map(Into::into)
                .into(),
            allow: principals.iter().map(|&p| p.into()).collect(),
            self_approve: true,
        }
    }
}
