//! Text as Atlassian Document Format, and back. Pure (`docs/design/0061-jira.md`).
//!
//! The approved text is Markdown as people write it in chats: paragraphs, headings, lists, code, rules, strong, emphasis,
//! links. What would not be read back character for character stays the text it is, first a line, then a block, at last
//! the whole document: so [`text`] of [`document`] is always the text that was given.

mod inline;

use serde_json::{Value, json};

/// The deepest list that is made.
const DEEPEST: usize = 3;

/// Makes a document of a text.
#[must_use]
pub(super) fn document(text: &str) -> Value {
    let blocks: Vec<Value> = split(text).into_iter().map(block).collect();
    let made = doc(blocks);
    if self::text(&made) == text { made } else { doc(vec![paragraph(text, inline::plain)]) }
}

/// Returns the text of a document. Nodes that [`document`] never makes count as the text they hold.
#[must_use]
pub(super) fn text(document: &Value) -> String {
    document["content"].as_array().map_or_else(String::new, |blocks| join(blocks, "\n\n", &block_text))
}

fn doc(content: Vec<Value>) -> Value {
    json!({"type": "doc", "version": 1, "content": content})
}

/// The blocks of a text: what blank lines separate, with a fenced code block in one piece.
fn split(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut from, mut at, mut fenced) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        at += line.len();
        if !fenced && line == "\n" && at > from + 1 {
            found.push(text[from..at - 1].strip_suffix('\n').unwrap_or(&text[from..at - 1]));
            from = at;
        }
    }
    if from < text.len() {
        found.push(&text[from..]);
    }
    found
}

/// The node of one block: the first reading that is read back as the block, else a paragraph.
fn block(text: &str) -> Value {
    let readings = [code, heading, rule, list];
    let same = |node: &Value| block_text(node) == text;
    readings
        .into_iter()
        .find_map(|reading| reading(text).filter(same))
        .unwrap_or_else(|| paragraph(text, inline::read))
}

fn paragraph(text: &str, read: fn(&str) -> Vec<Value>) -> Value {
    let mut content = Vec::new();
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            content.push(json!({"type": "hardBreak"}));
        }
        content.extend(read(line));
    }
    json!({"type": "paragraph", "content": content})
}

fn code(text: &str) -> Option<Value> {
    let (language, rest) = text.strip_prefix("```")?.split_once('\n')?;
    let body = rest.strip_suffix("\n```").filter(|body| !body.is_empty())?;
    let content = json!([{"type": "text", "text": body}]);
    let attrs = if language.is_empty() { json!({}) } else { json!({"language": language}) };
    Some(json!({"type": "codeBlock", "attrs": attrs, "content": content}))
}

fn heading(text: &str) -> Option<Value> {
    let (marks, title) = text.split_once(' ')?;
    let level = matches!(marks, "#" | "##" | "###").then_some(marks.len())?;
    let one = !title.is_empty() && !title.contains('\n');
    one.then(|| json!({"type": "heading", "attrs": {"level": level}, "content": inline::read(title)}))
}

fn rule(text: &str) -> Option<Value> {
    (text == "---").then(|| json!({"type": "rule"}))
}

/// A line of a list: its depth, and its text behind `- ` or `1. `.
struct Line<'t> {
    depth: usize,
    numbered: bool,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn read(line: &'t str) -> Option<Self> {
        let bare = line.trim_start_matches(' ');
        let indent = line.len() - bare.len();
        let depth = (indent.is_multiple_of(2) && indent / 2 < DEEPEST).then_some(indent / 2)?;
        if let Some(text) = bare.strip_prefix("- ") {
            return Some(Self { depth, numbered: false, text });
        }
        let (number, text) = bare.split_once(". ")?;
        number.parse::<u16>().is_ok().then_some(Self { depth, numbered: true, text })
    }
}

fn list(text: &str) -> Option<Value> {
    let lines: Vec<Line<'_>> = text.split('\n').map(Line::read).collect::<Option<_>>()?;
    let (node, rest) = list_at(&lines, 0)?;
    rest.is_empty().then_some(node)
}

/// The list that begins with these lines at a depth, and the lines behind it.
fn list_at<'l, 't>(lines: &'l [Line<'t>], depth: usize) -> Option<(Value, &'l [Line<'t>])> {
    let numbered = lines.first().filter(|line| line.depth == depth)?.numbered;
    let (mut items, mut rest) = (Vec::new(), lines);
    while let Some((line, behind)) = rest.split_first() {
        if line.depth != depth || line.numbered != numbered {
            break;
        }
        let mut content = vec![json!({"type": "paragraph", "content": inline::read(line.text)})];
        rest = behind;
        if rest.first().is_some_and(|next| next.depth > depth) {
            let (inner, behind) = list_at(rest, depth + 1)?;
            content.push(inner);
            rest = behind;
        }
        items.push(json!({"type": "listItem", "content": content}));
    }
    let kind = if numbered { "orderedList" } else { "bulletList" };
    Some((json!({"type": kind, "content": items}), rest))
}

fn join(nodes: &[Value], between: &str, each: &dyn Fn(&Value) -> String) -> String {
    nodes.iter().map(each).collect::<Vec<_>>().join(between)
}

