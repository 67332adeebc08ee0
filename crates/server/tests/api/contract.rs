//! Contract check: every answer in every test must have a status, a body and headers that the published document allows.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::Reply;

/// Returns the document.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT
        .get_or_init(|| serde_json::from_str(&throughline_server::openapi()).expect("the document is JSON"))
}

/// Checks an answer to `METHOD path HTTP/1.1`, if the document lists the route.
pub(crate) fn check(line: &str, reply: &Reply) {
    if reply.header("throughline-request").is_none() {
        return; // It was no request.
    }
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let Some(operation) = operation(method, path) else { return };
    let status = reply.status.to_string();
    let documented = resolved(&operation["responses"][&status]);
    assert!(documented.is_object(), "{line} answers {status}, which is not documented: {}", reply.text());
    headers(line, documented, reply);
    let media = reply.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
    let content = &documented["content"][media];
    assert!(content.is_object(), "{line} answers {status} as {media:?}, which is not documented");
    if media.ends_with("json") {
        let wrong = misfits(&content["schema"], &reply.json());
        assert!(
            wrong.is_empty(),
            "{line} answers {status} otherwise than documented: {wrong:?} in {}",
            reply.text()
        );
    }
}

/// Headers that an answer has only as documented.
const DOCUMENTED: [&str; 7] = [
    "throughline-request",
    "throughline-turn",
    "idempotency-replayed",
    "preference-applied",
    "location",
    "retry-after",
    "www-authenticate",
];

fn headers(line: &str, documented: &'static Value, reply: &Reply) {
    let known = documented["headers"].as_object().expect("headers");
    for name in DOCUMENTED {
        let Some(value) = reply.header(name) else { continue };
        let header = known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let Some((_, header)) = header else {
            panic!("{line} answers {} with {name}, which is not documented", reply.status);
        };
        let schema = &resolved(header)["schema"];
        let value = if schema["type"] == "integer" {
            value.parse::<u64>().map_or(json!(value), |n| json!(n))
        } else {
            json!(value)
        };
        let wrong = misfits(schema, &value);
        assert!(wrong.is_empty(), "{line}: {name}: {wrong:?}");
    }
}

/// Returns what a reference refers to.
pub(crate) fn resolved(value: &'static Value) -> &'static Value {
    let place = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    place.and_then(|place| document().pointer(place)).unwrap_or(value)
}

fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let paths = document()["paths"].as_object()?;
    let segments: Vec<&str> = path.split('/').collect();
    let fits = |template: &str| {
        let template: Vec<&str> = template.split('/').collect();
        template.len() == segments.len()
            && template.iter().zip(&segments).all(|(t, s)| t == s || (t.starts_with('{') && !s.is_empty()))
    };
    let methods = paths.iter().find(|(template, _)| fits(template))?.1;
    methods.get(method.to_lowercase()).filter(|operation| operation.is_object())
}

/// Returns the violations of a schema of the document by a value.
pub(crate) fn misfits(schema: &Value, value: &Value) -> Vec<String> {
    static COMPILED: OnceLock<Mutex<HashMap<String, Validator>>> = OnceLock::new();
    let mut compiled = COMPILED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let validator = compiled.entry(schema.to_string()).or_insert_with(|| {
        let whole = json!({ "components": document()["components"], "allOf": [schema] });
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        options.build(&whole).unwrap_or_else(|error| panic!("{schema} is no schema: {error}"))
    });
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}
