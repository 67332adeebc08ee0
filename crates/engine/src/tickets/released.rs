//! The effects that an approval of tickets releases, with all that is known when its card is shown. The key of an epic
//! that is created with its stories, and the key of a story whose epic has to be set, are known only later: effects name
//! them by their drafts, and the keys are looked up when the effect is performed
//! (`docs/design/0043-what-was-approved-runs.md`).

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::card::Card;
use crate::data::effect::{EffectBody, IssueChange};
use crate::data::id::{CardId, DraftId};
use crate::data::ticket::{Draft, Item};
use crate::tickets::release::receipt_of;

/// Returns everything that a press on the card may release: the create of each item, and the change that sets the epic of
/// a story where the tracker did not take it with the create.
pub(super) fn effects(card: &Card, drafts: &[Draft], items: &[Item]) -> Vec<EffectBody> {
    let creates = drafts.iter().zip(items).map(|(draft, item)| create(&card.id, draft, item.clone()));
    // An epic is set under the approval of the receipt, also where its story was created again.
    let receipt = receipt_of(card).is_none();
    let links = drafts.iter().filter(|_| receipt).filter_map(|draft| link(&card.id, draft));
    creates.chain(links).collect()
}

/// Returns the create of an item.
pub(super) fn create(card: &CardId, draft: &Draft, item: Item) -> EffectBody {
    EffectBody::TrackerCreate { target: draft.target.clone(), item, under: None, card: card.clone() }
}

/// Returns the change that sets the epic of a created story. `None` if the draft has no epic.
pub(super) fn link(receipt: &CardId, draft: &Draft) -> Option<EffectBody> {
    let DraftId(epic) = draft.under.clone()?;
    let (target, key): (_, String) = (draft.target.clone(), draft.id.0.clone());
    let (change, by) = (IssueChange::Parent(epic), draft.by.clone());
    Some(EffectBody::TrackerUpdate { target, key, change, by, card: receipt.clone() })
}
