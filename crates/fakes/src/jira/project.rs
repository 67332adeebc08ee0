//! The configuration of projects: types of issues, and the fields on their create screens.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The permissions that the service account has in a new project.
pub(super) const PERMISSIONS: [&str; 8] = [
    "BROWSE_PROJECTS",
    "CREATE_ISSUES",
    "EDIT_ISSUES",
    "LINK_ISSUES",
    "ASSIGN_ISSUES",
    "TRANSITION_ISSUES",
    "ADD_COMMENTS",
    "DELETE_ISSUES",
];
/// The priorities of the site. Their ids count from 1.
pub(super) const PRIORITIES: [&str; 5] = ["Highest", "High", "Medium", "Low", "Lowest"];
/// The id of the priority that an issue without one gets.
pub(super) const DEFAULT_PRIORITY: &str = "3";
/// The prefix of the types of custom fields that Jira brings.
const CUSTOM: &str = "com.atlassian.jira.plugin.system.customfieldtypes";
/// The prefix of the types of custom fields of Jira Software.
pub(super) const GREENHOPPER: &str = "com.pyxis.greenhopper.jira";

/// A project.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// The key, such as `SHOP`.
    pub key: String,
    /// The display name.
    pub name: String,
    /// True if it is archived: its issues can be read, not changed.
    pub archived: bool,
    /// True if the team administers it, false if the company does.
    pub team_managed: bool,
    /// The types of issues.
    pub types: Vec<IssueType>,
    /// The permissions of the service account.
    pub permissions: BTreeSet<String>,
    /// True if the service account can see it. It also needs the permission `BROWSE_PROJECTS`.
    pub browsable: bool,
    /// The account ids of people to whom issues can be assigned. If empty, every active person of the site.
    pub assignable: Vec<String>,
    /// The names of the components. Their ids count from 10000.
    pub components: Vec<String>,
    /// The names of the versions. Their ids count from 10000.
    pub versions: Vec<String>,
}

/// A type of issue.
#[derive(Clone, Debug, PartialEq)]
pub struct IssueType {
    /// The id.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The level in the hierarchy: 1 for epics, -1 for sub-tasks, otherwise 0.
    pub level: i32,
    /// The fields on its screens, without project and issue type, which are always there.
    pub fields: Vec<Field>,
}

/// A field on a screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The id: `summary`, `customfield_10026`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// True if an issue cannot be created without it.
    pub required: bool,
    /// True if it gets a value when none is given.
    pub has_default: bool,
    /// The type of its value, as Jira describes it.
    pub schema: Value,
    /// The allowed values. Those of components and versions are the project's.
    pub allowed: Vec<Value>,
}

impl Field {
    /// Returns an optional field of a system.
    #[must_use]
    pub fn system(id: &str, name: &str, kind: &str) -> Self {
        let schema = json!({"type": kind, "system": id});
        Self {
            id: id.into(),
            name: name.into(),
            required: false,
            has_default: false,
            schema,
            allowed: Vec::new(),
        }
    }

    /// Returns an optional custom field. `custom` is the kind in Jira's own namespace: `float`, `textarea`, `select`,
    /// `multiselect`, `cascadingselect`, `userpicker`, `datepicker`, `textfield`, `url`, `labels`; or a full name.
    #[must_use]
    pub fn custom(number: u32, name: &str, kind: &str, custom: &str) -> Self {
        let custom = if custom.contains(':') { custom.to_owned() } else { format!("{CUSTOM}:{custom}") };
        let schema = json!({"type": kind, "custom": custom, "customId": number});
        let id = format!("customfield_{number}");
        Self { id, name: name.into(), required: false, has_default: false, schema, allowed: Vec::new() }
    }

    /// Returns the field as an array of items of a kind.
    #[must_use]
    pub fn of(mut self, items: &str) -> Self {
        self.schema["type"] = json!("array");
        self.schema["items"] = json!(items);
        self
    }

    /// Returns the field with these allowed values.
    #[must_use]
    pub fn with(mut self, allowed: Vec<Value>) -> Self {
        self.allowed = allowed;
        self
    }

    /// Returns the field as a required one.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Returns the name of its type: the system's name, or the last part of the custom type.
    pub(super) fn kind(&self) -> &str {
        let custom = || self.schema["custom"].as_str().and_then(|name| name.rsplit(':').next());
        self.schema["system"].as_str().or_else(custom).unwrap_or_default()
    }

    /// Returns the operations that Jira offers for it.
    pub(super) fn operations(&self) -> Value {
        match (self.schema["type"].as_str(), self.kind()) {
            (Some("array"), "gh-sprint") => json!(["set"]),
            (Some("array"), _) => json!(["add", "set", "remove"]),
            _ => json!(["set"]),
        }
    }
}

