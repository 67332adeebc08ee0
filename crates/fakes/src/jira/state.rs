//! The state of the site: projects, people and issues.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::edition::Edition;
use super::project::{IssueType, Project};
use super::webhooks::Change;
use super::wire::Asked;

/// An issue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Issue {
    /// The id.
    pub id: String,
    /// The key, such as `SHOP-1`.
    pub key: String,
    /// The key of its project.
    pub project: String,
    /// The name of its type.
    pub item_type: String,
    /// The values of its fields as Jira keeps them: options, priorities, components and versions with id and name,
    /// people as `{"accountId"}`, the parent as `{"id", "key"}`.
    pub fields: Map<String, Value>,
    /// The properties, by key.
    pub properties: BTreeMap<String, Value>,
    /// The comments, oldest first.
    pub comments: Vec<Comment>,
    /// The outward links: the name of the type and the other key.
    pub links: Vec<(String, String)>,
    /// The links to other systems.
    pub remote_links: Vec<Value>,
    /// The name of the status: `To Do`, `In Progress` or `Done`.
    pub status: String,
    /// The time of creation, in milliseconds since 1970.
    pub created: i64,
    /// The time of the last change, in milliseconds since 1970.
    pub updated: i64,
    /// True if it is done.
    pub closed: bool,
}

impl Issue {
    pub(super) fn summary(&self) -> &str {
        self.fields.get("summary").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the key of the parent, which an Epic Link gives, too.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        self.fields.get("parent").and_then(|parent| parent["key"].as_str())
    }
}

/// A comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comment {
    /// The id.
    pub id: String,
    /// The plain text.
    pub text: String,
    /// The document, or in Data Center the markup.
    pub body: Value,
    /// The properties, by key.
    pub properties: BTreeMap<String, Value>,
    /// The account id of the author.
    pub author: String,
    /// The time, in milliseconds since 1970.
    pub created: i64,
}

/// A user of the site.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) account_id: String,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) active: bool,
}

#[derive(Default)]
pub(super) struct World {
    pub(super) edition: Edition,
    /// The address of the site.
    pub(super) site: String,
    /// The projects, in the order of their ids.
    pub(super) projects: Vec<Project>,
    pub(super) people: Vec<Person>,
    /// The issues, oldest first.
    pub(super) issues: Vec<Issue>,
    /// The number of issues that were ever created, by project.
    pub(super) numbers: BTreeMap<String, u32>,
    pub(super) last_id: u32,
    /// The time until an issue is visible to search, in milliseconds.
    pub(super) index_lag: i64,
    pub(super) ignore_parent: bool,
    /// The requests whose effects are to come.
    pub(super) late: Vec<Asked>,
    /// The webhooks that were registered through the API.
    pub(super) hooks: Vec<Value>,
    /// The changes that are not delivered yet.
    pub(super) changes: Vec<Change>,
}

impl World {
    /// Returns an id that no other thing of the site has.
    pub(super) fn next_id(&mut self) -> u32 {
        self.last_id += 1;
        10_000 + self.last_id
    }

    /// Returns a project by key or id, hidden or not.
    pub(super) fn find_project(&self, named: &str) -> Option<&Project> {
        let found = self.projects.iter().find(|one| one.key.eq_ignore_ascii_case(named));
        found.or_else(|| self.projects.get(named.parse::<usize>().ok()?.checked_sub(10_000)?))
    }

    /// Returns a project by key or id, if the service account can see it.
    pub(super) fn project(&self, named: &str) -> Option<&Project> {
        self.find_project(named).filter(|project| project.visible())
    }

    pub(super) fn project_id(&self, key: &str) -> usize {
        10_000 + self.projects.iter().position(|project| project.key == key).unwrap_or_default()
    }

    fn at(&self, named: &str) -> Option<usize> {
        self.issues.iter().position(|issue| issue.key.eq_ignore_ascii_case(named) || issue.id == named)
    }

    /// Returns an issue by key or id, in a hidden project or not.
    pub(super) fn find(&self, named: &str) -> Option<&Issue> {
        self.at(named).map(|at| &self.issues[at])
    }

    /// Returns an issue by key or id, to change it.
    pub(super) fn find_mut(&mut self, named: &str) -> Option<&mut Issue> {
        self.at(named).map(|at| &mut self.issues[at])
    }

    /// Returns an issue by key or id, if the service account can see it.
    pub(super) fn issue(&self, named: &str) -> Option<&Issue> {
        self.find(named).filter(|issue| self.project(&issue.project).is_some())
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<Issue> {
        let at = self.at(key)?;
        let removed = self.issues.remove(at);
        for issue in &mut self.issues {
            issue.links.retain(|(_, other)| *other != removed.key);
            if issue.parent() == Some(&removed.key) {
                issue.fields.remove("parent");
            }
        }
        Some(removed)
    }

    pub(super) fn type_of(&self, issue: &Issue) -> Option<&IssueType> {
        self.find_project(&issue.project)?.named(&issue.item_type)
    }

    pub(super) fn person(&self, account_id: &str) -> Option<&Person> {
        self.people.iter().find(|person| person.account_id == account_id)
    }

    /// Returns the active people to whom issues of a project can be assigned.
    pub(super) fn assignable<'a>(&'a self, project: &'a Project) -> impl Iterator<Item = &'a Person> {
        let listed = |person: &Person| {
            project.assignable.is_empty() || project.assignable.contains(&person.account_id)
        };
        self.people.iter().filter(move |person| person.active && listed(person))
    }
}
