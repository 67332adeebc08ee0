//! Text as the wiki markup of Jira Data Center. Pure (`docs/design/0061-jira.md`).
//!
//! A text is read as it is for Jira Cloud, by [`adf::document`], and its headings, lists, code and marks are written in wiki
//! markup. Every other character is escaped where Jira would give it a meaning: a mention, a macro, a picture, a link.

use serde_json::Value;

use super::adf;

/// Languages that `{code}` knows. For another one it would show an error.
const LANGUAGES: [&str; 17] = [
    "bash",
    "c",
    "cpp",
    "css",
    "diff",
    "go",
    "groovy",
    "html",
    "java",
    "javascript",
    "json",
    "python",
    "ruby",
    "rust",
    "sql",
    "xml",
    "yaml",
];
/// The beginnings of lines that are a heading or a quote.
const STARTS: [&str; 7] = ["h1. ", "h2. ", "h3. ", "h4. ", "h5. ", "h6. ", "bq. "];
/// Pictures of a face or a sign, from their second character on.
const FACES: [&str; 13] =
    ["y)", "n)", "i)", "x)", "/)", "?)", "on)", "off)", "*r)", "*g)", "*b)", "*y)", "flag"];

/// A text in wiki markup.
#[must_use]
pub(super) fn markup(text: &str) -> String {
    let blocks: Vec<String> = children(&adf::document(text)).iter().map(block).collect();
    blocks.join("\n\n")
}

fn children(node: &Value) -> &[Value] {
    node["content"].as_array().map_or(&[], Vec::as_slice)
}

