//! Keeps track of the messages that were printed and of the numbers of their cards, and lays them out for the terminal.

use std::collections::BTreeMap;

use throughline_channels::api::{CardView, MessageView};
use throughline_channels::terminal::{fit, render_numbered, safe};
use throughline_engine::data::message::{MessageKind, Role};

use crate::output::Paint;

/// The widest line, in columns: a longer one is hard to read. It is also the width where there is no terminal.
const WIDTH: usize = 100;

/// The messages and cards that were printed.
pub(super) struct Screen {
    paint: Paint,
    /// The cards in the order they were first printed. A card's number is its index plus one.
    cards: Vec<CardView>,
    /// The last rendering of each message, by message id.
    seen: BTreeMap<String, String>,
    /// Text that was typed here and is on the screen already.
    typed: Option<String>,
}

impl Screen {
    pub(super) fn new(paint: Paint) -> Self {
        Self { paint, cards: Vec::new(), seen: BTreeMap::new(), typed: None }
    }

    /// Returns the cards, each in its newest state.
    pub(super) fn cards(&self) -> &[CardView] {
        &self.cards
    }

    /// Sets the text that a person has just typed here: as a message it is not printed again.
    pub(super) fn set_typed(&mut self, text: Option<&str>) {
        self.typed = text.map(str::to_owned);
    }

    /// Renders the messages that are new or have changed.
    pub(super) fn render_changes(&mut self, views: &[MessageView]) -> Vec<String> {
        let width = width();
        let mut shown = Vec::new();
        for view in views {
            let number = view.card.as_ref().map(|card| self.number(card));
            let text = match view.role {
                Role::User => said(view, width),
                Role::Assistant => render_numbered(view, number, width),
            };
            if self.seen.get(view.id.as_str()) == Some(&text) {
                continue;
            }
            let new = self.seen.insert(view.id.0.clone(), text.clone()).is_none();
            let own = view.role == Role::User && self.typed.as_deref() == Some(view.text.as_str());
            if own && new {
                self.typed = None;
            } else {
                shown.push(self.painted(view, &text));
            }
        }
        shown
    }

    /// Colours a rendered message: names, titles, buttons and errors stand out.
    fn painted(&self, view: &MessageView, text: &str) -> String {
        let paint = self.paint;
        let card = view.card.is_some();
        let line = |(n, line): (usize, &str)| match line.trim_start().chars().next() {
            _ if view.role == Role::User => match line.split_once(": ").filter(|_| n == 0) {
                Some((name, said)) => format!("{} {said}", paint.name(&format!("{name}:"))),
                None => line.to_owned(),
            },
            _ if card && n == 0 => paint.name(line),
            Some(':') if card => paint.good(line),
            Some('✗') if card => paint.bad(line),
            Some('→') if card => paint.dim(line),
            _ if view.kind == Some(MessageKind::Notification) => paint.dim(line),
            _ => line.to_owned(),
        };
        text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Returns the number of a card. It stays the same for the whole conversation.
    fn number(&mut self, card: &CardView) -> usize {
        match self.cards.iter().position(|known| known.id == card.id) {
            Some(at) => {
                self.cards[at] = card.clone();
                at + 1
            }
            None => {
                self.cards.push(card.clone());
                self.cards.len()
            }
        }
    }
}

/// Returns what a person said, with their name before it.
fn said(view: &MessageView, width: usize) -> String {
    let by = view.by.as_deref().unwrap_or("somebody");
    fit(&safe(&format!("{by}: {}", view.text)), width)
}

/// Returns the width to render for: that of the terminal as it is now.
pub(super) fn width() -> usize {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.or_else(columns).unwrap_or(WIDTH).min(WIDTH)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn views(value: &serde_json::Value) -> Vec<MessageView> {
        serde_json::from_value(value.clone()).unwrap()
    }

    fn message(id: &str, by: Option<&str>, text: &str) -> serde_json::Value {
        let role = if by.is_some() { "user" } else { "assistant" };
        json!({ "id": id, "role": role, "by": by, "text": text, "at": "2026-03-01T09:30:00.000Z" })
    }

    #[test]
    fn what_was_typed_here_is_not_said_again_and_what_others_say_is() {
        let mut screen = Screen::new(Paint::off());
        screen.set_typed(Some("hello"));
        let first = json!([message("m_1", Some("ana"), "hello"), message("m_2", None, "Hello, Ana")]);
        assert_eq!(screen.render_changes(&views(&first)), ["Hello, Ana"]);
        // The same words again, from somebody else.
        let more = json!([message("m_1", Some("ana"), "hello"), message("m_3", Some("bob"), "hello")]);
        assert_eq!(screen.render_changes(&views(&more)), ["bob: hello"]);
        assert!(screen.render_changes(&views(&more)).is_empty(), "once");
        let changed = json!([message("m_3", Some("bob"), "hello all")]);
        assert_eq!(screen.render_changes(&views(&changed)), ["bob: hello all"]);
    }

    #[test]
    fn a_message_obeys_no_escape_and_fits() {
        let mut screen = Screen::new(Paint::off());
        let long = format!("\u{1b}[2J{}", "word ".repeat(60));
        let shown = screen.render_changes(&views(&json!([message("m_1", Some("eve"), &long)])));
        assert!(shown[0].starts_with("eve: ␛[2J"));
        assert!(shown[0].lines().all(|line| line.chars().count() <= width()), "{}", shown[0]);
    }
}
