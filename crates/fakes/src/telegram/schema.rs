//! Checks of calls, answers and updates against the published Bot API, as JSON Schema.
//!
//! The schema is a third-party document and not part of the repository. It is read from the folder that
//! `THROUGHLINE_SPECS` names, else from `../shared/data/specs` beside the repository. Without it, the fake still refuses
//! what the vendor refuses, but reports no violations.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value, json};

/// The environment variable with the folder of vendors' specifications.
const VARIABLE: &str = "THROUGHLINE_SPECS";
/// The default folder.
const BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/specs");
/// The path of the schema in the folder.
const DOCUMENT: &str = "telegram/bot-api.schema.json";

static PUBLISHED: LazyLock<Option<Value>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(specs().join(DOCUMENT)).ok()?;
    // The document refers to two undefined types, one of them by a name that is not a valid reference.
    let text = text.replace("Array of RichText", "ArrayOfRichText");
    let mut published: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{DOCUMENT} is no JSON: {error}"));
    published["$defs"]["String"] = json!({"type": "string"});
    published["$defs"]["ArrayOfRichText"] = json!({"type": "array", "items": {"$ref": "#/$defs/RichText"}});
    Some(published)
});
static COMPILED: LazyLock<Mutex<HashMap<String, jsonschema::Validator>>> = LazyLock::new(Mutex::default);

/// Returns the folder of vendors' specifications and recordings. It may not exist.
#[must_use]
pub fn specs() -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| PathBuf::from(BESIDE), PathBuf::from)
}

/// Returns true if the published schema is installed. Prints that the calling test is skipped if not.
#[must_use]
#[expect(clippy::print_stderr, reason = "nobody should take a skipped test for a passed one")]
pub fn published_or_skipped() -> bool {
    let there = PUBLISHED.is_some();
    if !there {
        eprintln!("skipped: no {DOCUMENT} in {}; {VARIABLE} names the folder", specs().display());
    }
    there
}

/// Returns the violations of a published type by a value. Types are `Update`, `Message` and so on, and for the
/// parameters of a method `method:sendMessage`. An unknown type is a violation. Returns none without the schema.
#[must_use]
pub fn violations(kind: &str, value: &Value) -> Vec<String> {
    let Some(published) = PUBLISHED.as_ref() else { return Vec::new() };
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if !compiled.contains_key(kind) {
        if published["$defs"].get(kind).is_none() {
            return vec![format!("{kind} is not in the published Bot API")];
        }
        let schema = json!({"$defs": published["$defs"], "$ref": format!("#/$defs/{kind}")});
        match jsonschema::draft202012::new(&schema) {
            Ok(validator) => drop(compiled.insert(kind.to_owned(), validator)),
            Err(error) => return vec![format!("the schema of {kind} cannot be used: {error}")],
        }
    }
    compiled[kind]
        .iter_errors(value)
        .map(|error| format!("{kind}{}: {error}", error.instance_path()))
        .collect()
}

/// Returns the violations by a method's answer: it must be of one of the types that the method is published to return.
pub(super) fn wrong_answer(method: &str, result: &Value) -> Vec<String> {
    let Some(published) = PUBLISHED.as_ref() else { return Vec::new() };
    let returns = published["$defs"][format!("method:{method}")]["x-returns"].as_array();
    let Some(returns) = returns else { return vec![format!("{method} is not published")] };
    let mut found = Vec::new();
    for kind in returns.iter().filter_map(Value::as_str) {
        let wrong = match (kind, kind.strip_prefix("Array of ")) {
            ("Boolean", _) if result.is_boolean() => Vec::new(),
            ("Boolean", _) => vec![format!("{method} answers no Boolean: {result}")],
            (_, Some(of)) => match result.as_array() {
                Some(all) => all.iter().flat_map(|one| violations(of, one)).collect(),
                None => vec![format!("{method} answers no list: {result}")],
            },
            (kind, None) => violations(kind, result),
        };
        if wrong.is_empty() {
            return wrong;
        }
        found.extend(wrong);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_the_vendor_would_not_take() {
        if !published_or_skipped() {
            return;
        }
        assert_eq!(violations("method:sendMessage", &json!({"chat_id": 1, "text": "x"})), [""; 0]);
        for wrong in [
            json!({"chat_id": 1}),
            json!({"chat_id": 1, "text": "x", "reply_to_message_id": 4}),
            json!({"chat_id": 1, "text": "x", "reply_markup": {"inline_keyboard": [{"text": "a"}]}}),
        ] {
            assert!(!violations("method:sendMessage", &wrong).is_empty(), "{wrong}");
        }
        assert!(!violations("method:launchRocket", &json!({})).is_empty());
        assert_eq!(wrong_answer("answerCallbackQuery", &json!(true)), [""; 0]);
        assert_eq!(wrong_answer("getUpdates", &json!([])), [""; 0]);
        for (method, wrong) in [("answerCallbackQuery", json!(null)), ("sendMessage", json!({"text": "x"}))] {
            assert!(!wrong_answer(method, &wrong).is_empty(), "{method}");
        }
    }
}
