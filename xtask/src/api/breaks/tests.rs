//! Each kind of change of a small description, and whether it breaks clients.

use serde_json::json;

use super::*;

fn document() -> Value {
    json!({
        "paths": { "/things/{id}": { "put": {
            "operationId": "putThing",
            "security": [{ "bearer": ["things:write"] }, {}],
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } },
                { "name": "limit", "in": "query", "schema": { "type": "integer", "minimum": 1, "maximum": 200 } },
            ],
            "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } } },
            "responses": {
                "200": { "headers": { "Location": {} }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } } },
                "404": { "content": { "application/problem+json": { "schema": { "type": "object" } } } },
            },
        } } },
        "components": { "schemas": { "Thing": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": { "type": "string", "maxLength": 255, "pattern": "^x" },
                "kind": { "type": "string", "enum": ["a", "b"] },
                "size": { "type": ["integer", "null"] },
                "inner": { "$ref": "#/components/schemas/Thing" },
                "several": { "type": "array", "items": { "type": "string" }, "maxItems": 5 },
                "either": { "oneOf": [{ "type": "string" }, { "type": "object", "properties": { "at": { "type": "string" } } }] },
            },
            "if": { "required": ["size"] },
            "then": { "required": ["kind"] },
        } } },
    })
}

const OPERATION: &str = "/paths/~1things~1{id}/put";
const THING: &str = "/components/schemas/Thing";

/// Returns the breaks of a document in which the value at a place is another one, or is gone.
fn changed(place: &str, value: Value) -> Vec<String> {
    let mut new = document();
    let (parent, last) = place.rsplit_once('/').unwrap();
    let last = last.replace("~1", "/");
    let parent = new.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(all) => all[last.parse::<usize>().unwrap()] = value,
        Value::Object(all) if value.is_null() => drop(all.remove(&last).unwrap()),
        parent => parent[last] = value,
    }
    breaks(&document(), &new)
}

#[test]
fn nothing_breaks_a_document_that_did_not_change() {
    assert_eq!(breaks(&document(), &document()), Vec::<String>::new());
}

