//! Decodes a JSON body into one of the API's requests, with the place of everything in it that does not fit. No
//! member of a request is required at this stage, so each can be decoded alone: that is how the place is found.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::problem::{BodyError, Problem, step};

/// The most problems reported for one body.
const MAX_PROBLEMS: usize = 100;

/// Decodes a body. `objects` are the places where objects belong, with `*` for every element of a list.
pub(super) fn read<T: DeserializeOwned>(body: &[u8], objects: &[&[&str]]) -> Result<T, BodyError> {
    let value: Value =
        serde_json::from_slice(body).map_err(|error| BodyError::Malformed(error.to_string()))?;
    let mut problems = Vec::new();
    for place in objects {
        reject_lists(&value, place, String::new(), &mut problems);
    }
    if problems.is_empty() {
        // From the text again, because the value no longer shows a member that is there twice.
        let whole = match serde_json::from_slice(body) {
            Ok(request) => return Ok(request),
            Err(error) => error,
        };
        FieldProbe::<T>::new().locate(&value, &mut problems);
        if problems.is_empty() {
            problems.push(Problem::new("", whole.to_string()));
        }
    }
    problems.truncate(MAX_PROBLEMS);
    Err(BodyError::Invalid(problems))
}

/// Reports lists where objects belong. Serde would read them as the members in order, which nobody means.
fn reject_lists(value: &Value, place: &[&str], pointer: String, problems: &mut Vec<Problem>) {
    match place {
        [] if value.is_array() => {
            problems.push(Problem::new(pointer, "a JSON object belongs here, not a list"));
        }
        [] => {}
        ["*", rest @ ..] => {
            for (n, element) in value.as_array().into_iter().flatten().enumerate() {
                reject_lists(element, rest, format!("{pointer}/{n}"), problems);
            }
        }
        [name, rest @ ..] => {
            if let Some(member) = value.get(name) {
                reject_lists(member, rest, format!("{pointer}/{name}"), problems);
            }
        }
    }
}

/// Decodes one part of a body alone. `path` leads to the part; each container on it holds nothing else.
struct FieldProbe<T> {
    path: Vec<Option<String>>,
    pointer: String,
    request: std::marker::PhantomData<T>,
}

impl<T: DeserializeOwned> FieldProbe<T> {
    fn new() -> Self {
        Self { path: Vec::new(), pointer: String::new(), request: std::marker::PhantomData }
    }

    /// Reports the innermost parts of a value that do not decode.
    fn locate(&mut self, value: &Value, problems: &mut Vec<Problem>) {
        let Err(error) = self.alone(value) else { return };
        let before = problems.len();
        let steps: Vec<(Option<String>, String, &Value)> = match value {
            Value::Object(members) => {
                members.iter().map(|(name, value)| (Some(name.clone()), step(name), value)).collect()
            }
            Value::Array(elements) => {
                elements.iter().enumerate().map(|(n, value)| (None, n.to_string(), value)).collect()
            }
            _ => Vec::new(),
        };
        let around = self.pointer.len();
        for (name, step, value) in steps {
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
            self.path.push(name);
            self.pointer.push('/');
            self.pointer.push_str(&step);
            self.locate(value, problems);
            self.pointer.truncate(around);
            self.path.pop();
        }
        if problems.len() == before {
            problems.push(Problem::new(self.pointer.clone(), error.to_string()));
        }
    }

    /// Decodes a request that holds this value and nothing else.
    fn alone(&self, value: &Value) -> Result<T, serde_json::Error> {
        let around = |inner: Value, name: &Option<String>| match name {
            Some(name) => Value::Object(Map::from_iter([(name.clone(), inner)])),
            None => Value::Array(vec![inner]),
        };
        serde_json::from_value(self.path.iter().rev().fold(value.clone(), around))
    }
}
