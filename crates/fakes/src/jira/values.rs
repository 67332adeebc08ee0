//! Checks of the values of fields. A value is kept with what Jira adds: the id and name of options, the key of parents.

use serde_json::{Map, Value, json};

use super::edition::Edition;
use super::project::{Field, IssueType, Project};
use super::state::World;
use super::{adf, time};

const MAX_LABEL: usize = 255;
const MAX_LINE: usize = 255;
const NOT_A_STRING: &str = "Operation value must be a string";
const NOT_A_LIST: &str = "data was not an array";

/// The place of a value: the site, the project and the type of issue.
pub(super) struct Place<'a> {
    pub(super) world: &'a World,
    pub(super) project: &'a Project,
    pub(super) kind: &'a IssueType,
}

/// Returns the value to keep, or why Jira does not take it, under the name it uses for that.
pub(super) fn read(place: &Place<'_>, field: &Field, value: &Value) -> Result<Value, (String, String)> {
    let named = |why: String| (field.id.clone(), why);
    let edition = place.world.edition;
    match field.kind() {
        "summary" => summary(value).map_err(named),
        "description" | "environment" | "textarea" => edition.document(value).map_err(named),
        "labels" => labels(value).map_err(named),
        "parent" => parent(place, value),
        "gh-epic-link" => epic(place, value).map_err(named),
        "gh-sprint" => sprint(edition, value).map_err(named),
        _ => match field.schema["type"].as_str().unwrap_or_default() {
            "array" => list(place, field, value).map_err(named),
            kind => single(place, field, kind, value).map_err(named),
        },
    }
}

/// Returns true if a required field would be left empty.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(object) if object.get("type").is_some_and(|kind| kind == "doc") => {
            adf::text(value).trim().is_empty()
        }
        _ => false,
    }
}

fn summary(value: &Value) -> Result<Value, String> {
    let text = if value.is_null() { "" } else { value.as_str().ok_or(NOT_A_STRING)? };
    match text {
        _ if text.trim().is_empty() => Err("You must specify a summary of the issue.".into()),
        _ if text.contains(['\n', '\r']) => {
            Err("The summary is invalid because it contains newline characters.".into())
        }
        _ if text.chars().count() > MAX_LINE => Err("Summary must be less than 255 characters.".into()),
        _ => Ok(json!(text.trim())),
    }
}

fn labels(value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return Ok(json!([]));
    }
    let all = value.as_array().ok_or(NOT_A_LIST)?;
    let mut kept: Vec<&str> = Vec::new();
    for label in all {
        let label = label.as_str().ok_or(NOT_A_STRING)?;
        if label.contains(char::is_whitespace) {
            return Err(format!("The label '{label}' contains spaces which is invalid."));
        }
        if label.chars().count() > MAX_LABEL {
            return Err(format!("The label '{label}' contains more than 255 characters which is invalid."));
        }
        if !kept.contains(&label) && !label.is_empty() {
            kept.push(label);
        }
    }
    kept.sort_unstable();
    Ok(json!(kept))
}

fn parent(place: &Place<'_>, value: &Value) -> Result<Value, (String, String)> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    let wrong = |name: &str, why: &str| Err((name.to_owned(), why.to_owned()));
    let Some(named) = value["key"].as_str().or_else(|| value["id"].as_str()) else {
        return wrong("parent", "data was not an object");
    };
    let Some(found) = place.world.issue(named) else {
        return wrong("parent", "Could not find issue by id or key.");
    };
    if found.project != place.project.key {
        if place.kind.level < 0 {
            return wrong("project", "Sub-tasks must be created in the same project as the parent.");
        }
        return wrong("parentId", "Given parent issue does not belong to the same project.");
    }
    let level = place.world.type_of(found).map(|kind| kind.level);
    if !level.is_some_and(|above| place.world.edition.is_above(above, place.kind.level)) {
        return wrong("parentId", "Given parent issue does not belong to appropriate hierarchy.");
    }
    Ok(json!({"id": found.id, "key": found.key}))
}

fn epic(place: &Place<'_>, value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    let key = value.as_str().ok_or(NOT_A_STRING)?;
    let found = place.world.issue(key).filter(|found| found.project == place.project.key);
    let is_epic = found.and_then(|found| place.world.type_of(found)).is_some_and(|kind| kind.level == 1);
    if is_epic { Ok(value.clone()) } else { Err(format!("Issue '{key}' is not an epic.")) }
}

