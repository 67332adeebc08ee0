//! A card as messages: the one with the buttons last, and before it, when the card is too long for one, what it holds.
//! What is being approved is never cut.

use std::collections::BTreeMap;

use throughline_engine::workflow::{Action, Button, CardModel, ItemModel, Step};
use unicode_segmentation::UnicodeSegmentation;

use super::split::{PART, split, units};
use super::text::{Style, Text};
use super::{Key, Part};

/// Rows of buttons under one message, and buttons of one row (`spec 07 §1`).
const ROWS: usize = 8;
/// See [`ROWS`].
const ROW_MOST: usize = 8;
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
        if card.step == Step::Options {
            option(&mut text, item);
        } else {
            self::item(&mut text, card, item);
        }
    }
    text
}

/// One of the options: its place, what it is called and what tells it from others.
fn option(text: &mut Text, item: &ItemModel) {
    text.push(Style::Plain, "\n");
    text.push(Style::Bold, &format!("{}.", item.label));
    text.say(Style::Plain, &format!(" {}", item.title));
    if !item.state.is_empty() {
        text.say(Style::Plain, &format!(" · {}", item.state));
    }
}

/// One item of a card: what it is, how it stands, what is written of it and what is wrong with it.
fn item(text: &mut Text, card: &CardModel, item: &ItemModel) {
    text.push(Style::Plain, "\n\n");
    text.push(Style::Bold, &item.label);
    text.push(Style::Plain, ": ");
    text.say(Style::Plain, &item.title);
    if !item.state.is_empty() {
        text.say(Style::Plain, &format!("\n{}", item.state));
    }
    for field in item.shown(card) {
        text.say(Style::Plain, &format!("\n{}: {}", field.label, field.text));
    }
    for error in item.wrong() {
        text.say(Style::Plain, &format!("\n✗ {}", error.told()));
    }
    if let Some(link) = followable(item.link.as_deref()) {
        text.push(Style::Plain, &format!("\n{link}"));
    }
}

/// The card's own buttons, then those of its items, which name their item since a button stands far from it: a row for
/// each item, or short ones side by side where there are too many for that.
fn keyboard(card: &CardModel) -> Vec<Vec<Key>> {
    if card.step == Step::Options {
        return options(card);
    }
    let mut rows = keys(&card.buttons);
    match shortened(card) {
        None => {
            for item in &card.items {
                let named = |button: &Button| key(format!("{} · {}", item.label, button.label), button);
                rows.push(item.buttons.iter().filter_map(named).collect());
            }
        }
        Some(short) => {
            for kind in 0..short.kinds {
                let of_kind = card.items.iter().filter_map(|item| {
                    let button = item.buttons.get(kind)?;
                    key(format!("{} {}", sign(button.action), initial(&item.label)), button)
                });
                rows.extend(of_kind.collect::<Vec<_>>().chunks(short.row).map(<[Key]>::to_vec));
            }
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// A row for each option; where there are too many for that, their numbers side by side. The ways out stand below.
fn options(card: &CardModel) -> Vec<Vec<Key>> {
    let ways = keys(&card.buttons);
    let buttons = || card.items.iter().flat_map(|item| item.buttons.iter().map(move |button| (item, button)));
    let mut rows: Vec<Vec<Key>> = if buttons().count() + ways.len() <= ROWS {
        let named =
            |(item, button): (&ItemModel, &Button)| key(format!("{}. {}", item.label, button.label), button);
        buttons().filter_map(named).map(|key| vec![key]).collect()
    } else {
        let numbers: Vec<Key> =
            buttons().filter_map(|(item, button)| key(item.label.clone(), button)).collect();
        numbers.chunks(ROW_MOST).map(<[Key]>::to_vec).collect()
    };
    rows.extend(ways);
    rows
}

/// How the buttons of many items are laid out.
struct Short {
    /// The first so many buttons of each item. Where there is no room for all, what cannot be removed can be edited.
    kinds: usize,
    /// So many in a row.
    row: usize,
}

/// None: a row for each item has room.
fn shortened(card: &CardModel) -> Option<Short> {
    let items = card.items.iter().filter(|item| !item.buttons.is_empty()).count();
    let left = ROWS.saturating_sub(keys(&card.buttons).len());
    if items <= left {
        return None;
    }
    let kinds = card.items.iter().map(|item| item.buttons.len()).max().unwrap_or(0);
    let fits = |kinds: usize| {
        let row = (ROW_MOST / 2..=ROW_MOST).find(|row| kinds * items.div_ceil(*row) <= left);
        row.map(|row| Short { kinds, row })
    };
    (1..=kinds).rev().find_map(fits).or(Some(Short { kinds: 1, row: ROW_MOST }))
}

/// What the short buttons mean.
fn legend(card: &CardModel) -> Option<String> {
    let short = shortened(card)?;
    let item = card.items.iter().rfind(|item| !item.buttons.is_empty())?;
    let says = |button: &Button| {
        let verb = button.label.trim_end_matches('…');
        format!("{} {}: {verb} {}", sign(button.action), initial(&item.label), item.label)
    };
    Some(item.buttons.iter().take(short.kinds).map(says).collect::<Vec<_>>().join(" · "))
}

fn sign(action: Action) -> &'static str {
    if action == Action::RemoveStory { "✕" } else { "✎" }
}

/// `S12` for `Story 12`.
fn initial(label: &str) -> String {
    let (name, number) = label.split_once(' ').unwrap_or((label, ""));
    name.chars().take(1).chain(number.chars()).collect()
}

fn key(label: String, button: &Button) -> Option<Key> {
    Some(Key { label: label.graphemes(true).take(LABEL).collect(), data: button.token.clone()? })
}

fn tail(card: &CardModel) -> Text {
    let mut text = Text::default();
    if !card.errors.is_empty() {
        text.push(Style::Plain, "\n");
    }
    for error in &card.errors {
        text.say(Style::Plain, &format!("\n✗ {}", error.told()));
    }
    if let Some(legend) = legend(card) {
        text.push(Style::Plain, &format!("\n\n{legend}"));
    }
    if let Some(link) = followable(card.link.as_deref()) {
        text.push(Style::Plain, &format!("\n\n{link}"));
    }
    text
}

/// A link that leads somewhere from here. A path of our own pages does not, and would look like a command.
fn followable(link: Option<&str>) -> Option<&str> {
    link.filter(|link| link.contains("://"))
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
        let tick = match button.on {
            Some(true) => "☑ ",
            Some(false) => "☐ ",
            None => "",
        };
        let Some(key) = key(format!("{tick}{}", button.label), button) else { continue };
        let wide = key.label.graphemes(true).count();
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
