//! A JSON body as one of the API's requests, with the place of everything in it that does not fit. No member of a request
//! is required at this stage, so each can be tried alone: that is how the place is found.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::inbound::Refused;
use super::limits::{Problem, step};

/// More problems of one body are not told.
const MOST: usize = 100;

/// Reads a body. `objects`: the places where objects belong, `*` for every element of a list.
pub(super) fn read<T: DeserializeOwned>(body: &[u8], objects: &[&[&str]]) -> Result<T, Refused> {
    let value: Value = serde_json::from_slice(body).map_err(|error| Refused::Malformed(error.to_string()))?;
    let mut problems = Vec::new();
    for place in objects {
        lists(&value, place, String::new(), &mut problems);
    }
    if problems.is_empty() {
        // From the text again, not from the value: a member that is there twice is in the text only.
        let whole = match serde_json::from_slice(body) {
            Ok(request) => return Ok(request),
            Err(error) => error,
        };
        Tried::<T>::new().locate(&value, &mut problems);
        if problems.is_empty() {
            problems.push(Problem::new("", whole.to_string()));
        }
    }
    problems.truncate(MOST);
    Err(Refused::Invalid(problems))
}

/// Lists where objects belong. Serde would read them as the members in order; nobody means that.
fn lists(value: &Value, place: &[&str], pointer: String, problems: &mut Vec<Problem>) {
    match place {
        [] if value.is_array() => {
            problems.push(Problem::new(pointer, "a JSON object belongs here, not a list"));
        }
        [] => {}
        ["*", rest @ ..] => {
            for (n, element) in value.as_array().into_iter().flatten().enumerate() {
                lists(element, rest, format!("{pointer}/{n}"), problems);
            }
        }
        [name, rest @ ..] => {
            if let Some(member) = value.get(name) {
                lists(member, rest, format!("{pointer}/{name}"), problems);
            }
        }
    }
}

/// The way to what is tried: each part of it is all there is in the part around it.
struct Tried<T> {
    way: Vec<Option<String>>,
    pointer: String,
    request: std::marker::PhantomData<T>,
}

impl<T: DeserializeOwned> Tried<T> {
    fn new() -> Self {
        Self { way: Vec::new(), pointer: String::new(), request: std::marker::PhantomData }
    }

    /// Notes what of a value does not fit: the innermost parts that alone do not.
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
            if problems.len() >= MOST {
                break;
            }
            self.way.push(name);
            self.pointer.push('/');
            self.pointer.push_str(&step);
            self.locate(value, problems);
            self.pointer.truncate(around);
            self.way.pop();
        }
        if problems.len() == before {
            problems.push(Problem::new(self.pointer.clone(), error.to_string()));
        }
    }

    /// A request of nothing else.
    fn alone(&self, value: &Value) -> Result<T, serde_json::Error> {
        let around = |inner: Value, name: &Option<String>| match name {
            Some(name) => Value::Object(Map::from_iter([(name.clone(), inner)])),
            None => Value::Array(vec![inner]),
        };
        serde_json::from_value(self.way.iter().rev().fold(value.clone(), around))
    }
}
