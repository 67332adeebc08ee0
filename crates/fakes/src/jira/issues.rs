//! Issues: creating, reading, editing and deleting them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::answer::{Answer, Outcome};
use super::project::{DEFAULT_PRIORITY, Field, IssueType, Project};
use super::state::{Issue, World};
use super::values::{self, Place};
use super::webhooks::Change;
use super::wire::Asked;
use super::{FakeJira, activity};

/// The most issues that a call can create.
const MAX_BULK: usize = 50;
/// The longest value of a property, in bytes.
const MAX_PROPERTY: usize = 32_768;
/// The longest key of a property.
const MAX_PROPERTY_KEY: usize = 255;

/// The errors of fields, by the names that Jira gives them.
type Errors = Map<String, Value>;

pub(super) fn create(world: &mut World, asked: &Asked, now: i64) -> Outcome {
    let (id, key) = create_one(world, &asked.body, now)?;
    let link = world.link(&format!("issue/{id}"));
    Ok(Answer::json(201, json!({"id": id, "key": key, "self": link})))
}

pub(super) fn bulk(world: &mut World, asked: &Asked, now: i64) -> Outcome {
    let updates = asked.body["issueUpdates"].as_array().ok_or_else(Answer::bad_payload)?;
    if updates.is_empty() || updates.len() > MAX_BULK {
        let why = "The number of issues to create must be between 1 and 50.";
        let error = json!({"status": 400, "elementErrors": {"errorMessages": [why], "errors": {}}});
        return Err(Answer::json(400, json!({"issues": [], "errors": [error]})));
    }
    let (mut issues, mut errors) = (Vec::new(), Vec::new());
    for (number, update) in updates.iter().enumerate() {
        match create_one(world, update, now) {
            Ok((id, key)) => {
                issues.push(json!({"id": id, "key": key, "self": world.link(&format!("issue/{id}"))}))
            }
            Err(Answer { status, body }) => {
                errors.push(json!({"status": status, "elementErrors": body, "failedElementNumber": number}));
            }
        }
    }
    let status = if issues.is_empty() { 400 } else { 201 };
    let body = json!({"issues": issues, "errors": errors});
    if issues.is_empty() { Err(Answer::json(status, body)) } else { Ok(Answer::json(status, body)) }
}

/// Creates an issue. Returns its id and key.
fn create_one(world: &mut World, body: &Value, now: i64) -> Result<(String, String), Answer> {
    let given = body["fields"].as_object().ok_or_else(Answer::bad_payload)?;
    let project = project_of(world, given)?.clone();
    let kind = type_of(&project, given)?.clone();
    let place = Place { world, project: &project, kind: &kind };
    let mut errors = Errors::new();
    let mut fields = read_fields(&place, given, &mut errors);
    apply_updates(&place, &body["update"], &mut fields, &mut errors);
    require(&kind, &fields, &mut errors);
    if !errors.is_empty() {
        return Err(Answer::wrong_fields(errors));
    }
    let properties = properties(&body["properties"])?;
    if world.ignore_parent {
        fields.remove("parent");
    }
    join_epic(world, &kind, &mut fields);
    fill_defaults(&project, &kind, &mut fields);
    let number = world.numbers.entry(project.key.clone()).or_default();
    *number += 1;
    let key = format!("{}-{number}", project.key);
    let id = world.next_id().to_string();
    world.issues.push(Issue {
        id: id.clone(),
        key: key.clone(),
        project: project.key,
        item_type: kind.name,
        fields,
        properties,
        status: activity::FIRST_STATUS.into(),
        created: now,
        updated: now,
        ..Issue::default()
    });
    world.changed("jira:issue_created", &key, Vec::new(), FakeJira::ACCOUNT, now);
    Ok((id, key))
}

