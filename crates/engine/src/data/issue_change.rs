//! Changes of issues that exist.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// Change of an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueChange {
    /// Sets the epic it belongs to: its key, or the id of the draft that the second effect it depends on created.
    Parent(String),
    /// Adds a comment.
    Comment(String),
    /// Closes it, or opens it again.
    State(IssueState),
    /// Gives it to a person, by the name that was said.
    Assignee(String),
    /// Links it to another issue, by its key.
    Link(String),
}

impl IssueChange {
    /// True if making it twice is making it once.
    #[must_use]
    pub fn is_setting(&self) -> bool {
        !matches!(self, Self::Comment(_))
    }
}

/// An issue as its tracker tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueView {
    /// One-line title.
    pub title: String,
    /// State; `None` if the tracker does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<IssueState>,
    /// Person it is given to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
}

/// State of an issue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueState {
    /// Work on it goes on.
    #[default]
    Open,
    /// It is done, or nobody will do it.
    Closed,
}

impl IssueState {
    /// Returns its name in messages and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}
