//! A card of ours that offers a choice, as a list (`spec 04 §2.3`): its buttons are the options. Exact readings alone choose
//! one, nothing resembles one, and it takes the place of no other list.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::parse::Parses;
use super::read::{Pool, Reading};
use super::scene::base;
use super::{Listed, SetOption};
use crate::recognize::Words;
use crate::recognize::lexicon::RECOGNIZE;
use crate::work::Risk;
use crate::workflow::Action;

/// A text of more words names no button: the longest label has four, and some politeness may stand around it.
const MOST: usize = 8;

/// The button a text denotes: by its label, or by its place when it is the card that the text is about.
pub(crate) fn chosen(actions: &[Action], text: &Words, in_focus: bool) -> Option<Action> {
    if text.all().len() > MOST {
        return None;
    }
    let option = |action: &Action| SetOption {
        id: action.word().to_string(),
        label: action.label().to_string(),
        sublabel: None,
        badge: None,
        aliases: Vec::new(),
        metadata: super::Metadata::default(),
        role: super::Role::Normal,
        repeatable: false,
        exec_ref: Some(action.word().to_string()),
        risk: Risk::Read,
    };
    let options = Listed::from(actions.iter().map(option).collect::<Vec<SetOption>>());
    let order = base(&options);
    let pool =
        Pool { options: &options, order: &order, displayed: order.len(), positional: in_focus, marked: 0 };
    match pool.read(&Parses::of(&RECOGNIZE[0], text, false)) {
        Reading::One(option, _) => actions.get(option).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_is_named_or_counted() {
        let actions = [Action::SelectReview, Action::SelectTicket, Action::Dismiss];
        let said = |text: &str, in_focus| chosen(&actions, &Words::of(text), in_focus);
        assert_eq!(said("Create ticket", false), Some(Action::SelectTicket));
        assert_eq!(said("the second one please", true), Some(Action::SelectTicket));
        assert_eq!(said("3", true), Some(Action::Dismiss));
        assert_eq!(said("2", false), None);
        assert_eq!(said("create a ticket for login bug", true), None);
        assert_eq!(said("4", true), None);
    }
}