fn children(node: &Value) -> &[Value] {
    node["content"].as_array().map_or(&[], Vec::as_slice)
}

fn block_text(node: &Value) -> String {
    let inner = || inline::text(children(node));
    match node["type"].as_str().unwrap_or_default() {
        "heading" => {
            let level = node["attrs"]["level"].as_u64().unwrap_or(1).clamp(1, 6);
            format!("{} {}", "#".repeat(usize::try_from(level).unwrap_or(1)), inner())
        }
        "codeBlock" => {
            let language = node["attrs"]["language"].as_str().unwrap_or_default();
            format!("```{language}\n{}\n```", inner())
        }
        "rule" => "---".into(),
        kind @ ("bulletList" | "orderedList") => list_text(node, kind == "orderedList", 0),
        "paragraph" => inner(),
        // A panel, a quote, a table: blocks in blocks, or text at last.
        _ if children(node).iter().any(|child| child["content"].is_array()) => {
            join(children(node), "\n", &block_text)
        }
        _ => inner(),
    }
}

fn list_text(node: &Value, numbered: bool, depth: usize) -> String {
    let mut lines = Vec::new();
    for (n, item) in children(node).iter().enumerate() {
        let mark = if numbered { format!("{}. ", n + 1) } else { "- ".into() };
        for (place, child) in children(item).iter().enumerate() {
            lines.push(match child["type"].as_str().unwrap_or_default() {
                kind @ ("bulletList" | "orderedList") => list_text(child, kind == "orderedList", depth + 1),
                _ if place == 0 => format!("{}{mark}{}", "  ".repeat(depth), block_text(child)),
                _ => block_text(child),
            });
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The types of the blocks of a text's document.
    fn kinds(text: &str) -> Vec<String> {
        let made = document(text);
        children(&made).iter().map(|node| node["type"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn reads_what_people_write() {
        for (text, expected) in [
            ("One line", vec!["paragraph"]),
            ("One\nline\n\nand another", vec!["paragraph", "paragraph"]),
            (
                "# Title\n\n### Steps\n\n- a\n- b\n  - c\n\n1. one\n2. two",
                vec!["heading", "heading", "bulletList", "orderedList"],
            ),
            ("```rust\nfn main() {}\n\nlet a = 1;\n```\n\n---", vec!["codeBlock", "rule"]),
            // Nobody would see a list that begins at 3 or with other marks again as it was written.
            ("3. three", vec!["paragraph"]),
            ("* star", vec!["paragraph"]),
            ("#### deep", vec!["paragraph"]),
            ("a\n\n\n\n\nb", vec!["paragraph", "paragraph", "paragraph"]),
            ("a\n\n\nb", vec!["paragraph", "paragraph"]),
            ("```\nunclosed", vec!["paragraph"]),
            ("- a\n      - too deep", vec!["paragraph"]),
            ("", vec![]),
        ] {
            assert_eq!(kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_what_others_made() {
        let panel = json!({"type": "doc", "version": 1, "content": [
            {"type": "panel", "attrs": {"panelType": "info"}, "content": [
                {"type": "paragraph", "content": [
                    {"type": "mention", "attrs": {"id": "1", "text": "@Ana"}},
                    {"type": "text", "text": " knows "},
                    {"type": "emoji", "attrs": {"shortName": ":tada:"}},
                ]},
                {"type": "paragraph", "content": [{"type": "inlineCard", "attrs": {"url": "https://a.example"}}]},
            ]},
        ]});
        assert_eq!(text(&panel), "@Ana knows :tada:\nhttps://a.example");
        assert_eq!(text(&Value::Null), "");
    }

    fn line() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z äß🎉]{0,9}",
            Just("**bold**".to_owned()),
            Just("*em*".to_owned()),
            Just("`code`".to_owned()),
            Just("[site](https://a.example/x)".to_owned()),
            Just("https://a.example/x?y=(z)".to_owned()),
            "[*_`\\[\\]()#<>~ -]{0,5}",
        ];
        let start = prop_oneof![
            Just(""),
            Just("- "),
            Just("  - "),
            Just("1. "),
            Just("# "),
            Just("```"),
            Just("---"),
            Just("    - "),
        ];
        (start, proptest::collection::vec(piece, 0..4))
            .prop_map(|(start, pieces)| start.to_owned() + &pieces.concat())
    }

    proptest! {
        #[test]
        fn every_character_comes_back(lines in proptest::collection::vec(line(), 0..9), any in "\\PC{0,40}") {
            for given in [lines.join("\n"), lines.join("\n\n"), any] {
                let made = document(&given);
                prop_assert_eq!(text(&made), given);
                prop_assert!(is_sound(&made), "{}", made);
            }
        }
    }

    /// No empty text, which Jira refuses, and no node or mark that it does not know.
    fn is_sound(node: &Value) -> bool {
        const NODES: [&str; 10] = [
            "doc",
            "paragraph",
            "heading",
            "codeBlock",
            "rule",
            "bulletList",
            "orderedList",
            "listItem",
            "text",
            "hardBreak",
        ];
        let known = node["type"].as_str().is_some_and(|kind| NODES.contains(&kind));
        let said = node["type"] != "text" || node["text"].as_str().is_some_and(|text| !text.is_empty());
        known && said && children(node).iter().all(is_sound)
    }
}
