//! Cards as the lane keeps them and as people see them. A card that people see is a projection: a pure function of
//! its records, the time and policy, made by the capability that owns the card. Nothing else writes one
//! (`docs/design/0017-steps-and-card-versions.md`).

pub(crate) mod decide;
pub(crate) mod erase;
pub(crate) mod show;
pub(crate) mod unshown;

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::card_model::{Button, CardModel};
use crate::data::language::Language;
use crate::turn::capability::{Capabilities, CardContext};
use serde::Serialize;

/// Returns what a person sees of a card. Records that are not known show as gone.
pub(crate) fn project(capabilities: Capabilities, view: &CardContext<'_>) -> CardModel {
    let mut model = CardModel {
        id: view.card.id.clone(),
        step: view.card.step(),
        version: view.card.version,
        hash: None,
        title: String::new(),
        facts: Vec::new(),
        fields: Vec::new(),
        items: Vec::new(),
        errors: Vec::new(),
        buttons: Vec::new(),
        link: None,
        request: None,
    };
    capabilities.of(view.card).show(&mut model, view);
    model
}

/// Returns the button of an action. `name` is its accessible name: everything that pressing it does.
pub(crate) fn button(language: Language, action: Action, name: String) -> Button {
    Button { action, label: action.label(language), name, on: None, blocked: None, token: None }
}

/// Returns the first 8 digits of the hash of what would be released.
pub(crate) fn hash_of(payload: &impl Serialize) -> String {
    hex(&sha256(&[jcs(payload).as_bytes()])[..4])
}
