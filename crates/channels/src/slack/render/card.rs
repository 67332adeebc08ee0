//! Renders a card as one message. Where it does not fit, it is shown with less detail and a button that shows all of it:
//! what is being approved is never cut without saying so.

use serde_json::{Value, json};
use throughline_engine::data::action::CardStep;
use throughline_engine::data::card_model::{CardModel, Field, ItemModel};
use throughline_messages as messages;

use super::reply::push_linked;
use super::rich::{Rich, Style, cut};
use super::{
    Look, MESSAGE_TEXT, Message, People, TITLE, VIEW_BLOCKS, VIEW_SIZE, buttons, context, is_cut, named,
    plain, push_sentence,
};
use crate::direction::steady;
use crate::slack::mrkdwn::inert;

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

/// The characters of the title where a card is shortened.
const HEAD: usize = 400;
/// The characters of all small print of one kind there.
const SMALL: usize = 1_000;
/// The number of errors there.
const ERRORS: usize = 8;

/// Renders a card. `smaller` leaves out one step of detail more than it has to: Slack refused the message.
#[must_use]
pub fn card(model: &CardModel, look: &Look, smaller: bool) -> Message {
    let whole = Parts::new(model, look, Detail::Full);
    let steps = [Detail::Full, Detail::Lines, Detail::Titles];
    let all = steps.into_iter().chain(PAGES.map(Detail::Some));
    // A text that is too long is not even put into blocks.
    let short =
        all.map(|detail| Parts::new(model, look, detail)).filter(|parts| parts.chars() <= MESSAGE_TEXT);
    let mut fitting = short.map(|parts| parts.message(model, look, &whole)).filter(Message::fits);
    let first = fitting.next();
    let second = if smaller { fitting.next() } else { None };
    let least = || Parts::new(model, look, Detail::Some(0)).message(model, look, &whole);
    second.or(first).unwrap_or_else(least)
}

/// The texts of a card, in the order they are shown.
struct Parts {
    head: Rich,
    facts: Vec<String>,
    body: Rich,
    errors: Rich,
    /// The reasons why buttons cannot be pressed.
    blocked: Vec<String>,
}

impl Parts {
    fn new(card: &CardModel, look: &Look, detail: Detail) -> Self {
        let full = detail == Detail::Full;
        let (facts, blocked) = (card.facts.clone(), buttons::blocked(card));
        Self {
            head: head(card, look, if full { usize::MAX } else { HEAD }),
            facts: if full { facts } else { within(facts, SMALL) },
            body: body(card, look, detail),
            errors: errors(card, if full { usize::MAX } else { ERRORS }),
            blocked: if full { blocked } else { within(blocked, SMALL) },
        }
    }

    fn chars(&self) -> usize {
        self.head.chars() + self.body.chars() + self.errors.chars()
    }

    fn plain(&self) -> String {
        let small = [self.facts.join("\n"), self.blocked.join("\n")];
        let texts = [self.head.plain(), self.body.plain(), self.errors.plain()];
        texts.into_iter().chain(small).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    fn message(self, card: &CardModel, look: &Look, whole: &Self) -> Message {
        let whole = whole.plain();
        // A small print that is longer than its block is cut there, whatever the detail.
        let small = [&self.facts, &self.blocked].into_iter().any(|lines| is_cut(lines, &look.people));
        let shortened = small || self.plain() != whole;
        let mut blocks = self.head.blocks();
        blocks.extend(context(&self.facts, &look.people));
        blocks.extend(self.body.blocks());
        blocks.extend(self.errors.blocks());
        if shortened {
            let said = messages::slack_shortened(look.language, whole.chars().count());
            blocks.extend(context(&[said], &look.people));
        }
        blocks.extend(context(&self.blocked, &look.people));
        blocks.extend(buttons::rows(card, shortened, look.language));
        Message::new(&summary(card), blocks)
    }
}

/// The first sentences that fit, as Slack counts them, with an ellipsis in the place of the others.
fn within(sentences: Vec<String>, most: usize) -> Vec<String> {
    let mut left = most;
    let mut shown = Vec::new();
    for sentence in sentences {
        let length = inert(&sentence).chars().count();
        if length > left {
            shown.push("…".into());
            break;
        }
        left -= length;
        shown.push(sentence);
    }
    shown
}

/// The text for notifications: what the card asks, and about what.
fn summary(card: &CardModel) -> String {
    let mut lines = vec![card.title.clone()];
    lines.extend(card.items.iter().take(5).map(|item| format!("{}: {}", item.label, item.title)));
    lines.join("\n")
}

fn head(card: &CardModel, look: &Look, most: usize) -> Rich {
    let mut text = Rich::default();
    push_sentence(&mut text, Style::Bold, &cut(&card.title, most), &look.people);
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
        let most = if detail == Detail::Full { usize::MAX } else { 2 * LINE };
        text.push_untrusted(Style::Plain, &format!(" · {}", cut(&item.state, most)));
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
        let most = if detail == Detail::Full { usize::MAX } else { LINE };
        text.push_untrusted(Style::Plain, &format!("\n✗ {}", cut(&error.display_text(), most)));
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

/// The first errors of the whole card, each a line; of those that are not shown there is an ellipsis.
fn errors(card: &CardModel, count: usize) -> Rich {
    let mut text = Rich::default();
    let most = if count == usize::MAX { count } else { LINE };
    for error in card.errors.iter().take(count) {
        if !text.is_empty() {
            text.push(Style::Plain, "\n");
        }
        text.push_untrusted(Style::Plain, &format!("✗ {}", cut(&error.display_text(), most)));
    }
    if card.errors.len() > count {
        text.push(Style::Plain, "\n✗ …");
    }
    text
}

/// The window that shows a card in full. `None` if it is too long for one.
#[must_use]
pub fn full_view(model: &CardModel, look: &Look) -> Option<Value> {
    let parts = Parts::new(model, look, Detail::Full);
    if parts.chars() > VIEW_SIZE || is_cut(&parts.facts, &look.people) {
        return None;
    }
    let mut blocks = parts.head.blocks();
    blocks.extend(context(&parts.facts, &look.people));
    blocks.extend(parts.body.blocks());
    blocks.extend(parts.errors.blocks());
    blocks.extend(context(&parts.blocked, &look.people));
    let view = json!({"type": "modal", "title": plain(&messages::slack_whole_title(look.language), TITLE),
        "close": plain(&messages::slack_close(look.language), TITLE), "blocks": blocks});
    let fits = blocks.len() <= VIEW_BLOCKS && view.to_string().len() <= VIEW_SIZE;
    fits.then_some(view)
}

/// The whole text of a card, for a file.
#[must_use]
pub fn full_text(model: &CardModel, look: &Look) -> String {
    // In a file nobody is mentioned, but named.
    let look = Look { people: People::new(), ..look.clone() };
    steady(&Parts::new(model, &look, Detail::Full).plain()).into_owned()
}

/// The ids by which a card's sentences name people.
#[must_use]
pub fn named_people(model: &CardModel) -> Vec<String> {
    let sentences = model.facts.iter().chain([&model.title]);
    let ids = sentences.flat_map(|sentence| sentence.split('@').skip(1).map(named));
    ids.filter(|id| !id.is_empty()).map(str::to_owned).collect()
}
