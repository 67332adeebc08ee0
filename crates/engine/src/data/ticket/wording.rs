//! The wording of a draft: what an edit changes of it, and what is put back when the edit is undone.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::{Draft, ItemType, Part};
use crate::data::authors::Authors;
use crate::data::texts::texts;

/// The type and the texts of a draft, with who wrote them and what was left open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wording {
    item_type: ItemType,
    parts: BTreeMap<Part, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    left_open: BTreeMap<Part, String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    proposed: BTreeSet<Part>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    written: BTreeMap<Part, Authors>,
}

texts! {
    struct Wording { item_type: key, parts: words, left_open: person, proposed: key, written }
}

impl Draft {
    /// Makes it an item of another type. What a bug says of its behaviour is the problem of any other.
    pub(crate) fn set_type(&mut self, kind: ItemType) {
        let (told, tells) = match kind {
            ItemType::Bug => (Part::Problem, Part::Actual),
            _ => (Part::Actual, Part::Problem),
        };
        self.item_type = kind;
        if kind.needs().contains(&tells)
            && !kind.needs().contains(&told)
            && self.part(tells).is_empty()
            && !self.part(told).is_empty()
        {
            self.rename(told, tells);
        }
    }

    /// Moves the text of a part to another, with its authors.
    fn rename(&mut self, from: Part, to: Part) {
        let before = self.clone();
        self.clear(from);
        self.clear(to);
        self.parts.extend(before.parts.get(&from).map(|text| (to, text.clone())));
        self.written.extend(before.written.get(&from).map(|authors| (to, authors.clone())));
        self.proposed.extend(before.proposed.get(&from).map(|_| to));
    }

    /// Returns the texts as they are, with who wrote them.
    pub(crate) fn wording(&self) -> Wording {
        Wording {
            item_type: self.item_type,
            parts: self.parts.clone(),
            left_open: self.left_open.clone(),
            proposed: self.proposed.clone(),
            written: self.written.clone(),
        }
    }

    /// Takes all texts back to what they were.
    pub(crate) fn put_back(&mut self, wording: Wording) {
        let Wording { item_type, parts, left_open, proposed, written } = wording;
        self.item_type = item_type;
        (self.parts, self.left_open, self.proposed, self.written) = (parts, left_open, proposed, written);
    }

    /// Clears a part, and what it was before the last change.
    pub(crate) fn forget(&mut self, part: Part) {
        self.clear(part);
        if let Some(Wording { parts, left_open, proposed, written, .. }) = &mut self.before {
            parts.remove(&part);
            left_open.remove(&part);
            proposed.remove(&part);
            written.remove(&part);
        }
    }
}
