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
use crate::data::card::{CardStatus, CardSubject, Checks};
use crate::data::card_model::{Button, CardModel, Outline};
use crate::data::language::Language;
use crate::data::time::Timestamp;
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
        outline: Outline::default(),
    };
    model.outline.moments = moments(view);
    capabilities.of(view.card).show(&mut model, view);
    model
}

/// Returns the moments that a card's sentences end with: of its checks, its decision and its end.
fn moments(view: &CardContext<'_>) -> Vec<(String, Timestamp)> {
    let card = view.card;
    let checked = match card.about.checks() {
        Some(Checks::Passed { at }) => Some(*at),
        _ => None,
    };
    let decided = match &card.status {
        CardStatus::Decided { at, .. } => Some(*at),
        _ => None,
    };
    let next_look = match &card.about {
        CardSubject::UncertainEffect { next_look, .. } => *next_look,
        _ => None,
    };
    let all = [checked, decided, next_look, card.expires_at].into_iter().flatten();
    all.map(|at| (at.display_at(view.now, card.language), at)).collect()
}

/// Returns the button of an action. `name` is its accessible name: everything that pressing it does.
pub(crate) fn button(language: Language, action: Action, name: String) -> Button {
    Button { action, label: action.label(language), name, on: None, blocked: None, token: None }
}

/// Returns the first 8 digits of the hash of what would be released.
pub(crate) fn hash_of(payload: &impl Serialize) -> String {
    hex(&sha256(&[jcs(payload).as_bytes()])[..4])
}
