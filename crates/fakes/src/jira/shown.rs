//! The forms in which the API shows issues, projects and people.

use serde_json::{Map, Value, json};

use super::project::{Field, IssueType, PRIORITIES, Project};
use super::state::{Comment, Issue, Person, World};
use super::time::written;
use super::{FakeJira, activity};

impl World {
    pub(super) fn link(&self, path: &str) -> String {
        format!("{}{}/{path}", self.site, self.edition.root())
    }

    pub(super) fn show_person(&self, person: &Person) -> Value {
        self.edition.show_person(self, person)
    }

    pub(super) fn show_account(&self, id: &str) -> Value {
        self.person(id).map_or_else(|| json!({"accountId": id}), |person| self.show_person(person))
    }

    pub(super) fn show_type(&self, kind: &IssueType) -> Value {
        self.edition.tells(json!({"self": self.link(&format!("issuetype/{}", kind.id)), "id": kind.id,
            "description": "", "iconUrl": format!("{}/images/{}.svg", self.site, kind.level), "name": kind.name,
            "subtask": kind.level < 0, "hierarchyLevel": kind.level}))
    }

    pub(super) fn show_project(&self, project: &Project) -> Value {
        let id = self.project_id(&project.key);
        self.edition.tells(json!({"self": self.link(&format!("project/{id}")), "id": id.to_string(),
            "key": project.key, "name": project.name, "projectTypeKey": "software",
            "simplified": project.team_managed, "isPrivate": false,
            "style": if project.team_managed { "next-gen" } else { "classic" }}))
    }

    /// Returns a field as the description of a screen shows it.
    pub(super) fn show_field(&self, project: &Project, field: &Field) -> Value {
        let mut shown = json!({"required": field.required, "schema": field.schema, "name": field.name,
            "key": field.id, "hasDefaultValue": field.has_default, "operations": field.operations()});
        let allowed = project.allowed(field);
        let listed = matches!(field.kind(), "components" | "fixVersions" | "versions");
        if !allowed.is_empty() || listed {
            shown["allowedValues"] = json!(allowed);
        }
        if matches!(field.kind(), "assignee" | "userpicker") {
            shown["autoCompleteUrl"] =
                json!(self.link(&format!("user/assignable/search?project={}&query=", project.key)));
        }
        shown
    }

    /// Returns an issue as other issues show it.
    pub(super) fn show_short(&self, issue: &Issue) -> Value {
        let kind = self.type_of(issue).map(|kind| self.show_type(kind)).unwrap_or_default();
        json!({"id": issue.id, "key": issue.key, "self": self.link(&format!("issue/{}", issue.id)),
            "fields": {"summary": issue.summary(), "status": activity::status(self, &issue.status), "issuetype": kind,
                "priority": issue.fields.get("priority").cloned().unwrap_or_default()}})
    }

    /// Returns an issue with the wanted fields and properties.
    pub(super) fn show(&self, issue: &Issue, fields: &[&str], properties: &[&str]) -> Value {
        let expand = "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations";
        let mut shown = json!({"expand": expand,
            "id": issue.id, "key": issue.key, "self": self.link(&format!("issue/{}", issue.id))});
        let all = self.all_fields(issue);
        shown["fields"] = Value::Object(all.into_iter().filter(|(name, _)| wanted(fields, name)).collect());
        if !properties.is_empty() {
            let named = |key: &str| properties.contains(&"*all") || properties.contains(&key);
            let found = issue.properties.iter().filter(|(key, _)| named(key));
            shown["properties"] =
                found.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into();
        }
        shown
    }

