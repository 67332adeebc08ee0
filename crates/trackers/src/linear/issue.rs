//! Issues, teams, labels and people as Linear tells them.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_engine::data::effect::{Attempt, IssueState};
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::ItemType;

use super::config::LinearProject;
use crate::remote::read;

/// A list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct List<T> {
    pub(super) nodes: Vec<T>,
    #[serde(default)]
    pub(super) page_info: PageInfo,
}

/// The place of a page in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

impl PageInfo {
    /// The mark after which the next page begins, if there is one.
    pub(super) fn next(self) -> Option<String> {
        self.end_cursor.filter(|_| self.has_next_page)
    }
}

/// Something of which only the id is of interest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Id {
    pub(super) id: String,
}

/// An issue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawIssue {
    pub(super) id: String,
    /// Its key in Linear: `ENG-12`.
    pub(super) identifier: String,
    pub(super) title: String,
    /// The address for people.
    pub(super) url: String,
    archived_at: Option<String>,
    trashed: Option<bool>,
    pub(super) team: Id,
    state: RawState,
    pub(super) assignee: Option<Assignee>,
    pub(super) parent: Option<Above>,
    labels: List<Named>,
}

/// A state by its type.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct RawState {
    #[serde(rename = "type")]
    kind: String,
}

/// The person whom an issue is given to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Assignee {
    pub(super) display_name: String,
}

/// The issue that another is under.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Above {
    pub(super) identifier: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Named {
    name: String,
}

/// The state that a type of state is for us. Linear may add types; those that it has for what is over are these.
pub(super) fn state(kind: &str) -> IssueState {
    match kind {
        "completed" | "canceled" | "duplicate" => IssueState::Closed,
        _ => IssueState::Open,
    }
}

impl RawIssue {
    /// True unless it is archived or in the trash.
    pub(super) fn is_there(&self) -> bool {
        self.archived_at.is_none() && self.trashed != Some(true)
    }

    pub(super) fn state(&self) -> IssueState {
        state(&self.state.kind)
    }

    /// The type that its labels tell.
    pub(super) fn item_type(&self, settings: &LinearProject) -> ItemType {
        let has = |label: &str| self.labels.nodes.iter().any(|one| is_same(&one.name, label));
        let told = |one: &ItemType| settings.type_label(*one).is_some_and(has);
        [ItemType::Epic, ItemType::Bug, ItemType::Story].into_iter().find(told).unwrap_or(ItemType::Task)
    }
}

/// A team.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawTeam {
    pub(super) id: String,
    archived_at: Option<String>,
    retired_at: Option<String>,
}

impl RawTeam {
    /// True if it takes no issues any more.
    pub(super) fn is_closed(&self) -> bool {
        self.archived_at.is_some() || self.retired_at.is_some()
    }
}

/// True if Linear holds two names for one, as it does for labels.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Reads the answer to one of the things that were asked for.
///
/// # Errors
/// It has another form.
pub(super) fn told<T: DeserializeOwned, U>(mut data: Value, name: &str) -> Result<T, Attempt<U>> {
    read(data.get_mut(name).map(Value::take).unwrap_or_default())
}

/// Reads if a change was made.
///
/// # Errors
/// Linear says that it was not, and does not say why, or says nothing.
pub(super) fn succeeded<T>(data: &Value, name: &str) -> Result<(), Attempt<T>> {
    match data[name]["success"] {
        Value::Bool(true) => Ok(()),
        _ => Err(Attempt::Unknown { why: TrackerFault::Failed { status: 200 }.into() }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issue(extra: &Value) -> RawIssue {
        let mut raw = json!({
            "id": "9cfb482a", "identifier": "ENG-7", "title": "Log in", "archivedAt": null, "trashed": null,
            "url": "https://linear.app/acme/issue/ENG-7/log-in", "team": {"id": "t", "key": "ENG"},
            "state": {"type": "started"}, "assignee": null, "parent": null,
            "labels": {"nodes": [{"name": "BUG"}, {"name": "sso"}]}, "sortOrder": -1.5,
        });
        for (name, value) in extra.as_object().unwrap() {
            raw[name] = value.clone();
        }
        serde_json::from_value(raw).unwrap()
    }

    #[test]
    fn an_issue_is_read_whatever_else_it_holds() {
        let settings = LinearProject {
            type_labels: [(ItemType::Bug, "Bug".to_owned())].into(),
            ..LinearProject::default()
        };
        let raw = issue(&json!({}));
        assert_eq!((raw.item_type(&settings), raw.state()), (ItemType::Bug, IssueState::Open));
        assert_eq!(raw.item_type(&LinearProject::default()), ItemType::Task);
        for (extra, there) in [
            (json!({}), true),
            (json!({"trashed": false}), true),
            (json!({"trashed": true}), false),
            (json!({"archivedAt": "2026-01-01T00:00:00.000Z"}), false),
        ] {
            assert_eq!(issue(&extra).is_there(), there, "{extra}");
        }
    }

    #[test]
    fn what_is_over_is_closed() {
        for (kind, expected) in [
            ("triage", IssueState::Open),
            ("backlog", IssueState::Open),
            ("unstarted", IssueState::Open),
            ("started", IssueState::Open),
            ("completed", IssueState::Closed),
            ("canceled", IssueState::Closed),
            ("duplicate", IssueState::Closed),
            ("something new", IssueState::Open),
        ] {
            assert_eq!(state(kind), expected, "{kind}");
        }
    }
}
