//! Lessons that an installation could learn of its own log, and those it learned.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::vocabulary::Given;

/// A phrase that messages begin with here, and the words it is read as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Phrase {
    /// The phrase.
    #[schema(value_type = Given)]
    pub said: String,
    /// The words that it is read as.
    #[schema(value_type = Given)]
    pub means: String,
}

/// Margins of the judge, as in `policy.judge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeMargins {
    /// Margin of a yes.
    pub yes: i32,
    /// Margin of a no.
    pub no: i32,
    /// Margin of an end.
    pub end: i32,
}

/// Lessons of a tenant, beside the configured policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Learned {
    /// Phrases.
    pub lexicon: Vec<Phrase>,
    /// Margins of the judge, instead of the configured ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeMargins>,
    /// Percent of a model's confidence, instead of the configured one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<u8>,
}

/// A version of what was learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LearnedVersion {
    /// Number; 0 is the configuration alone.
    pub version: u64,
    /// Effect whose approval released it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Its content.
    pub learned: Learned,
}

/// A phrase that could be learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Lesson {
    /// The phrase.
    pub said: String,
    /// The words that it would be read as.
    pub means: String,
    /// Turns of the messages that showed it.
    pub turns: Vec<String>,
    /// Number of people who wrote them.
    pub people: usize,
}

/// Decision on a message, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionBrief {
    /// Reason.
    pub reason: String,
    /// Intent, if one was determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// Answer that a question accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// A recorded decision that would be another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedDecision {
    /// The turn.
    pub turn: String,
    /// The message; empty for a turn on something else.
    pub said: String,
    /// The decision as it was recorded.
    pub before: DecisionBrief,
    /// The decision as it would be.
    pub after: DecisionBrief,
    /// `better`, `worse`, or `unknown` where nothing that happened next says it.
    pub shift: String,
}

/// Recorded decisions beside those that would be made now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LearnReplay {
    /// Turns that were decided again.
    pub decided: usize,
    /// Decisions that would be better ones.
    pub better: usize,
    /// Decisions that would be worse ones.
    pub worse: usize,
    /// Decisions that would be others, where nothing that happened next says which is right.
    pub unknown: usize,
    /// The changed decisions, worst first; at most 200.
    pub changed: Vec<ChangedDecision>,
}

/// Lessons that could be learned. Nothing is changed before a proposal of them is approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LearnSuggestion {
    /// The version in force.
    pub version: u64,
    /// The phrases that would be new.
    pub lessons: Vec<Lesson>,
    /// Differences from what is in force, a line for each.
    pub differences: Vec<String>,
    /// All of what would be in force.
    pub learned: Learned,
    /// The recorded decisions under it.
    pub replay: LearnReplay,
}

/// Proposal of what is to be in force: `learned`, or a `version` to go back to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LearnProposal {
    /// All of what is to be in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
    /// Number of an earlier version; 0 is the configuration alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}