impl Project {
    /// Returns a company-managed project: Epic, Story, Task, Bug and Sub-task; stories join an epic by `parent` or by
    /// Epic Link.
    #[must_use]
    pub fn company(key: &str) -> Self {
        let kinds = [("10000", "Epic", 1), ("10001", "Story", 0), ("10002", "Task", 0), ("10004", "Bug", 0)];
        let mut types: Vec<IssueType> = kinds.map(|(id, name, level)| company_type(id, name, level)).into();
        types.push(company_type("10003", "Sub-task", -1));
        Self::new(key, false, types)
    }

    /// Returns a team-managed project. Its types and fields are its own.
    #[must_use]
    pub fn team(key: &str) -> Self {
        let own = key.bytes().fold(7_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 8_009);
        let kinds = [("Epic", 1), ("Story", 0), ("Task", 0), ("Bug", 0), ("Subtask", -1)];
        let kind = |(at, (name, level)): (u32, (&str, i32))| IssueType {
            id: (10_100 + own * 10 + at).to_string(),
            name: name.into(),
            level,
            fields: team_fields(level),
        };
        Self::new(key, true, (0..).zip(kinds).map(kind).collect())
    }

    fn new(key: &str, team_managed: bool, types: Vec<IssueType>) -> Self {
        Self {
            key: key.into(),
            name: format!("{key} project"),
            archived: false,
            team_managed,
            types,
            permissions: PERMISSIONS.map(str::to_owned).into(),
            browsable: true,
            assignable: Vec::new(),
            components: Vec::new(),
            versions: Vec::new(),
        }
    }

    /// Returns the type of issue with a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&IssueType> {
        self.types.iter().find(|kind| kind.name == name)
    }

    /// Returns a field of a type of issue, to change it. Panics if there is no such field.
    pub fn field(&mut self, kind: &str, id: &str) -> &mut Field {
        let fields = self.types.iter_mut().filter(|one| one.name == kind).flat_map(|one| &mut one.fields);
        let mut found = fields.filter(|field| field.id == id || field.name == id);
        found.next().unwrap_or_else(|| panic!("{kind} has no field {id}"))
    }

    /// Returns true if the service account may do something.
    pub(super) fn allows(&self, permission: &str) -> bool {
        self.visible() && self.permissions.contains(permission)
    }

    /// Returns true if the service account can see the project.
    pub(super) fn visible(&self) -> bool {
        self.browsable && self.permissions.contains("BROWSE_PROJECTS")
    }

    /// Returns the allowed values of a field in this project.
    pub(super) fn allowed(&self, field: &Field) -> Vec<Value> {
        let listed = |names: &[String]| {
            (10_000..).zip(names).map(|(id, name)| json!({"id": id.to_string(), "name": name})).collect()
        };
        match field.kind() {
            "components" => listed(&self.components),
            "fixVersions" | "versions" => listed(&self.versions),
            _ => field.allowed.clone(),
        }
    }
}

fn company_type(id: &str, name: &str, level: i32) -> IssueType {
    let mut fields = common_fields();
    match level {
        1 => {}
        0 => {
            fields.push(Field::system("parent", "Parent", "issuelink"));
            fields.push(Field::custom(10_014, "Epic Link", "any", &format!("{GREENHOPPER}:gh-epic-link")));
        }
        _ => fields.push(Field::system("parent", "Parent", "issuelink").required()),
    }
    fields.extend([
        Field::system("components", "Components", "array").of("component"),
        Field::system("fixVersions", "Fix versions", "array").of("version"),
        Field::system("duedate", "Due date", "date"),
        Field::custom(10_026, "Story Points", "number", "float"),
        Field::custom(10_020, "Sprint", "array", &format!("{GREENHOPPER}:gh-sprint")).of("json"),
    ]);
    IssueType { id: id.into(), name: name.into(), level, fields }
}

fn team_fields(level: i32) -> Vec<Field> {
    let mut fields = common_fields();
    if level < 1 {
        let parent = Field::system("parent", "Parent", "issuelink");
        fields.push(Field { required: level < 0, ..parent });
    }
    let points = "com.pyxis.greenhopper.jira:jsw-story-points";
    fields.push(Field::system("duedate", "Due date", "date"));
    fields.push(Field::custom(10_016, "Story point estimate", "number", points));
    fields
}

fn common_fields() -> Vec<Field> {
    let priority = |(id, name): (usize, &str)| json!({"id": id.to_string(), "name": name});
    let mut priorities = Field::system("priority", "Priority", "priority");
    priorities.has_default = true;
    vec![
        Field::system("summary", "Summary", "string").required(),
        Field::system("description", "Description", "string"),
        Field::system("labels", "Labels", "array").of("string"),
        priorities.with((1..).zip(PRIORITIES).map(priority).collect()),
        Field::system("assignee", "Assignee", "user"),
    ]
}
