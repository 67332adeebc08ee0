//! The objects of the OpenAPI document, as words and tables.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

const REFERENCE: &str = "#/components/schemas/";
const TABLE: &str = "| Member | Type | |\n| --- | --- | --- |\n";

/// Every named schema.
pub(super) struct Schemas<'d> {
    document: &'d Value,
}

/// One member of an object.
struct Member<'d> {
    name: &'d str,
    required: bool,
    schema: &'d Value,
}

impl<'d> Schemas<'d> {
    pub(super) fn new(document: &'d Value) -> Self {
        Self { document }
    }

    fn get(&self, name: &str) -> &'d Value {
        &self.document["components"]["schemas"][name]
    }

    /// Follows a reference to its schema; returns anything else as it is.
    fn resolved(&self, schema: &'d Value) -> &'d Value {
        name(schema).map_or(schema, |name| self.get(name))
    }

    /// Returns the schema's own description.
    pub(super) fn says(&self, schema: &'d Value) -> String {
        joined(text(&self.resolved(schema)["description"]))
    }

    /// Returns the table of a request's body. Inner objects are unfolded, so that the body can be written from the top down.
    pub(super) fn body(&self, schema: &'d Value) -> String {
        let mut out = TABLE.to_owned();
        self.unfold(schema, "", &mut out);
        out
    }

    fn unfold(&self, schema: &'d Value, before: &str, out: &mut String) {
        for member in self.members(self.resolved(schema)) {
            let inner = self.resolved(not_null(member.schema));
            let path = format!("{before}{}", member.name);
            let object = inner["properties"].is_object();
            let kind = if object { "object".into() } else { self.written_kind(member.schema) };
            self.row(&path, &kind, &member, out);
            if object {
                self.unfold(inner, &format!("{path}."), out);
            }
        }
    }

    /// Returns a section for each object that an answer can hold.
    pub(super) fn answered(&self) -> String {
        let mut names = BTreeSet::new();
        let paths = self.document["paths"].as_object().into_iter().flatten();
        for operation in paths.flat_map(|(_, methods)| methods.as_object().into_iter().flatten()) {
            self.reach(&operation.1["responses"], &mut names);
        }
        let mut out = String::new();
        for name in names {
            let schema = self.get(name);
            if page_of(name).is_none() && schema["enum"].is_null() {
                let _ = write!(out, "\n### {name}\n\n{}\n\n{}", self.says(schema), self.object(schema));
            }
        }
        out
    }

    /// Collects every schema that is reached from here. A page leads to the schema of its items.
    fn reach(&self, from: &'d Value, into: &mut BTreeSet<&'d str>) {
        if let Some(name) = name(from) {
            let name = page_of(name).unwrap_or(name);
            if into.insert(name) {
                self.reach(self.get(name), into);
            }
            return;
        }
        match from {
            Value::Object(members) => members.values().for_each(|member| self.reach(member, into)),
            Value::Array(elements) => elements.iter().for_each(|element| self.reach(element, into)),
            _ => {}
        }
    }

    fn object(&self, schema: &'d Value) -> String {
        let mut out = String::new();
        for base in parts(schema).filter_map(name) {
            let _ = write!(out, "All of {}, and:\n\n", link(base));
        }
        for free in parts(schema).filter(|part| part["properties"].is_null() && name(part).is_none()) {
            let _ = write!(out, "{}\n\n", text(&free["description"]));
        }
        out.push_str(TABLE);
        for member in self.members(schema) {
            self.row(member.name, &self.kind(member.schema), &member, &mut out);
        }
        out
    }

    /// Returns the members, the required ones first.
    fn members(&self, schema: &'d Value) -> Vec<Member<'d>> {
        let mut members = Vec::new();
        for part in parts(schema) {
            let required =
                |name: &str| part["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
            let properties = part["properties"].as_object().into_iter().flatten();
            members.extend(properties.map(|(name, schema)| Member {
                name,
                required: required(name),
                schema,
            }));
        }
        members.sort_by_key(|member| !member.required);
        members
    }

    fn row(&self, path: &str, kind: &str, member: &Member<'d>, out: &mut String) {
        let optional = if member.required { "" } else { ", optional" };
        let own = not_null(member.schema);
        let says = [member.schema, own, self.resolved(own)]
            .into_iter()
            .map(|schema| joined(text(&schema["description"])))
            .find(|says| !says.is_empty());
        let says = says.unwrap_or_default().replace('|', "\\|");
        let _ = writeln!(out, "| `{path}` | {kind}{optional} | {says} |");
    }

    /// Returns a type in a request, without a link.
    fn written_kind(&self, schema: &'d Value) -> String {
        let kind = self.kind(schema);
        kind.split_once("](").map_or(kind.clone(), |(name, _)| name.replace('[', ""))
    }

    /// Returns a type in words.
    pub(super) fn kind(&self, schema: &'d Value) -> String {
        let schema = not_null(schema);
        if let Some(name) = name(schema) {
            let words = self.get(name)["enum"].as_array();
            return match (page_of(name), words) {
                (Some(of), _) => format!("page of {}", link(of)),
                (None, Some(words)) => either(words),
                (None, None) => link(name),
            };
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().map(text).find(|kind| *kind != "null").unwrap_or_default(),
            kind => text(kind),
        };
        match kind {
            "array" => format!("list of {}", self.kind(&schema["items"])),
            "" => "any".into(),
            kind => kind.into(),
        }
    }
}

/// Returns the parts of an `allOf`, or the schema itself.
fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    let all = schema["allOf"].as_array();
    let own = all.is_none().then_some(schema);
    all.into_iter().flatten().chain(own)
}

/// Returns the schema of the value when it is not null.
fn not_null(schema: &Value) -> &Value {
    let of = schema["oneOf"].as_array();
    of.and_then(|of| of.iter().find(|one| one["type"] != "null")).unwrap_or(schema)
}

/// Returns the name in a reference.
fn name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(REFERENCE)
}

/// Returns the name of a page's items.
fn page_of(name: &str) -> Option<&str> {
    name.strip_prefix("Page_")
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

fn either(words: &[Value]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{}`", text(word))).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// Returns a text of the document, or an empty one.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the text in one line.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
