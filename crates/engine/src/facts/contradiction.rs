//! Finds the facts that contradict each other, and decides which of them counts. The statuses of a group
//! depend on the group alone, not on the order in which its facts arrived (`docs/design/0027-facts.md`).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::fact::{Fact, FactStatus, FactType};
use crate::data::id::FactId;
use crate::data::policy::context::FactsPolicy;
use crate::facts::canonical;
use crate::facts::merge::Facts;

/// The criterion of a class of facts: two facts of one class may contradict each other.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum ConflictKey {
    /// A subject, which has one value at a time. The flag is true for constraints, which contradict only
    /// each other; decisions and assumptions share a class.
    Subject(String, bool),
    /// Equal words, apart from negations.
    Affirmed(String),
}

/// Sets the status of every fact of a place, and links each superseded fact with the one that replaced it.
pub fn settle(facts: &mut Facts, policy: &FactsPolicy) {
    let groups = groups_of(facts);
    let mut alone: BTreeSet<FactId> = facts.keys().cloned().collect();
    for group in &groups {
        for id in group {
            alone.remove(id);
        }
        stand(facts, group, policy);
    }
    for id in alone {
        put(facts, &id, FactStatus::Valid, None, &[], policy);
    }
}

/// The groups of two or more contradicting facts, each from the newest to the oldest.
fn groups_of(facts: &Facts) -> Vec<Vec<FactId>> {
    let all: Vec<&Fact> = facts.values().collect();
    let newest_first = |mut group: Vec<usize>| {
        group.sort_by_key(|at| core::cmp::Reverse((all[*at].source_ts, &all[*at].canonical_id)));
        group.into_iter().map(|at| all[at].canonical_id.clone()).collect()
    };
    groups(&all).into_iter().map(newest_first).collect()
}

/// Groups the facts that contradict each other. Each group has two or more members, given as indexes into
/// `facts`.
#[must_use]
pub fn groups(facts: &[&Fact]) -> Vec<Vec<usize>> {
    let texts: Vec<String> = facts.iter().map(|fact| canonical::text(&fact.text)).collect();
    let mut classes: BTreeMap<ConflictKey, Vec<usize>> = BTreeMap::new();
    let mut negated = Vec::with_capacity(facts.len());
    for (at, fact) in facts.iter().enumerate() {
        let (affirmed, negations) = canonical::affirmed(&texts[at]);
        negated.push(negations % 2 == 1);
        classes.entry(ConflictKey::Affirmed(affirmed)).or_default().push(at);
        if let Some(subject) = &fact.subject {
            let about = ConflictKey::Subject(subject.clone(), fact.kind == FactType::Constraint);
            classes.entry(about).or_default().push(at);
        }
    }
    let mut union = Union((0..facts.len()).collect());
    for (about, members) in &classes {
        let parted = |first: usize, other: usize| match about {
            ConflictKey::Subject(..) => texts[first] != texts[other],
            ConflictKey::Affirmed(_) => negated[first] != negated[other],
        };
        // If two differ, every other one differs from at least one of them, so the whole class is
        // connected.
        if members.iter().any(|other| parted(members[0], *other)) {
            members.iter().for_each(|other| union.join(members[0], *other));
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..facts.len() {
        groups.entry(union.root(at)).or_default().push(at);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// A union-find over indexes: each index leads to the representative of its group.
struct Union(Vec<usize>);

impl Union {
    fn root(&mut self, at: usize) -> usize {
        let mut root = at;
        while self.0[root] != root {
            self.0[root] = self.0[self.0[root]];
            root = self.0[root];
        }
        root
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// Sets the statuses of one group, which is ordered from the newest fact to the oldest. The newest firm
/// fact of a member holds: older ones are superseded by it, newer ones are disputed. If there is none, the
/// newest trusted fact, else the newest, is valid, and the others are disputed.
fn stand(facts: &mut Facts, group: &[FactId], policy: &FactsPolicy) {
    let holds = |fact: &Fact| {
        fact.is_trusted() && fact.kind != FactType::Assumption && fact.reaches(policy.supersede)
    };
    if let Some(at) = group.iter().position(|id| holds(&facts[id])) {
        let holder = &group[at];
        for id in &group[..at] {
            put(facts, id, FactStatus::Disputed, None, &[], policy);
        }
        for id in &group[at + 1..] {
            put(facts, id, FactStatus::Superseded, Some(holder), &[], policy);
        }
        put(facts, holder, FactStatus::Valid, None, &group[at + 1..], policy);
        return;
    }
    let valid = group.iter().position(|id| facts[id].is_trusted()).unwrap_or(0);
    for (at, id) in group.iter().enumerate() {
        let status = if at == valid { FactStatus::Valid } else { FactStatus::Disputed };
        put(facts, id, status, None, &[], policy);
    }
}

/// Writes a fact's status and links. The ids of superseded facts that have been evicted stay in
/// `supersedes` as long as this fact is valid.
fn put(
    facts: &mut Facts,
    id: &FactId,
    status: FactStatus,
    by: Option<&FactId>,
    over: &[FactId],
    policy: &FactsPolicy,
) {
    let Some(fact) = facts.get(id) else { return };
    let gone = fact.supersedes.iter().filter(|id| !facts.contains_key(*id)).take(policy.sources_kept);
    let kept = gone.filter(|_| status == FactStatus::Valid);
    let supersedes: BTreeSet<FactId> = kept.chain(over).cloned().collect();
    if let Some(fact) = facts.get_mut(id) {
        fact.status = status;
        fact.superseded_by = by.cloned();
        fact.supersedes = supersedes.into_iter().collect();
    }
}
