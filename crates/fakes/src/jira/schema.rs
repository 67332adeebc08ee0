//! Checks of calls and answers against the published OpenAPI document.
//!
//! The document is a third-party one and not part of the repository; `telegram::specs` says where it is looked for.
//! Without it, the fake still refuses what the vendor refuses.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::answer::Answer;
use super::wire::Asked;
use crate::telegram::specs;

/// The path of the document in the folder of specifications.
const DOCUMENT: &str = "jira/jira-cloud-v3.subset.openapi.json";

static PUBLISHED: LazyLock<Option<Value>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(specs().join(DOCUMENT)).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{DOCUMENT} is no JSON: {error}")))
});
static COMPILED: LazyLock<Mutex<HashMap<String, jsonschema::Validator>>> = LazyLock::new(Mutex::default);

/// Returns the violations by a call that was not refused, and by its answer. Returns none without the document.
pub(super) fn violations(asked: &Asked, answer: &Answer) -> Vec<String> {
    let Some(published) = PUBLISHED.as_ref() else { return Vec::new() };
    if asked.parts.is_empty() || matches!(answer.status, 401 | 404 | 405 | 410 | 415 | 429 | 500..) {
        return Vec::new();
    }
    let named = format!("{} {}", asked.method, asked.path);
    let Some((path, operation)) = operation(published, asked) else {
        return vec![format!("{named} is not a published call")];
    };
    let mut found = parameters(operation, asked);
    let pointer = |end: &str| format!("{}/{}/{end}", escaped(path), asked.method.to_lowercase());
    if !asked.body.is_null() {
        found.extend(wrong(published, &pointer("requestBody/content/application~1json/schema"), &asked.body));
    }
    let status = answer.status.to_string();
    let content = &operation["responses"][&status]["content"]["application/json"];
    if operation["responses"][&status].is_null() {
        found.push(format!("the published call has no answer {status}"));
    }
    let listed = answer.body.as_ref().is_some_and(Value::is_array);
    // The document describes the list of remote links by the schema of one of them, and its example is a list.
    let misdescribed = listed && content["example"].is_array() && !content["schema"]["$ref"].is_null();
    if let Some(body) = answer.body.as_ref().filter(|_| !content["schema"].is_null()) {
        let schema = pointer(&format!("responses/{status}/content/application~1json/schema"));
        let bodies =
            if misdescribed { body.as_array().cloned().unwrap_or_default() } else { vec![body.clone()] };
        found.extend(bodies.iter().flat_map(|body| wrong(published, &schema, body)));
    }
    found.into_iter().map(|why| format!("{named}: {why}")).collect()
}

/// Returns the published path that a call has, and what is published about it.
fn operation<'a>(published: &'a Value, asked: &Asked) -> Option<(&'a str, &'a Value)> {
    let method = asked.method.to_lowercase();
    let segments: Vec<&str> = asked.path.trim_end_matches('/').split('/').collect();
    let fits = |path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        let same = |(part, segment): (&&str, &&str)| part.starts_with('{') || part == segment;
        parts.len() == segments.len() && parts.iter().zip(&segments).all(same)
    };
    let fitting =
        published["paths"].as_object()?.iter().filter(|(path, one)| fits(path) && one.get(&method).is_some());
    // `/issue/bulk` also has the form of `/issue/{issueIdOrKey}`.
    let (path, one) = fitting.min_by_key(|(path, _)| path.matches('{').count())?;
    Some((path, &one[method.as_str()]))
}

fn parameters(operation: &Value, asked: &Asked) -> Vec<String> {
    let listed =
        || operation["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "query");
    let known = |name: &str| listed().any(|one| one["name"] == name);
    let unknown = asked.query.iter().filter(|(name, _)| !known(name));
    let mut found: Vec<String> = unknown.map(|(name, _)| format!("no published parameter {name}")).collect();
    let required = listed().filter(|one| one["required"] == true).filter_map(|one| one["name"].as_str());
    let missing = required.filter(|name| asked.query(name).is_none());
    found.extend(missing.map(|name| format!("the parameter {name} is missing")));
    let numbers =
        listed().filter(|one| one["schema"]["type"] == "integer").filter_map(|one| one["name"].as_str());
    let wrong = numbers.filter(|name| asked.query(name).is_some_and(|value| value.parse::<i64>().is_err()));
    found.extend(wrong.map(|name| format!("the parameter {name} is no number")));
    found
}

fn escaped(path: &str) -> String {
    format!("/paths/{}", path.replace('~', "~0").replace('/', "~1"))
}

/// Returns the violations of the schema at a place in the document.
fn wrong(published: &Value, place: &str, value: &Value) -> Vec<String> {
    let Some(schema) = published.pointer(place) else { return Vec::new() };
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if !compiled.contains_key(place) {
        let whole = json!({"components": published["components"], "allOf": [schema]});
        match jsonschema::draft202012::new(&whole) {
            Ok(validator) => drop(compiled.insert(place.to_owned(), validator)),
            Err(error) => return vec![format!("the schema cannot be used: {error}")],
        }
    }
    let errors = compiled[place].iter_errors(value);
    errors
        .map(|error| {
            format!("{}: {error}", percent_decode_str(&error.instance_path().to_string()).decode_utf8_lossy())
        })
        .collect()
}
