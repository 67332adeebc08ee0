//! Things that Redmine tells about a project: its trackers and custom fields, and what our account may do in it.

use std::collections::BTreeSet;

use serde::Deserialize;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::ItemType;

use super::RedmineSite;
use super::config::RedmineProject;
use super::issue::Named;
use crate::project::{Permission, closed};
use crate::remote::{no_project, read};

/// The types in the order in which an issue's tracker is compared with them.
pub(super) const TYPES: [ItemType; 4] = [ItemType::Epic, ItemType::Bug, ItemType::Story, ItemType::Task];
/// The status of a project that is neither closed nor archived.
const ACTIVE: u64 = 1;
/// The module of projects that have issues.
const ISSUES: &str = "issue_tracking";

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct RawProject {
    pub(super) id: u64,
    status: u64,
    #[serde(default)]
    trackers: Vec<Named>,
    #[serde(default)]
    issue_custom_fields: Vec<Named>,
    #[serde(default)]
    enabled_modules: Vec<Module>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Module {
    name: String,
}

impl RawProject {
    /// True if nobody creates anything in it any more.
    pub(super) fn is_closed(&self) -> bool {
        self.status != ACTIVE
    }

    /// True if it has issues.
    pub(super) fn has_issues(&self) -> bool {
        self.enabled_modules.iter().any(|module| module.name == ISSUES)
    }

    /// The tracker of a type, if the project has it. Without issues it has none.
    pub(super) fn tracker(&self, settings: &RedmineProject, item_type: ItemType) -> Option<&Named> {
        let mut trackers = self.trackers.iter().filter(|_| self.has_issues());
        trackers.find(|tracker| tracker.is(settings.type_name(item_type)))
    }

    /// The types whose tracker the project has.
    pub(super) fn offered(&self, settings: &RedmineProject) -> Vec<ItemType> {
        TYPES.into_iter().filter(|one| self.tracker(settings, *one).is_some()).collect()
    }

    /// The custom field with that name or id.
    pub(super) fn field(&self, named: &str) -> Option<&Named> {
        self.issue_custom_fields.iter().find(|field| field.is(named))
    }

    /// The custom field whose name a sentence begins with.
    pub(super) fn field_of(&self, text: &str) -> Option<&Named> {
        let fitting = self.issue_custom_fields.iter().filter(|field| text.starts_with(&field.name));
        fitting.max_by_key(|field| field.name.len())
    }
}

/// The things that our account may do in a project, by their names in Redmine; `None` for everything, or where it is not told.
pub(super) struct Rights(Option<BTreeSet<String>>);

/// The names of all that we do, as [`Rights`] has them.
pub(super) const WANTED: [&str; 6] = [
    "view_issues",
    "add_issues",
    "edit_issues",
    "add_issue_notes",
    "manage_subtasks",
    "manage_issue_relations",
];

impl Rights {
    /// True if the account may surely not do that. Our issues are our account's own.
    pub(super) fn lacks(&self, name: &str) -> bool {
        let own = (name == "edit_issues").then_some("edit_own_issues");
        let has =
            |listed: &BTreeSet<String>| listed.contains(name) || own.is_some_and(|own| listed.contains(own));
        self.0.as_ref().is_some_and(|listed| !has(listed))
    }

    /// True if the account may surely not do what creating an issue needs.
    pub(super) fn lacks_for(&self, may: Permission) -> bool {
        self.lacks(match may {
            Permission::Browse => "view_issues",
            Permission::Create => "add_issues",
            Permission::Edit => "manage_subtasks",
            // Dependencies are told in the text.
            Permission::Link => return false,
        })
    }
}

/// Our account.
#[derive(Deserialize)]
pub(super) struct Account {
    pub(super) login: String,
    #[serde(default)]
    admin: bool,
    #[serde(default)]
    memberships: Vec<Membership>,
}

#[derive(Deserialize)]
struct Membership {
    project: Named,
    roles: Vec<Named>,
}

/// A role.
#[derive(Deserialize)]
pub(super) struct RawRole {
    /// True if issues can be given to people who have it.
    #[serde(default)]
    pub(super) assignable: bool,
    #[serde(default)]
    permissions: Vec<String>,
}

impl RedmineSite {
    /// The project, or `None` where there is none that we may see.
    pub(super) async fn project<T>(
        &self,
        project: &str,
        settings: &RedmineProject,
    ) -> Result<Option<RawProject>, Attempt<T>> {
        let include = "include=trackers,issue_custom_fields,enabled_modules";
        let path = format!("projects/{}.json?{include}", settings.identifier(project));
        let found = self.client.read(&path).await.found()?;
        found.map(|mut body| read(body["project"].take())).transpose()
    }

    /// The project. Inside, the fault of one that is not there, or takes no issues.
    pub(super) async fn open_project<T>(
        &self,
        project: &str,
        settings: &RedmineProject,
    ) -> Result<Result<RawProject, FieldFault>, Attempt<T>> {
        Ok(match self.project(project, settings).await? {
            None => Err(no_project(project, self.config.known())),
            Some(found) if found.is_closed() => {
                Err(closed(TrackerFault::Archived { project: project.into() }))
            }
            Some(found) => Ok(found),
        })
    }

    /// Our account.
    pub(super) async fn account<T>(&self) -> Result<Account, Attempt<T>> {
        let mut body = self.client.read("users/current.json?include=memberships").await.done()?;
        read(body["user"].take())
    }

    /// The things that our account may do in a project.
    pub(super) async fn rights<T>(
        &self,
        account: &Account,
        project: &RawProject,
    ) -> Result<Rights, Attempt<T>> {
        let ours = account.memberships.iter().filter(|member| member.project.id == project.id);
        let roles: BTreeSet<u64> = ours.flat_map(|member| member.roles.iter().map(|role| role.id)).collect();
        // Without a membership it is one of those whom a public project is open to.
        if account.admin || roles.is_empty() {
            return Ok(Rights(None));
        }
        let mut listed = BTreeSet::new();
        for role in roles {
            let Some(role) = self.role(role).await? else { return Ok(Rights(None)) };
            listed.extend(role.permissions);
        }
        Ok(Rights(Some(listed)))
    }

    /// A role, if it is told.
    pub(super) async fn role<T>(&self, id: u64) -> Result<Option<RawRole>, Attempt<T>> {
        let found = self.client.read(&format!("roles/{id}.json")).await.found()?;
        found.map(|mut body| read(body["role"].take())).transpose()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A project as Redmine 5.0 tells it.
    fn project() -> RawProject {
        serde_json::from_value(json!({
            "id": 1, "name": "Demo 1", "identifier": "demo-1", "description": null, "homepage": "", "status": 1,
            "is_public": false, "inherit_members": false,
            "trackers": [{"id": 1, "name": "Bug"}, {"id": 2, "name": "Feature"}, {"id": 4, "name": "Epic"}],
            "issue_custom_fields": [{"id": 1, "name": "Component"}, {"id": 2, "name": "Component found"}],
            "enabled_modules": [{"id": 1, "name": "issue_tracking"}],
        }))
        .unwrap()
    }

    #[test]
    fn a_project_has_trackers_and_fields_by_name_or_id() {
        let project = project();
        let settings = RedmineProject {
            type_names: [(ItemType::Task, "2".to_owned()), (ItemType::Bug, "defect".to_owned())].into(),
            ..RedmineProject::default()
        };
        let id = |item_type| project.tracker(&settings, item_type).map(|tracker| tracker.id);
        assert_eq!(TYPES.map(id), [Some(4), None, Some(2), Some(2)]);
        assert_eq!(project.offered(&settings), [ItemType::Epic, ItemType::Story, ItemType::Task]);
        for (named, expected) in [("component", Some(1)), ("2", Some(2)), ("Com", None), ("9", None)] {
            assert_eq!(project.field(named).map(|field| field.id), expected, "{named}");
        }
        for (text, expected) in [
            ("Component cannot be blank", Some(1)),
            ("Component found is invalid", Some(2)),
            ("Subject cannot be blank", None),
        ] {
            assert_eq!(project.field_of(text).map(|field| field.id), expected, "{text}");
        }
    }

    #[test]
    fn rights_are_those_that_are_listed() {
        let rights = |listed: &[&str]| Rights(Some(listed.iter().map(|name| (*name).to_owned()).collect()));
        assert!(WANTED.iter().all(|name| rights(&[]).lacks(name) && !Rights(None).lacks(name)));
        assert!(!rights(&["edit_own_issues"]).lacks("edit_issues"));
        let reads = rights(&["view_issues"]);
        let lacks = [Permission::Browse, Permission::Create, Permission::Edit, Permission::Link]
            .map(|may| reads.lacks_for(may));
        assert_eq!(lacks, [false, true, true, false]);
    }
}