fn sprint(edition: Edition, value: &Value) -> Result<Value, String> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Number(id) => Ok(json!([edition.sprint(id)])),
        _ => Err("Number value expected as the Sprint id.".into()),
    }
}

fn list(place: &Place<'_>, field: &Field, value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return Ok(json!([]));
    }
    let items = field.schema["items"].as_str().unwrap_or_default();
    let all = value.as_array().ok_or(NOT_A_LIST)?;
    all.iter().map(|one| single(place, field, items, one)).collect()
}

fn single(place: &Place<'_>, field: &Field, kind: &str, value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    match kind {
        "number" if !value.is_number() => Err("Operation value must be a number".into()),
        "number" => Ok(value.clone()),
        "date" => {
            let date = value.as_str().filter(|text| time::is_date(text));
            date.map(|date| json!(date))
                .ok_or("Operation value must be a string in the format \"yyyy-MM-dd\"".into())
        }
        "user" => user(place, field, value),
        "option" => chosen(&place.project.allowed(field), &field.name, "value", value),
        "option-with-child" => cascading(field, value),
        "priority" => chosen(&place.project.allowed(field), &field.name, "name", value)
            .map_err(|_| "The priority selected is invalid.".into()),
        "component" | "version" => {
            chosen(&place.project.allowed(field), &field.name, "name", value).map_err(|_| {
                let title = if kind == "component" { "Component" } else { "Version" };
                let named = value["name"].as_str().map(|name| format!("name '{name}'"));
                let id = || format!("id '{}'", value["id"].as_str().unwrap_or_default());
                format!("{title} {} is not valid", named.unwrap_or_else(id))
            })
        }
        "string" => line(value),
        _ => Ok(value.clone()),
    }
}

fn line(value: &Value) -> Result<Value, String> {
    let text = value.as_str().ok_or(NOT_A_STRING)?;
    if text.chars().count() > MAX_LINE {
        return Err("The entered text is too long. It exceeds the allowed limit of 255 characters.".into());
    }
    Ok(json!(text))
}

fn user(place: &Place<'_>, field: &Field, value: &Value) -> Result<Value, String> {
    let person = place.world.edition.person(place.world, field, value)?;
    let id = &person.account_id;
    if field.kind() == "assignee" {
        if !place.project.allows("ASSIGN_ISSUES") {
            return Err("You do not have permission to assign issues.".into());
        }
        if !place.world.assignable(place.project).any(|one| one.account_id == *id) {
            return Err(format!("User '{id}' cannot be assigned issues."));
        }
    }
    Ok(json!({"accountId": person.account_id}))
}

/// Returns the allowed value that is named by its id or by `by`.
fn chosen(allowed: &[Value], title: &str, by: &str, value: &Value) -> Result<Value, String> {
    let wanted = value.as_object().ok_or_else(|| format!("Specify a valid 'id' or '{by}' for {title}"))?;
    let named = |name: &str| wanted.get(name).filter(|value| !value.is_null());
    let found = match (named("id"), named(by)) {
        (Some(id), _) => {
            let id = id.as_str().ok_or_else(|| format!("Specify a valid 'id' or '{by}' for {title}"))?;
            allowed.iter().find(|one| one["id"] == id).ok_or_else(|| format!("Option id '{id}' is not valid"))
        }
        (None, Some(text)) => allowed
            .iter()
            .find(|one| one[by] == *text)
            .ok_or_else(|| format!("Specify a valid 'id' or '{by}' for {title}")),
        (None, None) => Err(format!("Specify a valid 'id' or '{by}' for {title}")),
    }?;
    if found["disabled"] == true {
        return Err(format!(
            "The option '{}' is disabled and cannot be selected.",
            found[by].as_str().unwrap_or_default()
        ));
    }
    let mut kept: Map<String, Value> = found.as_object().cloned().unwrap_or_default();
    kept.retain(|name, _| !matches!(name.as_str(), "disabled" | "children"));
    Ok(Value::Object(kept))
}

fn cascading(field: &Field, value: &Value) -> Result<Value, String> {
    let mut kept = chosen(&field.allowed, &field.name, "value", value)?;
    if value["child"].is_null() {
        return Ok(kept);
    }
    let of = field.allowed.iter().find(|one| one["id"] == kept["id"]);
    let children = of.and_then(|one| one["children"].as_array()).map(Vec::as_slice).unwrap_or_default();
    kept["child"] = chosen(children, &field.name, "value", &value["child"])?;
    Ok(kept)
}
