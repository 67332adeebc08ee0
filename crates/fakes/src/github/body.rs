//! The members of a call's body, checked as GitHub checks them.

use serde_json::{Map, Value};

use super::answer::Answer;

/// Returns the members of a body, if it is an object with none but these.
pub(super) fn members<'a>(body: &'a Value, permitted: &[&str]) -> Result<&'a Map<String, Value>, Answer> {
    let Value::Object(members) = body else {
        return Err(Answer::refused(400, "Body should be a JSON object"));
    };
    match members.keys().find(|name| !permitted.contains(&name.as_str())) {
        Some(other) => Err(Answer::bad_request(&format!("\"{other}\" is not a permitted key."))),
        None => Ok(members),
    }
}

/// Returns a text, if there is one.
pub(super) fn text(members: &Map<String, Value>, name: &str) -> Result<Option<String>, Answer> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(name, other, "a string")),
    }
}

/// Returns a list of texts, if there is one. A label may be an object with a name.
pub(super) fn texts(members: &Map<String, Value>, name: &str) -> Result<Option<Vec<String>>, Answer> {
    let list = match members.get(name) {
        None => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong(name, other, "an array")),
    };
    let one = |value: &Value| {
        let text = value.as_str().or_else(|| value["name"].as_str());
        text.map(str::to_owned).ok_or_else(|| wrong(name, value, "a string"))
    };
    list.iter().map(one).collect::<Result<_, _>>().map(Some)
}

/// Returns the refusal of a value of another kind.
pub(super) fn wrong(name: &str, value: &Value, kind: &str) -> Answer {
    Answer::bad_request(&format!("For 'properties/{name}', {value} is not {kind}."))
}

/// Returns the refusal of a body without a member.
pub(super) fn not_supplied(name: &str) -> Answer {
    Answer::bad_request(&format!("\"{name}\" wasn't supplied."))
}
