//! Performs operations: the fields that are asked for, one after another.

use serde_json::{Map, Value};

use super::answer::Error;
use super::document::{Document, Input, Operation, Selection};
use super::mutations;
use super::nodes::{Node, Out};
use super::state::World;
use super::wire::Asked;

/// An operation with the values of its variables.
struct Request<'a> {
    document: &'a Document,
    variables: Map<String, Value>,
}

/// Performs a request. An error comes with the field that it is of.
pub(super) fn run(world: &mut World, asked: &Asked, now: i64) -> Result<Value, (Error, Option<String>)> {
    let whole = |error: Error| (error, None);
    let document = super::document::parse(&asked.query).map_err(|why| whole(Error::invalid(&why)))?;
    let operation = chosen(&document, asked).map_err(whole)?;
    let variables = variables(operation, &asked.variables).map_err(whole)?;
    let request = Request { document: &document, variables };
    let mut data = Map::new();
    for selection in &operation.selections {
        let Selection::Field { alias, name, arguments, selections } = selection else {
            return Err(whole(Error::invalid("The fake takes fields at the top only.")));
        };
        let of_field = |error: Error| (error, Some(name.clone()));
        let arguments = request.arguments(arguments).map_err(of_field)?;
        let out = if operation.mutates {
            mutations::call(world, name, &arguments, now).map(Out::Node)
        } else {
            Node::Query.field(world, name, &arguments)
        };
        let shown = out.and_then(|out| request.shown(world, &out, selections)).map_err(of_field)?;
        data.insert(alias.clone(), shown);
    }
    Ok(data.into())
}

fn chosen<'a>(document: &'a Document, asked: &Asked) -> Result<&'a Operation, Error> {
    let operations = &document.operations;
    let found = match &asked.operation {
        Some(name) => operations.iter().find(|one| one.name.as_ref() == Some(name)),
        None if operations.len() == 1 => operations.first(),
        None => None,
    };
    found.ok_or_else(|| Error::invalid("Must provide operation name if query contains multiple operations."))
}

/// Returns the values of the variables that are declared.
fn variables(operation: &Operation, given: &Value) -> Result<Map<String, Value>, Error> {
    let mut found = Map::new();
    for variable in &operation.variables {
        let value = given.get(&variable.name);
        match (value, &variable.default) {
            (Some(value), _) if !value.is_null() || !variable.required => {
                found.insert(variable.name.clone(), value.clone());
            }
            (None, Some(Input::Value(usual))) => drop(found.insert(variable.name.clone(), usual.clone())),
            (None, _) if !variable.required => {}
            _ => {
                let name = &variable.name;
                return Err(Error::invalid(&format!(
                    "Variable \"${name}\" of required type was not provided."
                )));
            }
        }
    }
    Ok(found)
}

impl Request<'_> {
    fn arguments(&self, written: &[(String, Input)]) -> Result<Value, Error> {
        let mut found = Map::new();
        for (name, input) in written {
            if let Some(value) = self.value(input)? {
                found.insert(name.clone(), value);
            }
        }
        Ok(found.into())
    }

    /// Returns a value; nothing for a variable that was not given.
    fn value(&self, input: &Input) -> Result<Option<Value>, Error> {
        Ok(match input {
            Input::Value(value) => Some(value.clone()),
            Input::Variable(name) => self.variables.get(name).cloned(),
            Input::List(items) => {
                let mut found = Vec::new();
                for item in items {
                    found.push(self.value(item)?.unwrap_or_default());
                }
                Some(found.into())
            }
            Input::Object(members) => Some(self.arguments(members)?),
        })
    }

    fn shown(&self, world: &World, out: &Out, selections: &[Selection]) -> Result<Value, Error> {
        match out {
            // Nothing below it is looked at, and so is not checked.
            Out::Value(value) => Ok(value.clone()),
            Out::Node(_) | Out::Nodes(_) if selections.is_empty() => {
                Err(Error::invalid("Field must have a selection of subfields."))
            }
            Out::Node(node) => {
                let mut fields = Map::new();
                self.select(world, node, selections, &mut fields)?;
                Ok(fields.into())
            }
            Out::Nodes(nodes) => {
                let all = nodes.iter().map(|node| self.shown(world, &Out::Node(node.clone()), selections));
                all.collect::<Result<Vec<_>, _>>().map(Value::from)
            }
        }
    }

    fn select(
        &self,
        world: &World,
        node: &Node,
        selections: &[Selection],
        fields: &mut Map<String, Value>,
    ) -> Result<(), Error> {
        for selection in selections {
            match selection {
                Selection::Field { alias, name, arguments, selections } => {
                    let out = node.field(world, name, &self.arguments(arguments)?)?;
                    fields.insert(alias.clone(), self.shown(world, &out, selections)?);
                }
                Selection::Inline(selections) => self.select(world, node, selections, fields)?,
                Selection::Spread(name) => {
                    let unknown = || Error::invalid(&format!("Unknown fragment \"{name}\"."));
                    let selections = self.document.fragments.get(name).ok_or_else(unknown)?;
                    self.select(world, node, selections, fields)?;
                }
            }
        }
        Ok(())
    }
}