fn project_of<'a>(world: &'a World, given: &Map<String, Value>) -> Result<&'a Project, Answer> {
    let wanted = given.get("project").unwrap_or(&Value::Null);
    let named = wanted["key"].as_str().or_else(|| wanted["id"].as_str());
    let named = named.ok_or_else(|| Answer::wrong_field("project", "Specify a valid project ID or key"))?;
    let project =
        world.project(named).ok_or_else(|| Answer::wrong_field("project", "valid project is required"))?;
    if project.archived {
        return Err(Answer::wrong_field("project", "The project is archived. Its issues cannot be changed."));
    }
    if !project.allows("CREATE_ISSUES") {
        return Err(Answer::refused(403, "You do not have permission to create issues in this project."));
    }
    Ok(project)
}

fn type_of<'a>(project: &'a Project, given: &Map<String, Value>) -> Result<&'a IssueType, Answer> {
    let wanted = given.get("issuetype").unwrap_or(&Value::Null);
    let found = match (wanted["id"].as_str(), wanted["name"].as_str()) {
        (Some(id), _) => project.types.iter().find(|kind| kind.id == id),
        (None, Some(name)) => project.types.iter().find(|kind| kind.name.eq_ignore_ascii_case(name)),
        (None, None) => return Err(Answer::wrong_field("issuetype", "Specify an issue type")),
    };
    found.ok_or_else(|| Answer::wrong_field("issuetype", "The issue type selected is invalid."))
}

fn not_on_screen(id: &str) -> Value {
    json!(format!("Field '{id}' cannot be set. It is not on the appropriate screen, or unknown."))
}

/// Returns the field of a screen, or reports that there is none.
fn on_screen<'a>(kind: &'a IssueType, id: &str, errors: &mut Errors) -> Option<&'a Field> {
    let found = kind.fields.iter().find(|field| field.id == id);
    if found.is_none() {
        errors.insert(id.into(), not_on_screen(id));
    }
    found
}

fn read_fields(place: &Place<'_>, given: &Map<String, Value>, errors: &mut Errors) -> Map<String, Value> {
    let mut fields = Map::new();
    for (id, value) in given.iter().filter(|(id, _)| !matches!(id.as_str(), "project" | "issuetype")) {
        let Some(field) = on_screen(place.kind, id, errors) else { continue };
        match values::read(place, field, value) {
            Ok(kept) => drop(fields.insert(id.clone(), kept)),
            Err((name, why)) => drop(errors.insert(name, json!(why))),
        }
    }
    fields
}

/// Applies the operations of `update` to the values of fields.
fn apply_updates(place: &Place<'_>, update: &Value, fields: &mut Map<String, Value>, errors: &mut Errors) {
    for (id, operations) in update.as_object().into_iter().flatten() {
        // These two are no fields of an issue, and handled where they are.
        if matches!(id.as_str(), "comment" | "issuelinks") {
            continue;
        }
        let Some(field) = on_screen(place.kind, id, errors) else { continue };
        for operation in operations.as_array().into_iter().flatten() {
            let before = fields.get(id).cloned().unwrap_or_default();
            match operate(place, field, &before, operation) {
                Ok(kept) => drop(fields.insert(id.clone(), kept)),
                Err((name, why)) => drop(errors.insert(name, json!(why))),
            }
        }
    }
}

fn operate(
    place: &Place<'_>,
    field: &Field,
    before: &Value,
    operation: &Value,
) -> Result<Value, (String, String)> {
    let wrong = |why: &str| Err((field.id.clone(), why.to_owned()));
    let Some((verb, value)) = operation.as_object().and_then(|one| one.iter().next()) else {
        return wrong("Operation is missing");
    };
    if verb == "set" {
        return values::read(place, field, value);
    }
    if !field.operations().as_array().is_some_and(|all| all.contains(&json!(verb))) {
        return wrong(&format!("Field does not support update '{verb}'"));
    }
    let one = values::read(place, field, &json!([value]))?;
    let one = one.as_array().and_then(|all| all.first()).cloned().unwrap_or_default();
    let mut all = before.as_array().cloned().unwrap_or_default();
    all.retain(|kept| *kept != one);
    if verb == "add" {
        all.push(one);
    }
    Ok(Value::Array(all))
}

