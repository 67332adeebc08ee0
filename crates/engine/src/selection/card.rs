//! A list of options as a card: a button for each option, and the ways out
//! (`docs/design/0022-choosing-an-option.md`).

use alloc::format;
use alloc::vec::Vec;

use crate::cards::button;
use crate::data::action::Action;
use crate::data::card::CardSubject;
use crate::data::card_model::{Button, CardModel, ItemModel};
use crate::data::option_set::OptionSet;
use crate::turn::capability::CardContext;
use throughline_messages as say;

/// Fills in the card. It has positions in the list's base order, of which the first are displayed, and the question
/// above them.
pub(super) fn show(model: &mut CardModel, view: &CardContext<'_>) {
    let CardSubject::Options { set, exec_rev, order, displayed, asks } = &view.card.about else { return };
    let set = view.known.get::<OptionSet>(set).filter(|set| set.exec_rev == *exec_rev && view.card.is_open());
    let Some(set) = set else {
        model.title = say::option_list_gone(view.language());
        return;
    };
    model.title.clone_from(asks);
    let item = |(n, place): (usize, &u8)| {
        let option = set.options.get(usize::from(*place))?;
        let name = format!("{}: {}", Action::Option.label(view.language()), option.label);
        Some(ItemModel {
            id: option.id.clone(),
            label: format!("{}", n + 1),
            title: option.label.clone(),
            state: option.sublabel.clone().unwrap_or_default(),
            fields: Vec::new(),
            errors: Vec::new(),
            buttons: [Button {
                action: Action::Option,
                label: option.label.clone(),
                name,
                on: None,
                blocked: None,
                token: None,
            }]
            .into(),
            link: None,
        })
    };
    model.items = order.iter().take(usize::from(*displayed)).enumerate().filter_map(item).collect();
    let more = usize::from(*displayed) < set.options.len();
    let ways = [Action::NoneOfThese, Action::Leave].into_iter().chain(more.then_some(Action::More));
    model.buttons =
        ways.map(|action| button(view.language(), action, action.label(view.language()))).collect();
}
