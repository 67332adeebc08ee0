//! How many facts a place holds, and which one leaves (`spec 05 §10`): a function of the facts alone.

use alloc::vec::Vec;

use super::contradict;
use super::fact::{Confidence, Fact, FactScope, FactStatus};
use super::merge::Facts;
use crate::id::FactId;
use crate::policy::context::FactsPolicy;
use crate::time::Timestamp;

/// The most facts a place of that scope holds.
#[must_use]
pub fn cap(scope: FactScope, policy: &FactsPolicy) -> usize {
    match scope {
        FactScope::Thread => policy.cap.thread,
        FactScope::Epic => policy.cap.epic,
        FactScope::Channel => policy.cap.channel,
    }
}

/// The least leaves first: what is superseded, then what is least sure, then what was longest not in a prompt.
fn rank(fact: &Fact) -> (Confidence, Option<Timestamp>, Timestamp, &FactId) {
    let rank = if fact.status == FactStatus::Superseded { Confidence::default() } else { fact.confidence };
    (rank, fact.last_used_at, fact.updated_at, &fact.canonical_id)
}

/// Settles the facts of a place and takes away what is too much, one at a time; returns what left. Strangers' facts have
/// a share of their own, so that a flood of them cannot push out what members said.
pub fn hold(facts: &mut Facts, scope: FactScope, policy: &FactsPolicy) -> Vec<FactId> {
    let cap = cap(scope, policy);
    let share = cap * usize::from(policy.untrusted_share) / 100;
    let mut left = Vec::new();
    loop {
        contradict::settle(facts, policy);
        let untrusted = || facts.values().filter(|fact| !fact.trusted());
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
