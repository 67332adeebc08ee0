//! Headers of answers.

use serde_json::{Map, Value, json};

/// Id of a request, for examples.
pub(super) const REQUEST: &str = "rq_7eb2a56637013f2bc5b7";

const ID: &str = "Throughline-Request";
const TURN: &str = "Throughline-Turn";
const REPLAYED: &str = "Idempotency-Replayed";
const APPLIED: &str = "Preference-Applied";

/// Returns the description of every header.
pub(super) fn components() -> Value {
    json!({
        ID: header("Id of the request, which problems and the log name.", json!({"type": "string", "pattern": "^rq_[0-9a-f]{20}$"}), REQUEST),
        TURN: header("Id of the turn that the answer is about.", json!({"type": "string"}), "tn_fgdkhxqgwoatm4q6sddx35e6_1"),
        REPLAYED: header("`true` if the request was sent before and this is its answer.", json!({"type": "string", "enum": ["true"]}), "true"),
        APPLIED: header("Preference that was honoured.", json!({"type": "string", "pattern": "^wait=[0-9]+$"}), "wait=5"),
        "Location": header("Path where the outcome can be read later.", json!({"type": "string"}), "/v1/turns/key:7c1d0f3e"),
        "Retry-After": header("Seconds after which to send the request again.", json!({"type": "integer", "minimum": 0}), 5),
        "WWW-Authenticate": header("Way to authenticate.", json!({"type": "string"}), "Bearer"),
    })
}

fn header(says: &str, schema: Value, example: impl Into<Value>) -> Value {
    json!({ "description": says, "schema": schema, "example": example.into() })
}

/// Returns the headers of a problem.
pub(super) fn of_problem(status: u16) -> Value {
    let more: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        // A turn can refuse, and that answer is kept like any other.
        409 => &["Retry-After", REPLAYED, TURN],
        429 => &["Retry-After", REPLAYED],
        503 => &["Retry-After"],
        403 | 404 | 410 | 422 | 423 => &[REPLAYED, TURN],
        _ => &[],
    };
    named(more)
}

/// Returns the headers of an answer that is no problem.
pub(super) fn of_success(status: &str, keyed: bool, waits: bool, of_turn: bool) -> Value {
    let mut names = Vec::new();
    if keyed {
        names.push(REPLAYED);
    }
    match status {
        "202" => names.push("Location"),
        _ if keyed && waits => names.extend([TURN, APPLIED]),
        _ if of_turn => names.push(TURN),
        _ => {}
    }
    named(&names)
}

fn named(more: &[&str]) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/components/headers/{name}") });
    let headers: Map<String, Value> =
        [ID].iter().chain(more).map(|name| ((*name).to_owned(), reference(name))).collect();
    Value::Object(headers)
}
