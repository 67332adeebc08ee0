//! Issues that a thread follows: those it tracks, and questions how one is.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::data::id::{EffectId, TaskId};
use crate::data::language::{self, Language};
use crate::data::ticket::Target;

/// An issue that this thread tracks, or is about to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tracked {
    /// Issue key: `AUTH-12`.
    pub key: String,
    /// Its tracker and project.
    pub target: Target,
    /// Its title when it was looked up.
    pub title: String,
    /// Link to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The open look-up; the issue is not tracked until it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sought: Option<EffectId>,
    /// Language in which the answer is told. English in lanes of versions before 0.2.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
}

/// A question how an issue is, which its tracker was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueQuestion {
    /// The look-up.
    pub effect: EffectId,
    /// Issue key.
    pub key: String,
    /// The task that the answer belongs to.
    pub task: TaskId,
    /// Language in which the answer is told.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
}
