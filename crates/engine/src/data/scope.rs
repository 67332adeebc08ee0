//! Scopes: the kinds of places where options are shown.

use serde::{Deserialize, Serialize};

/// The kind of place that shows a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In the conversation.
    Chat,
    /// In a panel beside it.
    Widget,
    /// On a dashboard.
    Dashboard,
    /// In the whole workspace.
    Workspace,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Chat, Self::Widget, Self::Dashboard, Self::Workspace];

    /// Returns its public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Widget => "widget",
            Self::Dashboard => "dashboard",
            Self::Workspace => "workspace",
        }
    }
}
