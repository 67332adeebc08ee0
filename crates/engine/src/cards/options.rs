//! A list of options as a card: a button for each option, and the ways out
//! (`docs/design/0022-choosing-an-option.md`).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::card::Card;
use crate::data::card_model::{Button, CardModel, ItemModel};
use crate::data::option_set::OptionSet;
use crate::say;

/// Fills in the card. `order` has positions in the list's base order, of which the first `displayed` are
/// shown; `asks` is the question above them.
pub(crate) fn show(
    model: &mut CardModel,
    card: &Card,
    set: Option<&OptionSet>,
    (order, displayed): (&[u8], u8),
    asks: &str,
) {
    let Some(set) = set.filter(|_| card.open()) else {
        model.title = say::option::GONE.into();
        return;
    };
    model.title = asks.into();
    let item = |(n, place): (usize, &u8)| {
        let option = set.options.get(usize::from(*place))?;
        let name = format!("{}: {}", Action::Option.label(), option.label);
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
                token: None,
            }]
            .into(),
            link: None,
        })
    };
    model.items = order.iter().take(usize::from(displayed)).enumerate().filter_map(item).collect();
    let more = usize::from(displayed) < set.options.len();
    let ways = [Action::NoneOfThese, Action::Leave].into_iter().chain(more.then_some(Action::More));
    let button = |action: Action| {
        let label: String = action.label().into();
        Button { action, name: label.clone(), label, on: None, token: None }
    };
    model.buttons = ways.map(button).collect();
}
