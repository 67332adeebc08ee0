//! Renders a card as messages: the last one has the buttons; if the card is too long for one, those before it hold
//! its text. What is being approved is never cut.

use std::collections::BTreeMap;

use throughline_engine::Language;
use throughline_engine::data::action::{Action, CardStep};
use throughline_engine::data::card_model::{Button, CardModel, ItemModel};
use throughline_messages as messages;
use unicode_segmentation::UnicodeSegmentation;

use super::split::{PART, split, units};
use super::text::{Style, Text};
use super::{InlineButton, Part};

/// The most rows of buttons under one message.
const ROWS: usize = 8;
/// The most buttons in one row.
const ROW_MOST: usize = 8;
/// The longest label of a button, in graphemes.
const LABEL: usize = 40;
/// The most buttons in one row of the card's own buttons.
const ROW: usize = 3;
/// The width of a row on a phone, in graphemes.
const ROW_WIDTH: usize = 30;

/// Renders the messages of a card. `names` are the display names of people the card names by number.
pub(super) fn card(card: &CardModel, names: &BTreeMap<String, String>, language: Language) -> Vec<Part> {
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
    let told = messages::telegram_whole_text(language, count, above);
    last.push(Style::Plain, &format!("\n\n{told}"));
    last.0.extend(tail.0);
    // Titles, facts and errors are short sentences of the engine; if they ever are not, they too go into messages
    // above.
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
    for field in card.fields.iter().filter(|field| field.is_shown()) {
        text.push(Style::Plain, "\n\n");
        text.push(Style::Bold, &field.label);
        text.push(Style::Plain, "\n");
        text.push_untrusted(Style::Plain, &field.shown_text());
    }
    for item in &card.items {
        if card.step == CardStep::Options {
            option(&mut text, item);
        } else {
            self::item(&mut text, card, item);
        }
    }
    text
}

/// One option: its number, its label and the detail that tells it from others.
fn option(text: &mut Text, item: &ItemModel) {
    text.push(Style::Plain, "\n");
    text.push(Style::Bold, &format!("{}.", item.label));
    text.push_untrusted(Style::Plain, &format!(" {}", item.title));
    if !item.state.is_empty() {
        text.push_untrusted(Style::Plain, &format!(" · {}", item.state));
    }
}

/// One item: its title, state, fields and errors.
fn item(text: &mut Text, card: &CardModel, item: &ItemModel) {
    text.push(Style::Plain, "\n\n");
    text.push(Style::Bold, &item.label);
    text.push(Style::Plain, ": ");
    text.push_untrusted(Style::Plain, &item.title);
    if !item.state.is_empty() {
        text.push_untrusted(Style::Plain, &format!("\n{}", item.state));
    }
    for field in item.shown(card) {
        text.push_untrusted(Style::Plain, &format!("\n{}: {}", field.label, field.text));
    }
    for error in item.listed_errors() {
        text.push_untrusted(Style::Plain, &format!("\n✗ {}", error.display_text()));
    }
    if let Some(link) = followable(item.link.as_deref()) {
        text.push(Style::Plain, &format!("\n{link}"));
    }
}

/// The card's own buttons, then those of its items. These name their item, since a button is far from it: a row for
/// each item, or short ones side by side where there are too many.
fn keyboard(card: &CardModel) -> Vec<Vec<InlineButton>> {
    if card.step == CardStep::Options {
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
                rows.extend(of_kind.collect::<Vec<_>>().chunks(short.row).map(<[InlineButton]>::to_vec));
            }
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// A row for each option, or their numbers side by side where there are too many. The other buttons are below.
fn options(card: &CardModel) -> Vec<Vec<InlineButton>> {
    let ways = keys(&card.buttons);
    let buttons = || card.items.iter().flat_map(|item| item.buttons.iter().map(move |button| (item, button)));
    let mut rows: Vec<Vec<InlineButton>> = if buttons().count() + ways.len() <= ROWS {
        let named =
            |(item, button): (&ItemModel, &Button)| key(format!("{}. {}", item.label, button.label), button);
        buttons().filter_map(named).map(|key| vec![key]).collect()
    } else {
        let numbers: Vec<InlineButton> =
            buttons().filter_map(|(item, button)| key(item.label.clone(), button)).collect();
        numbers.chunks(ROW_MOST).map(<[InlineButton]>::to_vec).collect()
    };
    rows.extend(ways);
    rows
}

/// The layout of the buttons of many items.
struct Short {
    /// The number of buttons shown for each item. If there is no room for all, removing is left out, since an item
    /// can be edited.
    kinds: usize,
    /// The number of buttons in a row.
    row: usize,
}

/// The layout if a row for each item does not fit; `None` if it does.
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

/// A line that explains the short buttons.
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

fn key(label: String, button: &Button) -> Option<InlineButton> {
    Some(InlineButton { label: label.graphemes(true).take(LABEL).collect(), data: button.token.clone()? })
}

fn tail(card: &CardModel) -> Text {
    let mut text = Text::default();
    if !card.errors.is_empty() {
        text.push(Style::Plain, "\n");
    }
    for error in &card.errors {
        text.push_untrusted(Style::Plain, &format!("\n✗ {}", error.display_text()));
    }
    if let Some(legend) = legend(card) {
        text.push(Style::Plain, &format!("\n\n{legend}"));
    }
    if let Some(link) = followable(card.link.as_deref()) {
        text.push(Style::Plain, &format!("\n\n{link}"));
    }
    text
}

/// A link that can be followed from Telegram. A path of the installation's own pages cannot, and would look like a
/// command.
fn followable(link: Option<&str>) -> Option<&str> {
    link.filter(|link| link.contains("://"))
}

/// Adds a sentence of the engine that names people by number, `asked by @4711`: known ones become mentions.
fn named(text: &mut Text, style: Style, sentence: &str, names: &BTreeMap<String, String>) {
    let mut said = 0;
    for (at, _) in sentence.match_indices('@') {
        let digits = sentence[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let (id, end) = (&sentence[at + 1..at + 1 + digits], at + 1 + digits);
        if let (Some(name), Ok(number)) = (names.get(id), id.parse()) {
            text.push_untrusted(style.clone(), &sentence[said..at]);
            text.push(Style::Mention(number), name);
            said = end;
        }
    }
    text.push_untrusted(style, &sentence[said..]);
}

/// The numbers by which a card names people.
pub(super) fn people(card: &CardModel) -> Vec<String> {
    let sentences = card.facts.iter().chain([&card.title]);
    let after = sentences.flat_map(|sentence| sentence.split('@').skip(1));
    let digits = after.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.filter(|id| !id.is_empty()).collect()
}

fn keys(buttons: &[Button]) -> Vec<Vec<InlineButton>> {
    let mut rows: Vec<Vec<InlineButton>> = Vec::new();
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
