//! Schemas of the tools' arguments and results, taken from the OpenAPI document, so that a tool and its operation say the
//! same of a member.

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::tools::{Change, Form, TOOLS, Tool};
use crate::request::MAX_WAIT;
use crate::routes::openapi;

/// Argument with the time to wait, in seconds.
pub(super) const WAIT: &str = "wait";
/// Argument with the key under which the call is done once.
pub(super) const KEY: &str = "idempotency_key";
const REFS: &str = "#/components/schemas/";

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&openapi()).unwrap_or_default());
static LISTED: LazyLock<Vec<Listed>> = LazyLock::new(|| TOOLS.iter().map(listed).collect());

/// Operation of the API, as the document describes it.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    /// Method.
    pub(super) method: &'static str,
    /// Path, with its parameters in braces.
    pub(super) path: &'static str,
    described: &'static Value,
}

impl Operation {
    /// Returns the operation of that id.
    pub(super) fn of(id: &str) -> Option<Self> {
        let paths = DOCUMENT["paths"].as_object()?;
        paths.iter().find_map(|(path, methods)| {
            let methods = methods.as_object()?;
            let (method, described) = methods.iter().find(|(_, described)| described["operationId"] == id)?;
            Some(Self { method, path, described })
        })
    }

    /// Returns the parameters at that place: `path`, `query` or `header`.
    pub(super) fn parameters(self, place: &str) -> impl Iterator<Item = (&'static str, &'static Value)> {
        let all = self.described["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter()
            .filter(move |parameter| parameter["in"] == place)
            .filter_map(|parameter| Some((parameter["name"].as_str()?, parameter)))
    }

    /// Returns true if the operation waits for an outcome.
    pub(super) fn waits(self) -> bool {
        self.parameters("header").any(|(name, _)| name == "Prefer")
    }

    fn body(self) -> Option<&'static Value> {
        self.described.pointer("/requestBody/content/application~1json/schema")
    }

    fn answers(self) -> impl Iterator<Item = &'static Value> {
        let answers = self.described["responses"].as_object().into_iter().flatten();
        let good = answers.filter(|(status, _)| status.starts_with('2'));
        good.filter_map(|(_, answer)| answer.pointer("/content/application~1json/schema"))
    }
}

/// Returns a tool as it is listed.
pub(super) fn tool(named: &Tool) -> Option<&'static Listed> {
    LISTED.iter().find(|listed| listed.name == named.name)
}

/// Returns true if the tool has an argument of that name.
pub(super) fn has_argument(tool: &Listed, name: &str) -> bool {
    tool.input_schema.get("properties").is_some_and(|known| known.get(name).is_some())
}

fn listed(tool: &Tool) -> Listed {
    let mut schemas = Schemas::default();
    let input = schemas.input(tool);
    let input = schemas.whole(input);
    let mut schemas = Schemas::default();
    let output = schemas.output(tool);
    let output = schemas.whole(output);
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.change == Change::Reads)
        .destructive(tool.change == Change::Settles)
        .idempotent(tool.change == Change::Reads)
        .open_world(tool.change != Change::Reads);
    Listed::new(tool.name, tool.says, input)
        .with_title(tool.title)
        .with_raw_output_schema(output)
        .with_annotations(annotations)
}

/// Schema under construction, with the names of the components that it refers to.
#[derive(Default)]
struct Schemas {
    used: Vec<String>,
}

