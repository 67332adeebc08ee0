//! Checks of calls against the published list of methods.
//!
//! The list is a third-party document and not part of the repository; `telegram::specs` says where it is looked for. It is
//! of 2021, so what is younger is listed here. Without it, the fake still refuses what the vendor refuses, and knows the
//! arguments of the methods it has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::telegram::specs;

/// The path of the list in the folder of specifications.
const DOCUMENT: &str = "slack/slack-api-specs/web-api/slack_web_openapi_v2.json";

/// Methods that are younger than the list.
const YOUNGER_METHODS: [&str; 11] = [
    "api.test",
    "apps.connections.open",
    "assistant.threads.setStatus",
    "assistant.threads.setSuggestedPrompts",
    "assistant.threads.setTitle",
    "chat.appendStream",
    "chat.startStream",
    "chat.stopStream",
    "files.completeUploadExternal",
    "files.getUploadURLExternal",
    "response_url",
];
/// Arguments that are younger than the list.
const YOUNGER_ARGUMENTS: [&str; 10] = [
    "domain",
    "file_ids",
    "grant_type",
    "include_all_metadata",
    "interactivity_pointer",
    "markdown_text",
    "metadata",
    "prevent_creation",
    "refresh_token",
    "reply_broadcast",
];
/// Arguments that clients send with every method.
const COMMON: [&str; 3] = ["client_id", "client_secret", "team_id"];

/// The arguments of every published method.
static PUBLISHED: LazyLock<Option<BTreeMap<String, BTreeSet<String>>>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(specs().join(DOCUMENT)).ok()?;
    let document: Value = serde_json::from_str(&text).ok()?;
    let names = |operation: &Value| {
        let listed = operation["parameters"].as_array().into_iter().flatten();
        listed.filter_map(|one| one["name"].as_str().map(str::to_owned)).collect::<BTreeSet<_>>()
    };
    let method = |(path, operations): (&String, &Value)| {
        let all = operations.as_object().into_iter().flat_map(Map::values).flat_map(names);
        (path.trim_start_matches('/').to_owned(), all.collect())
    };
    Some(document["paths"].as_object()?.iter().map(method).collect())
});

/// Returns the violations of the published list by a call. Returns none without the list.
pub(super) fn violations(method: &str, body: &Value) -> Vec<String> {
    let Some(published) = PUBLISHED.as_ref() else { return Vec::new() };
    let Some(arguments) = published.get(method) else {
        let known = YOUNGER_METHODS.contains(&method);
        return if known { Vec::new() } else { vec![format!("{method} is not a published method")] };
    };
    let known =
        |name: &str| arguments.contains(name) || YOUNGER_ARGUMENTS.contains(&name) || COMMON.contains(&name);
    let unknown = body.as_object().into_iter().flat_map(Map::keys).filter(|name| !known(name));
    unknown.map(|name| format!("{method} has no published argument {name}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::methods::METHODS;
    use super::*;

    #[test]
    fn the_table_of_methods_is_as_published() {
        if PUBLISHED.is_none() {
            return;
        }
        for method in METHODS {
            let all: Map<String, Value> =
                method.arguments.iter().map(|name| ((*name).to_owned(), json!(""))).collect();
            assert_eq!(violations(method.name, &Value::Object(all)), [""; 0], "{}", method.name);
        }
        assert_eq!(violations("chat.shout", &json!({})).len(), 1);
        assert_eq!(violations("chat.postMessage", &json!({"loud": true})).len(), 1);
    }
}
