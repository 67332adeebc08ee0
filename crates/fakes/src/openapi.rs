//! Checks of calls and answers against a published OpenAPI document.
//!
//! The documents are third-party ones and not part of the repository. Without one, a fake still refuses what its vendor
//! refuses.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// A published document.
pub(crate) struct Published {
    document: Value,
    compiled: Mutex<HashMap<String, jsonschema::Validator>>,
}

/// A call with its answer.
pub(crate) struct Exchange<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a [(String, String)],
    /// The body, or null if there was none.
    pub(crate) body: &'a Value,
    pub(crate) status: u16,
    pub(crate) answer: Option<&'a Value>,
}

impl Exchange<'_> {
    fn asked(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// True if the answer refuses the call as a whole. Documents leave most of these out.
    fn is_refused(&self) -> bool {
        matches!(self.status, 301..=308 | 401 | 404 | 405 | 410 | 415 | 429 | 500..)
    }
}

impl Published {
    /// Reads a document, as far as it is about paths that fit. `None` if there is no such file.
    pub(crate) fn read(file: &Path, fits: impl Fn(&str) -> bool) -> Option<Self> {
        let text = std::fs::read_to_string(file).ok()?;
        let mut document: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{} is no JSON: {error}", file.display()));
        if let Some(paths) = document["paths"].as_object_mut() {
            paths.retain(|path, _| fits(path));
        }
        let mut used = BTreeSet::new();
        collect(&document["paths"], &document, &mut used);
        if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
            schemas.retain(|name, _| used.contains(name));
        }
        nullable(&mut document);
        Some(Self { document, compiled: Mutex::default() })
    }

    /// Lets answers leave out whatever they like, for a fake that tells less than its vendor does. Bodies of calls are
    /// published where they belong, not among the components, and are checked as before.
    pub(crate) fn with_short_answers(mut self) -> Self {
        unrequired(&mut self.document["components"]["schemas"]);
        any_of(&mut self.document);
        self
    }

    /// Returns the violations by a call that was not refused, and by its answer.
    pub(crate) fn violations(&self, exchange: &Exchange<'_>) -> Vec<String> {
        if exchange.is_refused() {
            return Vec::new();
        }
        let named = format!("{} {}", exchange.method, exchange.path);
        let Some((path, operation)) = self.operation(exchange) else {
            return vec![format!("{named} is not a published call")];
        };
        let mut found = self.parameters(path, operation, exchange);
        let pointer = |end: &str| format!("{}/{}/{end}", escaped(path), exchange.method.to_lowercase());
        if !exchange.body.is_null() {
            found.extend(self.wrong(&pointer("requestBody/content/application~1json/schema"), exchange.body));
        }
        let status = exchange.status.to_string();
        let content = &operation["responses"][&status]["content"]["application/json"];
        if operation["responses"][&status].is_null() {
            found.push(format!("the published call has no answer {status}"));
        }
        let listed = exchange.answer.is_some_and(Value::is_array);
        // Jira's document describes the list of remote links by the schema of one of them, and its example is a list.
        let misdescribed = listed && content["example"].is_array() && !content["schema"]["$ref"].is_null();
        if let Some(body) = exchange.answer.filter(|_| !content["schema"].is_null()) {
            let schema = pointer(&format!("responses/{status}/content/application~1json/schema"));
            let bodies =
                if misdescribed { body.as_array().cloned().unwrap_or_default() } else { vec![body.clone()] };
            found.extend(bodies.iter().flat_map(|body| self.wrong(&schema, body)));
        }
        found.into_iter().map(|why| format!("{named}: {why}")).collect()
    }

    /// Returns the published path that a call has, and what is published about it.
    fn operation(&self, exchange: &Exchange<'_>) -> Option<(&str, &Value)> {
        let method = exchange.method.to_lowercase();
        let segments: Vec<&str> = exchange.path.trim_end_matches('/').split('/').collect();
        let fits = |path: &str| {
            let parts: Vec<&str> = path.split('/').collect();
            let same = |(part, segment): (&&str, &&str)| part.starts_with('{') || part == segment;
            parts.len() == segments.len() && parts.iter().zip(&segments).all(same)
        };
        let paths = self.document["paths"].as_object()?;
        let fitting = paths.iter().filter(|(path, one)| fits(path) && one.get(&method).is_some());
        // `/issue/bulk` also has the form of `/issue/{issueIdOrKey}`.
        let (path, one) = fitting.min_by_key(|(path, _)| path.matches('{').count())?;
        Some((path, &one[method.as_str()]))
    }

    fn parameters(&self, path: &str, operation: &Value, exchange: &Exchange<'_>) -> Vec<String> {
        let of_path = &self.document["paths"][path]["parameters"];
        let all = [&operation["parameters"], of_path].into_iter().filter_map(Value::as_array).flatten();
        let listed: Vec<&Value> =
            all.map(|one| self.referred(one)).filter(|one| one["in"] == "query").collect();
        let known = |name: &str| listed.iter().any(|one| one["name"] == name);
        let unknown = exchange.query.iter().filter(|(name, _)| !known(name));
        let mut found: Vec<String> =
            unknown.map(|(name, _)| format!("no published parameter {name}")).collect();
        for parameter in listed {
            let (name, schema) = (parameter["name"].as_str().unwrap_or_default(), &parameter["schema"]);
            match exchange.asked(name) {
                None if parameter["required"] == true => {
                    found.push(format!("the parameter {name} is missing"))
                }
                Some(value) if schema["type"] == "integer" && value.parse::<i64>().is_err() => {
                    found.push(format!("the parameter {name} is no number"));
                }
                Some(value) if schema["enum"].as_array().is_some_and(|all| !all.contains(&json!(value))) => {
                    found.push(format!("the parameter {name} cannot be {value}"));
                }
                _ => {}
            }
        }
        found
    }

    /// Returns what a reference refers to.
    fn referred<'a>(&'a self, value: &'a Value) -> &'a Value {
        let place = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        place.and_then(|place| self.document.pointer(place)).unwrap_or(value)
    }

    /// Returns the violations of the schema at a place in the document.
    fn wrong(&self, place: &str, value: &Value) -> Vec<String> {
        let Some(schema) = self.document.pointer(place) else { return Vec::new() };
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if !compiled.contains_key(place) {
            let whole = json!({"components": self.document["components"], "allOf": [schema]});
            match jsonschema::draft202012::new(&whole) {
                Ok(validator) => drop(compiled.insert(place.to_owned(), validator)),
                Err(error) => return vec![format!("the schema cannot be used: {error}")],
            }
        }
        let errors = compiled[place].iter_errors(value);
        errors
            .map(|error| {
                format!(
                    "{}: {error}",
                    percent_decode_str(&error.instance_path().to_string()).decode_utf8_lossy()
                )
            })
            .collect()
    }
}

