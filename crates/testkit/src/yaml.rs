//! Writes YAML as people do: short maps in braces, long ones line by line, quotes only where needed.

use serde_json::Value as Json;
use serde_yaml_ng::Value;

/// The greatest width of a flow map, in characters.
const WIDTH: usize = 110;

/// Keys and values in the order they are written.
pub(crate) type Pairs = Vec<(String, Value)>;

/// Writes `key: value` on one line if it fits, and otherwise one line for each key.
pub(crate) fn line(out: &mut String, indent: usize, key: &str, value: &Value) {
    let pad = " ".repeat(indent);
    let key = scalar(key);
    if let Value::String(text) = value
        && text.contains('\n')
        && let Some(block) = block(text, indent + 2)
    {
        out.push_str(&format!("{pad}{key}: |-\n{block}"));
        return;
    }
    let flat = flow(value);
    match value {
        Value::Mapping(entries) if indent + key.len() + flat.len() + 2 > WIDTH => {
            out.push_str(&format!("{pad}{key}:\n"));
            for (inner, value) in entries {
                line(out, indent + 2, inner.as_str().unwrap_or_default(), value);
            }
        }
        Value::Sequence(items) if indent + key.len() + flat.len() + 2 > WIDTH && items.len() > 1 => {
            out.push_str(&format!("{pad}{key}:\n"));
            for item in items {
                out.push_str(&format!("{pad}  - {}\n", flow(item)));
            }
        }
        _ => out.push_str(&format!("{pad}{key}: {flat}\n")),
    }
}

/// Returns a literal block, if reading it gives the text back.
fn block(text: &str, indent: usize) -> Option<String> {
    let pad = " ".repeat(indent);
    let lines: String = text
        .split('\n')
        .map(|line| if line.is_empty() { "\n".into() } else { format!("{pad}{line}\n") })
        .collect();
    let back: Value = serde_yaml_ng::from_str(&format!("x: |-\n{lines}")).ok()?;
    (back.get("x")?.as_str()? == text).then_some(lines)
}

/// Formats a value as `{ key: value }` or `[ … ]`, on one line.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => scalar(text),
        Value::Sequence(list) => format!("[{}]", list.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Mapping(entries) if entries.is_empty() => "{}".into(),
        Value::Mapping(entries) => {
            let pairs: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", scalar(key.as_str().unwrap_or_default()), flow(value)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Value::Tagged(tagged) => flow(&tagged.value),
    }
}

/// Formats a pair on one line, without braces.
pub(crate) fn inline((key, value): &(String, Value)) -> String {
    format!("{key}: {}", flow(value))
}

/// Returns plain text if it reads back as itself, else quoted text.
fn scalar(text: &str) -> String {
    let plain = |text: &str| {
        let listed: Result<Value, _> = serde_yaml_ng::from_str(&format!("[{text}]"));
        let keyed: Result<Value, _> = serde_yaml_ng::from_str(&format!("{{ {text}: x }}"));
        let same = |value: &Value| value.as_str() == Some(text);
        listed.is_ok_and(|value| {
            value.get(0).is_some_and(same) && value.as_sequence().is_some_and(|l| l.len() == 1)
        }) && keyed
            .is_ok_and(|value| value.as_mapping().is_some_and(|map| map.len() == 1 && map.keys().all(same)))
    };
    if plain(text) { text.into() } else { quoted(text) }
}

/// Quotes text. JSON's escapes are YAML's, and YAML wants a few more characters escaped.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for c in Json::String(text.into()).to_string().chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

pub(crate) fn text(text: &str) -> Value {
    Value::String(text.into())
}

pub(crate) fn map(pairs: Pairs) -> Value {
    Value::Mapping(pairs.into_iter().map(|(key, value)| (Value::String(key), value)).collect())
}

pub(crate) fn json(json: &Json) -> Value {
    serde_yaml_ng::to_value(json).unwrap_or(Value::Null)
}

pub(crate) fn count(n: u32) -> Value {
    Value::Number(n.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for word in [
            "plain",
            "two words",
            "",
            " blank in front",
            "yes",
            "true",
            "null",
            "~",
            "5",
            "1e3",
            "0x1f",
            "a: b",
            "a #b",
            "#",
            "- x",
            "[x]",
            "{x}",
            "a, b",
            "it's",
            "\"q\"",
            "@ana",
            "*",
            "&a",
            "!x",
            "%",
            "`",
            "selection:A|B",
            "a\nb",
            "tab\t",
            "\u{7f}\u{85}\u{2028}\u{feff}\u{ffff}\u{1}",
            "👍🏽",
            "end:",
            "?",
            "2026-01-15T10:00:00Z",
        ] {
            let pairs =
                vec![(word.to_string(), text(word)), ("list".into(), Value::Sequence(vec![text(word)]))];
            let value = map(pairs);
            let flat = flow(&value);
            assert_eq!(serde_yaml_ng::from_str::<Value>(&flat).unwrap(), value, "{flat}");
            let mut out = String::new();
            line(&mut out, 0, "key", &text(word));
            let back: Value = serde_yaml_ng::from_str(&out).unwrap();
            assert_eq!(back["key"].as_str(), Some(word), "{out}");
        }
    }

    #[test]
    fn long_maps_are_broken_into_lines() {
        let long = map(vec![("a".into(), text(&"x".repeat(60))), ("b".into(), text(&"y".repeat(60)))]);
        let mut out = String::new();
        line(&mut out, 2, "key", &long);
        assert_eq!(out.lines().count(), 3, "{out}");
        assert_eq!(serde_yaml_ng::from_str::<Value>(&out).unwrap()["key"], long);
    }
}
