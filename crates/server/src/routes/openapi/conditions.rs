//! Demands on bodies that no derived schema can state: members that a kind needs, one of two members, and what is in maps
//! and lists.

use serde_json::{Map, Value, json};
use throughline_channels::api::{MAX_ACT_LINES, MAX_FORM_VALUES};
use throughline_engine::data::policy::context::TASK_ID;
use throughline_engine::data::policy::limits;
use utoipa::PartialSchema;

use crate::wire::vocabulary::{ActLine, Alias, FieldName, FieldUnit, HostId, OptionText, Text, Words};

/// Largest number of a field, which has 18 digits before the point.
const LARGEST: u64 = 999_999_999_999_999_999;

/// Members that an event needs, by its kind.
const NEEDS: [(&str, &[&str]); 11] = [
    ("message.posted", &["text"]),
    ("message.edited", &["message_id", "text"]),
    ("message.deleted", &["message_id"]),
    ("card.pressed", &["press"]),
    ("form.submitted", &["form"]),
    ("assistant.posted", &["assistant"]),
    ("approval.requested", &["approval"]),
    ("task.reported", &["report"]),
    ("options.shown", &["shown"]),
    ("options.closed", &["closed"]),
    ("focus.changed", &["focus"]),
];

/// Adds the demands to the schemas of the components.
pub(super) fn add(schemas: &mut Value) {
    for (name, demands) in all() {
        let Some(schema) = schemas.get_mut(name) else { continue };
        merge(schema, demands);
    }
}

fn all() -> Vec<(&'static str, Value)> {
    let option = either(&["token"], &["set", "version", "option"]);
    vec![
        ("EventBody", events()),
        ("EventPress", option),
        ("EventFile", either(&["id"], &["name"])),
        (
            "EventForm",
            json!({ "properties": { "values": {
            "maxProperties": MAX_FORM_VALUES, "propertyNames": of::<HostId>(), "additionalProperties": of::<Text>(),
        } } }),
        ),
        (
            "EventApproval",
            json!({ "properties": { "lines": { "maxItems": MAX_ACT_LINES, "items": of::<ActLine>() } } }),
        ),
        ("ClosedBody", either(&["set"], &["scope_instance"])),
        ("Replay", either(&["lane"], &["turn"])),
        (
            "PauseChange",
            json!({
                "if": is("paused", &json!(true)),
                "then": { "required": ["reason"], "properties": { "reason": of::<Words>() } },
            }),
        ),
        ("ShownBody", json!({ "properties": { "comparisons": { "maxItems": limits::LIST_COMPARISONS } } })),
        ("SnapshotBody", json!({ "properties": { "options": { "maxItems": limits::SET_OPTIONS } } })),
        (
            "OptionBody",
            json!({ "properties": {
            "aliases": { "maxItems": limits::OPTION_ALIASES, "items": of::<Alias>() },
            "fields": { "maxProperties": limits::OPTION_FIELDS, "propertyNames": of::<FieldName>() },
        } }),
        ),
        ("RenderedTask", json!({ "properties": { "task_id": { "minLength": 1, "maxLength": TASK_ID } } })),
        ("FieldBody", json!({ "oneOf": fields() })),
        ("RunAgentInput", json!({ "properties": { "resume": { "maxItems": 100 } } })),
        (
            "ProblemDetails",
            json!({ "properties": {
            "type": { "pattern": "^urn:throughline:error:TL-[0-9]{4}$" },
            "code": { "pattern": "^TL-[0-9]{4}$" },
            "status": { "minimum": 400, "maximum": 599 },
        } }),
        ),
    ]
}

/// Returns the forms of a field's value, in the order of [`crate::wire::FieldBody`].
fn fields() -> [Value; 6] {
    let largest = Value::from(LARGEST);
    let smallest = json!(-999_999_999_999_999_999_i64);
    let number = json!({ "type": "number", "minimum": smallest, "maximum": largest });
    let described = |mut schema: Value, says: &str| {
        schema["description"] = says.into();
        schema
    };
    let object = |properties: Value, required: &[&str], says: &str| json!({ "type": "object", "description": says, "properties": properties, "required": required, "additionalProperties": false });
    [
        described(number.clone(), "Number, with at most 18 digits before the point and 18 behind it."),
        described(of::<OptionText>(), "Text of at most 200 characters."),
        json!({ "type": "boolean", "description": "True or false." }),
        json!({ "type": "array", "description": "At most 32 texts.", "items": of::<OptionText>(), "maxItems": limits::FIELD_LIST }),
        object(
            json!({ "at": { "type": "string", "description": "RFC 3339: `2026-03-01`, `2026-03-01T09:00:00Z`.",
                "pattern": r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?$|^[0-9]{4}-(0[13-9]|1[0-2])-(29|30)(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?$" } }),
            &["at"],
            "Day or moment.",
        ),
        object(
            json!({ "value": described(number, "Number."), "unit": described(of::<FieldUnit>(), "Unit: a currency by its ISO 4217 code, `km`, `h`.") }),
            &["value", "unit"],
            "Number of a unit.",
        ),
    ]
}

/// Returns the demands of every kind of event. They are a chain, not a list: what makes types of a description takes a list of
/// schemas for parts of one type.
fn events() -> Value {
    let mut demands = json!({});
    for (kind, members) in NEEDS.iter().rev() {
        let mut then = given(members);
        if *kind == "message.posted" {
            then["properties"]["text"] = of::<Words>();
            // A file says something without words.
            let with_files = json!({ "required": ["files"], "properties": { "files": { "type": "array", "minItems": 1 } } });
            then = json!({ "if": with_files, "else": then });
        }
        demands = match demands.as_object().is_some_and(Map::is_empty) {
            true => json!({ "if": is("kind", &json!(kind)), "then": then }),
            false => json!({ "if": is("kind", &json!(kind)), "then": then, "else": demands }),
        };
    }
    demands
}

fn is(member: &str, value: &Value) -> Value {
    json!({ "required": [member], "properties": { member: { "const": value } } })
}

/// Returns the demand that the first members are there, or the others, and not both.
fn either(one: &[&str], other: &[&str]) -> Value {
    let without = |members: &[&str]| {
        let none = members.iter().map(|member| ((*member).to_owned(), json!({ "type": "null" })));
        json!({ "properties": Value::Object(none.collect()) })
    };
    json!({ "if": given(one), "then": without(other), "else": given(other) })
}

/// Returns the demand that members are there, and not `null`.
fn given(members: &[&str]) -> Value {
    let properties =
        members.iter().map(|member| ((*member).to_owned(), json!({ "not": { "type": "null" } })));
    json!({ "required": members, "properties": Value::Object(properties.collect()) })
}

fn of<T: PartialSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap_or_default()
}

/// Adds members to a value, deep into objects.
fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more,
    }
}
