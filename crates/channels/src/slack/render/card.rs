//! Renders a card as one message. Where it does not fit, it is shown with less detail and a button that shows all of it:
//! what is being approved is never cut without saying so.

use serde_json::{Value, json};
use throughline_engine::data::action::CardStep;
use throughline_engine::data::card_model::{CardModel, Field, ItemModel};
use throughline_messages as messages;

use super::reply::push_linked;
use super::rich::{Rich, Style, cut};
use super::{Look, Message, TITLE, VIEW_BLOCKS, buttons, context, named, plain, push_sentence};

/// The detail of a card, from everything to a page of titles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Everything.
    Full,
    /// Two lines for each item and field.
    Lines,
    /// Titles only.
    Titles,
    /// The titles of the first items.
    Some(usize),
}

/// The characters of the second line of an item.
const LINE: usize = 120;
/// The characters of a title where only titles are shown.
const SHORT_TITLE: usize = 80;
/// The numbers of items that are tried where not even the titles of all fit.
const PAGES: [usize; 4] = [50, 20, 5, 0];

/// Renders a card. `smaller` leaves out one step of detail more than it has to: Slack refused the message.
#[must_use]
pub fn card(model: &CardModel, look: &Look, smaller: bool) -> Message {
    let steps = [Detail::Full, Detail::Lines, Detail::Titles];
    let all = steps.into_iter().chain(PAGES.map(Detail::Some));
    let mut fitting = all.map(|detail| at(model, look, detail)).filter(Message::fits);
    let first = fitting.next();
    let second = if smaller { fitting.next() } else { None };
    second.or(first).unwrap_or_else(|| at(model, look, Detail::Some(0)))
}

fn at(card: &CardModel, look: &Look, detail: Detail) -> Message {
    let whole = body(card, look, Detail::Full);
    let shown = body(card, look, detail);
    let shortened = detail != Detail::Full && shown.plain() != whole.plain();
    let mut blocks = head(card, look).blocks();
    blocks.extend(context(&facts(card), &look.people));
    blocks.extend(shown.blocks());
    let errors = errors(card);
    blocks.extend(errors.blocks());
    if shortened {
        let said = messages::slack_shortened(look.language, whole.chars());
        blocks.extend(context(&[said], &look.people));
    }
    blocks.extend(context(&buttons::blocked(card), &look.people));
    blocks.extend(buttons::rows(card, shortened, look.language));
    Message::new(&summary(card), blocks)
}

/// The text for notifications: what the card asks, and about what.
fn summary(card: &CardModel) -> String {
    let mut lines = vec![card.title.clone()];
    lines.extend(card.items.iter().take(5).map(|item| format!("{}: {}", item.label, item.title)));
    lines.join("\n")
}

fn head(card: &CardModel, look: &Look) -> Rich {
    let mut text = Rich::default();
    push_sentence(&mut text, Style::Bold, &card.title, &look.people);
    if let Some(hash) = &card.hash {
        text.push(Style::Plain, &format!("  v{} · ", card.version));
        text.push(Style::Code, hash);
    }
    if let Some(link) = look.followable(card.link.as_deref()) {
        text.push(Style::Plain, "\n");
        text.push(Style::Link(link.clone()), &link);
    }
    text
}

fn facts(card: &CardModel) -> Vec<String> {
    card.facts.clone()
}

fn body(card: &CardModel, look: &Look, detail: Detail) -> Rich {
    let mut text = Rich::default();
    for field in card.fields.iter().filter(|field| field.is_shown()) {
        push_field(&mut text, field, detail);
    }
    let most = if let Detail::Some(most) = detail { most } else { usize::MAX };
    for item in card.items.iter().take(most) {
        separate(&mut text, card);
        push_item(&mut text, card, item, look, detail);
    }
    if card.items.len() > most {
        let more = messages::slack_more_items(look.language, card.items.len() - most);
        text.push(Style::Plain, &format!("\n{more}"));
    }
    text
}

/// Options are a list; items are apart.
fn separate(text: &mut Rich, card: &CardModel) {
    if !text.is_empty() {
        text.push(Style::Plain, if card.step == CardStep::Options { "\n" } else { "\n\n" });
    }
}

