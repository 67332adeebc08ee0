//! A list of options as a card: a button for each, and the two ways out (`spec 04 §14`).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::OptionSet;
use crate::say;
use crate::workflow::{Action, Button, Card, CardModel, ItemModel};

/// Fills in what a person sees. `shown`: places in the base order, and how many of them.
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
