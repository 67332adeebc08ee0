//! Which facts contradict each other, and which of them counts (`spec 05 §9`). The statuses of a group are a function of
//! the group alone: the order in which its facts came makes no difference.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use super::canonical;
use super::fact::{Fact, FactStatus, FactType};
use super::merge::Facts;
use crate::id::FactId;
use crate::policy::context::FactsPolicy;

/// What facts of one class are about: two of them may contradict each other.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum About {
    /// One value at a time; assumptions stand against decisions, and constraints against constraints.
    Subject(String, bool),
    /// The same words, but for negations.
    Affirmed(String),
}

/// Gives every fact of a place its status, and links what took whose place.
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

/// The groups of two and more, each from the newest to the oldest.
fn groups_of(facts: &Facts) -> Vec<Vec<FactId>> {
    let all: Vec<&Fact> = facts.values().collect();
    let newest_first = |mut group: Vec<usize>| {
        group.sort_by_key(|at| core::cmp::Reverse((all[*at].source_ts, &all[*at].canonical_id)));
        group.into_iter().map(|at| all[at].canonical_id.clone()).collect()
    };
    groups(&all).into_iter().map(newest_first).collect()
}

/// Which facts contradict each other: the groups of two and more, as places in the list.
#[must_use]
pub fn groups(facts: &[&Fact]) -> Vec<Vec<usize>> {
    let texts: Vec<String> = facts.iter().map(|fact| canonical::text(&fact.text)).collect();
    let mut classes: BTreeMap<About, Vec<usize>> = BTreeMap::new();
    let mut negated = Vec::with_capacity(facts.len());
    for (at, fact) in facts.iter().enumerate() {
        let (affirmed, negations) = canonical::affirmed(&texts[at]);
        negated.push(negations % 2 == 1);
        classes.entry(About::Affirmed(affirmed)).or_default().push(at);
        if let Some(subject) = &fact.subject {
            let about = About::Subject(subject.clone(), fact.kind == FactType::Constraint);
            classes.entry(about).or_default().push(at);
        }
    }
    let mut union = Union((0..facts.len()).collect());
    for (about, members) in &classes {
        let parted = |first: usize, other: usize| match about {
            About::Subject(..) => texts[first] != texts[other],
            About::Affirmed(_) => negated[first] != negated[other],
        };
        // Where two differ, every other one differs from one of them: all of the class are connected.
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

/// Who belongs together, by a representative of each.
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

/// The statuses of one group, from its newest fact to its oldest.
fn stand(facts: &mut Facts, group: &[FactId], policy: &FactsPolicy) {
    let holds =
        |fact: &Fact| fact.trusted() && fact.kind != FactType::Assumption && fact.reaches(policy.supersede);
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
    let valid = group.iter().position(|id| facts[id].trusted()).unwrap_or(0);
    for (at, id) in group.iter().enumerate() {
        let status = if at == valid { FactStatus::Valid } else { FactStatus::Disputed };
        put(facts, id, status, None, &[], policy);
    }
}

/// Writes a fact's status and links. What was evicted keeps its id among those it took the place of, for as long as the
/// fact counts.
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