fn block(node: &Value) -> String {
    match node["type"].as_str().unwrap_or_default() {
        "heading" => format!("h{}. {}", node["attrs"]["level"], line(children(node))),
        "rule" => "----".into(),
        "codeBlock" => code(node),
        "bulletList" | "orderedList" => list(node, "").join("\n"),
        _ => {
            let broken = |node: &Value| node["type"] == "hardBreak";
            let lines = children(node).split(broken).map(line);
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

/// A block of code; where its text would end it, a paragraph.
fn code(node: &Value) -> String {
    let text: String = children(node).iter().filter_map(|node| node["text"].as_str()).collect();
    let language = node["attrs"]["language"].as_str().unwrap_or_default().to_lowercase();
    if LANGUAGES.contains(&language.as_str()) && !text.contains("{code") {
        return format!("{{code:{language}}}\n{text}\n{{code}}");
    }
    if !text.contains("{noformat") {
        return format!("{{noformat}}\n{text}\n{{noformat}}");
    }
    text.split('\n').map(|line| escaped(line, None)).collect::<Vec<_>>().join("\n")
}

/// The lines of a list, each behind the marks of the lists that it is in.
fn list(node: &Value, above: &str) -> Vec<String> {
    let mark = if node["type"] == "orderedList" { '#' } else { '*' };
    let marks = format!("{above}{mark}");
    let of_item = |item: &Value| -> Vec<String> {
        let of_child = |child: &Value| match child["type"].as_str() {
            Some("bulletList" | "orderedList") => list(child, &marks),
            _ => vec![format!("{marks} {}", behind_mark(children(child)))],
        };
        children(item).iter().flat_map(of_child).collect()
    };
    children(node).iter().flat_map(of_item).collect()
}

/// A line behind a mark, where no other mark begins a line.
fn behind_mark(nodes: &[Value]) -> String {
    pieces(nodes, Some(' '))
}

/// A line of a paragraph or a heading.
fn line(nodes: &[Value]) -> String {
    let line = pieces(nodes, None);
    let bare = line.trim_start();
    match STARTS.iter().find(|start| bare.starts_with(**start)) {
        // The full stop has no escape of its own.
        Some(start) => line.replacen(start, &start.replace('.', "&#46;"), 1),
        None => line,
    }
}

fn pieces(nodes: &[Value], before: Option<char>) -> String {
    let mut written = String::new();
    let text = |node: &Value| node["text"].as_str().unwrap_or_default().to_owned();
    for (at, node) in nodes.iter().enumerate() {
        let last = at.checked_sub(1).map(|at| text(&nodes[at]).chars().next_back());
        let before = last.unwrap_or(before);
        let after = nodes.get(at + 1).and_then(|node| text(node).chars().next());
        written.push_str(&piece(node, &text(node), before, after));
    }
    written
}

/// A piece of a line with its mark.
fn piece(node: &Value, text: &str, before: Option<char>, after: Option<char>) -> String {
    let mark = &node["marks"][0];
    let word = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
    // Within a word, a mark needs braces.
    let around = |mark: char| {
        let mark = if word(before) || word(after) { format!("{{{mark}}}") } else { mark.to_string() };
        format!("{mark}{}{mark}", escaped(text, Some(' ')))
    };
    match mark["type"].as_str().unwrap_or_default() {
        "strong" => around('*'),
        "em" => around('_'),
        "code" => format!("{{{{{}}}}}", escaped(text, Some(' '))),
        "link" => link(text, mark["attrs"]["href"].as_str().unwrap_or_default()),
        _ => escaped(text, before),
    }
}

fn link(text: &str, href: &str) -> String {
    let address: String = href.chars().map(of_address).collect();
    if text == href { address } else { format!("[{}|{address}]", escaped(text, Some(' '))) }
}

/// A character of an address; one that would end it there is encoded.
fn of_address(c: char) -> String {
    match c {
        '{' | '}' | '[' | ']' | '|' | '!' | '^' | '\\' => format!("%{:02X}", u32::from(c)),
        c => c.to_string(),
    }
}

/// A text in which no character has a meaning. `before` is the character before it, none at the beginning of a line.
fn escaped(text: &str, before: Option<char>) -> String {
    let mut safe = String::with_capacity(text.len());
    let (mut last, mut start) = (before, before.is_none());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let left = rest.as_str();
        let next = left.chars().next();
        match c {
            // Two of them are a break, and one before a sign hides it.
            '\\' if next.is_none_or(|next| next.is_ascii_punctuation()) => safe.push_str("&#92;"),
            '&' if left.starts_with('#') || left.starts_with(char::is_alphabetic) => safe.push_str("&amp;"),
            ':' | ';' if is_face(left, last) => safe.push_str(if c == ':' { "&#58;" } else { "&#59;" }),
            '#' if start => safe.push_str("\\#"),
            c if has_meaning(c, last.filter(|_| !start), next, left) => safe.extend(['\\', c]),
            c => safe.push(c),
        }
        start &= c.is_whitespace() || matches!(c, '#' | '*' | '-');
        last = Some(c);
    }
    safe
}

/// True if a colon or semicolon before this text is the eyes of a face.
fn is_face(left: &str, before: Option<char>) -> bool {
    let nose = left.strip_prefix('-').unwrap_or(left);
    before.is_none_or(|c| !c.is_alphanumeric()) && nose.starts_with([')', '(', 'P', 'D', 'p', 'd', '|'])
}

/// True if Jira would read more into a character than itself.
fn has_meaning(c: char, before: Option<char>, next: Option<char>, left: &str) -> bool {
    let is = |side: Option<char>, wanted: fn(char) -> bool| side.is_some_and(wanted);
    let within_word = is(before, char::is_alphanumeric) && is(next, char::is_alphanumeric);
    let alone = is(before, char::is_whitespace) && is(next, char::is_whitespace);
    match c {
        '{' | '}' | '[' | ']' | '!' | '|' => true,
        '*' | '_' | '+' | '^' | '~' => !within_word && !alone,
        '-' => !within_word && !alone,
        '?' => before == Some('?') || next == Some('?'),
        '(' => FACES.iter().any(|face| left.starts_with(face)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use throughline_fakes::jira::live_markup;

    use super::*;

    #[test]
    fn what_people_write_is_written_in_markup() {
        for (text, expected) in [
            ("One\nline\n\nand another", "One\nline\n\nand another"),
            (
                "### Problem\n\nNobody **can**:\n\n- on the web\n  1. here\n- in `app`",
                "h3. Problem\n\nNobody *can*:\n\n* on the web\n*# here\n* in {{app}}",
            ),
            ("```rust\nlet a = [1];\n```\n\n---", "{code:rust}\nlet a = [1];\n{code}\n\n----"),
            ("```cobol\n{code}\n```", "{noformat}\n{code}\n{noformat}"),
            ("a**b**c and *d*", "a{*}b{*}c and _d_"),
            (
                "[site](https://a.example/x|y) https://a.example/a_b!",
                "[site|https://a.example/x%7Cy] https://a.example/a_b\\!",
            ),
            ("snake_case 2 - 1 * 3 well-known", "snake_case 2 - 1 * 3 well-known"),
        ] {
            assert_eq!(markup(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_else_has_a_meaning() {
        for (text, expected) in [
            ("[~ana] {code} !x.png!", "\\[\\~ana\\] \\{code\\} \\!x.png\\!"),
            (r"C:\tmp \\server \{", r"C:\tmp &#92;\server &#92;\{"),
            ("h1. no title", "h1&#46; no title"),
            ("# no list\n* none\n-- none", "\\# no list\n\\* none\n\\-\\- none"),
            ("&#91;~ana] &amp; R&D", "&amp;#91;\\~ana\\] &amp;amp; R&amp;D"),
            ("fine :) (y) ??", "fine &#58;) \\(y) \\?\\?"),
        ] {
            assert_eq!(markup(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_of_code_does_not_end_its_block() {
        let text = "```rust\n{noformat}\n[~ana]\n{code}\n```";
        assert_eq!(live_markup(&markup(text)), [""; 0]);
    }

    proptest! {
        /// No text mentions anybody, runs a macro or shows a picture.
        #[test]
        fn no_text_does_more_than_being_read(text in "([a-z]{0,3}|[\\[\\]{}!|~^*_+\\-#?&;:()\\\\`\n .]{0,6}|https://a.example/|\\*\\*|```){0,12}") {
            let made = markup(&text);
            prop_assert_eq!(live_markup(&made), Vec::<String>::new(), "{}", made);
        }
    }
}
