//! Renders texts, cards, forms and Home within every limit of Slack. Pure: the same input gives the same bytes.

mod buttons;
mod card;
mod form;
mod home;
mod reply;
mod rich;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_messages::Language;

use super::mrkdwn::inert;
use rich::{Rich, Style, cut};

pub use card::{card, full_text, full_view, named_people};
pub use form::{FormField, FormModel, form, outdated, too_long};
pub use home::{Home, HomeEntry, home};
pub use reply::{post, reply};

/// The id of the button that shows a card in full, whose value is the card's id.
pub const SHOW_ALL: &str = "tl.show_all.0";
/// The most blocks of a message.
pub const MESSAGE_BLOCKS: usize = 50;
/// The most blocks of a modal or of Home.
pub const VIEW_BLOCKS: usize = 100;
/// The most characters of all texts of a message. Slack refuses somewhat more, undocumented, and less where there are
/// many blocks.
pub const MESSAGE_TEXT: usize = 10_000;
/// The longest title of a modal.
const TITLE: usize = 24;
/// The longest text beside the blocks, which notifications and screen readers use.
const FALLBACK: usize = 3_000;

/// The user ids of people by the ids under which the engine names them.
pub type People = BTreeMap<String, String>;

/// The look-ups and settings with which content of the engine is rendered.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The people whom sentences name.
    pub people: People,
    /// The language of what the channel says itself.
    pub language: Language,
    /// The address of the installation's own pages, if people can reach them.
    pub pages: Option<String>,
}

impl Look {
    /// The address that a link leads to; `None` if it cannot be followed from Slack.
    fn followable(&self, link: Option<&str>) -> Option<String> {
        let link = link?;
        if link.contains("://") {
            return Some(link.to_owned());
        }
        let pages = self.pages.as_ref().filter(|_| link.starts_with('/'))?;
        Some(format!("{}{link}", pages.trim_end_matches('/')))
    }
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// The text for notifications and screen readers, escaped.
    pub text: String,
    /// The blocks.
    pub blocks: Vec<Value>,
}

impl Message {
    fn new(text: &str, blocks: Vec<Value>) -> Self {
        let text = inert(&cut(text.trim(), FALLBACK / 2));
        Self { text: if text.is_empty() { "…".into() } else { text }, blocks }
    }

    /// True if Slack takes it.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.blocks.len() <= MESSAGE_BLOCKS && texts(&self.blocks) <= MESSAGE_TEXT
    }
}

/// The number of characters of all texts in blocks.
#[must_use]
pub fn texts(blocks: &[Value]) -> usize {
    blocks.iter().map(texts_of).sum()
}

fn texts_of(value: &Value) -> usize {
    match value {
        Value::Array(all) => all.iter().map(texts_of).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) if matches!(name.as_str(), "text" | "alt_text" | "title") => {
                    text.chars().count()
                }
                value => texts_of(value),
            })
            .sum(),
        _ => 0,
    }
}

/// A text object of plain text.
fn plain(text: &str, most: usize) -> Value {
    json!({"type": "plain_text", "text": cut(text, most), "emoji": true})
}

/// Small print: sentences of the engine, with mentions of people.
fn context(sentences: &[String], people: &People) -> Option<Value> {
    let shown: Vec<String> =
        sentences.iter().filter(|line| !line.is_empty()).map(|s| marked(s, people)).collect();
    if shown.is_empty() {
        return None;
    }
    // A sentence is far shorter than the limit of an element; a name in it may be longer than anybody thinks.
    let text = shown.join(" · ");
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && pieces.len() < 10 {
        let end = rest.char_indices().nth(1_900).map_or(rest.len(), |(at, _)| at);
        // An entity or a mention is not cut in two.
        let end = if end == rest.len() { end } else { rest[..end].rfind(' ').map_or(end, |at| at + 1) };
        pieces.push(json!({"type": "mrkdwn", "text": &rest[..end], "verbatim": true}));
        rest = &rest[end..];
    }
    Some(json!({"type": "context", "elements": pieces}))
}

/// A sentence of the engine in Slack's format, with mentions of people who are known.
fn marked(sentence: &str, people: &People) -> String {
    let mut out = String::new();
    for piece in pieces(sentence, people) {
        match piece {
            Piece::Words(words) => out.push_str(&inert(words)),
            Piece::Person(user) => out.push_str(&format!("<@{user}>")),
        }
    }
    out
}

/// Adds a sentence of the engine to a text, with mentions of people who are known.
fn push_sentence(text: &mut Rich, style: Style, sentence: &str, people: &People) {
    for piece in pieces(sentence, people) {
        match piece {
            Piece::Words(words) => text.push_untrusted(style.clone(), words),
            Piece::Person(user) => text.push(Style::Mention(user.into()), "@"),
        }
    }
}

/// A part of a sentence.
enum Piece<'a> {
    Words(&'a str),
    Person(&'a str),
}

fn pieces<'a>(sentence: &'a str, people: &'a People) -> Vec<Piece<'a>> {
    let mut found = Vec::new();
    let mut said = 0;
    for (at, _) in sentence.match_indices('@') {
        let id = named(&sentence[at + 1..]);
        if let Some(user) = people.get(id) {
            found.push(Piece::Words(&sentence[said..at]));
            found.push(Piece::Person(user));
            said = at + 1 + id.len();
        }
    }
    found.push(Piece::Words(&sentence[said..]));
    found.retain(|piece| !matches!(piece, Piece::Words("")));
    found
}

/// The id at the beginning of a text behind an at sign.
fn named(text: &str) -> &str {
    let end =
        text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '_')).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', '-', '_'])
}

#[cfg(test)]
mod tests;
