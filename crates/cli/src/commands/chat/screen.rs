//! Keeps track of the messages that were printed and of the numbers of their cards.

use std::collections::BTreeMap;

use throughline_channels::api::{CardView, MessageView};
use throughline_channels::terminal::render_numbered;
use throughline_engine::data::message::Role;

/// The width of a terminal that does not report one, in columns.
const WIDTH: usize = 100;

/// The messages and cards that were printed.
pub(super) struct Screen {
    width: usize,
    /// The cards in the order they were first printed. A card's number is its index plus one.
    cards: Vec<CardView>,
    /// The last rendering of each message, by message id.
    seen: BTreeMap<String, String>,
}

impl Screen {
    pub(super) fn new() -> Self {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Self { width: columns.unwrap_or(WIDTH), cards: Vec::new(), seen: BTreeMap::new() }
    }

    /// Sets the width of the terminal, if known.
    pub(super) fn set_width(&mut self, columns: Option<usize>) {
        self.width = columns.unwrap_or(self.width);
    }

    /// Returns the cards, each in its newest state.
    pub(super) fn cards(&self) -> &[CardView] {
        &self.cards
    }

    /// Renders the messages of the assistant that are new or have changed.
    pub(super) fn render_changes(&mut self, views: &[MessageView]) -> Vec<String> {
        let mut shown = Vec::new();
        for view in views.iter().filter(|view| view.role == Role::Assistant) {
            let number = view.card.as_ref().map(|card| self.number(card));
            let text = render_numbered(view, number, self.width);
            if self.seen.get(view.id.as_str()) != Some(&text) {
                self.seen.insert(view.id.0.clone(), text.clone());
                shown.push(text);
            }
        }
        shown
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
