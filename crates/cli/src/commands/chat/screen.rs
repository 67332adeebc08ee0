//! What was shown so far: which cards have which number, and which of them changed since.

use std::collections::BTreeMap;

use throughline_channels::api::{CardView, MessageView};
use throughline_channels::terminal::render_numbered;
use throughline_engine::lane::Role;

/// The columns of a terminal that does not say.
const WIDTH: usize = 100;

/// What a person has seen.
pub(super) struct Screen {
    width: usize,
    /// In the order they were first shown: a card's number is its place, from 1.
    cards: Vec<CardView>,
    /// The last rendering of each message.
    seen: BTreeMap<String, String>,
}

impl Screen {
    pub(super) fn new() -> Self {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Self { width: columns.unwrap_or(WIDTH), cards: Vec::new(), seen: BTreeMap::new() }
    }

    /// The terminal has so many columns now.
    pub(super) fn width(&mut self, columns: Option<usize>) {
        self.width = columns.unwrap_or(self.width);
    }

    /// The cards, newest state each.
    pub(super) fn cards(&self) -> &[CardView] {
        &self.cards
    }

    /// The messages that are new or look different now, rendered.
    pub(super) fn show(&mut self, views: &[MessageView]) -> Vec<String> {
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

    /// The number of a card, which keeps it for the whole conversation.
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