impl Schemas {
    fn input(&mut self, tool: &Tool) -> Map<String, Value> {
        let operation = Operation::of(tool.operation);
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        match tool.form {
            Form::Whole | Form::Awaited => {
                for (name, parameter) in
                    operation.into_iter().flat_map(|of| of.parameters("path").chain(of.parameters("query")))
                {
                    properties.insert(name.into(), self.parameter(parameter));
                    if parameter["required"] == true {
                        required.push(name.into());
                    }
                }
                let body =
                    operation.and_then(Operation::body).map(|body| component(body)).unwrap_or(&Value::Null);
                for (name, schema) in members(body) {
                    properties.insert(name.clone(), self.argument(schema));
                }
                required.extend(body["required"].as_array().into_iter().flatten().cloned());
            }
            Form::Event { own, part, required: needed, .. } => {
                let event =
                    operation.and_then(Operation::body).map(|body| component(body)).unwrap_or(&Value::Null);
                for (name, schema) in
                    members(event).filter(|(name, _)| *name == "lane" || own.contains(&name.as_str()))
                {
                    properties.insert(name.clone(), self.argument(schema));
                }
                let about = part.map_or(&Value::Null, |part| component(&event["properties"][part.name]));
                let without = |name: &str| part.is_some_and(|part| part.without.contains(&name));
                for (name, schema) in members(about).filter(|(name, _)| !without(name)) {
                    properties.insert(name.clone(), self.argument(schema));
                }
                required.push("lane".into());
                required.extend(needed.iter().map(|name| Value::from(*name)));
            }
        }
        if matches!(tool.form, Form::Awaited) || operation.is_some_and(Operation::waits) {
            let says = format!("Seconds to wait for the outcome, at most {MAX_WAIT}.");
            properties.insert(
                WAIT.into(),
                json!({"type": "integer", "minimum": 0, "maximum": MAX_WAIT, "description": says}),
            );
        }
        if tool.change != Change::Reads {
            let says = "Key under which this call is done once: the same key with the same arguments is answered with the stored \
                        answer. Repeat it when you repeat a call whose answer you did not get. Without it every call is a new act.";
            properties.insert(
                KEY.into(),
                json!({"type": "string", "minLength": 1, "maxLength": 255, "description": says}),
            );
        }
        let schema = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        object(schema)
    }

    /// Returns the schema of what a call can answer: what the operation answers, or a problem.
    fn output(&mut self, tool: &Tool) -> Map<String, Value> {
        let answers = Operation::of(tool.operation).into_iter().flat_map(Operation::answers);
        let mut any: Vec<Value> = answers.map(|answer| self.rewritten(answer)).collect();
        any.push(self.rewritten(&json!({"$ref": format!("{REFS}ProblemDetails")})));
        object(json!({"type": "object", "anyOf": any}))
    }

    /// Returns the schema of an argument with its type in sight: there are clients that follow no reference.
    fn argument(&mut self, schema: &'static Value) -> Value {
        let mut argument = self.rewritten(component(schema));
        if let (Some(argument), Some(says)) = (argument.as_object_mut(), schema.get("description")) {
            argument.insert("description".into(), says.clone());
        }
        argument
    }

    fn parameter(&mut self, parameter: &Value) -> Value {
        let mut schema = self.rewritten(&parameter["schema"]);
        if let (Some(schema), Some(says)) = (schema.as_object_mut(), parameter.get("description")) {
            schema.entry("description").or_insert(says.clone());
        }
        schema
    }

    /// Returns a schema whose references go to its own definitions.
    fn rewritten(&mut self, schema: &Value) -> Value {
        match schema {
            Value::Object(members) => {
                let rewritten = members.iter().map(|(name, value)| {
                    let value = match value.as_str().and_then(|text| text.strip_prefix(REFS)) {
                        Some(used) if name == "$ref" => {
                            if !self.used.iter().any(|known| known == used) {
                                self.used.push(used.into());
                            }
                            format!("#/$defs/{used}").into()
                        }
                        _ => self.rewritten(value),
                    };
                    (name.clone(), value)
                });
                Value::Object(rewritten.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.rewritten(item)).collect(),
            other => other.clone(),
        }
    }

    /// Adds the definitions that a schema refers to, and those that they refer to.
    fn whole(mut self, mut schema: Map<String, Value>) -> Arc<JsonObject> {
        let mut definitions = Map::new();
        let mut next = 0;
        while let Some(name) = self.used.get(next).cloned() {
            let definition = self.rewritten(&DOCUMENT["components"]["schemas"][&name]);
            definitions.insert(name, definition);
            next += 1;
        }
        if !definitions.is_empty() {
            schema.insert("$defs".into(), definitions.into());
        }
        Arc::new(schema)
    }
}

/// Returns the component that a schema refers to, also as one of two choices beside `null`; else the schema.
fn component(schema: &'static Value) -> &'static Value {
    let choices =
        schema["oneOf"].as_array().into_iter().flatten().find(|choice| choice.get("$ref").is_some());
    let named = choices.unwrap_or(schema)["$ref"].as_str().and_then(|name| name.strip_prefix(REFS));
    named.map_or(schema, |name| &DOCUMENT["components"]["schemas"][name])
}

fn members(schema: &'static Value) -> impl Iterator<Item = (&'static String, &'static Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
