//! Checks of blocks and views against the rules of Block Kit, with Slack's texts.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::element_rules;
use super::rules::{self, Field, Rule, Shape};

/// The length of all text of a message at which Slack refuses it. The number is measured, not documented.
const MAX_TOTAL: usize = 13_200;

/// Returns the mistakes in the blocks of a message, in Slack's words and with their places. Their text altogether is
/// another limit: `too_long`.
#[must_use]
pub fn check_message(blocks: &Value) -> Vec<String> {
    let mut check = Check::default();
    check.rule(blocks, "/blocks", &rules::MESSAGE);
    check.wrong
}

/// Returns the mistakes in a modal or a Home tab, in Slack's words and with their places.
#[must_use]
pub fn check_view(view: &Value) -> Vec<String> {
    let mut check = Check::default();
    let kind = view["type"].as_str().unwrap_or_default();
    match rules::VIEWS.iter().find(|shape| shape.kind == kind) {
        Some(shape) => check.shape(view, "/view", shape, &[]),
        None => check.add("unsupported type", "/view/type"),
    }
    let blocks = view["blocks"].as_array().into_iter().flatten();
    let has_input = blocks.clone().any(|block| block["type"] == "input");
    if kind == "modal" && has_input && view["submit"].is_null() {
        check.add("missing required field: submit", "/view");
    }
    if kind == "home" && has_input && blocks.clone().any(|block| block["element"]["type"] == "file_input") {
        check.add("unsupported type: file_input", "/view/blocks");
    }
    check.wrong
}

/// Returns true if all text of the blocks is more than Slack takes in one message.
#[must_use]
pub fn too_long(blocks: &[Value]) -> bool {
    let length: usize = blocks.iter().map(text_length).sum();
    length > MAX_TOTAL
}

fn text_length(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            let own = fields.get("text").and_then(Value::as_str).map_or(0, |text| text.chars().count());
            own + fields.values().map(text_length).sum::<usize>()
        }
        Value::Array(all) => all.iter().map(text_length).sum(),
        _ => 0,
    }
}

/// Adds what Slack adds to texts that do not say it.
fn add_defaults(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            match fields.get("type").and_then(Value::as_str) {
                Some("plain_text") => drop(fields.entry("emoji").or_insert(json!(true))),
                Some("mrkdwn") => drop(fields.entry("verbatim").or_insert(json!(false))),
                _ => {}
            }
            fields.values_mut().for_each(add_defaults);
        }
        Value::Array(all) => all.iter_mut().for_each(add_defaults),
        _ => {}
    }
}

/// Returns blocks as Slack keeps them: with ids for the blocks and actions that have none.
pub(super) fn with_ids(blocks: &[Value], mut next: impl FnMut() -> String) -> Vec<Value> {
    let mut blocks = blocks.to_vec();
    for block in &mut blocks {
        add_defaults(block);
        let Some(fields) = block.as_object_mut() else { continue };
        fields.entry("block_id").or_insert_with(|| json!(next()));
        let interactive =
            fields.get("type").is_some_and(|kind| kind == "actions" || kind == "context_actions");
        for name in ["accessory", "element"] {
            if let Some(element) = fields.get_mut(name).and_then(Value::as_object_mut)
                && element.get("type").is_some_and(|kind| kind != "image")
            {
                element.entry("action_id").or_insert_with(|| json!(next()));
            }
        }
        if !interactive {
            continue;
        }
        for element in fields.get_mut("elements").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(element) = element.as_object_mut() {
                element.entry("action_id").or_insert_with(|| json!(next()));
            }
        }
    }
    blocks
}

#[derive(Default)]
struct Check {
    wrong: Vec<String>,
    blocks: BTreeSet<String>,
    /// The ids of the actions of the block that is being checked.
    actions: BTreeSet<String>,
}

impl Check {
    fn add(&mut self, what: &str, at: &str) {
        self.wrong.push(format!("{what} [json-pointer:{at}]"));
    }

    fn rule(&mut self, value: &Value, at: &str, rule: &Rule) {
        match rule {
            Rule::Text(least, most) => self.text(value, at, *least, *most),
            Rule::Plain(most) => self.text_object(value, at, &["plain_text"], *most),
            Rule::Words(most) => self.text_object(value, at, &["plain_text", "mrkdwn"], *most),
            Rule::Id => self.id(value, at),
            Rule::Bool if !value.is_boolean() => self.add("must be a boolean", at),
            Rule::Number if !value.is_number() => self.add("must be a number", at),
            Rule::OneOf(all) if !all.iter().any(|one| value == one) => {
                self.add("must be a valid enum value", at);
            }
            Rule::List(least, most, of) => self.list(value, at, (*least, *most), of),
            Rule::Typed(kinds) => self.typed(value, at, kinds),
            Rule::Object(fields) => self.object(value, at, fields),
            Rule::Date => self.date(value, at),
            Rule::Bool | Rule::Number | Rule::OneOf(_) | Rule::Any => {}
        }
    }