fn escaped(path: &str) -> String {
    format!("/paths/{}", path.replace('~', "~0").replace('/', "~1"))
}

/// Collects the names of the schemas that a part of a document leads to.
fn collect(part: &Value, document: &Value, used: &mut BTreeSet<String>) {
    match part {
        Value::Object(members) => {
            let place =
                members.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
            if let Some(target) = place.and_then(|place| document.pointer(place)) {
                let name = place.and_then(|place| place.strip_prefix("/components/schemas/"));
                // Other components are few, and lead to schemas.
                if name.is_none_or(|name| used.insert(name.to_owned())) {
                    collect(target, document, used);
                }
            }
            members.values().for_each(|member| collect(member, document, used));
        }
        Value::Array(all) => all.iter().for_each(|one| collect(one, document, used)),
        _ => {}
    }
}

/// Removes the lists of required members.
fn unrequired(part: &mut Value) {
    match part {
        Value::Object(members) => {
            if members.get("required").is_some_and(Value::is_array) {
                members.remove("required");
            }
            members.values_mut().for_each(unrequired);
        }
        Value::Array(all) => all.iter_mut().for_each(unrequired),
        _ => {}
    }
}

/// Lets a value have several of the forms that it has one of: short answers have.
fn any_of(part: &mut Value) {
    match part {
        Value::Object(members) => {
            if let Some(forms) = members.remove("oneOf") {
                members.insert("anyOf".into(), forms);
            }
            members.values_mut().for_each(any_of);
        }
        Value::Array(all) => all.iter_mut().for_each(any_of),
        _ => {}
    }
}

