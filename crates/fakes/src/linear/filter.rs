//! Filters of lists: comparators of fields, and of the fields of what they name.

use serde_json::{Map, Value};

use super::answer::Error;
use super::nodes::{Node, Out};
use super::state::World;

/// Returns true if a thing fits a filter.
pub(super) fn matches(world: &World, node: &Node, filter: &Value) -> Result<bool, Error> {
    let members = match filter {
        Value::Null => return Ok(true),
        Value::Object(members) => members,
        _ => return Err(Error::argument("filter must be an object.")),
    };
    for (name, wanted) in members {
        let fits = match name.as_str() {
            "and" | "or" => {
                let parts = wanted.as_array().map(Vec::as_slice).unwrap_or_default();
                let mut fitting = 0;
                for part in parts {
                    fitting += usize::from(matches(world, node, part)?);
                }
                if name == "and" { fitting == parts.len() } else { fitting > 0 }
            }
            "some" => some(world, node, wanted)?,
            _ if matches!(node, Node::Connection(..)) => some(world, node, filter)?,
            "null" => wanted == false,
            _ => of(world, &node.field(world, name, &Value::Null)?, wanted)?,
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if one of a list fits.
fn some(world: &World, node: &Node, filter: &Value) -> Result<bool, Error> {
    let Node::Connection(_, nodes, _) = node else { return Err(Error::argument("some is for lists.")) };
    for node in nodes {
        if matches(world, node, filter)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn of(world: &World, found: &Out, wanted: &Value) -> Result<bool, Error> {
    match found {
        Out::Node(node) => matches(world, node, wanted),
        Out::Nodes(_) => Err(Error::argument("filter of a list.")),
        Out::Value(value) => {
            let Value::Object(comparators) = wanted else {
                return Err(Error::argument("a comparator must be an object."));
            };
            compares(value, comparators)
        }
    }
}

fn compares(value: &Value, comparators: &Map<String, Value>) -> Result<bool, Error> {
    let text = value.as_str().unwrap_or_default();
    let lower = |text: &str| text.to_lowercase();
    for (name, wanted) in comparators {
        let other = wanted.as_str().unwrap_or_default();
        let one_of = || wanted.as_array().is_some_and(|all| all.iter().any(|one| same(one, value)));
        let fits = match name.as_str() {
            "null" => (wanted == true) == value.is_null(),
            "eq" => same(value, wanted),
            "neq" => !same(value, wanted),
            "in" => one_of(),
            "nin" => !one_of(),
            "eqIgnoreCase" => lower(text) == lower(other),
            "contains" => text.contains(other),
            "containsIgnoreCase" => lower(text).contains(&lower(other)),
            "startsWith" => text.starts_with(other),
            // Of a thing that is not there, nothing fits but that.
            _ if value.is_null() => false,
            _ => return Err(Error::argument(&format!("property {name} should not exist"))),
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if two values are equal, numbers in any form.
fn same(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().is_some_and(|number| other.as_f64() == Some(number))
}
