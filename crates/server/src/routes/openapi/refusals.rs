//! Answers of operations that are problems: which statuses each operation can have, and one description of each status.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::headers;
use crate::codes::{self, Code};
use crate::problem::PROBLEM_JSON;

/// Statuses of problems with the names of their descriptions.
const NAMES: [(u16, &str); 15] = [
    (400, "BadRequest"),
    (401, "Unauthenticated"),
    (403, "Forbidden"),
    (404, "NotFound"),
    (408, "Timeout"),
    (409, "Conflict"),
    (410, "Gone"),
    (413, "TooLarge"),
    (415, "MediaType"),
    (422, "Unfit"),
    (423, "Paused"),
    (429, "TooMany"),
    (431, "HeadTooLarge"),
    (500, "Internal"),
    (503, "Unavailable"),
];

/// Statuses of every request: it cannot be read, is for another host, or comes when there is no room.
const ALWAYS: [u16; 6] = [400, 403, 408, 431, 500, 503];
/// Operations that name something elsewhere than in their path.
const NAMING: [&str; 10] = [
    "postEvent",
    "runAgent",
    "postFile",
    "listFacts",
    "listEffects",
    "listIssues",
    "stateFact",
    "postReplay",
    "postTelegramLink",
    "postToolsPin",
];
/// Operations whose query has a meaning that may not fit.
const QUERIED: [&str; 3] = ["eraseTenant", "listFacts", "getContext"];
/// Operations that press a button of a card.
const PRESSING: [&str; 3] = ["decideApproval", "resolveEffect", "runAgent"];

/// Returns the statuses of problems that an operation can be answered with.
pub(super) fn statuses(path: &str, operation: &Value) -> BTreeSet<u16> {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let has = |place: &str, name: Option<&str>| {
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.any(|one| one["in"] == place && name.is_none_or(|name| one["name"] == name))
    };
    let of_api = path.starts_with("/v1/");
    let takes_body = operation["requestBody"].is_object();
    let keyed = has("header", Some("Idempotency-Key"));
    let groups: [(bool, &[u16]); 7] = [
        (true, &ALWAYS),
        (of_api || id == "metrics", &[401]),
        (of_api, &[429]),
        (takes_body, &[413, 415, 422]),
        (keyed, &[409, 422]),
        (has("path", None) || NAMING.contains(&id), &[404]),
        (QUERIED.contains(&id), &[422]),
    ];
    let mut statuses: BTreeSet<u16> =
        groups.iter().filter(|(holds, _)| *holds).flat_map(|(_, statuses)| *statuses).copied().collect();
    if PRESSING.contains(&id) {
        statuses.extend([409, 410, 423]);
    }
    statuses
}

/// Adds the problems to an operation. One that describes a status itself keeps its words.
pub(super) fn add(path: &str, operation: &mut Value) {
    let statuses = statuses(path, operation);
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    for status in statuses {
        let shared = || json!({ "$ref": format!("#/components/responses/{}", name(status)) });
        responses.entry(status.to_string()).or_insert_with(shared);
    }
}

fn name(status: u16) -> &'static str {
    NAMES.iter().find(|(known, _)| *known == status).map_or("Internal", |(_, name)| name)
}

/// Returns the description of every status.
pub(super) fn components() -> Map<String, Value> {
    NAMES.iter().map(|(status, name)| ((*name).to_owned(), response(*status))).collect()
}

fn response(status: u16) -> Value {
    let codes: Vec<&Code> = codes::ALL.iter().copied().filter(|code| answers(code, status)).collect();
    let listed: Vec<String> = codes.iter().map(|code| format!("`{}` {}", code.id(), code.title)).collect();
    json!({
        "description": format!("{}.", listed.join("; ")),
        "headers": headers::of_problem(status),
        "content": { PROBLEM_JSON: {
            "schema": { "$ref": "#/components/schemas/ProblemDetails" },
            "example": codes.first().map(|code| example(code)),
        } },
    })
}

/// Returns true if the API answers with that code. Those of channels and of pages are for others.
fn answers(code: &Code, status: u16) -> bool {
    let of_others = (3000..4000).contains(&code.number) || [2108, 2109].contains(&code.number);
    code.status == Some(status) && !of_others
}

/// Returns a problem of that code.
pub(super) fn example(code: &Code) -> Value {
    json!({
        "type": code.urn(),
        "title": code.title,
        "status": code.status,
        "detail": code.what,
        "instance": format!("urn:throughline:request:{}", headers::REQUEST),
        "code": code.id(),
        "name": code.name,
    })
}
