//! The content of a host's act as text: what people read, what they approve and what the host is handed are these bytes.

use std::fmt::Write;

use serde_json::Value;
use throughline_engine::data::canonical_json::jcs;

use super::problem::{Checker, MAX_ACT_PAYLOAD, is_invisible, step};

/// The most digits of a number. More are not kept by every reader of JSON, so that another number could be performed than was
/// approved.
const DIGITS: usize = 15;

/// Returns the canonical JSON (RFC 8785) of a content, with an escape for each character that would not be seen. Reports
/// numbers that not every program reads alike, and a content that is too long.
pub(super) fn text(pointer: &str, content: &Value, check: &mut Checker) -> String {
    numbers(pointer, content, check);
    let mut text = String::new();
    for c in jcs(content).chars() {
        // Outside of its strings JSON has none of these, so the text stays JSON of the same value.
        if is_invisible(c) || c.is_control() {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    if text.len() > MAX_ACT_PAYLOAD {
        let length = text.len();
        check.wrong(
            pointer,
            format!(
                "the content of an act has at most {MAX_ACT_PAYLOAD} bytes as JSON; this one has {length}"
            ),
        );
    }
    text
}

fn numbers(pointer: &str, content: &Value, check: &mut Checker) {
    match content {
        Value::Number(number) => {
            let text = number.to_string();
            let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
            let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
            if digits.trim_start_matches('0').len() > DIGITS {
                let why = format!("a number has at most {DIGITS} digits; send {text} as a string");
                check.wrong(pointer, why);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                numbers(&format!("{pointer}/{at}"), item, check);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                numbers(&format!("{pointer}/{}", step(name)), member, check);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(content: &Value) -> Result<String, String> {
        let mut check = Checker::default();
        let text = text("/payload", content, &mut check);
        match check.problems.first() {
            None => Ok(text),
            Some(problem) => Err(problem.pointer.clone()),
        }
    }

    #[test]
    fn a_content_is_sorted_and_shows_what_is_in_it() {
        let content = json!({"to": "\u{202e}eve\u{200b}", "amount": 12.5, "n": [1, null, true]});
        let text = read(&content).unwrap();
        assert_eq!(text, r#"{"amount":12.5,"n":[1,null,true],"to":"\u202eeve\u200b"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), content);
    }

    #[test]
    fn numbers_that_programs_read_differently_are_refused_where_they_are() {
        let long = serde_json::from_str::<Value>(r#"{"a/b":[0,12345678901234567890123]}"#).unwrap();
        assert_eq!(read(&long), Err("/payload/a~1b/1".into()));
        assert_eq!(read(&json!({"id": 9_007_199_254_740_993_u64})), Err("/payload/id".into()));
        assert_eq!(read(&json!(0.1 + 0.2)), Err("/payload".into()));
        assert_eq!(read(&json!("x".repeat(MAX_ACT_PAYLOAD))), Err("/payload".into()));
    }

    fn contents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-999_999_999_999_999_i64..=999_999_999_999_999).prop_map(Value::from),
            (-99_999_999_i64..=99_999_999, 0_u32..6)
                .prop_map(|(n, at)| { serde_json::from_str(&format!("{n}e-{at}")).unwrap_or(Value::Null) }),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// The text is JSON of the same value, has nothing that is not seen, and is its own text.
        #[test]
        fn the_text_is_the_content(content in contents()) {
            let text = read(&content).unwrap();
            let again: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&again, &content);
            prop_assert!(!text.chars().any(|c| is_invisible(c) || c.is_control()));
            prop_assert_eq!(read(&again).unwrap(), text);
        }
    }
}
