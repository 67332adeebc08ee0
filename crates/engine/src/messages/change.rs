//! Sentences about changes of issues that exist.

use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages as say;

use crate::data::call::PlannedChange;
use crate::data::effect::{IssueChange, IssueState, IssueView};
use crate::data::issue_report::IssueNow;
use crate::data::language::Language;
use crate::data::policy::context::INTENT;
use crate::data::ticket::{Draft, Part};
use crate::messages::of_others;
use crate::text::clean::clean;

/// Title, state and assignee of an issue.
pub(crate) fn as_it_is(language: Language, issue: &IssueView) -> String {
    let state = issue.state.map(|state| say::change_state(language, state.as_str()));
    let given = issue.assignee.as_ref().map(|name| say::change_given_to(language, name));
    let parts = [Some(issue.title.clone()), state, given];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Says that an issue is already what the change would make it. `None` if it is not.
pub(crate) fn already(language: Language, planned: &PlannedChange) -> Option<String> {
    let issue = planned.issue.as_ref()?;
    match &planned.change {
        IssueChange::State(state) if issue.state == Some(*state) => {
            Some(say::change_already(language, &planned.key, state.as_str(), &issue.title))
        }
        IssueChange::Assignee(name) if issue.assignee.as_ref() == Some(name) => {
            Some(say::change_already_given(language, &planned.key, name, &issue.title))
        }
        _ => None,
    }
}

/// State of an issue as its tracker told it just now.
pub(crate) fn now(
    language: Language,
    key: &str,
    state: Option<IssueState>,
    assignee: Option<&str>,
) -> String {
    let state = state.map_or("unknown", IssueState::as_str);
    match assignee {
        Some(name) => say::change_now_given(language, key, name, state),
        None => say::change_now(language, key, state),
    }
}

/// Tells how an issue is that was created from this draft, as its tracker reported. `None` if it is as it was created.
pub(crate) fn reported(language: Language, draft: &Draft) -> Option<String> {
    let created = draft.created.as_ref()?;
    match &created.reported.as_ref()?.now {
        IssueNow::Gone => Some(say::change_gone(language, &created.key)),
        IssueNow::Moved { to } => Some(say::change_moved(language, &created.key, clean(to, INTENT))),
        IssueNow::There { issue } => {
            let now = differs(language, draft, issue)?;
            Some(say::change_reported(language, of_others(language, &clean(&now, INTENT)), &created.key))
        }
    }
}

/// State, assignee and a new title of an issue; `None` if all is as it was created. The title is last, because what is long is
/// cut.
fn differs(language: Language, draft: &Draft, issue: &IssueView) -> Option<String> {
    let renamed = issue.title != draft.part(Part::Title);
    let given = issue.assignee.as_deref().unwrap_or_default();
    if !renamed && issue.state != Some(IssueState::Closed) && given == draft.part(Part::Assignee) {
        return None;
    }
    let state = issue.state.map(|state| say::change_state(language, state.as_str()));
    let given = issue.assignee.as_ref().map(|name| say::change_given_to(language, name));
    let title = renamed.then(|| issue.title.clone());
    Some([state, given, title].into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

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
