//! Erasure of a person from a card.

use alloc::vec::Vec;

use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::data_subject::{DataSubject, Personal};
use crate::data::erasure::ERASED;
use crate::data::time::Timestamp;

impl Personal for Card {
    /// Returns true if the person caused the card, or it is about something they said.
    fn is_of(&self, person: &DataSubject) -> bool {
        let source = match &self.about {
            CardSubject::ScopeGate { source, .. } => Some(source),
            _ => self.call().map(|(_, source)| source),
        };
        person.is(&self.by)
            || source.is_some_and(|source| person.has(&source.0))
            || self.task().is_some_and(|task| person.has(&task.0))
    }

    fn without(self, person: &DataSubject, _now: Timestamp) -> Option<Self> {
        let theirs = self.is_of(person);
        let (mut card, changed) = scrubbed(person, self, theirs);
        if card.is_open() && (theirs || changed && card.is_approval()) {
            card.status = CardStatus::Withdrawn;
        }
        Some(card)
    }
}

/// Returns the card without what is the person's, and whether something was removed. A card of theirs loses all its words.
pub(crate) fn scrubbed(person: &DataSubject, card: Card, theirs: bool) -> (Card, bool) {
    let left = person.rewritten(if theirs { bare(card.clone()) } else { card.clone() });
    let changed = left != card;
    (left, changed)
}

/// Returns the card without its words; only its ids and its outcome are left.
pub(crate) fn bare(mut card: Card) -> Card {
    match &mut card.about {
        CardSubject::ScopeGate { excerpt, .. } => *excerpt = ERASED.into(),
        CardSubject::CallPreview { call, .. } | CardSubject::UncertainCall { call, .. } => {
            *call = call.clone().without_words();
        }
        CardSubject::Options { asks, .. } => *asks = ERASED.into(),
        CardSubject::Custom { state, offers, .. } => {
            (*state, *offers) = (serde_json::Value::Null, Vec::new())
        }
        _ => {}
    }
    card.by = ERASED.into();
    card
}
