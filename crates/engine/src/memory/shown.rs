//! Which facts stand in a prompt, in which order, as which lines (`spec 05 §9`, `§11`). They are chosen by where they are
//! from, what they are and how sure they are, never by the words of a message.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::fact::{Confidence, Fact, FactKey, FactStatus, FactType};
use super::{canonical, contradict};
use crate::context::prompt::FactLine;
use crate::context::text::{clean, quote, tokens};
use crate::id::FactId;
use crate::policy::context::FactsPolicy;
use crate::policy::limits;

/// The facts of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Their lines in the order they are shown in: channel, epic, thread, then as they were said, so that a new fact
    /// mostly stands at the end.
    pub lines: Vec<FactLine>,
    /// Which they are, the first chosen first: a line's rank is its place here.
    pub facts: Vec<(FactKey, FactId)>,
    /// How many were left out because another one says otherwise.
    pub shadowed: usize,
}

/// Chooses among the facts in reach.
#[must_use]
pub fn choose<'f>(within: impl IntoIterator<Item = (&'f FactKey, &'f Fact)>, policy: &FactsPolicy) -> Shown {
    let counts = |fact: &Fact| {
        fact.status == FactStatus::Valid && fact.confidence >= Confidence::of(policy.min_confidence)
    };
    let all: Vec<(&FactKey, &Fact)> = within.into_iter().filter(|(_, fact)| counts(fact)).collect();
    let hidden = hidden(&all);
    let mut order: Vec<usize> = (0..all.len()).filter(|at| !hidden.contains(at)).collect();
    order.sort_by_key(|at| {
        let (key, fact) = all[*at];
        (key.scope, fact.kind, Reverse(fact.confidence), Reverse(fact.source_ts), &fact.canonical_id)
    });
    order.truncate(policy.in_prompt);
    let mut left = policy.tokens;
    let mut chosen: Vec<(usize, String)> = Vec::new();
    for at in order {
        let line = line(all[at].0, all[at].1);
        match left.checked_sub(tokens(&line)) {
            Some(rest) => left = rest,
            None => break,
        }
        chosen.push((at, line));
    }
    let facts = chosen.iter().map(|(at, _)| (all[*at].0.clone(), all[*at].1.canonical_id.clone())).collect();
    let mut shown: Vec<(usize, (usize, String))> = chosen.into_iter().enumerate().collect();
    shown.sort_by_key(|(_, (at, _))| {
        (Reverse(all[*at].0.scope), all[*at].1.source_ts, &all[*at].1.canonical_id)
    });
    let lines = shown.into_iter().map(|(rank, (_, line))| FactLine { line, rank }).collect();
    Shown { lines, facts, shadowed: hidden.len() }
}

impl Shown {
    /// Those that stand in the prompt when so many were left out of it to make it fit.
    pub fn standing(&self, omitted: usize) -> &[(FactKey, FactId)] {
        &self.facts[..self.facts.len().saturating_sub(omitted)]
    }
}

/// The facts that are not shown because another one in reach says the same, or otherwise.
fn hidden(all: &[(&FactKey, &Fact)]) -> BTreeSet<usize> {
    let newest = |at: &usize| {
        let fact = all[*at].1;
        (Reverse(fact.source_ts), fact.scope, fact.kind, &fact.canonical_id)
    };
    let mut hidden = BTreeSet::new();
    let mut same: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, (_, fact)) in all.iter().enumerate() {
        same.entry(canonical::text(&fact.text)).or_default().push(at);
    }
    // Of what says the same, a member's, then the strongest kind.
    for group in same.values() {
        let stands = group.iter().min_by_key(|at| (!all[**at].1.trusted(), all[**at].1.kind, newest(at)));
        hidden.extend(group.iter().filter(|at| Some(*at) != stands));
    }
    let left: Vec<usize> = (0..all.len()).filter(|at| !hidden.contains(at)).collect();
    let groups = |among: &[usize]| -> Vec<Vec<usize>> {
        let facts: Vec<&Fact> = among.iter().map(|at| all[*at].1).collect();
        let groups = contradict::groups(&facts).into_iter();
        groups.map(|group| group.into_iter().map(|at| among[at]).collect()).collect()
    };
    // Of what contradicts each other across places, a decision before an assumption, else the newest.
    let beside = |group: &[usize]| -> Vec<usize> {
        let decided = group.iter().any(|at| all[*at].1.kind == FactType::Decision);
        let may = |at: &&usize| !decided || all[**at].1.kind != FactType::Assumption;
        let stands = group.iter().filter(may).min_by_key(|at| newest(at));
        group.iter().filter(|at| Some(*at) != stands).copied().collect()
    };
    // Members among themselves first: what a stranger says hides nothing of theirs, and stands beside none of it.
    let members: Vec<usize> = left.iter().copied().filter(|at| all[*at].1.trusted()).collect();
    hidden.extend(groups(&members).iter().flat_map(|group| beside(group)));
    for group in groups(&left) {
        let (trusted, strangers): (Vec<usize>, Vec<usize>) =
            group.iter().partition(|at| all[**at].1.trusted());
        hidden.extend(if trusted.is_empty() { beside(&strangers) } else { strangers });
    }
    hidden
}

/// `{ "type": "decision", "scope": "thread", "text": "…", "confidence": 0.95, "source_ts": "…" }`
fn line(key: &FactKey, fact: &Fact) -> String {
    let mut line = format!("{{ \"type\": \"{}\", \"scope\": \"{}\", \"text\": ", fact.kind, key.scope);
    quote(&mut line, &clean(&fact.text, limits::FACT_TEXT));
    let at = fact.source_ts.rfc3339();
    let seconds = at.split('.').next().unwrap_or(&at);
    line.push_str(&format!(", \"confidence\": {}, \"source_ts\": \"{seconds}Z\"", fact.confidence));
    if !fact.trusted() {
        line.push_str(", \"trust\": \"untrusted\"");
    }
    line.push_str(" }");
    line
}
