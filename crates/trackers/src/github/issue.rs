//! Issues and repositories as GitHub tells them.

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::data::effect::IssueState;
use throughline_engine::data::ticket::ItemType;

use super::config::GithubProject;

/// An issue, or a pull request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct RawIssue {
    /// Its id in the database.
    pub(super) id: u64,
    /// Its number in its repository.
    pub(super) number: u64,
    pub(super) title: String,
    #[serde(default)]
    body: Option<String>,
    state: String,
    #[serde(default)]
    labels: Vec<Value>,
    #[serde(default)]
    assignees: Vec<Person>,
    /// The address for people.
    pub(super) html_url: String,
    /// Time of the last change.
    #[serde(default)]
    pub(super) updated_at: Option<String>,
    #[serde(default)]
    repository_url: String,
    /// There for a pull request.
    #[serde(default)]
    pull_request: Option<Value>,
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Person {
    pub(super) login: String,
}

impl RawIssue {
    /// True unless it is a pull request.
    pub(super) fn is_issue(&self) -> bool {
        self.pull_request.is_none()
    }

    pub(super) fn body(&self) -> &str {
        self.body.as_deref().unwrap_or_default()
    }

    pub(super) fn state(&self) -> IssueState {
        if self.state == "closed" { IssueState::Closed } else { IssueState::Open }
    }

    /// The person it is given to first.
    pub(super) fn assignee(&self) -> Option<&str> {
        self.assignees.first().map(|person| person.login.as_str())
    }

    /// True if it is given to this person, among others.
    pub(super) fn is_given_to(&self, login: &str) -> bool {
        self.assignees.iter().any(|person| person.login.eq_ignore_ascii_case(login))
    }

    /// True if it has this label.
    pub(super) fn has_label(&self, label: &str) -> bool {
        let name = |value: &Value| value.as_str().or_else(|| value["name"].as_str()).map(str::to_lowercase);
        self.labels.iter().filter_map(name).any(|name| name == label.to_lowercase())
    }

    /// The type of ours that its labels tell. One without any is a task.
    pub(super) fn item_type(&self, settings: &GithubProject) -> ItemType {
        let told = |one: &ItemType| settings.type_label(*one).is_some_and(|label| self.has_label(label));
        let types = [ItemType::Epic, ItemType::Bug, ItemType::Story];
        types.into_iter().find(told).unwrap_or(ItemType::Task)
    }

    /// The repository that it is in: `acme/web`.
    pub(super) fn repository(&self) -> Option<&str> {
        self.repository_url.split_once("/repos/").map(|(_, repository)| repository)
    }
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct RawRepository {
    /// True if it is read-only.
    #[serde(default)]
    pub(super) archived: bool,
    /// True if it has issues.
    #[serde(default)]
    pub(super) has_issues: bool,
    #[serde(default)]
    permissions: Option<Permissions>,
}

/// The things that the account may do. Those of an app's token are told as if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Permissions {
    push: bool,
    triage: bool,
    pull: bool,
}

impl RawRepository {
    /// True if the account may set labels, people and parents, or if GitHub does not tell.
    pub(super) fn may_sort(&self) -> bool {
        self.permissions.is_none_or(|may| may.push || may.triage || !may.pull)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_issue_is_read_whatever_else_it_holds() {
        let raw: RawIssue = serde_json::from_value(json!({
            "id": 5_000_000_001_u64, "number": 7, "node_id": "I_1", "title": "Log in", "body": null,
            "state": "closed", "labels": ["Bug", {"id": 1, "name": "sso"}],
            "assignees": [{"login": "ana", "id": 1}, {"login": "bob"}], "milestone": null,
            "html_url": "https://github.com/acme/web/issues/7",
            "repository_url": "https://api.github.com/repos/acme/web",
        }))
        .unwrap();
        assert_eq!((raw.state(), raw.assignee(), raw.body()), (IssueState::Closed, Some("ana"), ""));
        assert_eq!(raw.repository(), Some("acme/web"));
        let settings = GithubProject {
            type_labels: [(ItemType::Bug, "bug".to_owned())].into(),
            ..GithubProject::default()
        };
        assert_eq!(raw.item_type(&settings), ItemType::Bug);
        assert_eq!(raw.item_type(&GithubProject::default()), ItemType::Task);
        assert!(raw.is_issue() && raw.is_given_to("Bob"));
    }

    #[test]
    fn an_account_that_only_reads_sorts_nothing() {
        for (permissions, expected) in [
            (json!(null), true),
            (json!({"admin": false, "push": false, "pull": false}), true),
            (json!({"push": false, "triage": false, "pull": true}), false),
            (json!({"push": false, "triage": true, "pull": true}), true),
        ] {
            let raw: RawRepository = serde_json::from_value(json!({"permissions": permissions})).unwrap();
            assert_eq!(raw.may_sort(), expected, "{permissions}");
        }
    }
}
