//! Contract check: every answer in every test must have a status and a body that the published document allows.

use std::sync::OnceLock;

use serde_json::Value;

use crate::support::Reply;

fn document() -> &'static Value {
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
    let class = format!("{}XX", &status[..1]);
    let responses = &operation["responses"];
    let documented =
        [&responses[&status], &responses[&class]].into_iter().find(|response| response.is_object());
    let documented = documented
        .unwrap_or_else(|| panic!("{line} answers {status}, which is not documented: {}", reply.text()));
    let media = reply.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
    let content = &documented["content"][media];
    assert!(content.is_object(), "{line} answers {status} as {media:?}, which is not documented");
    if media.ends_with("json") {
        let mut wrong = Vec::new();
        fits(&content["schema"], &reply.json(), "", &mut wrong);
        assert!(
            wrong.is_empty(),
            "{line} answers {status} otherwise than documented: {wrong:?} in {}",
            reply.text()
        );
    }
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

/// Checks a value against the part of JSON Schema that the document uses.
fn fits(schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return fits(&document()["components"]["schemas"][name], value, at, wrong);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fits(part, value, at, wrong);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = |choice: &&Value| {
            let mut found = Vec::new();
            fits(choice, value, at, &mut found);
            found.is_empty()
        };
        if choices.iter().filter(fitting).count() != 1 {
            wrong.push(format!("{at} fits none or several of oneOf"));
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let of_type = |kind: &&str| match *kind {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    if !types.is_empty() && !types.iter().any(of_type) {
        wrong.push(format!("{at} is {value} and not {types:?}"));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        wrong.push(format!("{at} is {value} and none of {words:?}"));
    }
    if let Some(members) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                wrong.push(format!("{at}/{name} is missing"));
            }
        }
        for (name, value) in members {
            if let Some(schema) = schema["properties"].get(name) {
                fits(schema, value, &format!("{at}/{name}"), wrong);
            }
        }
    }
    if let (Some(items), true) = (value.as_array(), schema["items"].is_object()) {
        for (i, item) in items.iter().enumerate() {
            fits(&schema["items"], item, &format!("{at}/{i}"), wrong);
        }
    }
}
