//! Finds the button that a person named by numbers.

use throughline_engine::data::action::CardStep;
use throughline_engine::data::card_model::Button;

use crate::api::CardView;

/// There is no such button. The message says which there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoButton {
    /// No card was shown yet.
    #[error("No card has been shown yet, so there is nothing to press")]
    NoCards,
    /// No card has that number.
    #[error("There is no card {card}; the newest is card {newest}")]
    NoCard {
        /// The number that was typed.
        card: usize,
        /// The number of the newest card.
        newest: usize,
    },
    /// The card has no buttons any more.
    #[error("Card {card} has no buttons any more")]
    NoButtons {
        /// The card's number.
        card: usize,
    },
    /// No button has that number.
    #[error("Card {card} has no button {button}; it has {buttons}")]
    NoSuch {
        /// The card's number.
        card: usize,
        /// The number that was typed.
        button: usize,
        /// The number of buttons.
        buttons: usize,
    },
}

/// Finds the button `button` (from 1) of the card `card` (from 1, in the order shown; `None` is the newest).
///
/// The newest card is meant even if it has no buttons left, so that an older one is never pressed by accident.
///
/// # Errors
///
/// There is no such card or button.
pub fn pick(cards: &[CardView], card: Option<usize>, button: usize) -> Result<&Button, NoButton> {
    let newest = cards.len();
    let card = card.unwrap_or(newest);
    let shown = match card.checked_sub(1).and_then(|at| cards.get(at)) {
        Some(shown) => shown,
        None if newest == 0 => return Err(NoButton::NoCards),
        None => return Err(NoButton::NoCard { card, newest }),
    };
    let all = numbered(shown);
    let buttons = all.len();
    let found = button.checked_sub(1).and_then(|at| all.get(at).copied());
    found.ok_or(if buttons == 0 {
        NoButton::NoButtons { card }
    } else {
        NoButton::NoSuch { card, button, buttons }
    })
}

/// A card's buttons that can be pressed, in the order of their numbers: its own, then those of its items. In a list of options the options
/// come first, so that option 1 is button 1.
pub(super) fn numbered(card: &CardView) -> Vec<&Button> {
    let own = card.buttons.iter().filter(|button| button.blocked.is_none());
    let items = card.items.iter().flat_map(|item| &item.buttons);
    if card.step == CardStep::Options { items.chain(own).collect() } else { own.chain(items).collect() }
}

#[cfg(test)]
mod tests {
    use throughline_engine::Language;
    use throughline_engine::data::action::Action;
    use throughline_engine::data::card_model::CardModel;

    use super::*;

    fn card(actions: &[Action]) -> CardView {
        let button = |action: &Action| Button {
            action: *action,
            label: action.label(Language::En),
            name: String::new(),
            on: None,
            blocked: None,
            token: None,
        };
        CardModel {
            id: "cd_1".into(),
            step: CardStep::DraftPreview,
            version: 1,
            hash: None,
            title: String::new(),
            facts: Vec::new(),
            fields: Vec::new(),
            items: Vec::new(),
            errors: Vec::new(),
            buttons: actions.iter().map(button).collect(),
            link: None,
            request: None,
            outline: Default::default(),
        }
    }

    #[test]
    fn the_newest_by_itself_and_any_by_number() {
        let cards = [card(&[Action::SelectReview]), card(&[Action::Approve, Action::Edit])];
        assert_eq!(pick(&cards, None, 2).unwrap().action, Action::Edit);
        assert_eq!(pick(&cards, Some(1), 1).unwrap().action, Action::SelectReview);
        assert_eq!(pick(&cards, Some(3), 1), Err(NoButton::NoCard { card: 3, newest: 2 }));
        assert_eq!(pick(&cards, None, 3), Err(NoButton::NoSuch { card: 2, button: 3, buttons: 2 }));
        assert_eq!(pick(&cards, Some(0), 0), Err(NoButton::NoCard { card: 0, newest: 2 }));
        assert_eq!(pick(&[], None, 1), Err(NoButton::NoCards));
    }

    #[test]
    fn a_receipt_is_not_skipped_for_an_older_card() {
        let cards = [card(&[Action::Approve]), card(&[])];
        let error = pick(&cards, None, 1).unwrap_err();
        assert_eq!(error.to_string(), "Card 2 has no buttons any more");
    }
}
