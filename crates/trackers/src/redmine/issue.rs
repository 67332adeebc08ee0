//! Issues as Redmine tells them.

use serde::Deserialize;
use throughline_engine::data::effect::IssueState;
use throughline_engine::data::ticket::ItemType;

use super::config::RedmineProject;
use super::metadata::TYPES;

/// Something with an id and a name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Named {
    pub(super) id: u64,
    pub(super) name: String,
}

impl Named {
    /// True if it is meant by this name or id.
    pub(super) fn is(&self, named: &str) -> bool {
        self.name.to_lowercase() == named.trim().to_lowercase() || self.id.to_string() == named
    }
}

/// An issue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct RawIssue {
    pub(super) id: u64,
    pub(super) tracker: Named,
    pub(super) status: RawStatus,
    pub(super) subject: String,
    description: Option<String>,
    pub(super) assigned_to: Option<Named>,
    pub(super) parent: Option<Id>,
    #[serde(default)]
    pub(super) is_private: bool,
}

/// Something of which only the id is told.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Id {
    pub(super) id: u64,
}

/// A state of issues.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct RawStatus {
    pub(super) id: u64,
    pub(super) is_closed: bool,
}

impl RawStatus {
    pub(super) fn state(&self) -> IssueState {
        if self.is_closed { IssueState::Closed } else { IssueState::Open }
    }
}

/// An issue with what is around it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Around {
    #[serde(default)]
    pub(super) journals: Vec<Journal>,
    #[serde(default)]
    pub(super) relations: Vec<Relation>,
    #[serde(default)]
    pub(super) allowed_statuses: Vec<RawStatus>,
}

/// A change of an issue, with the comment that came with it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Journal {
    pub(super) notes: Option<String>,
}

/// A link between two issues.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Relation {
    issue_id: u64,
    issue_to_id: u64,
}

impl Relation {
    /// True if it links an issue, at either end.
    pub(super) fn links(&self, issue: u64) -> bool {
        self.issue_id == issue || self.issue_to_id == issue
    }
}

impl RawIssue {
    pub(super) fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// The type that its tracker is of. One of another tracker is a task.
    pub(super) fn item_type(&self, settings: &RedmineProject) -> ItemType {
        let is = |one: &ItemType| self.tracker.is(settings.type_name(*one));
        TYPES.into_iter().find(is).unwrap_or(ItemType::Task)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An issue as Redmine 5.0 tells it.
    #[test]
    fn an_issue_is_read_whatever_else_it_holds() {
        let raw: RawIssue = serde_json::from_value(json!({
            "id": 4, "project": {"id": 1, "name": "Demo 1"}, "tracker": {"id": 2, "name": "Feature"},
            "status": {"id": 5, "name": "Closed", "is_closed": true}, "priority": {"id": 2, "name": "Normal"},
            "author": {"id": 6, "name": "throughline"}, "assigned_to": {"id": 8, "name": "bob"}, "parent": {"id": 3},
            "subject": "story", "description": null, "start_date": "2026-11-28", "due_date": null, "done_ratio": 0,
            "is_private": false, "estimated_hours": null,
            "custom_fields": [{"id": 1, "name": "Component", "value": "Web"}],
            "created_on": "2026-11-28T02:56:39Z", "updated_on": "2026-11-28T02:56:39Z", "closed_on": null,
        }))
        .unwrap();
        assert_eq!((raw.status.state(), raw.description()), (IssueState::Closed, ""));
        assert_eq!((raw.assigned_to.as_ref().unwrap().id, raw.parent.as_ref().unwrap().id), (8, 3));
        assert_eq!(raw.item_type(&RedmineProject::default()), ItemType::Story);
        let epics = RedmineProject {
            type_names: [(ItemType::Epic, "feature".to_owned())].into(),
            ..RedmineProject::default()
        };
        assert_eq!(raw.item_type(&epics), ItemType::Epic);
        let none = RedmineProject {
            type_names: [(ItemType::Story, "Story".to_owned())].into(),
            ..RedmineProject::default()
        };
        assert_eq!(raw.item_type(&none), ItemType::Task);
    }
}
