//! Chooses the facts of a prompt, their order and their lines. The choice depends on scope, type and
//! confidence, never on the words of a message (`docs/design/0027-facts.md`).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::data::fact::{Confidence, Fact, FactKey, FactStatus, FactType};
use crate::data::id::FactId;
use crate::data::policy::context::FactsPolicy;
use crate::data::policy::limits;
use crate::data::prompt::FactLine;
use crate::facts::{canonical, contradiction};
use crate::text::clean::{clean, quote, tokens};

/// The facts chosen for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptFacts {
    /// Their lines in the order in which they are shown: channel, epic, thread, then by the time of the
    /// statement, so that a new fact mostly comes last.
    pub lines: Vec<FactLine>,
    /// The facts, in the order in which they were chosen: a line's rank is an index into this list.
    pub facts: Vec<(FactKey, FactId)>,
    /// The number of facts that were left out because another one repeats or contradicts them.
    pub shadowed: usize,
}

/// Chooses the facts of a prompt among those in reach, up to the limits of the policy.
#[must_use]
pub fn choose<'f>(
    within: impl IntoIterator<Item = (&'f FactKey, &'f Fact)>,
    policy: &FactsPolicy,
) -> PromptFacts {
    let counts = |fact: &Fact| {
        fact.status == FactStatus::Valid && fact.confidence >= Confidence::from_percent(policy.min_confidence)
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
    PromptFacts { lines, facts, shadowed: hidden.len() }
}

impl PromptFacts {
    /// The facts that remain in the prompt after the budget has removed `omitted` of them.
    pub fn standing(&self, omitted: usize) -> &[(FactKey, FactId)] {
        &self.facts[..self.facts.len().saturating_sub(omitted)]
    }
}

/// The indexes of the facts that are not shown because another fact in reach repeats or contradicts them.
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
    // Of equal facts a member's is shown, and among those the strongest type.
    for group in same.values() {
        let stands = group.iter().min_by_key(|at| (!all[**at].1.is_trusted(), all[**at].1.kind, newest(at)));
        hidden.extend(group.iter().filter(|at| Some(*at) != stands));
    }
    let left: Vec<usize> = (0..all.len()).filter(|at| !hidden.contains(at)).collect();
    let groups = |among: &[usize]| -> Vec<Vec<usize>> {
        let facts: Vec<&Fact> = among.iter().map(|at| all[*at].1).collect();
        let groups = contradiction::groups(&facts).into_iter();
        groups.map(|group| group.into_iter().map(|at| among[at]).collect()).collect()
    };
    // Of facts that contradict each other across places, the newest is shown, but no assumption if there is
    // a decision.
    let beside = |group: &[usize]| -> Vec<usize> {
        let decided = group.iter().any(|at| all[*at].1.kind == FactType::Decision);
        let may = |at: &&usize| !decided || all[**at].1.kind != FactType::Assumption;
        let stands = group.iter().filter(may).min_by_key(|at| newest(at));
        group.iter().filter(|at| Some(*at) != stands).copied().collect()
    };
    // Members' facts are compared among themselves first: an untrusted fact hides none of them, and is not
    // shown next to one it contradicts.
    let members: Vec<usize> = left.iter().copied().filter(|at| all[*at].1.is_trusted()).collect();
    hidden.extend(groups(&members).iter().flat_map(|group| beside(group)));
    for group in groups(&left) {
        let (trusted, strangers): (Vec<usize>, Vec<usize>) =
            group.iter().partition(|at| all[**at].1.is_trusted());
        hidden.extend(if trusted.is_empty() { beside(&strangers) } else { strangers });
    }
    hidden
}

/// The line of a fact: `{ "type": "decision", "scope": "thread", "text": "…", "confidence": 0.95,
/// "source_ts": "…" }`.
fn line(key: &FactKey, fact: &Fact) -> String {
    let mut line = format!("{{ \"type\": \"{}\", \"scope\": \"{}\", \"text\": ", fact.kind, key.scope);
    quote(&mut line, &clean(&fact.text, limits::FACT_TEXT));
    let at = fact.source_ts.rfc3339();
    let seconds = at.split('.').next().unwrap_or(&at);
    line.push_str(&format!(", \"confidence\": {}, \"source_ts\": \"{seconds}Z\"", fact.confidence));
    if !fact.is_trusted() {
        line.push_str(", \"trust\": \"untrusted\"");
    }
    line.push_str(" }");
    line
}
