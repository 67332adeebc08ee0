//! The states of a task.

use serde::{Deserialize, Serialize};

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Known, not begun.
    Queued,
    /// Being worked on.
    Running,
    /// Done.
    Completed,
    /// Waits for something outside.
    Blocked,
    /// Over without a result.
    Failed,
    /// Ended by a person.
    Cancelled,
}

impl TaskStatus {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Completed, Self::Blocked, Self::Failed, Self::Cancelled];

    /// Returns its public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the status with that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// True if it is not over: queued, running or blocked.
    #[must_use]
    pub fn is_live(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Blocked)
    }
}

/// The party that moves a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskSource {
    /// The engine, when effects settle.
    #[default]
    Engine,
    /// A host, by its reports.
    Host,
    /// A supervisor's imported document; the task is only shown.
    Import,
}

impl TaskSource {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(crate) fn is_engine(&self) -> bool {
        *self == Self::Engine
    }
}
