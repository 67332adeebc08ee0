//! Moves the facts of an epic's draft to the epic's issue key, and merges them with the facts already known
//! there (`docs/design/0027-facts.md`).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::data::fact::{Fact, FactKey};
use crate::data::id::FactId;
use crate::data::time::Timestamp;
use crate::facts::canonical;
use crate::facts::merge::Facts;

/// Moves all facts of one place to another. They get new ids, merge with equal facts of the target, and
/// their links are rewritten. The old place is left empty, so a second call changes nothing.
pub fn rekey(from: &mut Facts, to: &mut Facts, key: &FactKey, now: Timestamp, kept: usize) {
    let moved = core::mem::take(from);
    let renamed = |fact: &Fact| canonical::id(key, fact.kind, &canonical::text(&fact.text));
    let ids: BTreeMap<FactId, FactId> =
        moved.values().map(|fact| (fact.canonical_id.clone(), renamed(fact))).collect();
    let new = |id: &FactId| ids.get(id).unwrap_or(id).clone();
    for (_, mut fact) in moved {
        let id = new(&fact.canonical_id);
        fact.superseded_by = fact.superseded_by.as_ref().map(new);
        fact.supersedes = fact.supersedes.iter().map(new).collect::<Vec<_>>();
        fact.supersedes.sort_unstable();
        (fact.canonical_id, fact.scope) = (id.clone(), key.scope);
        match to.get_mut(&id) {
            Some(known) => {
                if known.take_in(fact, kept) {
                    known.updated_at = known.updated_at.max(now);
                }
            }
            None => {
                fact.updated_at = fact.updated_at.max(now);
                to.insert(id, fact);
            }
        }
    }
}
