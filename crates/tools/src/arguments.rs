//! Arguments of tools: texts of people converted to the types of a schema and validated against it
//! (`docs/design/0037-models-and-tools.md`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use throughline_engine::data::fault::ToolFault;
use throughline_language::Expected;

/// The most fields of a form that people are asked to fill in.
const MOST_FIELDS: usize = 5;

/// An argument that does not fit, and the reason. The name is empty if it is about all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentError {
    pub(crate) name: String,
    pub(crate) why: ToolFault,
}

/// Converts and validates the arguments of a call.
pub(crate) fn arguments(
    schema: &Value,
    given: &BTreeMap<String, String>,
) -> Result<Map<String, Value>, ArgumentError> {
    let mut arguments = Map::new();
    for (name, text) in given {
        let property = &schema["properties"][name];
        let value = coerce(name, property, text).map_err(|why| ArgumentError { name: name.clone(), why })?;
        arguments.insert(name.clone(), value);
    }
    let arguments = Value::Object(arguments);
    // Nothing is fetched: a schema that refers elsewhere cannot be used.
    let validator = jsonschema::validator_for(schema)
        .map_err(|error| ToolFault::SchemaUnusable { why: error.to_string() })
        .map_err(|why| ArgumentError { name: String::new(), why })?;
    if let Some(error) = validator.iter_errors(&arguments).next() {
        let at = error.instance_path().to_string();
        let name = at.split('/').nth(1).unwrap_or_default().to_owned();
        let why = error.to_string();
        let why = match name.as_str() {
            "" => ToolFault::RefusedArguments { why },
            name => ToolFault::RefusedArgument { name: name.into(), why },
        };
        return Err(ArgumentError { name, why });
    }
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        _ => Ok(Map::new()),
    }
}

/// Converts the text of an argument to a value of that schema: text, a number, yes or no, one of a set.
pub(crate) fn coerce(name: &str, schema: &Value, text: &str) -> Result<Value, ToolFault> {
    let text = text.trim();
    let (name, written) = (name.to_owned(), text.to_owned());
    if let Some(options) = options(schema) {
        let same = |option: &&String| option.to_lowercase() == text.to_lowercase();
        let found = options.iter().find(same).cloned();
        return found.map(Value::String).ok_or(ToolFault::NotOf { name, known: options, text: written });
    }
    match schema["type"].as_str() {
        Some("integer") => {
            text.parse::<i64>().map(Value::from).map_err(|_| ToolFault::NotWhole { name, text: written })
        }
        Some("number") => {
            let whole = text.parse::<i64>().map(Value::from).ok();
            let found = whole.or_else(|| {
                text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number)
            });
            found.ok_or(ToolFault::NotNumeric { name, text: written })
        }
        Some("boolean") => match text.to_lowercase().as_str() {
            "yes" | "true" => Ok(Value::Bool(true)),
            "no" | "false" => Ok(Value::Bool(false)),
            _ => Err(ToolFault::NotYesNo { name, text: written }),
        },
        Some("object" | "array" | "null") => Err(ToolFault::NotWords { name }),
        _ => Ok(Value::String(text.into())),
    }
}

/// The values of an enumeration.
fn options(schema: &Value) -> Option<Vec<String>> {
    let words = |list: &Value, word: fn(&Value) -> Option<&str>| -> Option<Vec<String>> {
        let words: Option<Vec<String>> =
            list.as_array()?.iter().map(|one| word(one).map(str::to_owned)).collect();
        words.filter(|words| !words.is_empty())
    };
    words(&schema["enum"], Value::as_str).or_else(|| words(&schema["oneOf"], |one| one["const"].as_str()))
}

