//! Rules of a project that every tracker has: who may do what in it, and how stories are put under their epic.

use serde::{Deserialize, Serialize};
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::fault::{Fault, FieldFault, ProjectAct, TrackerFault};
use throughline_engine::data::ticket::Item;

/// The way a story is linked to its epic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildLink {
    /// By its parent.
    #[default]
    Parent,
    /// By a field that names the epic.
    EpicLink,
    /// As a sub-task.
    Subtask,
}

impl ChildLink {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Parent, Self::EpicLink, Self::Subtask];

    /// Its name in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::EpicLink => "epic_link",
            Self::Subtask => "subtask",
        }
    }
}

/// A permission in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// See its issues.
    Browse,
    /// Create one.
    Create,
    /// Change one.
    Edit,
    /// Link two.
    Link,
}

impl Permission {
    /// Its name in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Browse => "browse",
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Link => "link",
        }
    }

    /// The act that it permits.
    pub(crate) fn act(self) -> ProjectAct {
        match self {
            Self::Browse => ProjectAct::See,
            Self::Create => ProjectAct::Create,
            Self::Edit => ProjectAct::Edit,
            Self::Link => ProjectAct::Link,
        }
    }

    /// The permission that a change of an issue needs beside seeing it. Who may see an issue may comment on it, and its
    /// parent was settled when it was created.
    pub(crate) fn of_change(change: &IssueChange) -> Option<Self> {
        match change {
            IssueChange::State(_) | IssueChange::Assignee(_) => Some(Self::Edit),
            IssueChange::Link(_) => Some(Self::Link),
            IssueChange::Comment(_) | IssueChange::Parent(_) => None,
        }
    }

    /// The permissions that creating these items needs. `linked` tells if one of them names a dependency.
    pub(crate) fn of_items(items: &[Item], linked: bool) -> impl Iterator<Item = Self> {
        let child = items.iter().any(|item| item.parent.is_some());
        let wanted = [(Self::Browse, true), (Self::Create, true), (Self::Edit, child), (Self::Link, linked)];
        wanted.into_iter().filter(|(_, used)| *used).map(|(may, _)| may)
    }
}

/// True if a list of user ids and principals (`user:ana`) holds this person. An empty list holds everybody.
pub(crate) fn allows(listed: &[String], by: Option<&str>) -> bool {
    let bare = |text: &str| text.strip_prefix("user:").unwrap_or(text).to_owned();
    listed.is_empty() || by.is_some_and(|who| listed.iter().any(|entry| bare(entry) == bare(who)))
}

/// The error for a permission that the person lacks; `allowed` lists who has it.
pub(crate) fn not_permitted(
    project: &str,
    may: Permission,
    by: Option<&str>,
    allowed: &[String],
) -> FieldFault {
    let (act, project, allowed) = (may.act(), project.into(), allowed.to_vec());
    let fault = match by.filter(|by| !by.is_empty()) {
        Some(by) => TrackerFault::NotPermitted { act, by: by.into(), project, allowed },
        None => TrackerFault::NobodyNamed { act, project, allowed },
    };
    FieldFault::new("check.permission", "project", fault)
}

/// The fault of a project that takes no issues.
pub(crate) fn closed(fault: TrackerFault) -> FieldFault {
    FieldFault::new("check.project", "project", fault)
}

/// The fault of a project without that issue.
pub(crate) fn no_issue(project: &str, key: &str) -> FieldFault {
    let fault = TrackerFault::NoIssueIn { key: key.into(), project: project.into() };
    FieldFault::new("check.reference", "key", fault)
}

/// The refusal for these mistakes.
pub(crate) fn rejected<T>(errors: Vec<FieldFault>) -> Attempt<T> {
    let text = Fault::all(errors.iter().map(|error| error.text.clone()));
    Attempt::Rejected { text, errors }
}

/// The project of a key: `AUTH` of `AUTH-12`.
pub(crate) fn project_of(key: &str) -> Option<&str> {
    key.rsplit_once('-').map(|(project, _)| project)
}

/// The number of an issue in its one form: no sign, no zeros before it.
pub(crate) fn plain_number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}

/// The key that a person named: `auth-12`, or a link that ends in it, as this project spells it. `None` if it is none of
/// this project.
pub(crate) fn key_in(project: &str, named: &str) -> Option<String> {
    let last = named.trim().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let (_, number) = last.rsplit_once('-').filter(|(of, _)| of.eq_ignore_ascii_case(project))?;
    Some(format!("{project}-{number}"))
}

/// The fault of a text that names no issue of a project.
pub(crate) fn no_key(project: &str, named: &str) -> FieldFault {
    let fault = TrackerFault::NoKey { named: named.trim().into(), project: project.into() };
    FieldFault::new("check.reference", "key", fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admits_ids_and_principals() {
        let listed = ["user:ana".to_owned(), "bob".into(), "role:pm".into()];
        for who in ["ana", "user:ana", "bob", "user:bob", "role:pm"] {
            assert!(allows(&listed, Some(who)), "{who}");
        }
        assert!(!allows(&listed, Some("eve")));
        assert!(!allows(&listed, None), "nobody named is nobody listed");
        assert!(allows(&[], Some("eve")) && allows(&[], None));
    }

    #[test]
    fn a_key_is_named_by_itself_or_by_a_link() {
        for (named, expected) in [
            ("OPS-12", Some("OPS-12")),
            (" ops-12 ", Some("OPS-12")),
            ("https://acme.example/browse/OPS-12/", Some("OPS-12")),
            ("WEB-12", None),
            ("OPS", None),
            ("", None),
        ] {
            assert_eq!(key_in("OPS", named).as_deref(), expected, "{named}");
        }
    }

    #[test]
    fn a_number_has_one_form() {
        for (text, expected) in
            [("12", Some(12)), ("0", None), ("012", None), ("+1", None), ("", None), ("1x", None)]
        {
            assert_eq!(plain_number(text), expected, "{text}");
        }
    }
}