    fn text(&mut self, value: &Value, at: &str, least: usize, most: usize) {
        let Some(text) = value.as_str() else { return self.add("must provide a string", at) };
        let length = text.chars().count();
        if length < least {
            self.add(&format!("must be more than {} characters", least.saturating_sub(1)), at);
        }
        if length > most {
            self.add(&format!("must be less than {} characters", most + 1), at);
        }
    }

    fn text_object(&mut self, value: &Value, at: &str, kinds: &[&str], most: usize) {
        if !value.is_object() {
            return self.add("must provide an object", at);
        }
        let kind = value["type"].as_str().unwrap_or_default();
        if !kinds.contains(&kind) {
            return self.add(&format!("unsupported type: {kind}"), &format!("{at}/type"));
        }
        let format = if kind == "plain_text" { "emoji" } else { "verbatim" };
        let known = |name: &String| name == "type" || name == "text" || name == format;
        let unknown = value.as_object().into_iter().flat_map(Map::keys).find(|name| !known(name));
        if let Some(name) = unknown {
            self.add(&format!("invalid additional property: {name}"), at);
        }
        self.text(&value["text"], &format!("{at}/text"), 1, most);
    }

    fn id(&mut self, value: &Value, at: &str) {
        self.text(value, at, 1, 255);
        let id = value.as_str().unwrap_or_default();
        let (known, name) = if at.ends_with("/block_id") {
            (&mut self.blocks, "block_id")
        } else {
            (&mut self.actions, "action_id")
        };
        if !known.insert(id.to_owned()) {
            self.add(&format!("`{name}` {id} already exists"), at);
        }
    }

    fn list(&mut self, value: &Value, at: &str, (least, most): (usize, usize), of: &Rule) {
        let Some(items) = value.as_array() else { return self.add("must provide a list", at) };
        if items.len() < least {
            self.add(&format!("no fewer than {least} items allowed"), at);
        }
        if items.len() > most {
            self.add(&format!("no more than {most} items allowed"), at);
        }
        let is_block = at.ends_with("/blocks");
        for (index, item) in items.iter().enumerate() {
            if is_block {
                self.actions.clear();
            }
            self.rule(item, &format!("{at}/{index}"), of);
        }
    }

    fn typed(&mut self, value: &Value, at: &str, kinds: &[&str]) {
        let Some(kind) = value["type"].as_str() else { return self.add("missing required field: type", at) };
        if !kinds.contains(&kind) {
            return self.add(&format!("unsupported type: {kind}"), &format!("{at}/type"));
        }
        let parent = at.rsplit('/').nth(1).unwrap_or_default();
        let shapes = if parent == "blocks" { rules::BLOCKS } else { element_rules::ELEMENTS };
        let more = if element_rules::is_select(kind) { element_rules::SELECT_FIELDS } else { &[] };
        match shapes.iter().find(|shape| shape.kind == kind) {
            Some(shape) => self.shape(value, at, shape, more),
            None => self.add(&format!("unsupported type: {kind}"), &format!("{at}/type")),
        }
        if kind == "table" {
            self.table(value, at);
        }
        self.bounds(value, at, kind);
    }

    fn shape(&mut self, value: &Value, at: &str, shape: &Shape, more: &[Field]) {
        let fields: Vec<&Field> = shape.fields.iter().chain(more).collect();
        self.fields(value, at, &fields, true);
        if !shape.one_of.is_empty() && shape.one_of.iter().all(|name| value.get(*name).is_none()) {
            self.add(&format!("missing required field: {}", shape.one_of.join(" or ")), at);
        }
    }

    fn object(&mut self, value: &Value, at: &str, fields: &[Field]) {
        self.fields(value, at, &fields.iter().collect::<Vec<_>>(), false);
    }

