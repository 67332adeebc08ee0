//! An issue as Jira tells it.

use serde::Deserialize;
use throughline_engine::data::effect::IssueState;

use super::config::Edition;

/// The fields that are read of an issue.
pub(super) const FIELDS: [&str; 7] =
    ["summary", "status", "assignee", "parent", "issuetype", "issuelinks", "project"];

/// An issue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct RawIssue {
    /// Its key. Another than it was asked for by, if it was moved.
    pub(super) key: String,
    pub(super) fields: RawFields,
}

/// The fields of an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct RawFields {
    pub(super) summary: String,
    pub(super) status: Option<Status>,
    pub(super) assignee: Option<Person>,
    pub(super) parent: Option<Other>,
    pub(super) issuetype: Option<Type>,
    pub(super) issuelinks: Vec<Link>,
    /// Whatever was asked for beside these: the field of the epic link.
    #[serde(flatten)]
    pub(super) more: serde_json::Map<String, serde_json::Value>,
}

/// A status, and where it is on the way.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    pub(super) status_category: Category,
}

/// `new`, `indeterminate` or `done`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Category {
    pub(super) key: String,
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Person {
    account_id: String,
    name: String,
    pub(super) display_name: String,
    pub(super) email_address: String,
    pub(super) active: Option<bool>,
}

/// Another issue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Other {
    pub(super) key: String,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Type {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) hierarchy_level: Option<i64>,
}

/// A link to another issue, from either side.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Link {
    #[serde(rename = "type")]
    pub(super) kind: LinkType,
    #[serde(default)]
    inward_issue: Option<Other>,
    #[serde(default)]
    outward_issue: Option<Other>,
}

/// A type of links, with its words in either direction.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct LinkType {
    pub(super) name: String,
    #[serde(default)]
    pub(super) inward: String,
    #[serde(default)]
    pub(super) outward: String,
}

impl Status {
    /// The state that this status means.
    pub(super) fn state(&self) -> IssueState {
        if self.status_category.key == "done" { IssueState::Closed } else { IssueState::Open }
    }
}

impl Person {
    /// The id that names the person in this edition.
    pub(super) fn id(&self, edition: Edition) -> &str {
        match edition {
            Edition::Cloud => &self.account_id,
            Edition::DataCenter => &self.name,
        }
    }
}

impl Link {
    /// The key of the other issue.
    pub(super) fn other(&self) -> Option<&str> {
        let other = self.inward_issue.as_ref().or(self.outward_issue.as_ref());
        other.map(|other| other.key.as_str())
    }
}

impl RawIssue {
    /// The key of the issue that it is under: its parent, or the epic in this field.
    pub(super) fn parent(&self, epic_link: Option<&str>) -> Option<String> {
        let epic = epic_link.and_then(|field| self.fields.more.get(field)?.as_str()).map(str::to_owned);
        epic.or_else(|| self.fields.parent.as_ref().map(|parent| parent.key.clone()))
    }

    /// The issue as everybody knows issues.
    pub(super) fn view(&self, url: String, epic_link: Option<&str>) -> crate::Issue {
        crate::Issue {
            key: self.key.clone(),
            url: Some(url),
            title: self.fields.summary.clone(),
            parent: self.parent(epic_link),
            state: self.fields.status.as_ref().map_or(IssueState::Open, Status::state),
            assignee: self.fields.assignee.as_ref().map(|person| person.display_name.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_read_whatever_else_it_holds() {
        let raw: RawIssue = serde_json::from_value(serde_json::json!({
            "id": "10001", "key": "OPS-2", "self": "https://acme.example/rest/api/3/issue/10001", "fields": {
                "summary": "Log in", "assignee": {"accountId": "a-1", "displayName": "Ana", "active": true},
                "status": {"name": "Fertig", "statusCategory": {"id": 3, "key": "done", "colorName": "green"}},
                "customfield_10014": "OPS-1", "parent": null,
            },
        }))
        .unwrap();
        let view = raw.view("https://acme.example/browse/OPS-2".into(), Some("customfield_10014"));
        assert_eq!((view.state, view.parent.as_deref()), (IssueState::Closed, Some("OPS-1")));
        assert_eq!(view.assignee.as_deref(), Some("Ana"));
        assert_eq!(raw.parent(None), None);
    }
}
