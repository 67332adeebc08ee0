//! Markup of what models, tools and agents wrote: their Markdown as a tree of a few elements
//! (`docs/design/0082-markdown-in-the-chat.md`).
//!
//! `markdown.rs` reads it, `links.rs` says which links may be followed, `author.rs` tells which messages are theirs. A tree has no
//! element, attribute or address but those named here, so nothing that was written can become another one.

mod author;
mod links;
mod markdown;

use serde::{Deserialize, Serialize};

pub(crate) use author::of_message;

/// Part of a marked-up text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Node {
    /// Text.
    Text(String),
    /// Element.
    Element(Element),
}

/// Element with its attributes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Kind.
    pub tag: Tag,
    /// Address of a link: `http`, `https` or `mailto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// First number of a numbered list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    /// Language of a block of code, as its author names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// Parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Node>,
}

macro_rules! tags {
    ($($tag:ident $name:literal),* $(,)?) => {
        /// Kind of an element: the name of HTML's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Tag {
            $(#[doc = concat!("`", $name, "`")] #[serde(rename = $name)] $tag,)*
        }

        impl Tag {
            fn name(self) -> &'static str {
                match self { $(Self::$tag => $name),* }
            }
        }
    };
}

tags! {
    Paragraph "p",
    Heading3 "h3", Heading4 "h4", Heading5 "h5", Heading6 "h6",
    Numbers "ol", Bullets "ul", Item "li",
    Quote "blockquote", Block "pre", Code "code",
    Table "table", Head "thead", Body "tbody", Row "tr", HeadCell "th", Cell "td",
    Emphasis "em", Strong "strong", Struck "del", Small "small", Link "a", Break "br", Rule "hr",
}

impl Node {
    fn of(tag: Tag, children: Vec<Self>) -> Self {
        Self::Element(Element { children, ..Element::of(tag) })
    }
}

impl Element {
    fn of(tag: Tag) -> Self {
        Self { tag, href: None, start: None, language: String::new(), children: Vec::new() }
    }
}

/// Returns the markup of a model's words that are not said yet; `None` if they are shown as they are written.
pub(crate) fn of_words(words: &str) -> Option<Vec<Node>> {
    markdown::read(words)
}

/// Writes a tree as HTML, as the page's script builds it.
pub(crate) fn html(nodes: &[Node]) -> String {
    let mut out = String::new();
    write(&mut out, nodes);
    out
}

fn write(out: &mut String, nodes: &[Node]) {
    for node in nodes {
        match node {
            Node::Text(text) => escape(out, text),
            Node::Element(element) => {
                let name = element.tag.name();
                *out += &format!("<{name}");
                if let Some(href) = &element.href {
                    attribute(out, "href", href);
                    *out += " target=\"_blank\" rel=\"noopener noreferrer\"";
                }
                if let Some(start) = element.start {
                    attribute(out, "start", &start.to_string());
                }
                if !element.language.is_empty() {
                    attribute(out, "data-language", &element.language);
                }
                out.push('>');
                if !matches!(element.tag, Tag::Break | Tag::Rule) {
                    write(out, &element.children);
                    *out += &format!("</{name}>");
                }
            }
        }
    }
}

fn attribute(out: &mut String, name: &str, value: &str) {
    *out += &format!(" {name}=\"");
    escape(out, value);
    out.push('"');
}

fn escape(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => *out += "&amp;",
            '<' => *out += "&lt;",
            '>' => *out += "&gt;",
            '"' => *out += "&quot;",
            '\'' => *out += "&#39;",
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests;
