//! The HTML parse mode of the Bot API: a few tags and four named entities. Anything else is an error.

use serde_json::{Value, json};

use super::api_error::ApiError;

/// A parsed text with its formatting entities.
pub(super) struct Parsed {
    pub(super) text: String,
    pub(super) entities: Vec<Value>,
}

struct Open {
    tag: String,
    entity: Option<Value>,
    at: usize,
}

fn parse_error(why: &str) -> ApiError {
    ApiError::new(400, &format!("Bad Request: can't parse entities: {why}"))
}

/// Parses a text with HTML tags.
pub(super) fn parse(html: &str) -> Result<Parsed, ApiError> {
    let mut text = String::new();
    let mut open: Vec<Open> = Vec::new();
    let mut entities = Vec::new();
    let mut at = 0;
    while at < html.len() {
        let rest = &html[at..];
        if let Some(tag) = rest.strip_prefix('<') {
            let end = tag
                .find('>')
                .ok_or_else(|| parse_error(&format!("Unclosed start tag at byte offset {at}")))?;
            match tag[..end].strip_prefix('/') {
                Some(name) => close_tag(name, at, &mut open, &mut entities, &text)?,
                None => open.push(open_tag(&tag[..end], at, utf16_len(&text))?),
            }
            at += end + 2;
        } else if rest.starts_with('&') {
            let (c, length) = entity(rest);
            text.push(c);
            at += length;
        } else {
            let c = rest.chars().next().unwrap_or_default();
            text.push(c);
            at += c.len_utf8();
        }
    }
    match open.pop() {
        Some(Open { tag, .. }) => {
            Err(parse_error(&format!("Can't find end tag corresponding to start tag \"{tag}\"")))
        }
        None => Ok(Parsed { text, entities }),
    }
}

/// Returns the length in UTF-16 code units, the unit of the Bot API's offsets and limits.
pub(super) fn utf16_len(text: &str) -> usize {
    text.encode_utf16().count()
}

fn open_tag(tag: &str, from: usize, at: usize) -> Result<Open, ApiError> {
    let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let name = name.to_lowercase();
    let kind = match name.as_str() {
        "b" | "strong" => Some(json!({"type": "bold"})),
        "i" | "em" => Some(json!({"type": "italic"})),
        "u" | "ins" => Some(json!({"type": "underline"})),
        "s" | "strike" | "del" => Some(json!({"type": "strikethrough"})),
        "tg-spoiler" => Some(json!({"type": "spoiler"})),
        "code" => Some(json!({"type": "code"})),
        "pre" => Some(json!({"type": "pre"})),
        "blockquote" => Some(json!({"type": "blockquote"})),
        "a" => attributes.split('"').nth(1).map(link),
        _ => {
            return Err(parse_error(&format!("Unsupported start tag \"{name}\" at byte offset {from}")));
        }
    };
    Ok(Open { tag: name, entity: kind, at })
}

fn link(href: &str) -> Value {
    match href.strip_prefix("tg://user?id=").and_then(|id| id.parse::<i64>().ok()) {
        Some(id) => json!({"type": "text_mention", "user": {"id": id, "is_bot": false, "first_name": "?"}}),
        None => json!({"type": "text_link", "url": href}),
    }
}

fn close_tag(
    name: &str,
    at: usize,
    open: &mut Vec<Open>,
    entities: &mut Vec<Value>,
    text: &str,
) -> Result<(), ApiError> {
    let Some(last) = open.pop() else {
        return Err(parse_error(&format!("Unexpected end tag at byte offset {at}")));
    };
    if last.tag != name.to_lowercase() {
        let why = format!(
            "Unmatched end tag at byte offset {at}, expected \"</{}>\", found \"</{name}>\"",
            last.tag
        );
        return Err(parse_error(&why));
    }
    let length = utf16_len(text) - last.at;
    if let Some(mut entity) = last.entity.filter(|_| length > 0) {
        entity["offset"] = json!(last.at);
        entity["length"] = json!(length);
        entities.push(entity);
    }
    Ok(())
}

/// Returns the character of an HTML entity and the entity's length in bytes. Any other ampersand is a character itself.
fn entity(rest: &str) -> (char, usize) {
    for (name, c) in [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"')] {
        if rest.starts_with(name) {
            return (c, name.len());
        }
    }
    let number = rest.strip_prefix("&#").and_then(|rest| rest.split_once(';'));
    let c = number.and_then(|(number, _)| match number.strip_prefix('x') {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    });
    match (number, c.and_then(char::from_u32)) {
        (Some((number, _)), Some(c)) => (c, number.len() + 3),
        _ => ('&', 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_marks_and_counts_units() {
        let parsed =
            parse("👋 <b>a &lt;b&gt;</b> <a href=\"tg://user?id=7\">Ana</a> &#33; & x").ok().unwrap();
        assert_eq!(parsed.text, "👋 a <b> Ana ! & x");
        assert_eq!(parsed.entities[0], json!({"type": "bold", "offset": 3, "length": 5}));
        assert_eq!(parsed.entities[1]["type"], "text_mention");
    }

    #[test]
    fn refuses_in_the_vendors_words() {
        for (html, why) in [
            ("<x>", "Unsupported start tag \"x\" at byte offset 0"),
            ("a <b>c", "Can't find end tag corresponding to start tag \"b\""),
            ("a</b>", "Unexpected end tag at byte offset 1"),
            ("<b><i>x</b></i>", "Unmatched end tag at byte offset 7, expected \"</i>\", found \"</b>\""),
            ("1 < 2", "Unclosed start tag at byte offset 2"),
        ] {
            let refusal = parse(html).err().unwrap();
            assert_eq!(refusal.description, format!("Bad Request: can't parse entities: {why}"));
        }
    }
}
