//! A card as messages: the one with the buttons last, and before it, when the card is too long for one, what it holds.
//! What is being approved is never cut.

use std::collections::BTreeMap;

use throughline_engine::workflow::{Button, CardModel};
use unicode_segmentation::UnicodeSegmentation;

use super::split::{PART, split, units};
use super::text::{Style, Text};
use super::{Key, Part};

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
        return vec![Part { keys: keys(&card.buttons), ..Part::of(&whole) }];
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
    parts.push(Part { keys: keys(&card.buttons), ..Part::of(&last) });
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
    for field in &card.fields {
        text.push(Style::Plain, "\n\n");
        text.push(Style::Bold, &field.label);
        text.push(Style::Plain, "\n");
        text.say(Style::Plain, &field.text);
    }
    text
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