    fn fields(&mut self, value: &Value, at: &str, fields: &[&Field], typed: bool) {
        let Some(object) = value.as_object() else { return self.add("must provide an object", at) };
        for (name, required, rule) in fields {
            match object.get(*name) {
                Some(value) => self.rule(value, &format!("{at}/{name}"), rule),
                None if *required => self.add(&format!("missing required field: {name}"), at),
                None => {}
            }
        }
        for name in object.keys() {
            let known = fields.iter().any(|(known, ..)| known == name) || typed && name == "type";
            if !known {
                self.add(&format!("invalid additional property: {name}"), at);
            }
        }
    }

    fn date(&mut self, value: &Value, at: &str) {
        let text = value.as_str().unwrap_or_default();
        let parts: Vec<usize> = text.split('-').map(str::len).collect();
        if parts != [4, 2, 2] || !text.chars().all(|c| c.is_ascii_digit() || c == '-') {
            self.add("must be a date", at);
        }
    }

    fn table(&mut self, value: &Value, at: &str) {
        if text_length(&value["rows"]) > 10_000 {
            self.add("must be less than 10001 characters", &format!("{at}/rows"));
        }
    }

    fn bounds(&mut self, value: &Value, at: &str, kind: &str) {
        for (_, name, least, most) in element_rules::BOUNDS.iter().filter(|bound| bound.0 == kind) {
            if let Some(number) = value[*name].as_i64()
                && !(*least..=*most).contains(&number)
            {
                self.add(&format!("must be between {least} and {most}"), &format!("{at}/{name}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> Value {
        json!({"type": "section", "text": {"type": "mrkdwn", "text": text}})
    }

    fn button(more: Value) -> Value {
        let mut button =
            json!({"type": "button", "text": {"type": "plain_text", "text": "Go"}, "action_id": "a"});
        button.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([{"type": "actions", "elements": [button]}])
    }

    #[test]
    fn takes_what_is_right() {
        let input = json!({"type": "plain_text_input", "action_id": "t", "max_length": 3_000});
        let label = json!({"type": "plain_text", "text": "Title"});
        let view = json!({"type": "modal", "title": label, "submit": label,
            "blocks": [{"type": "input", "label": label, "element": input}]});
        assert_eq!(check_view(&view), [""; 0]);
        assert_eq!(check_view(&json!({"type": "home", "blocks": [section("x")]})), [""; 0]);
        let select = json!({"type": "static_select", "action_id": "s", "placeholder": label,
            "options": [{"text": label, "value": "1"}]});
        let blocks = json!([section("*x*"), {"type": "divider"}, {"type": "actions", "elements": [select]},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}]}]);
        assert_eq!(check_message(&blocks), [""; 0]);
    }

    #[test]
    fn refuses_what_is_wrong() {
        let long = |count: usize| "x".repeat(count);
        let same = json!({"type": "divider", "block_id": "b"});
        let plain = |text: &str| json!({"type": "plain_text", "text": text});
        for (blocks, wanted) in [
            (
                json!([section(&long(3_001))]),
                "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
            ),
            (json!([section("")]), "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
            (json!([{"type": "section"}]), "missing required field: text or fields [json-pointer:/blocks/0]"),
            (
                json!([{"type": "header", "text": plain(&long(151))}]),
                "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
            ),
            (
                json!([{"type": "header", "text": section("x")["text"]}]),
                "unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]",
            ),
            (json!([{"type": "banner"}]), "unsupported type: banner [json-pointer:/blocks/0/type]"),
            (json!([same, same]), "`block_id` b already exists [json-pointer:/blocks/1/block_id]"),
            (json!(vec![section("x"); 51]), "no more than 50 items allowed [json-pointer:/blocks]"),
            (
                button(json!({"value": long(2_001)})),
                "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
            ),
            (
                button(json!({"text": plain(&long(76))})),
                "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
            ),
            (
                button(json!({"style": "loud"})),
                "must be a valid enum value [json-pointer:/blocks/0/elements/0/style]",
            ),
            (
                button(json!({"colour": "red"})),
                "invalid additional property: colour [json-pointer:/blocks/0/elements/0]",
            ),
            (json!("x"), "must provide a list [json-pointer:/blocks]"),
        ] {
            assert_eq!(check_message(&blocks), [wanted]);
        }
        let title = |text: &str| json!({"type": "modal", "title": plain(text), "blocks": []});
        assert_eq!(
            check_view(&title(&long(25))),
            ["must be less than 25 characters [json-pointer:/view/title/text]"]
        );
        assert!(too_long(&vec![section(&long(2_999)); 5]) && !too_long(&vec![section(&long(2_999)); 4]));
    }
}
