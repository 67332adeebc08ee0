//! Reads a text as a button of one of our own cards: its buttons are the options. Only an exact reading
//! chooses one, and the card displaces no list.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::call::Risk;
use crate::data::indexed_options::IndexedOptions;
use crate::data::language::Language;
use crate::data::set_option::SetOption;
use crate::messages::languages;
use crate::selection::exact_match::{CandidatePool, Places, Reading};
use crate::selection::parse::Parses;
use crate::selection::target_list::base_order;
use throughline_language::Words;

/// The most words of a text that names a button: the longest label has four, with some politeness around it.
const MOST: usize = 8;

/// Returns the button whose label a text says. A position denotes none: a card is no list, and words about a list may stand
/// in sight of it.
pub(crate) fn button_named(actions: &[Action], text: &Words) -> Option<Action> {
    if text.all().len() > MOST {
        return None;
    }
    let option = |action: &Action| SetOption {
        id: action.as_str().to_string(),
        label: action.label(Language::En),
        sublabel: None,
        badge: None,
        aliases: languages().map(|language| action.label(language)).collect(),
        metadata: crate::data::set_option::Metadata::default(),
        fields: crate::data::field::Fields::new(),
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
        places: Places::Unmeant,
        marked: 0,
        facts: None,
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
    fn a_button_is_named_and_never_counted() {
        let actions = [Action::SelectReview, Action::SelectTicket, Action::Dismiss];
        let said = |text: &str| button_named(&actions, &Words::of(text));
        assert_eq!(said("Create ticket"), Some(Action::SelectTicket));
        assert_eq!(said("review please"), Some(Action::SelectReview));
        for text in
            ["2", "the second one please", "last", "the third", "die zweite", "create a ticket for login bug"]
        {
            assert_eq!(said(text), None, "{text}");
        }
    }

    #[test]
    fn a_button_that_is_denied_is_not_chosen() {
        let actions = [Action::SelectReview, Action::SelectTicket, Action::Dismiss];
        let said = |text: &str| button_named(&actions, &Words::of(text));
        for text in [
            "don't say not now",
            "not create ticket",
            "don't create ticket",
            "no, not review",
            "bitte kein Ticket erstellen",
            "nicht nicht jetzt",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
        for text in ["not now", "Not now, please", "nicht jetzt", "ok, not now"] {
            assert_eq!(said(text), Some(Action::Dismiss), "{text}");
        }
    }
}
