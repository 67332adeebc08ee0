//! Marks within a line: strong, emphasis, code, links.

use serde_json::{Value, json};

/// The beginnings of addresses that become links.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// The nodes of a line. Marks that would not be read back as they were written stay text.
pub(super) fn read(line: &str) -> Vec<Value> {
    let mut nodes = Vec::new();
    let (mut rest, mut plain) = (line, 0);
    while plain < rest.len() {
        match rest.get(plain..).and_then(marked) {
            Some((node, length)) => {
                nodes.extend(self::plain(&rest[..plain]));
                nodes.push(node);
                (rest, plain) = (&rest[plain + length..], 0);
            }
            None => plain += rest[plain..].chars().next().map_or(1, char::len_utf8),
        }
    }
    nodes.extend(self::plain(rest));
    if text(&nodes) == line { nodes } else { self::plain(line) }
}

/// A line without marks.
pub(super) fn plain(line: &str) -> Vec<Value> {
    if line.is_empty() { Vec::new() } else { vec![json!({"type": "text", "text": line})] }
}

/// The marked text that a text begins with, and its length as written.
fn marked(text: &str) -> Option<(Value, usize)> {
    let within = |open: &str, kind: &str| {
        let inner = text.strip_prefix(open)?.split(open).next()?;
        let length = inner.len() + 2 * open.len();
        let whole = text.get(..length).is_some_and(|whole| whole.ends_with(open));
        let tight = !inner.is_empty() && inner.trim() == inner && !inner.contains(open);
        (whole && tight).then(|| (with_mark(inner, json!({"type": kind})), length))
    };
    within("`", "code")
        .or_else(|| within("**", "strong"))
        .or_else(|| within("*", "em").filter(|_| !text.starts_with("**")))
        .or_else(|| link(text))
        .or_else(|| address(text))
}

fn with_mark(text: &str, mark: Value) -> Value {
    json!({"type": "text", "text": text, "marks": [mark]})
}

fn is_address(href: &str) -> bool {
    let of = |scheme: &&str| href.strip_prefix(*scheme).is_some_and(|rest| !rest.is_empty());
    SCHEMES.iter().any(of) && !href.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// `[site](https://…)`.
fn link(text: &str) -> Option<(Value, usize)> {
    let (title, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (href, _) = rest.split_once(')')?;
    let good = !title.is_empty() && !title.contains(['[', ']']) && title != href && is_address(href);
    let node = with_mark(title, json!({"type": "link", "attrs": {"href": href}}));
    good.then(|| (node, title.len() + href.len() + 4))
}

/// An address by itself, without the full stop or bracket behind it.
fn address(text: &str) -> Option<(Value, usize)> {
    SCHEMES.iter().find(|scheme| text.starts_with(**scheme))?;
    let end =
        text.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`')).unwrap_or(text.len());
    let href = text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*', '_']);
    is_address(href).then(|| (with_mark(href, json!({"type": "link", "attrs": {"href": href}})), href.len()))
}

/// The text of inline nodes.
pub(super) fn text(nodes: &[Value]) -> String {
    nodes.iter().map(node_text).collect()
}

fn node_text(node: &Value) -> String {
    let attr = |name: &str| node["attrs"][name].as_str().unwrap_or_default().to_owned();
    match node["type"].as_str().unwrap_or_default() {
        "text" => mark_text(node),
        "hardBreak" => "\n".into(),
        "mention" | "status" => attr("text"),
        "emoji" => attr("shortName"),
        "inlineCard" | "blockCard" | "embedCard" => attr("url"),
        _ => node["content"].as_array().map_or_else(String::new, |nodes| text(nodes)),
    }
}

fn mark_text(node: &Value) -> String {
    let mut written = node["text"].as_str().unwrap_or_default().to_owned();
    for mark in node["marks"].as_array().into_iter().flatten() {
        written = match mark["type"].as_str().unwrap_or_default() {
            "strong" => format!("**{written}**"),
            "em" => format!("*{written}*"),
            "code" => format!("`{written}`"),
            "link" => match mark["attrs"]["href"].as_str() {
                Some(href) if href != written => format!("[{written}]({href})"),
                _ => written,
            },
            _ => written,
        };
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marks of a line's pieces, each with its text.
    fn pieces(line: &str) -> Vec<(String, String)> {
        let of = |node: &Value| {
            let mark = node["marks"][0]["type"].as_str().unwrap_or("-");
            (mark.to_owned(), node["text"].as_str().unwrap().to_owned())
        };
        read(line).iter().map(of).collect()
    }

    #[test]
    fn marks_are_read_where_they_are_closed() {
        let table: [(&str, &[(&str, &str)]); 9] = [
            ("a **b** c", &[("-", "a "), ("strong", "b"), ("-", " c")]),
            ("*b* `c*d`", &[("em", "b"), ("-", " "), ("code", "c*d")]),
            ("2 * 3 * 4", &[("-", "2 * 3 * 4")]),
            ("**open", &[("-", "**open")]),
            ("[site](https://a.example)", &[("link", "site")]),
            ("[site](javascript:alert(1))", &[("-", "[site](javascript:alert(1))")]),
            ("see https://a.example/b.", &[("-", "see "), ("link", "https://a.example/b"), ("-", ".")]),
            ("[x](https://a.example/(b))", &[("link", "x"), ("-", ")")]),
            ("a_b_c", &[("-", "a_b_c")]),
        ];
        for (line, expected) in table {
            let found = pieces(line);
            let found: Vec<(&str, &str)> = found.iter().map(|(mark, text)| (&**mark, &**text)).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
