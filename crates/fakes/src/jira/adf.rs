//! The Atlassian Document Format: a check of documents and their plain text.

use serde_json::Value;

/// The longest text of a field or comment.
pub(super) const MAX_TEXT: usize = 32_767;

/// Nodes that are blocks of text.
const BLOCKS: [&str; 15] = [
    "paragraph",
    "heading",
    "bulletList",
    "orderedList",
    "codeBlock",
    "blockquote",
    "rule",
    "panel",
    "table",
    "mediaSingle",
    "mediaGroup",
    "expand",
    "taskList",
    "decisionList",
    "blockCard",
];
/// Nodes inside of a line.
const INLINE: [&str; 7] = ["text", "hardBreak", "mention", "emoji", "inlineCard", "date", "status"];
/// Marks of a text.
const MARKS: [&str; 9] =
    ["strong", "em", "code", "strike", "underline", "link", "subsup", "textColor", "backgroundColor"];

/// Returns true if a value is a document of version 1.
pub(super) fn is_document(value: &Value) -> bool {
    value["type"] == "doc"
        && value["version"] == 1
        && only(value, &["type", "version", "content"])
        && value["content"].as_array().is_some_and(|nodes| nodes.iter().all(|node| is_node(node, "doc")))
}

fn only(value: &Value, names: &[&str]) -> bool {
    value.as_object().is_some_and(|object| object.keys().all(|name| names.contains(&name.as_str())))
}

/// Returns the children that a node may have; `None` for an unknown node.
fn children(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "doc" => &BLOCKS,
        "paragraph" | "heading" | "taskItem" | "decisionItem" => &INLINE,
        "bulletList" | "orderedList" => &["listItem"],
        "listItem" => &["paragraph", "bulletList", "orderedList", "codeBlock", "mediaSingle", "taskList"],
        "codeBlock" => &["text"],
        "blockquote" => &["paragraph", "bulletList", "orderedList", "codeBlock", "mediaSingle", "mediaGroup"],
        "panel" => &[
            "paragraph",
            "heading",
            "bulletList",
            "orderedList",
            "blockCard",
            "codeBlock",
            "rule",
            "taskList",
            "decisionList",
        ],
        "expand" | "nestedExpand" | "tableCell" | "tableHeader" => {
            &["paragraph", "heading", "bulletList", "orderedList", "codeBlock", "blockquote", "rule", "panel"]
        }
        "table" => &["tableRow"],
        "tableRow" => &["tableCell", "tableHeader"],
        "mediaSingle" | "mediaGroup" => &["media"],
        "taskList" => &["taskItem", "taskList"],
        "decisionList" => &["decisionItem"],
        "rule" | "text" | "hardBreak" | "mention" | "emoji" | "inlineCard" | "blockCard" | "date"
        | "status" | "media" => &[],
        _ => return None,
    })
}

fn is_node(node: &Value, parent: &str) -> bool {
    let kind = node["type"].as_str().unwrap_or_default();
    let fits = children(parent).is_some_and(|allowed| allowed.contains(&kind));
    fits && only(node, &["type", "attrs", "content", "marks", "text"])
        && attributes_fit(node, kind)
        && text_fits(node, kind, parent)
        && content_fits(node, kind)
}

fn attributes_fit(node: &Value, kind: &str) -> bool {
    let attributes = &node["attrs"];
    let has_text = |name: &str| attributes[name].as_str().is_some_and(|text| !text.is_empty());
    match kind {
        "heading" => attributes["level"].as_u64().is_some_and(|level| (1..=6).contains(&level)),
        "panel" => has_text("panelType"),
        "mention" => has_text("id"),
        "emoji" => has_text("shortName"),
        "inlineCard" => has_text("url") || attributes["data"].is_object(),
        "date" => has_text("timestamp"),
        "status" => has_text("text") && has_text("color"),
        "media" => has_text("type"),
        "taskItem" | "decisionItem" => has_text("localId") && has_text("state"),
        "rule" => attributes.is_null(),
        _ => attributes.is_null() || attributes.is_object(),
    }
}

