//! Reads a text as a button of one of our own cards: its buttons are the options. Only an exact reading
//! chooses one, and the card displaces no list.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::call::Risk;
use crate::data::indexed_options::IndexedOptions;
use crate::data::set_option::SetOption;
use crate::selection::exact_match::{CandidatePool, Reading};
use crate::selection::parse::Parses;
use crate::selection::target_list::base_order;
use throughline_language::Words;

/// The most words of a text that names a button: the longest label has four, with some politeness around it.
const MOST: usize = 8;

/// Returns the button a text denotes, by its label, or by its position if the text is about this card.
pub(crate) fn button_named(actions: &[Action], text: &Words, in_focus: bool) -> Option<Action> {
    if text.all().len() > MOST {
        return None;
    }
    let option = |action: &Action| SetOption {
        id: action.as_str().to_string(),
        label: action.label().to_string(),
        sublabel: None,
        badge: None,
        aliases: Vec::new(),
        metadata: crate::data::set_option::Metadata::default(),
        role: crate::data::set_option::OptionRole::Normal,
        repeatable: false,
        exec_ref: Some(action.as_str().to_string()),
        risk: Risk::Read,
    };
    let options = IndexedOptions::from(actions.iter().map(option).collect::<Vec<SetOption>>());
    let order = base_order(&options);
    let pool = CandidatePool {
        options: &options,
        order: &order,
        displayed: order.len(),
        positional: in_focus,
        marked: 0,
    };
    match pool.read(&Parses::of(super::lexicon(text), text, false)) {
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
        let said = |text: &str, in_focus| button_named(&actions, &Words::of(text), in_focus);
        assert_eq!(said("Create ticket", false), Some(Action::SelectTicket));
        assert_eq!(said("the second one please", true), Some(Action::SelectTicket));
        assert_eq!(said("3", true), Some(Action::Dismiss));
        assert_eq!(said("2", false), None);
        assert_eq!(said("create a ticket for login bug", true), None);
        assert_eq!(said("4", true), None);
    }
}
