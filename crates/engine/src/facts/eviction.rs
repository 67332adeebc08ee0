//! The limit on the facts of a place, and the choice of the ones to evict. Both depend on the facts alone
//! (`docs/design/0027-facts.md`).

use alloc::vec::Vec;

use crate::data::fact::{Confidence, Fact, FactScope, FactStatus};
use crate::data::id::FactId;
use crate::data::policy::context::FactsPolicy;
use crate::data::time::Timestamp;
use crate::facts::contradiction;
use crate::facts::merge::Facts;

/// The largest number of facts that a place of this scope holds.
#[must_use]
pub fn cap(scope: FactScope, policy: &FactsPolicy) -> usize {
    match scope {
        FactScope::Thread => policy.cap.thread,
        FactScope::Epic => policy.cap.epic,
        FactScope::Channel => policy.cap.channel,
    }
}

/// The order of eviction, lowest first: superseded facts, then by confidence, then those longest not used
/// in a prompt.
fn rank(fact: &Fact) -> (Confidence, Option<Timestamp>, Timestamp, &FactId) {
    let rank = if fact.status == FactStatus::Superseded { Confidence::default() } else { fact.confidence };
    (rank, fact.last_used_at, fact.updated_at, &fact.canonical_id)
}

/// Settles the facts of a place and evicts the excess, one fact at a time; returns the ids that were
/// evicted. Untrusted facts have a share of their own, so that a flood of them cannot push out what members
/// stated.
pub fn evict_excess(facts: &mut Facts, scope: FactScope, policy: &FactsPolicy) -> Vec<FactId> {
    let cap = cap(scope, policy);
    let share = cap * usize::from(policy.untrusted_share) / 100;
    let mut left = Vec::new();
    loop {
        contradiction::settle(facts, policy);
        let untrusted = || facts.values().filter(|fact| !fact.is_trusted());
        let goes = if untrusted().count() > share {
            untrusted().min_by(|one, other| rank(one).cmp(&rank(other)))
        } else if facts.len() > cap {
            facts.values().min_by(|one, other| rank(one).cmp(&rank(other)))
        } else {
            None
        };
        let Some(id) = goes.map(|fact| fact.canonical_id.clone()) else { return left };
        facts.remove(&id);
        left.push(id);
    }
}
