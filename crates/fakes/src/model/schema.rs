//! Checks of requests against `OpenAI`'s published description and the rules for strict schemas.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::telegram::specs;

/// The path of the description in the folder of vendors' specifications.
const DOCUMENT: &str = "llm/openai.subset.openapi.json";

static PUBLISHED: LazyLock<Option<Value>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(specs().join(DOCUMENT)).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{DOCUMENT} is no JSON: {error}")))
});
static COMPILED: LazyLock<Mutex<HashMap<String, jsonschema::Validator>>> = LazyLock::new(Mutex::default);

pub(super) fn require(wrong: &mut Vec<String>, so: bool, message: &str) {
    if !so {
        wrong.push(message.to_owned());
    }
}

/// Returns the violations of a published type by a value. Returns none if the description is not installed.
pub(super) fn published(kind: &str, value: &Value) -> Vec<String> {
    let Some(published) = PUBLISHED.as_ref() else { return Vec::new() };
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if !compiled.contains_key(kind) {
        let schema =
            json!({"components": published["components"], "$ref": format!("#/components/schemas/{kind}")});
        match jsonschema::draft202012::new(&schema) {
            Ok(validator) => drop(compiled.insert(kind.to_owned(), validator)),
            Err(error) => return vec![format!("the schema of {kind} cannot be used: {error}")],
        }
    }
    let errors = compiled[kind].iter_errors(value);
    errors.map(|error| format!("{kind}{}: {error}", error.instance_path())).collect()
}

/// Returns the violations of the rules for strict schemas: closed objects, required properties, a subset of keywords.
pub(super) fn strict(name: &Value, schema: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let named =
        name.as_str().is_some_and(|name| !name.is_empty() && name.len() <= 64 && name.chars().all(word));
    require(&mut wrong, named, "Invalid 'name': it has letters, digits, _ and -");
    require(&mut wrong, schema["type"] == "object", "Invalid schema: the root is no object");
    walk("", schema, &mut wrong);
    wrong
}

fn walk(path: &str, schema: &Value, wrong: &mut Vec<String>) {
    const KNOWN: [&str; 16] = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$defs",
        "$ref",
        "title",
        "minimum",
        "maximum",
        "maxItems",
        "minItems",
    ];
    let Some(members) = schema.as_object() else {
        wrong.push(format!("Invalid schema at {path}: no object"));
        return;
    };
    for keyword in members.keys().filter(|keyword| !KNOWN.contains(&keyword.as_str())) {
        wrong.push(format!("Invalid schema at {path}: '{keyword}' is not permitted"));
    }
    if let Some(properties) = schema["properties"].as_object() {
        require(
            wrong,
            schema["additionalProperties"] == false,
            &format!("Invalid schema at {path}: it is open"),
        );
        for (name, property) in properties {
            let required = schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
            require(wrong, required, &format!("Invalid schema at {path}: '{name}' is not required"));
            walk(&format!("{path}/{name}"), property, wrong);
        }
    }
    if !schema["items"].is_null() {
        walk(&format!("{path}/items"), &schema["items"], wrong);
    }
    for one in schema["anyOf"].as_array().into_iter().flatten() {
        walk(&format!("{path}/anyOf"), one, wrong);
    }
}
