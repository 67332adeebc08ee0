//! The facts of a draft when its epic has a key (`spec 05 §10`): they move to it, and meet what is known there.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::canonical;
use super::fact::{Fact, FactKey};
use super::merge::Facts;
use crate::id::FactId;
use crate::time::Timestamp;

/// Moves all facts of one place to another: new ids, merged where the other has them, links rewritten. Nothing is left, so
/// doing it again changes nothing.
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