    fn all_fields(&self, issue: &Issue) -> Map<String, Value> {
        let mut all = Map::new();
        let kind = self.type_of(issue);
        let of_parent = self.edition.shows_parent(kind);
        // A field without a value is shown as null, and a list as empty.
        for field in kind.into_iter().flat_map(|kind| &kind.fields).filter(|field| field.id != "parent") {
            let empty = if field.schema["items"] == "json" || field.schema["type"] != "array" {
                Value::Null
            } else {
                json!([])
            };
            all.insert(field.id.clone(), empty);
        }
        for (name, value) in issue.fields.iter().filter(|(name, _)| of_parent || *name != "parent") {
            all.insert(name.clone(), self.show_value(value));
        }
        let link =
            kind.into_iter().flat_map(|kind| &kind.fields).find(|field| field.kind() == "gh-epic-link");
        if let (Some(link), Some(parent)) = (link, issue.parent()) {
            all.insert(link.id.clone(), json!(parent));
        }
        let parent = issue.parent().filter(|_| of_parent);
        if let Some(parent) = parent.and_then(|key| self.find(key)) {
            all.insert("parent".into(), self.show_short(parent));
        }
        let me = self.show_account(FakeJira::ACCOUNT);
        let reporter = all.get("reporter").filter(|one| !one.is_null()).unwrap_or(&me).clone();
        let project = self.find_project(&issue.project).map(|project| self.show_project(project));
        let children = self.issues.iter().filter(|child| {
            child.parent() == Some(&issue.key) && self.type_of(child).is_some_and(|kind| kind.level < 0)
        });
        let children: Vec<_> = children.map(|child| self.show_short(child)).collect();
        for (name, value) in [
            ("project", json!(project)),
            ("issuetype", kind.map(|kind| self.show_type(kind)).unwrap_or_default()),
            ("status", activity::status(self, &issue.status)),
            ("created", json!(written(issue.created))),
            ("updated", json!(written(issue.updated))),
            ("creator", me),
            ("reporter", reporter),
            ("resolution", if issue.closed { json!({"id": "10000", "name": "Done"}) } else { Value::Null }),
            ("subtasks", json!(children)),
            ("issuelinks", activity::shown_links(self, issue)),
            ("comment", activity::page_of_comments(self, issue, (0, 5_000), false)),
        ] {
            all.insert(name.into(), value);
        }
        all
    }

    fn show_value(&self, value: &Value) -> Value {
        match (value["accountId"].as_str(), value.as_array()) {
            (Some(id), _) => self.show_account(id),
            (None, Some(all)) => all.iter().map(|one| self.show_value(one)).collect(),
            _ => value.clone(),
        }
    }

    pub(super) fn show_comment(&self, issue: &Issue, comment: &Comment, properties: bool) -> Value {
        let by = self.show_account(&comment.author);
        let mut shown = self.edition.tells(
            json!({"self": self.link(&format!("issue/{}/comment/{}", issue.id, comment.id)),
            "id": comment.id, "author": by, "body": comment.body, "updateAuthor": by,
            "created": written(comment.created), "updated": written(comment.created), "jsdPublic": true}),
        );
        if properties {
            let each = |(key, value): (&String, &Value)| json!({"key": key, "value": value});
            shown["properties"] = comment.properties.iter().map(each).collect();
        }
        shown
    }

    pub(super) fn priorities(&self) -> Value {
        let one = |(id, name): (usize, &str)| {
            json!({"self": self.link(&format!("priority/{id}")), "id": id.to_string(), "name": name, "description": "",
                "statusColor": "#f15C75", "iconUrl": format!("{}/images/{id}.svg", self.site)})
        };
        (1..).zip(PRIORITIES).map(one).collect()
    }
}

/// Returns true if a field is among those that a call named: `*all`, `*navigable`, names, and names after a minus.
fn wanted(fields: &[&str], name: &str) -> bool {
    let named = |wanted: &&str| *wanted == name;
    let without = |wanted: &&str| wanted.strip_prefix('-') == Some(name);
    let navigable = name != "comment";
    let only_without = !fields.is_empty() && fields.iter().all(|one| one.starts_with('-'));
    !fields.iter().any(without)
        && (fields.iter().any(named)
            || fields.contains(&"*all")
            || fields.contains(&"*navigable") && navigable
            || only_without)
}
