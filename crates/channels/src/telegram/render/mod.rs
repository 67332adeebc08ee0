//! Renders texts and cards as messages within every limit of Telegram. Pure: the same input gives the same bytes.

mod card;
mod split;
mod text;

use std::collections::BTreeMap;

use throughline_engine::Language;
use throughline_engine::data::card_model::CardModel;
use throughline_messages as messages;
use unicode_segmentation::UnicodeSegmentation;

use split::{PART, split};
use text::{Style, Text};

/// The longest text of an alert, in UTF-16 units.
const ALERT: usize = 200;
/// The longest placeholder of an input field, in UTF-16 units.
const PLACEHOLDER: usize = 64;

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Part {
    /// The text with HTML formatting.
    pub html: String,
    /// The text without formatting, unescaped: sent when Telegram cannot parse the HTML.
    pub plain: String,
    /// Its buttons, in rows.
    pub keys: Vec<Vec<InlineButton>>,
    /// The prompt for an answer, if it is a question.
    pub prompt: Option<AnswerPrompt>,
}

/// The prompt of a message that asks a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnswerPrompt {
    /// The hint in the input field.
    pub hint: String,
    /// Words offered as buttons. Without any, the client replies to this very message, which in a group is what makes
    /// an answer reach the bot (`docs/design/0035-channels.md`).
    pub words: Vec<String>,
}

/// One button.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlineButton {
    /// The label.
    pub label: String,
    /// The token that a press sends.
    pub data: String,
}

/// The person a message is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The person's number.
    pub id: i64,
    /// The display name.
    pub name: String,
}

impl Part {
    fn of(text: &Text) -> Self {
        let plain = text.plain();
        if plain.trim().is_empty() {
            // Telegram takes no empty message, and no message is left out in silence.
            return Self { html: "…".into(), plain: "…".into(), ..Self::default() };
        }
        Self { html: text.html(), plain, ..Self::default() }
    }
}

impl Text {
    /// Trims white space at both ends.
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

/// Renders the messages of a reply. `to` is the person it names.
#[must_use]
pub fn reply(text: &str, to: Option<&Person>) -> Vec<Part> {
    let mut words = Text::default();
    if let Some(person) = to {
        words.push(Style::Mention(person.id), &person.name);
        words.push(Style::Plain, ": ");
    }
    words.push_untrusted(Style::Plain, text);
    split(words, PART).iter().map(Part::of).collect()
}

/// Renders the messages of a question. The last one prompts for an answer, with `words` as buttons.
#[must_use]
pub fn question(text: &str, to: Option<&Person>, words: &[String], language: Language) -> Vec<Part> {
    let mut parts = reply(text, to);
    let first = text.lines().next().filter(|line| !line.is_empty()).map(Into::into);
    let hint = first.unwrap_or_else(|| messages::telegram_your_answer(language));
    if let Some(last) = parts.last_mut() {
        last.prompt = Some(AnswerPrompt { hint: cut(&hint, PLACEHOLDER), words: words.into() });
    }
    parts
}

/// Renders the messages of a card: at least one, the last of which has the buttons. `names` has an entry for each of
/// [`people`] that is known.
#[must_use]
pub fn card(model: &CardModel, names: &BTreeMap<String, String>, language: Language) -> Vec<Part> {
    card::card(model, names, language)
}

/// The card with links to the installation's own pages at this address, where people can follow them.
#[must_use]
pub fn with_pages(mut card: CardModel, pages: &str) -> CardModel {
    let links = card.items.iter_mut().map(|item| &mut item.link).chain([&mut card.link]);
    for link in links.flatten().filter(|link| link.starts_with('/')) {
        link.insert_str(0, pages.trim_end_matches('/'));
    }
    card
}

/// The numbers by which a card names people.
#[must_use]
pub fn people(model: &CardModel) -> Vec<String> {
    card::people(model)
}

/// The content of a message whose text has moved to another one.
#[must_use]
pub fn emptied() -> Part {
    Part { html: "⋯".into(), plain: "⋯".into(), ..Part::default() }
}

/// Cuts the text of a press's answer to its limit.
#[must_use]
pub fn alert(text: &str) -> String {
    cut(text, ALERT)
}

/// The beginning of a text, in whole graphemes, with an ellipsis if something is left out.
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