fn text_fits(node: &Value, kind: &str, parent: &str) -> bool {
    if kind != "text" {
        return node["text"].is_null();
    }
    let marks = node["marks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = marks.iter().map(|mark| mark["type"].as_str().unwrap_or_default()).collect();
    let code = names.contains(&"code");
    let known = marks.iter().zip(&names).all(|(mark, name)| {
        let href = mark["attrs"]["href"].as_str().is_some_and(|href| !href.is_empty());
        MARKS.contains(name)
            && only(mark, &["type", "attrs"])
            && (*name != "link" || href)
            && (!code || matches!(*name, "code" | "link"))
    });
    node["text"].as_str().is_some_and(|text| !text.is_empty())
        && known
        && (node["marks"].is_null() || node["marks"].is_array())
        && (parent != "codeBlock" || marks.is_empty())
}

fn content_fits(node: &Value, kind: &str) -> bool {
    let nodes = match &node["content"] {
        Value::Null => &[][..],
        Value::Array(nodes) => nodes,
        _ => return false,
    };
    // A list item begins with a block that is not a list.
    let begins = kind != "listItem"
        || nodes
            .first()
            .is_some_and(|node| !matches!(node["type"].as_str(), Some("bulletList" | "orderedList")));
    let filled = !nodes.is_empty()
        || !matches!(
            kind,
            "bulletList"
                | "orderedList"
                | "listItem"
                | "blockquote"
                | "panel"
                | "table"
                | "tableRow"
                | "tableCell"
                | "taskList"
                | "decisionList"
                | "mediaSingle"
                | "mediaGroup"
                | "expand"
        );
    begins && filled && nodes.iter().all(|node| is_node(node, kind))
}

/// Returns the plain text of a document: a line for each block.
pub(super) fn text(document: &Value) -> String {
    let mut lines = Vec::new();
    for node in document["content"].as_array().into_iter().flatten() {
        add_lines(node, &mut lines);
    }
    lines.join("\n")
}

fn add_lines(node: &Value, lines: &mut Vec<String>) {
    let inner = || node["content"].as_array().into_iter().flatten();
    match node["type"].as_str().unwrap_or_default() {
        "paragraph" | "heading" | "codeBlock" | "taskItem" | "decisionItem" => {
            lines.push(inner().map(inline).collect())
        }
        _ => inner().for_each(|node| add_lines(node, lines)),
    }
}

fn inline(node: &Value) -> String {
    let attribute = |name: &str| node["attrs"][name].as_str().unwrap_or_default().to_owned();
    match node["type"].as_str().unwrap_or_default() {
        "text" => node["text"].as_str().unwrap_or_default().to_owned(),
        "hardBreak" => "\n".into(),
        "mention" | "emoji" | "status" => attribute("text"),
        "inlineCard" => attribute("url"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn doc(content: &Value) -> Value {
        json!({"type": "doc", "version": 1, "content": content})
    }

    #[test]
    fn takes_what_jira_takes() {
        let bold = json!({"type": "text", "text": "b", "marks": [{"type": "strong"}]});
        let paragraph = json!({"type": "paragraph", "content": [{"type": "text", "text": "a"}, bold]});
        let item = json!({"type": "listItem", "content": [paragraph]});
        let whole = doc(&json!([
            {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "Title"}]},
            paragraph, {"type": "paragraph"}, {"type": "rule"}, {"type": "bulletList", "content": [item]},
            {"type": "codeBlock", "attrs": {"language": "rust"}, "content": [{"type": "text", "text": "fn"}]},
        ]));
        assert!(is_document(&whole));
        assert_eq!(text(&whole), "Title\nab\n\nab\nfn");
        assert!(is_document(&doc(&json!([]))));
        let code_bold = json!([{"type": "code"}, {"type": "strong"}]);
        for wrong in [
            json!([{"type": "text", "text": "a"}]),
            json!([{"type": "paragraph", "content": [{"type": "text", "text": ""}]}]),
            json!([{"type": "paragraph", "content": [{"type": "marquee", "text": "a"}]}]),
            json!([{"type": "paragraph", "content": [{"type": "text", "text": "a", "marks": [{"type": "blink"}]}]}]),
            json!([{"type": "paragraph", "content": [{"type": "text", "text": "a", "marks": [{"type": "link"}]}]}]),
            json!([{"type": "paragraph", "content": [{"type": "text", "text": "a", "marks": code_bold}]}]),
            json!([{"type": "heading", "attrs": {"level": 7}}]),
            json!([{"type": "bulletList", "content": [paragraph]}]),
            json!([{"type": "bulletList", "content": []}]),
        ] {
            assert!(!is_document(&doc(&wrong)), "{wrong}");
        }
        assert!(!is_document(&json!("text")));
        assert!(!is_document(&json!({"type": "doc", "version": 2, "content": []})));
    }
}
