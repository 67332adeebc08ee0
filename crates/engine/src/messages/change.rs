//! Sentences about changes of issues that exist.

use alloc::string::String;

use throughline_messages as say;

use crate::data::call::PlannedChange;
use crate::data::effect::{IssueChange, IssueState};
use crate::data::language::Language;

/// Act of a change: the title of its card.
pub(crate) fn what(language: Language, planned: &PlannedChange) -> String {
    let key = &planned.key;
    match &planned.change {
        IssueChange::Parent(epic) => say::change_parent(language, key, epic),
        IssueChange::Comment(_) => say::change_comment(language, key),
        IssueChange::State(IssueState::Open) => say::change_reopen(language, key),
        IssueChange::State(IssueState::Closed) => say::change_close(language, key),
        IssueChange::Assignee(name) => say::change_assign(language, key, name),
        IssueChange::Link(other) => say::change_link(language, key, other),
    }
}

/// Report of a change that was made.
pub(crate) fn made(language: Language, planned: &PlannedChange) -> String {
    let key = &planned.key;
    match &planned.change {
        IssueChange::Parent(epic) => say::change_parent_made(language, key, epic),
        IssueChange::Comment(_) => say::change_comment_made(language, key),
        IssueChange::State(IssueState::Open) => say::change_reopen_made(language, key),
        IssueChange::State(IssueState::Closed) => say::change_close_made(language, key),
        IssueChange::Assignee(name) => say::change_assign_made(language, key, name),
        IssueChange::Link(other) => say::change_link_made(language, key, other),
    }
}
