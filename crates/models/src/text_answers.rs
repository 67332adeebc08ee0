//! Parses answers that hold text: tickets, reviews, plain text. Unknown members are dropped; a list becomes one line
//! for each of its texts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::data::ask::{Answer, DraftAnswer, FieldChange, PatchAnswer, ReviewAnswer};
use throughline_engine::data::fact_proposal::FactProposal;
use throughline_engine::data::ticket::{ItemType, Part};

use crate::no_answer::no_answer;
use crate::strict_json::read;

/// The kinds of review that may be named, or none.
const KINDS: [&str; 4] = ["", "architecture", "security", "pm"];

/// Several items, or one.
#[derive(Deserialize)]
struct Items {
    items: Option<Vec<Item>>,
    #[serde(flatten)]
    only: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    item_type: ItemType,
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

/// Parses `{"type": "bug", "title": "…", "acceptance": ["…"]}`, or `{"items": […]}`.
pub(crate) fn items(raw: &str) -> Answer {
    let items = match read::<Items>(raw) {
        Ok(Items { items: Some(items), .. }) => items,
        Ok(Items { items: None, only }) => {
            match serde_json::from_value(Value::Object(only.into_iter().collect())) {
                Ok(only) => vec![only],
                Err(_) => return no_answer("schema"),
            }
        }
        Err(why) => return no_answer(why),
    };
    let drafted: Option<Vec<DraftAnswer>> = items.into_iter().map(drafted).collect();
    drafted.map_or_else(|| no_answer("schema"), |items| Answer::Draft { items })
}

/// Converts an item. `None` if a part holds neither text nor a list of texts.
fn drafted(item: Item) -> Option<DraftAnswer> {
    let mut fields = BTreeMap::new();
    for (name, value) in item.fields {
        // The engine knows where something was said; the model does not.
        let Some(part) = Part::parse(&name).filter(|part| *part != Part::Evidence) else { continue };
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text,
            Value::Array(lines) => {
                let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
                lines?.iter().map(|line| format!("- {}", line.trim())).collect::<Vec<_>>().join("\n")
            }
            _ => return None,
        };
        if !text.trim().is_empty() {
            fields.insert(part, text.trim().to_owned());
        }
    }
    Some(DraftAnswer { item_type: item.item_type, fields })
}

/// Parses `{"changes": [{"item": "i1", "field": "title", "text": "…"}]}`. A member or a field that is not in the schema spoils the
/// answer: what a model wants to change besides the offered fields is no part of what was asked.
pub(crate) fn revision(raw: &str) -> Answer {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Changes {
        changes: Vec<FieldChange>,
    }
    match read::<Changes>(raw) {
        Ok(Changes { changes }) if changes.iter().any(|change| !change.field.is_revisable()) => {
            no_answer("out_of_pool")
        }
        Ok(Changes { changes }) => Answer::Revision { changes },
        Err(why) => no_answer(why),
    }
}

/// Parses `{"kind": "security", "topic": "…", "summary": "…", "decisions": […], "risks": […], "questions": […]}`.
pub(crate) fn review(raw: &str) -> Answer {
    match read::<ReviewAnswer>(raw) {
        Ok(review) if !KINDS.contains(&review.kind.as_str()) => no_answer("out_of_pool"),
        Ok(review) => Answer::Review(review),
        Err(why) => no_answer(why),
    }
}

/// Parses `{"decisions": […], "risks": […], "questions": […], "changes": […]}`, any of them left out.
pub(crate) fn patch(raw: &str) -> Answer {
    read::<PatchAnswer>(raw).map_or_else(no_answer, Answer::Patch)
}

