//! A card as messages: the one with the buttons last, and before it, when the card is too long for one, what it holds.
//! What is being approved is never cut.

use std::collections::BTreeMap;

use throughline_engine::workflow::{Button, CardModel, ItemModel};
use unicode_segmentation::UnicodeSegmentation;

use super::split::{PART, split, units};
use super::text::{Style, Text};
use super::{Key, Part};

/// Buttons of one message that Telegram takes.
const KEYS: usize = 100;
/// Graphemes of a button's label; more is cut off.
const LABEL: usize = 40;
/// Buttons of one row, if their labels are short.
const ROW: usize = 3;
/// Graphemes that fit beside one another on a phone.
const ROW_WIDTH: usize = 30;

/// The messages of a card. `names`: what to call the people that the card names by number.
pub(super) fn card(card: &CardModel, names: &BTreeMap<String, String>) -> Vec<Part> {
    let head = head(card, names);
    let body = body(card);
    let tail = tail(card);
    let mut whole = head.clone();
    whole.0.extend(body.0.iter().chain(&tail.0).cloned());
    if units(&whole.plain()) <= PART {
        return vec![Part { keys: keyboard(card), ..Part::of(&whole) }];
    }
    let count = units(&body.plain());
    let mut parts: Vec<Part> = split(body.trimmed(), PART).iter().map(Part::of).collect();
    let (mut last, above) = (head, parts.len());
    let messages = if above == 1 { "message above".to_owned() } else { format!("{above} messages above") };
    last.push(Style::Plain, &format!("\n\nIts whole text is the {messages}: {count} characters."));
    last.0.extend(tail.0);
    // Titles, facts and errors are short sentences of ours; should they ever not be, they too go on above.
    let mut ends = split(last, PART);
    let last = ends.pop().unwrap_or_default();
    parts.extend(ends.iter().map(Part::of));
    parts.push(Part { keys: keyboard(card), ..Part::of(&last) });
    parts
}

fn head(card: &CardModel, names: &BTreeMap<String, String>) -> Text {
    let mut text = Text::default();
    named(&mut text, Style::Bold, &card.title, names);
    if let Some(hash) = &card.hash {
        text.push(Style::Plain, &format!("\nv{} · ", card.version));
        text.push(Style::Code, hash);
    }
    if !card.facts.is_empty() {
        text.push(Style::Plain, "\n");
        named(&mut text, Style::Plain, &card.facts.join(" · "), names);
    }
    text
}

fn body(card: &CardModel) -> Text {
    let mut text = Text::default();
    for field in card.fields.iter().filter(|field| !field.text.is_empty()) {
        text.push(Style::Plain, "\n\n");
        text.push(Style::Bold, &field.label);
        text.push(Style::Plain, "\n");
        text.say(Style::Plain, &field.text);
    }
    for item in &card.items {
        self::item(&mut text, item);
    }
    text
}

/// One item of a card: what it is, how it stands, what is written of it and what is wrong with it.
fn item(text: &mut Text, item: &ItemModel) {
    text.push(Style::Plain, "\n\n");
    text.push(Style::Bold, &item.label);
    text.push(Style::Plain, ": ");
    text.say(Style::Plain, &item.title);
    if !item.state.is_empty() {
        text.say(Style::Plain, &format!("\n{}", item.state));
    }
    for field in item.details() {
        text.say(Style::Plain, &format!("\n{}: {}", field.label, field.text));
    }
    for error in &item.errors {
        text.say(Style::Plain, &format!("\n✗ {} ({})", error.text, error.field));
    }
    if let Some(link) = &item.link {
        text.push(Style::Plain, &format!("\n{link}"));
    }
}

/// The card's own buttons, then a row for each item: its edit names it, since a button stands far from its item.
fn keyboard(card: &CardModel) -> Vec<Vec<Key>> {
    let mut rows = keys(&card.buttons);
    let own: usize = rows.iter().map(Vec::len).sum();
    let of_items: usize = card.items.iter().map(|item| item.buttons.len()).sum();
    // With very many items the first button of each stays: what cannot be removed here can be edited, or cancelled.
    let each = if own + of_items <= KEYS { usize::MAX } else { 1 };
    for item in card.items.iter().take(KEYS - own.min(KEYS)) {
        let row = item.buttons.iter().take(each).filter_map(|button| {
            let label = format!("{} · {}", item.label, button.label);
            Some(Key { label: label.graphemes(true).take(LABEL).collect(), data: button.token.clone()? })
        });
        rows.extend(Some(row.collect::<Vec<_>>()).filter(|row| !row.is_empty()));
    }
    rows
}

fn tail(card: &CardModel) -> Text {
    let mut text = Text::default();
    if !card.errors.is_empty() {
        text.push(Style::Plain, "\n");
    }
    for error in &card.errors {
        text.say(Style::Plain, &format!("\n✗ {} ({})", error.text, error.field));
    }
    if let Some(link) = &card.link {
        text.push(Style::Plain, &format!("\n\n{link}"));
    }
    text
}

/// A sentence of ours that names people by their number, `asked by @4711`: those we know become mentions.
fn named(text: &mut Text, style: Style, sentence: &str, names: &BTreeMap<String, String>) {
    let mut said = 0;
    for (at, _) in sentence.match_indices('@') {
        let digits = sentence[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let (id, end) = (&sentence[at + 1..at + 1 + digits], at + 1 + digits);
        if let (Some(name), Ok(number)) = (names.get(id), id.parse()) {
            text.say(style.clone(), &sentence[said..at]);
            text.push(Style::Mention(number), name);
            said = end;
        }
    }
    text.say(style, &sentence[said..]);
}

/// The numbers that a card names people by.
pub(super) fn people(card: &CardModel) -> Vec<String> {
    let sentences = card.facts.iter().chain([&card.title]);
    let after = sentences.flat_map(|sentence| sentence.split('@').skip(1));
    let digits = after.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.filter(|id| !id.is_empty()).collect()
}

fn keys(buttons: &[Button]) -> Vec<Vec<Key>> {
    let mut rows: Vec<Vec<Key>> = Vec::new();
    let mut width = usize::MAX;
    for button in buttons {
        let Some(token) = &button.token else { continue };
        let tick = match button.on {
            Some(true) => "☑ ",
            Some(false) => "☐ ",
            None => "",
        };
        let label: String = format!("{tick}{}", button.label).graphemes(true).take(LABEL).collect();
        let wide = label.graphemes(true).count();
        let key = Key { label, data: token.clone() };
        match rows.last_mut().filter(|row| row.len() < ROW && width.saturating_add(wide) <= ROW_WIDTH) {
            Some(row) => {
                row.push(key);
                width += wide;
            }
            None => {
                rows.push(vec![key]);
                width = wide;
            }
        }
    }
    rows
}
