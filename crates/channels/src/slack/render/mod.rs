//! Renders texts, cards, forms and Home within every limit of Slack. Pure: the same input gives the same bytes.

mod buttons;
mod card;
mod form;
mod home;
mod reply;
mod rich;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_engine::data::card_model::CardModel;
use throughline_messages::Language;

use super::mrkdwn::inert;
use crate::direction::steady;
use rich::{Rich, Style, cut};

pub use card::{card, full_text, full_view, named_people};
pub use form::{FormModel, form, outdated, too_long};
pub use home::{Home, HomeEntry, home};
pub use reply::reply;

/// The id of the button that shows a card in full, whose value is the card's id.
pub const SHOW_ALL: &str = "tl.show_all.0";
/// The most blocks of a message.
pub const MESSAGE_BLOCKS: usize = 50;
/// The most blocks of a modal or of Home.
pub const VIEW_BLOCKS: usize = 100;
/// The most characters of all texts of a message. Slack refuses somewhat more, undocumented, and less where there are
/// many blocks.
pub const MESSAGE_TEXT: usize = 10_000;
/// The largest view, in bytes of JSON, and somewhat less than Slack takes.
const VIEW_SIZE: usize = 240_000;
/// The longest title of a modal.
const TITLE: usize = 24;
/// The most elements of small print in one block, and the characters of one.
const PRINTS: usize = 10;
const PRINT: usize = 1_900;
/// The longest name of a thread.
const THREAD_TITLE: usize = 60;
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
        let mut said = inert(&cut(text.trim(), FALLBACK / 2));
        if said.chars().count() > FALLBACK {
            // A sign that is escaped may be five characters.
            said = inert(&cut(text.trim(), FALLBACK / 6));
        }
        Self { text: if said.is_empty() { "…".into() } else { said }, blocks }
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

/// Names a thread by the card in it: the title of what is drafted, else what the card asks.
#[must_use]
pub fn thread_title(model: &CardModel) -> String {
    let drafted = model.fields.iter().find(|field| field.name == "title" && !field.text.is_empty());
    cut(drafted.map_or(&model.title, |field| &field.text), THREAD_TITLE)
}

/// A text object of plain text. Slack takes none that is empty.
fn plain(text: &str, most: usize) -> Value {
    json!({"type": "plain_text", "text": shown(text, most), "emoji": true})
}

/// The beginning of a text that turns no direction, with an ellipsis in the place of nothing.
fn shown(text: &str, most: usize) -> String {
    if text.trim().is_empty() { "…".into() } else { cut(&steady(text), most) }
}

/// Small print: sentences of the engine, with mentions of people.
fn context(sentences: &[String], people: &People) -> Option<Value> {
    let (pieces, _) = prints(sentences, people);
    let element = |text: &String| json!({"type": "mrkdwn", "text": text, "verbatim": true});
    (!pieces.is_empty())
        .then(|| json!({"type": "context", "elements": pieces.iter().map(element).collect::<Vec<_>>()}))
}

/// True if sentences are longer than all small print of one block.
fn is_cut(sentences: &[String], people: &People) -> bool {
    prints(sentences, people).1
}

/// Sentences as the elements of one block, and whether something is left out. A sentence is far shorter than an element;
/// a name in it may be longer than anybody thinks.
fn prints(sentences: &[String], people: &People) -> (Vec<String>, bool) {
    let shown = sentences.iter().filter(|line| !line.trim().is_empty()).map(|line| marked(line, people));
    let text = shown.collect::<Vec<_>>().join(" · ");
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && pieces.len() < PRINTS {
        let end = rest.char_indices().nth(PRINT).map_or(rest.len(), |(at, _)| at);
        let end = if end == rest.len() { end } else { before_mark(&rest[..end]) };
        pieces.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    (pieces, !rest.is_empty())
}

/// The end of the last word of a text, or a place in a long word where no entity and no mention is cut in two.
fn before_mark(text: &str) -> usize {
    if let Some(space) = text.rfind(' ').filter(|at| *at > text.len() / 2) {
        return space + 1;
    }
    let open = |mark: char, end: char| text.rfind(mark).filter(|at| !text[*at..].contains(end));
    open('&', ';').into_iter().chain(open('<', '>')).min().filter(|at| *at > 0).unwrap_or(text.len())
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
