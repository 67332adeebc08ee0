//! From what is to be said to messages inside every limit of Telegram: pure, and the same input gives the same bytes.

mod card;
mod split;
mod text;

use std::collections::BTreeMap;

use throughline_engine::workflow::CardModel;
use unicode_segmentation::UnicodeSegmentation;

use split::{PART, split};
use text::{Style, Text};

/// The text of an alert, and of the placeholder of a question, in UTF-16 units.
const ALERT: usize = 200;
/// See [`ALERT`].
const PLACEHOLDER: usize = 64;

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Part {
    /// Its text with marks.
    pub html: String,
    /// The same without, unescaped: what is sent when Telegram cannot read the marks.
    pub plain: String,
    /// Its buttons, in rows.
    pub keys: Vec<Vec<Key>>,
    /// It asks somebody.
    pub asks: Option<Asks>,
}

/// How a message asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asks {
    /// The hint in the input field.
    pub hint: String,
    /// Words that a button says for whoever answers. None: the client answers to this very message, which in a group is
    /// what makes an answer reach us (`spec 07 §3.3`).
    pub words: Vec<String>,
}

/// One button.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// What it says.
    pub label: String,
    /// What a press sends: the token.
    pub data: String,
}

/// A person who is spoken to: number and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Their number.
    pub id: i64,
    /// What to call them.
    pub name: String,
}

impl Part {
    fn of(text: &Text) -> Self {
        let plain = text.plain();
        if plain.trim().is_empty() {
            // Telegram takes no empty message, and nothing is ever left out in silence.
            return Self { html: "…".into(), plain: "…".into(), ..Self::default() };
        }
        Self { html: text.html(), plain, ..Self::default() }
    }
}

impl Text {
    /// Without white space at its ends.
    fn trimmed(mut self) -> Self {
        if let Some(first) = self.0.first_mut() {
            first.text = first.text.trim_start().into();
        }
        if let Some(last) = self.0.last_mut() {
            last.text = last.text.trim_end().into();
        }
        self
    }
}

/// The messages of a reply. `to`: whom it speaks to by name.
#[must_use]
pub fn reply(text: &str, to: Option<&Person>) -> Vec<Part> {
    let mut words = Text::default();
    if let Some(person) = to {
        words.push(Style::Mention(person.id), &person.name);
        words.push(Style::Plain, ": ");
    }
    words.say(Style::Plain, text);
    split(words, PART).iter().map(Part::of).collect()
}

/// The same for a question: its last message asks. `words` become buttons.
#[must_use]
pub fn question(text: &str, to: Option<&Person>, words: &[String]) -> Vec<Part> {
    let mut parts = reply(text, to);
    let first = text.lines().next().filter(|line| !line.is_empty()).unwrap_or("Your answer");
    if let Some(last) = parts.last_mut() {
        last.asks = Some(Asks { hint: cut(first, PLACEHOLDER), words: words.into() });
    }
    parts
}

/// The messages of a card: at least one, the last of which has the buttons. `names` are those of [`people`].
#[must_use]
pub fn card(model: &CardModel, names: &BTreeMap<String, String>) -> Vec<Part> {
    card::card(model, names)
}

/// The numbers by which a card names people.
#[must_use]
pub fn people(model: &CardModel) -> Vec<String> {
    card::people(model)
}

/// What is left of a message whose words are in another one now.
#[must_use]
pub fn emptied() -> Part {
    Part { html: "⋯".into(), plain: "⋯".into(), ..Part::default() }
}

/// The text of a press's answer.
#[must_use]
pub fn alert(text: &str) -> String {
    cut(text, ALERT)
}

/// The beginning of a text, whole graphemes, an ellipsis where something is left out.
fn cut(text: &str, limit: usize) -> String {
    if split::units(text) <= limit {
        return text.into();
    }
    let mut out = String::new();
    let mut used = 1;
    for grapheme in text.graphemes(true) {
        used += split::units(grapheme);
        if used > limit {
            break;
        }
        out.push_str(grapheme);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests;