fn require(kind: &IssueType, fields: &Map<String, Value>, errors: &mut Errors) {
    for field in kind.fields.iter().filter(|field| field.required && !field.has_default) {
        if errors.contains_key(&field.id) || !fields.get(&field.id).is_none_or(values::is_empty) {
            continue;
        }
        let (name, why) = match field.kind() {
            "summary" => ("summary", "You must specify a summary of the issue.".into()),
            "parent" if errors.contains_key("parentId") || errors.contains_key("project") => continue,
            "parent" if kind.level < 0 => {
                ("issuetype", "Issue type is a sub-task but parent issue key or id not specified.".into())
            }
            _ => (field.id.as_str(), format!("{} is required.", field.name)),
        };
        errors.insert(name.into(), json!(why));
    }
}

/// Gives an issue with an Epic Link that epic as its parent, unless it has a parent.
fn join_epic(world: &World, kind: &IssueType, fields: &mut Map<String, Value>) {
    let link = kind.fields.iter().find(|field| field.kind() == "gh-epic-link");
    let epic = link.and_then(|link| world.find(fields.get(&link.id)?.as_str()?));
    if let Some(epic) = epic
        && fields.get("parent").is_none_or(Value::is_null)
    {
        fields.insert("parent".into(), json!({"id": epic.id, "key": epic.key}));
    }
}

fn fill_defaults(project: &Project, kind: &IssueType, fields: &mut Map<String, Value>) {
    for field in kind.fields.iter().filter(|field| field.has_default) {
        if fields.get(&field.id).is_none_or(values::is_empty) {
            let allowed = project.allowed(field);
            let usual =
                allowed.iter().find(|one| field.kind() == "priority" && one["id"] == DEFAULT_PRIORITY);
            if let Some(value) = usual.or(allowed.first()) {
                fields.insert(field.id.clone(), value.clone());
            }
        }
    }
}

/// Reads properties: a list of keys and values.
pub(super) fn properties(given: &Value) -> Result<BTreeMap<String, Value>, Answer> {
    let one = |property: &Value| {
        let key = property["key"].as_str().ok_or_else(Answer::bad_payload)?;
        check_property(key, &property["value"])?;
        Ok((key.to_owned(), property["value"].clone()))
    };
    match given {
        Value::Null => Ok(BTreeMap::new()),
        Value::Array(all) => all.iter().map(one).collect(),
        _ => Err(Answer::bad_payload()),
    }
}

pub(super) fn check_property(key: &str, value: &Value) -> Result<(), Answer> {
    if key.is_empty() || key.len() > MAX_PROPERTY_KEY {
        return Err(Answer::refused(400, "The property key must have between 1 and 255 characters."));
    }
    if value.to_string().len() > MAX_PROPERTY {
        return Err(Answer::refused(400, "The property value cannot be longer than 32768 bytes."));
    }
    Ok(())
}

pub(super) fn get(world: &World, asked: &Asked, key: &str) -> Outcome {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    let fields = asked.list("fields");
    let fields = if fields.is_empty() { vec!["*all"] } else { fields };
    let mut shown = world.show(issue, &fields, &asked.list("properties"));
    let kind = world.type_of(issue);
    let screen = || kind.into_iter().flat_map(|kind| &kind.fields);
    if asked.has("expand", "names") {
        shown["names"] =
            screen().map(|field| (field.id.clone(), json!(field.name))).collect::<Map<_, _>>().into();
    }
    if asked.has("expand", "schema") {
        shown["schema"] =
            screen().map(|field| (field.id.clone(), field.schema.clone())).collect::<Map<_, _>>().into();
    }
    if asked.has("expand", "transitions") {
        shown["transitions"] = activity::transitions_of(world, issue);
    }
    Ok(Answer::ok(shown))
}

