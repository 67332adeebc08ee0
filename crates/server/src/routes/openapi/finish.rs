//! Parts of the document that are the same for every operation and every schema, so that no attribute of one states them.

use serde_json::{Map, Value, json};
use utoipa::PartialSchema;
use utoipa::openapi::OpenApi;

use super::{conditions, examples, headers, refusals, scopes};
use crate::wire::vocabulary::{Key, LanePosition, TenantPosition};

const SCHEMAS: &str = "#/components/schemas/";
const PAGE: &str = "Page_";
/// Statement of every keyed operation.
const KEY: &str = "Key of the request; a repeated request has the same one.";

/// Returns the whole document.
pub(super) fn finished(document: &OpenApi) -> Value {
    let mut document = serde_json::to_value(document).unwrap_or_default();
    document["servers"] = json!([{
        "url": "{origin}",
        "description": "The installation: `server.public_url`, or the address it listens on.",
        "variables": { "origin": { "default": "http://127.0.0.1:7070", "description": "Scheme, host and port." } },
    }]);
    let schemas = &mut document["components"]["schemas"];
    pages(schemas);
    plain(schemas);
    conditions::add(schemas);
    document["components"]["responses"] = Value::Object(refusals::components());
    document["components"]["headers"] = headers::components();
    document["components"]["securitySchemes"] = schemes();
    for (path, operations) in members(&mut document, "paths") {
        for operation in operations.as_object_mut().into_iter().flat_map(Map::values_mut) {
            finish(path, operation);
        }
    }
    document
}

fn schemes() -> Value {
    json!({
        "bearer": { "type": "http", "scheme": "bearer", "description": "`tlk_<id>_<secret>`. A demo needs none." },
        "session": { "type": "apiKey", "in": "cookie", "name": "__Host-throughline",
            "description": "Cookie of somebody who signed in by a browser; over HTTP on this machine it is `throughline-` and the port. Their roles are their scopes." },
    })
}

fn finish(path: &str, operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
    operation["security"] = scopes::security(&id);
    for parameter in elements(operation, "parameters") {
        finish_parameter(path, parameter);
    }
    refusals::add(path, operation);
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    let takes = |name: &str| parameters.iter().any(|parameter| parameter["name"] == name);
    let (keyed, waits) = (takes("Idempotency-Key"), takes("Prefer"));
    for (status, response) in members(operation, "responses") {
        if response.get("$ref").is_some() {
            continue;
        }
        response["headers"] = match status.parse::<u16>() {
            Ok(problem @ 400..) => headers::of_problem(problem),
            _ => headers::of_success(status, keyed, waits, path.starts_with("/v1/turns/")),
        };
    }
    examples::add(&id, operation);
}

/// States what a parameter has to be where its name says that, and leaves `null` out: no parameter can be it.
fn finish_parameter(path: &str, parameter: &mut Value) {
    let schema = match (parameter["in"].as_str(), parameter["name"].as_str()) {
        (Some("header"), Some("Idempotency-Key")) => {
            parameter["description"] = KEY.into();
            Some(Key::schema())
        }
        (Some("header"), Some("Last-Event-ID")) if path.contains("{lane}") => Some(LanePosition::schema()),
        (Some("header"), Some("Last-Event-ID")) => Some(TenantPosition::schema()),
        _ => None,
    };
    if let Some(schema) = schema {
        parameter["schema"] = serde_json::to_value(schema).unwrap_or_default();
    }
    let is_path = parameter["in"] == "path";
    let schema = &mut parameter["schema"];
    plain(schema);
    if let Some(types) = schema.get("type").and_then(Value::as_array) {
        schema["type"] = types.iter().find(|kind| **kind != "null").cloned().unwrap_or_default();
    }
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.retain(|word| !word.is_null());
    }
    if is_path {
        schema["minLength"] = 1.into();
    }
}

/// Returns the elements of a list, if there is one of that name.
pub(super) fn elements<'v>(of: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    of.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Returns the members of an object, if there is one of that name.
pub(super) fn members<'v>(
    of: &'v mut Value,
    name: &str,
) -> impl Iterator<Item = (&'v String, &'v mut Value)> {
    of.get_mut(name).and_then(Value::as_object_mut).into_iter().flatten()
}

/// Lets a page refer to the schema of its items.
fn pages(schemas: &mut Value) {
    let Some(all) = schemas.as_object_mut() else { return };
    let named: Vec<String> = all.keys().filter(|name| name.starts_with(PAGE)).cloned().collect();
    for page in named {
        let item = page[PAGE.len()..].to_owned();
        let items = all[&page]["properties"]["items"]["items"].take();
        all[&page]["properties"]["items"]["items"] = json!({ "$ref": format!("{SCHEMAS}{item}") });
        all.entry(item).or_insert(items);
    }
}

/// Writes schemas as briefly as they can be: `null` or a text is one list of types, and a number without a sign is no `int32`.
fn plain(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(plain),
        Value::Object(members) => {
            members.values_mut().for_each(plain);
            described(schema);
            unsigned(schema);
            nullable(schema);
        }
        _ => {}
    }
}

/// Takes the schema of a text or a number and the words on the member that has it, which are two parts, for one.
fn described(schema: &mut Value) {
    let Some([one, words]) = schema["allOf"].as_array().map(Vec::as_slice) else { return };
    let is_plain = one["type"] != "object" && one["type"].is_string();
    let only_words = words["type"] == "object" && words.get("properties").is_none();
    if !(is_plain && only_words) {
        return;
    }
    let (mut one, words) = (one.clone(), words.clone());
    for (name, value) in words.as_object().into_iter().flatten().filter(|(name, _)| *name != "type") {
        one[name] = value.clone();
    }
    *schema = one;
}

fn unsigned(schema: &mut Value) {
    if schema["format"] == "int32" && schema["minimum"] == 0 {
        schema["format"] = "int64".into();
    }
}

fn nullable(schema: &mut Value) {
    let Some([first, second]) = schema["oneOf"].as_array().map(Vec::as_slice) else { return };
    let none = json!({ "type": "null" });
    let one = if *first == none { second } else { first };
    let Some(kind) = one["type"].as_str().filter(|_| one.get("properties").is_none()) else { return };
    if *first != none && *second != none {
        return;
    }
    let (mut one, kind) = (one.clone(), kind.to_owned());
    one["type"] = json!([kind, "null"]);
    if let Some(words) = one.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
    let Some(members) = schema.as_object_mut() else { return };
    members.remove("oneOf");
    for (name, value) in one.as_object().into_iter().flatten() {
        members.entry(name.clone()).or_insert_with(|| value.clone());
    }
}