/// Parses `{"text": "…", "facts": […]}`: an answer, and facts the model found stated. A fact that cannot be read
/// becomes an empty one and spoils no other.
pub(crate) fn text(raw: &str, of: fn(String, Vec<FactProposal>) -> Answer) -> Answer {
    #[derive(Deserialize)]
    struct Words {
        text: String,
        #[serde(default)]
        facts: Value,
    }
    read::<Words>(raw).map_or_else(no_answer, |words| {
        let facts = words.facts.as_array().into_iter().flatten();
        let facts = facts.map(|fact| serde_json::from_value(fact.clone()).unwrap_or_default());
        of(words.text, facts.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_changes_named_fields_only() {
        let change = |member: &str| format!(r#"{{"changes":[{{"item":"i1",{member}}}]}}"#);
        let read = |raw: &str| match revision(raw) {
            Answer::Revision { changes } => format!("{} {}", changes[0].field.as_str(), changes[0].text),
            Answer::None { why } => why,
            other => panic!("{other:?}"),
        };
        for (raw, expected) in [
            (change(r#""field":"title","text":"Login""#), "title Login"),
            (change(r#""field":"evidence","text":"x""#), "out_of_pool"),
            (change(r#""field":"assignee","text":"eve""#), "out_of_pool"),
            (change(r#""field":"dependencies","text":"OPS-1""#), "out_of_pool"),
            (change(r#""field":"project","text":"EVIL""#), "schema"),
            (change(r#""field":"title","text":"Login","id":"dr_1""#), "schema"),
            (change(r#""field":"title","text":["Login"]"#), "schema"),
            (r#"{"changes":[],"approve":true}"#.into(), "schema"),
            ("{}".into(), "schema"),
        ] {
            assert_eq!(read(&raw), expected, "{raw}");
        }
    }

    #[test]
    fn reads_one_item_or_several() {
        let one =
            r#"{"type":"bug","title":"Login fails","acceptance":["a form"," a button "],"project":"EVIL"}"#;
        let Answer::Draft { items: one } = items(one) else { panic!() };
        assert_eq!(one[0].item_type, ItemType::Bug);
        assert_eq!(one[0].fields[&Part::Acceptance], "- a form\n- a button");
        assert_eq!(one[0].fields.len(), 2, "what nobody asked for is dropped");
        let two =
            r#"{"items":[{"type":"epic","title":"Auth"},{"type":"story","title":"Log in","problem":null}]}"#;
        let Answer::Draft { items: two } = items(two) else { panic!() };
        assert_eq!(two.len(), 2);
    }

    #[test]
    fn what_is_no_item_is_no_answer() {
        for (raw, why) in [
            ("{}", "schema"),
            (r#"{"title":"no type"}"#, "schema"),
            (r#"{"type":"epidemic","title":"x"}"#, "schema"),
            (r#"{"type":"bug","title":7}"#, "schema"),
            (r#"{"type":"bug","acceptance":[1,2]}"#, "schema"),
            (r#"{"items":[{"type":"bug"#, "cut"),
            (r#"{"items":[{"type":"bug","title":"a","title":"b"}]}"#, "two_choices"),
            ("I cannot do that.", "prose"),
            ("", "empty"),
        ] {
            assert_eq!(items(raw), no_answer(why), "{raw}");
        }
    }

    #[test]
    fn reads_reviews_patches_and_words() {
        assert!(matches!(review(r#"{"topic":"t","summary":"s","risks":["r"]}"#), Answer::Review(_)));
        assert_eq!(review(r#"{"topic":"t"}"#), no_answer("schema"));
        assert_eq!(review(r#"{"kind":"legal","topic":"t","summary":"s"}"#), no_answer("out_of_pool"));
        assert!(matches!(patch(r#"{"risks":["r"]}"#), Answer::Patch(_)));
        assert_eq!(patch(r#"{"risks":"r"}"#), no_answer("schema"));
        let text = |raw| text(raw, |text, facts| Answer::Text { text, facts });
        assert_eq!(text(r#"{"text":"hi"}"#), Answer::Text { text: "hi".into(), facts: Vec::new() });
        let stated = r#"{"text":"hi","facts":[7,{"type":"decision","scope":"thread","text":"We use X","confidence":1}]}"#;
        let Answer::Text { facts, .. } = text(stated) else { panic!() };
        assert_eq!((facts.len(), facts[0].text.as_str(), facts[1].text.as_str()), (2, "", "We use X"));
        assert_eq!(text("hi"), no_answer("prose"));
    }
}