/// The fields of a form that people are asked to fill in, in its order: the required ones, or all if none is
/// required.
///
/// # Errors
/// The reason people cannot be asked for it.
pub(crate) fn fields(form: &Value) -> Result<Vec<(String, Expected)>, ToolFault> {
    let properties = form["properties"].as_object().filter(|properties| !properties.is_empty());
    let properties = properties.ok_or(ToolFault::AsksNothing)?;
    if properties.len() > MOST_FIELDS {
        return Err(ToolFault::AsksMany { count: properties.len(), most: MOST_FIELDS });
    }
    let required: Vec<&str> =
        form["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let wanted = |name: &str| required.is_empty() || required.contains(&name);
    let wanted = properties.iter().filter(|(name, _)| wanted(name));
    wanted.map(|(name, schema)| Ok((name.clone(), expected(name, schema)?))).collect()
}

fn expected(name: &str, schema: &Value) -> Result<Expected, ToolFault> {
    if let Some(options) = options(schema) {
        return Ok(Expected::Selection(options));
    }
    match schema["type"].as_str() {
        Some("string") if schema["format"] == "email" => Ok(Expected::Email),
        Some("string") => Ok(Expected::Text),
        Some("number") => Ok(Expected::Number),
        Some("integer") => Ok(Expected::Integer),
        Some("boolean") => Ok(Expected::Boolean),
        _ => Err(ToolFault::AsksStructure { name: name.into() }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn words_become_what_the_schema_wants() {
        let schema = json!({"type": "object", "required": ["city"], "additionalProperties": false, "properties": {
            "city": {"type": "string", "enum": ["New York", "Chicago"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 5},
            "ratio": {"type": "number"},
            "loud": {"type": "boolean"},
            "note": {"type": "string", "maxLength": 4},
        }});
        let all =
            given(&[("city", "new york"), ("days", "3"), ("ratio", "1.5"), ("loud", "yes"), ("note", "x")]);
        let arguments = Value::Object(arguments(&schema, &all).unwrap());
        assert_eq!(
            arguments,
            json!({"city": "New York", "days": 3, "ratio": 1.5, "loud": true, "note": "x"})
        );
        for (wrong, name) in [
            (given(&[("city", "Swansea")]), "city"),
            (given(&[("city", "Chicago"), ("days", "many")]), "days"),
            (given(&[("city", "Chicago"), ("days", "9")]), "days"),
            (given(&[("city", "Chicago"), ("loud", "perhaps")]), "loud"),
            (given(&[("city", "Chicago"), ("note", "longer")]), "note"),
            (given(&[]), ""),
            (given(&[("city", "Chicago"), ("secret", "x")]), ""),
        ] {
            assert_eq!(super::arguments(&schema, &wrong).unwrap_err().name, name, "{wrong:?}");
        }
    }

    #[test]
    fn a_schema_that_refers_elsewhere_fetches_nothing() {
        let schema = json!({"$ref": "https://example.org/schema.json"});
        let refused = arguments(&schema, &given(&[])).unwrap_err();
        assert!(matches!(refused.why, ToolFault::SchemaUnusable { .. }), "{refused:?}");
    }

    #[test]
    fn a_flat_form_of_five_is_asked_for() {
        let of = |properties: Value, required: Value| {
            fields(&json!({"properties": properties, "required": required}))
        };
        let asked = of(
            json!({"a": {"type": "string"}, "b": {"type": "boolean"}, "c": {"enum": ["x", "y"]}}),
            json!(["b", "c"]),
        );
        assert_eq!(
            asked.unwrap(),
            [
                ("b".into(), Expected::Boolean),
                ("c".into(), Expected::Selection(vec!["x".into(), "y".into()]))
            ]
        );
        assert_eq!(of(json!({"a": {"type": "number"}}), json!([])).unwrap().len(), 1);
        let six: Map<String, Value> = (0..6).map(|n| (format!("f{n}"), json!({"type": "string"}))).collect();
        assert_eq!(of(Value::Object(six), json!([])), Err(ToolFault::AsksMany { count: 6, most: 5 }));
        assert!(of(json!({"a": {"type": "object"}}), json!([])).is_err());
        assert!(of(json!({}), json!([])).is_err());
    }
}