/// Says `nullable`, which OpenAPI 3.0 has and JSON Schema has not, in the words of JSON Schema.
fn nullable(part: &mut Value) {
    match part {
        Value::Object(members) => {
            members.values_mut().for_each(nullable);
            if members.remove("nullable") == Some(Value::Bool(true)) {
                let schema = std::mem::take(members);
                *members = Map::from_iter([("anyOf".to_owned(), json!([schema, {"type": "null"}]))]);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(nullable),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published() -> Published {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("document.json");
        let document = json!({
            "paths": {
                "/things/{id}": {
                    "parameters": [{"in": "query", "name": "page", "schema": {"type": "integer"}}],
                    "put": {
                        "parameters": [{"$ref": "#/components/parameters/state"}],
                        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
                        "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
                    },
                },
                "/others": {"get": {"responses": {"204": {}}}},
            },
            "components": {
                "parameters": {"state": {"in": "query", "name": "state", "required": true, "schema": {"enum": ["open", "closed"]}}},
                "schemas": {
                    "Thing": {"type": "object", "required": ["name"], "properties": {
                        "name": {"type": "string"}, "owner": {"type": "string", "nullable": true},
                    }},
                    "Other": {"type": "object"},
                },
            },
        });
        std::fs::write(&file, document.to_string()).unwrap();
        Published::read(&file, |path| path.starts_with("/things")).unwrap()
    }

    #[test]
    fn calls_and_answers_are_as_published_or_named() {
        let published = published();
        assert!(published.document["components"]["schemas"].get("Other").is_none(), "it is not led to");
        let told = |query: &[(&str, &str)], body: Value, status: u16, answer: Value| {
            let query: Vec<(String, String)> =
                query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let exchange = Exchange {
                method: "PUT",
                path: "/things/7",
                query: &query,
                body: &body,
                status,
                answer: Some(&answer),
            };
            published.violations(&exchange).join("\n")
        };
        let (open, good) = ([("state", "open")], json!({"name": "a", "owner": null}));
        assert_eq!(told(&open, good.clone(), 200, good.clone()), "");
        assert_eq!(told(&open, json!({"nothing": 1}), 404, Value::Null), "", "what is refused may be wrong");
        for (query, body, status, answer, expected) in [
            (&[][..], good.clone(), 200, good.clone(), "the parameter state is missing"),
            (&[("state", "shut")], good.clone(), 200, good.clone(), "the parameter state cannot be shut"),
            (
                &[("state", "open"), ("page", "x")],
                good.clone(),
                200,
                good.clone(),
                "the parameter page is no number",
            ),
            (
                &[("state", "open"), ("size", "1")],
                good.clone(),
                200,
                good.clone(),
                "no published parameter size",
            ),
            (&open, json!({"name": 7}), 200, good.clone(), "/name: 7 is not of type \"string\""),
            (&open, json!({}), 200, good.clone(), "\"name\" is a required property"),
            (&open, good.clone(), 200, json!({"name": null}), "/name: null is not of type \"string\""),
            (&open, good.clone(), 201, good, "the published call has no answer 201"),
        ] {
            let told = told(query, body, status, answer);
            assert!(told.contains(expected), "{expected}: {told}");
        }
    }
}
