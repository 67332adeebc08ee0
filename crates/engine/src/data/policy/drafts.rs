//! Settings of drafts: which gaps forbid their approval, and who may fill them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::data::ticket::{Draft, ItemType, Part};
use serde::{Deserialize, Serialize};

/// Settings of drafts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DraftPolicy {
    /// The parts without which an item of a type cannot be approved, beside its title. The other gaps only warn.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forbid: BTreeMap<ItemType, Vec<Part>>,
    /// The people whose answers fill a gap.
    pub answers: Answerers,
}

/// The people whose answers fill a gap of a draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answerers {
    /// Everybody in the lane; others than the asker by a reply or a labelled line ("Steps: …").
    #[default]
    Everybody,
    /// The person who asked for the ticket.
    Asker,
}

impl DraftPolicy {
    /// True if nothing is set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// True if an item of that type cannot be approved without this part. No issue is created without a title.
    #[must_use]
    pub fn forbids(&self, item_type: ItemType, part: Part) -> bool {
        part == Part::Title || self.forbid.get(&item_type).is_some_and(|parts| parts.contains(&part))
    }

    /// Returns the empty parts that keep this draft from being approved, whether or not they were left open.
    #[must_use]
    pub fn forbidding(&self, draft: &Draft) -> Vec<Part> {
        let empty = |part: &Part| draft.part(*part).is_empty();
        Part::ALL.into_iter().filter(|part| self.forbids(draft.item_type, *part)).filter(empty).collect()
    }

    /// True if this person may fill the draft's gaps.
    #[must_use]
    pub fn may_answer(&self, draft: &Draft, person: &str) -> bool {
        self.answers == Answerers::Everybody || draft.by == person
    }
}
