//! Sentences about changes of issues that exist.

use alloc::format;
use alloc::string::String;

use crate::data::call::PlannedChange;
use crate::data::effect::{IssueChange, IssueState};

/// Label of a comment's text.
pub(crate) const COMMENT: &str = "Comment";

/// Asks for the text of a comment.
pub(crate) const NO_COMMENT: &str =
    "What should the comment say? Write it behind a colon: \"comment on it: …\".";

/// Whoever makes a change.
pub(crate) const TRACKER: &str = "The tracker";

/// The reason why a change was not made.
pub(crate) fn failed(planned: &PlannedChange, why: &str) -> String {
    format!("{} was not changed: {why}", planned.key)
}

/// What a change does: the title of its card.
pub(crate) fn what(planned: &PlannedChange) -> String {
    let key = &planned.key;
    match &planned.change {
        IssueChange::Parent(epic) => format!("Put {key} under {epic}"),
        IssueChange::Comment(_) => format!("Comment on {key}"),
        IssueChange::State(IssueState::Open) => format!("Reopen {key}"),
        IssueChange::State(IssueState::Closed) => format!("Close {key}"),
        IssueChange::Assignee(name) => format!("Assign {key} to {name}"),
        IssueChange::Link(other) => format!("Link {key} to {other}"),
    }
}

/// What a change did.
pub(crate) fn made(planned: &PlannedChange) -> String {
    let key = &planned.key;
    match &planned.change {
        IssueChange::Parent(epic) => format!("{key} is under {epic} now."),
        IssueChange::Comment(_) => format!("The comment is on {key}."),
        IssueChange::State(IssueState::Open) => format!("{key} is open again."),
        IssueChange::State(IssueState::Closed) => format!("{key} is closed."),
        IssueChange::Assignee(name) => format!("{key} is assigned to {name}."),
        IssueChange::Link(other) => format!("{key} is linked to {other}."),
    }
}

/// Asks which of several issues is meant.
pub(crate) fn which(keys: &[&str]) -> String {
    format!("Which one: {}? Name its key.", keys.join(", "))
}

/// Refuses a change in a project where nobody may approve one.
pub(crate) fn not_here(key: &str) -> String {
    format!("Nobody here may approve a change of {key}. Nothing was changed.")
}
