//! Examples of requests and answers: what a demo was sent and answered with, in `examples.json`.

use std::sync::LazyLock;

use serde_json::Value;

use super::finish::{elements, members};
use super::refusals;
use crate::codes;

static EXAMPLES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// Adds the examples of an operation to it.
pub(super) fn add(id: &str, operation: &mut Value) {
    let examples = &EXAMPLES[id];
    for parameter in elements(operation, "parameters") {
        let name = parameter["name"].as_str().unwrap_or_default();
        let given = [&examples["parameters"][name], &EXAMPLES["parameters"][name]];
        if let Some(example) = given.into_iter().find(|example| !example.is_null()) {
            parameter["example"] = example.clone();
        }
    }
    if let Some(body) = operation.get_mut("requestBody") {
        for (_, content) in members(body, "content") {
            content["example"] = examples["request"].clone();
        }
    }
    for (status, response) in members(operation, "responses") {
        for (media, content) in members(response, "content") {
            let given = &examples["answers"][status][media];
            let problem = status.parse::<u16>().ok().filter(|status| *status >= 400);
            content["example"] = match problem.and_then(code) {
                Some(code) if given.is_null() => refusals::example(code),
                _ => given.clone(),
            };
        }
    }
}

/// Returns a code of that status.
fn code(status: u16) -> Option<&'static codes::Code> {
    // A press explains its refusals better than what is common to all requests.
    let known = |code: &&&codes::Code| code.status == Some(status) && code.number >= 4000;
    let all = || codes::ALL.iter();
    all().find(known).or_else(|| all().find(|code| code.status == Some(status))).copied()
}