/// Returns an issue and its project, if the service account may change it so.
pub(super) fn changeable<'a>(
    world: &'a World,
    key: &str,
    permission: &str,
) -> Result<(&'a Issue, &'a Project), Answer> {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    let project = world.project(&issue.project).ok_or_else(Answer::no_issue)?;
    if project.archived {
        return Err(Answer::refused(403, "The project is archived. Its issues cannot be changed."));
    }
    if !project.allows(permission) {
        return Err(Answer::refused(403, "You do not have permission to edit issues in this project."));
    }
    Ok((issue, project))
}

pub(super) fn edit(world: &mut World, asked: &Asked, key: &str, now: i64) -> Outcome {
    let body = &asked.body;
    if !body.is_object() {
        return Err(Answer::bad_payload());
    }
    let (issue, project) = changeable(world, key, "EDIT_ISSUES")?;
    let key = issue.key.clone();
    let kind = world.type_of(issue).ok_or_else(Answer::no_issue)?;
    let place = Place { world, project, kind };
    let mut errors = Errors::new();
    let given = body["fields"].as_object().cloned().unwrap_or_default();
    let mut changed = read_fields(&place, &given, &mut errors);
    join_epic(world, kind, &mut changed);
    let mut fields = issue.fields.clone();
    fields.extend(changed);
    apply_updates(&place, &body["update"], &mut fields, &mut errors);
    require(kind, &fields, &mut errors);
    if !errors.is_empty() {
        return Err(Answer::wrong_fields(errors));
    }
    let properties = properties(&body["properties"])?;
    let comment = activity::comment_in_update(world, &key, &body["update"])?;
    let items = differences(&issue.fields, &fields);
    if let Some(issue) = world.find_mut(&key) {
        (issue.fields, issue.updated) = (fields, now);
        issue.properties.extend(properties);
    }
    if let Some(body) = comment {
        activity::add_comment(world, &key, body, BTreeMap::new(), now);
    }
    world.changed("jira:issue_updated", &key, items, FakeJira::ACCOUNT, now);
    if asked.has("returnIssue", "true") {
        return get(world, asked, &key);
    }
    Ok(Answer::empty(204))
}

/// Returns the items of a changelog.
pub(super) fn differences(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<Value> {
    let written = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let shown = |value: Option<&Value>| value.filter(|value| !value.is_null()).map(written);
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    let differ = names.filter(|name| before.get(*name) != after.get(*name));
    let item = |name: &String| {
        let kind = if name.starts_with("customfield_") { "custom" } else { "jira" };
        json!({"field": name, "fieldId": name, "fieldtype": kind, "from": null, "fromString": shown(before.get(name)),
            "to": null, "toString": shown(after.get(name))})
    };
    differ.map(item).collect()
}

pub(super) fn delete(world: &mut World, asked: &Asked, key: &str, now: i64) -> Outcome {
    let (issue, _) = changeable(world, key, "DELETE_ISSUES")?;
    let key = issue.key.clone();
    let is_child = |child: &&Issue| {
        child.parent() == Some(&key) && world.type_of(child).is_some_and(|kind| kind.level < 0)
    };
    let children: Vec<String> = world.issues.iter().filter(is_child).map(|child| child.key.clone()).collect();
    if !children.is_empty() && !asked.has("deleteSubtasks", "true") {
        let why =
            "The issue has subtasks. You must specify the 'deleteSubtasks' parameter to delete this issue.";
        return Err(Answer::refused(400, why));
    }
    for key in children.iter().chain([&key]) {
        world.delete(key, FakeJira::ACCOUNT, now);
    }
    Ok(Answer::empty(204))
}

impl World {
    /// Queues a change for the webhooks.
    pub(super) fn changed(&mut self, event: &'static str, key: &str, items: Vec<Value>, by: &str, now: i64) {
        let Some(issue) = self.find(key) else { return };
        let (issue, by) = (self.show(issue, &["*all"], &[]), self.show_account(by));
        self.changes.push(Change { event, issue, by, items, at: now });
    }

    /// Deletes an issue.
    pub(super) fn delete(&mut self, key: &str, by: &str, now: i64) {
        self.changed("jira:issue_deleted", key, Vec::new(), by, now);
        self.remove(key);
    }
}