#[test]
fn what_clients_rely_on_is_a_break() {
    let sent = "PUT /things/{id} body";
    let got = "PUT /things/{id} 200";
    for (place, value, expected) in [
        ("/paths/~1things~1{id}", Value::Null, "PUT /things/{id} is gone".to_owned()),
        (
            &format!("{OPERATION}/operationId"),
            json!("setThing"),
            "PUT /things/{id} has another operationId, \"setThing\"".into(),
        ),
        (
            &format!("{OPERATION}/security"),
            json!([{ "bearer": ["things:write", "admin"] }, {}]),
            "PUT /things/{id} is no longer allowed with {\"bearer\":[\"things:write\"]}".into(),
        ),
        (
            &format!("{OPERATION}/security"),
            json!([{ "bearer": ["things:write"] }]),
            "PUT /things/{id} is no longer allowed with {}".into(),
        ),
        (
            &format!("{OPERATION}/parameters/1/schema/maximum"),
            json!(100),
            "PUT /things/{id} parameter limit: maximum is 100 now".into(),
        ),
        (
            &format!("{OPERATION}/parameters/1/schema/minimum"),
            json!(2),
            "PUT /things/{id} parameter limit: minimum is 2 now".into(),
        ),
        (
            &format!("{OPERATION}/parameters/1/required"),
            json!(true),
            "PUT /things/{id} parameter limit is required now".into(),
        ),
        (
            &format!("{OPERATION}/parameters/1/name"),
            json!("most"),
            "PUT /things/{id} parameter limit is gone".into(),
        ),
        (&format!("{OPERATION}/responses/404"), Value::Null, "PUT /things/{id} no longer answers 404".into()),
        (
            &format!("{OPERATION}/responses/200/headers/Location"),
            Value::Null,
            "PUT /things/{id} 200 no longer has the header Location".into(),
        ),
        (
            &format!("{OPERATION}/responses/200/content/application~1json"),
            Value::Null,
            format!("{got} is no longer application/json"),
        ),
        (&format!("{THING}/required"), json!(["id", "kind"]), format!("{sent}.kind is required now")),
        (&format!("{THING}/required"), json!([]), format!("{got}.id may be absent now")),
        (&format!("{THING}/properties/kind"), Value::Null, format!("{sent}.kind is gone")),
        (
            &format!("{THING}/properties/kind/enum"),
            json!(["a"]),
            format!("{sent}.kind no longer takes \"b\""),
        ),
        (&format!("{THING}/properties/id/enum"), json!(["x"]), format!("{sent}.id takes only [\"x\"] now")),
        (&format!("{THING}/properties/id/maxLength"), json!(100), format!("{sent}.id: maxLength is 100 now")),
        (&format!("{THING}/properties/id/minLength"), json!(1), format!("{sent}.id: minLength is 1 now")),
        (&format!("{THING}/properties/id/pattern"), json!("^y"), format!("{sent}.id: pattern is \"^y\" now")),
        (
            &format!("{THING}/properties/size/type"),
            json!("integer"),
            format!("{sent}.size no longer takes null"),
        ),
        (
            &format!("{THING}/properties/size/type"),
            json!(["integer", "string", "null"]),
            format!("{got}.size may now be string"),
        ),
        (
            &format!("{THING}/properties/several/maxItems"),
            json!(4),
            format!("{sent}.several: maxItems is 4 now"),
        ),
        (
            &format!("{THING}/properties/several/items/type"),
            json!("integer"),
            format!("{sent}.several[] no longer takes string"),
        ),
        (
            &format!("{THING}/properties/either/oneOf/0/type"),
            json!("integer"),
            format!("{sent}.either is no longer taken as {{\"type\":\"string\"}}"),
        ),
        (
            &format!("{THING}/properties/either/oneOf"),
            json!([{ "type": "string" }, { "type": "object", "properties": { "at": { "type": "string" } } }, { "type": "boolean" }]),
            format!("{got}.either may now be {{\"type\":\"boolean\"}}"),
        ),
        (
            &format!("{THING}/additionalProperties"),
            json!(false),
            format!("{sent} no longer takes other members"),
        ),
        (
            &format!("{THING}/then"),
            json!({ "required": ["several"] }),
            format!("{sent} demands {{\"required\":[\"several\"]}} if {{\"required\":[\"size\"]}}"),
        ),
        (
            &format!("{THING}/then"),
            json!({ "if": { "required": ["several"] }, "else": { "required": ["inner"] } }),
            format!("{sent} demands {{\"required\":[\"inner\"]}} if {{\"required\":[\"size\"]}}"),
        ),
        (
            &format!("{THING}/allOf"),
            json!([{ "if": { "properties": { "kind": { "const": "b" } } }, "then": { "required": ["several"] } }]),
            format!(
                "{sent} demands {{\"required\":[\"several\"]}} if {{\"properties\":{{\"kind\":{{\"const\":\"b\"}}}}}}"
            ),
        ),
    ] {
        let found = changed(place, value.clone());
        assert!(found.contains(&expected), "{place} {value}: {found:?}");
    }
}

#[test]
fn what_only_adds_is_none() {
    for (place, value) in [
        (format!("{OPERATION}/parameters/1/schema/maximum"), json!(500)),
        (format!("{OPERATION}/parameters/1/schema/minimum"), json!(0)),
        (format!("{OPERATION}/responses/409"), json!({ "description": "New." })),
        (format!("{OPERATION}/summary"), json!("New.")),
        (format!("{THING}/properties/new"), json!({ "type": "string" })),
        (format!("{THING}/properties/kind/enum"), json!(["a", "b", "c"])),
        (format!("{THING}/properties/id/maxLength"), json!(300)),
        (format!("{THING}/properties/id/description"), json!("New.")),
        (format!("{THING}/properties/several/maxItems"), json!(50)),
        // A demand on a word that nobody could send.
        (
            format!("{THING}/allOf"),
            json!([{ "if": { "properties": { "kind": { "const": "c" } } }, "then": { "required": ["several"] } }]),
        ),
        // A demand with an exception.
        (
            format!("{THING}/then"),
            json!({ "if": { "required": ["several"] }, "else": { "required": ["kind"] } }),
        ),
        ("/components/schemas/New".to_owned(), json!({ "type": "object" })),
        ("/paths/~1new".to_owned(), json!({ "get": { "responses": {} } })),
    ] {
        assert_eq!(changed(&place, value.clone()), Vec::<String>::new(), "{place} {value}");
    }
}