fn push_field(text: &mut Rich, field: &Field, detail: Detail) {
    if !text.is_empty() {
        text.push(Style::Plain, "\n\n");
    }
    text.push(Style::Bold, &field.label);
    text.push(Style::Plain, "\n");
    match detail {
        Detail::Full => push_linked(text, &field.shown_text()),
        Detail::Lines => text.push_untrusted(Style::Plain, &lines(&field.shown_text(), 2, 4 * LINE)),
        _ => text.push_untrusted(Style::Plain, &lines(&field.shown_text(), 1, LINE)),
    }
}

fn push_item(text: &mut Rich, card: &CardModel, item: &ItemModel, look: &Look, detail: Detail) {
    let option = card.step == CardStep::Options;
    text.push(Style::Bold, &format!("{}{}", item.label, if option { "." } else { ":" }));
    text.push(Style::Plain, " ");
    let titles = matches!(detail, Detail::Titles | Detail::Some(_));
    let title = if titles { cut(&item.title, SHORT_TITLE) } else { item.title.clone() };
    match look.followable(item.link.as_deref()) {
        Some(link) => text.push(Style::Link(link), &title),
        None => text.push_untrusted(Style::Plain, &title),
    }
    if !item.state.is_empty() {
        text.push_untrusted(Style::Plain, &format!(" · {}", cut(&item.state, 2 * LINE)));
    }
    match detail {
        Detail::Full => {
            for field in item.shown(card) {
                text.push(Style::Plain, &format!("\n{}: ", field.label));
                push_linked(text, &field.text);
            }
        }
        Detail::Lines => {
            if let Some(field) = item.shown(card).next() {
                text.push_untrusted(Style::Plain, &format!("\n{}", lines(&field.text, 1, LINE)));
            }
        }
        Detail::Titles | Detail::Some(_) => {}
    }
    for error in item.listed_errors() {
        text.push_untrusted(Style::Plain, &format!("\n✗ {}", error.display_text()));
    }
}

/// The first lines of a text, with an ellipsis if something is left out.
fn lines(text: &str, count: usize, most: usize) -> String {
    let shown =
        text.lines().filter(|line| !line.trim().is_empty()).take(count).collect::<Vec<_>>().join("\n");
    if shown.chars().count() == text.trim().chars().count() {
        cut(&shown, most)
    } else {
        cut(&format!("{shown}…"), most)
    }
}

fn errors(card: &CardModel) -> Rich {
    let mut text = Rich::default();
    for error in &card.errors {
        if !text.is_empty() {
            text.push(Style::Plain, "\n");
        }
        text.push_untrusted(Style::Plain, &format!("✗ {}", error.display_text()));
    }
    text
}

/// The window that shows a card in full. `None` if it is too long for one.
#[must_use]
pub fn full_view(model: &CardModel, look: &Look) -> Option<Value> {
    let mut blocks = head(model, look).blocks();
    blocks.extend(context(&facts(model), &look.people));
    blocks.extend(body(model, look, Detail::Full).blocks());
    blocks.extend(errors(model).blocks());
    (blocks.len() <= VIEW_BLOCKS).then(|| {
        json!({"type": "modal", "title": plain(&messages::slack_whole_title(look.language), TITLE),
            "close": plain(&messages::slack_close(look.language), TITLE), "blocks": blocks})
    })
}

/// The whole text of a card, for a file.
#[must_use]
pub fn full_text(model: &CardModel, look: &Look) -> String {
    let parts = [head(model, look), body(model, look, Detail::Full), errors(model)];
    let texts: Vec<String> = parts
        .iter()
        .map(Rich::plain)
        .chain([facts(model).join("\n")])
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
}

/// The ids by which a card's sentences name people.
#[must_use]
pub fn named_people(model: &CardModel) -> Vec<String> {
    let sentences = model.facts.iter().chain([&model.title]);
    let ids = sentences.flat_map(|sentence| sentence.split('@').skip(1).map(named));
    ids.filter(|id| !id.is_empty()).map(str::to_owned).collect()
}
