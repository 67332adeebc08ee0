//! Compares expected facts with those in reach.

use throughline_engine::data::fact::{Fact, FactKey};

use super::{Mismatch, Observation};
use crate::model::{Expectation, FactExpect};

/// Compares all facts in reach of the lane, each once, in any order.
pub(super) fn facts(wanted: &[FactExpect], observation: &Observation<'_>) -> Vec<Mismatch> {
    let mut left: Vec<&(FactKey, Fact)> = observation.facts.iter().collect();
    // The most specific description picks first, so that a vague one does not take its fact.
    let mut order: Vec<&FactExpect> = wanted.iter().collect();
    order.sort_by_key(|fact| core::cmp::Reverse(described_fields(fact)));
    let found = order.iter().filter(|wanted| {
        let at = left.iter().position(|(key, fact)| fits(wanted, key, fact));
        at.map(|at| left.remove(at)).is_some()
    });
    if found.count() == wanted.len() && left.is_empty() {
        return Vec::new();
    }
    let seen: Vec<String> = observation.facts.iter().map(|(key, fact)| describe(key, fact)).collect();
    let seen = if seen.is_empty() { "none".into() } else { seen.join("; ") };
    let expected = super::describe_value(&Expectation::Facts(wanted.to_vec()));
    vec![Mismatch { key: "facts".into(), expected, seen }]
}

/// Counts the fields that are described.
fn described_fields(fact: &FactExpect) -> usize {
    [
        fact.kind.is_some(),
        fact.scope.is_some(),
        fact.epic.is_some(),
        fact.text.is_some(),
        fact.status.is_some(),
        fact.confidence.is_some(),
        fact.trust.is_some(),
        fact.subject.is_some(),
        fact.sources.is_some(),
    ]
    .into_iter()
    .filter(|said| *said)
    .count()
}

fn fits(wanted: &FactExpect, key: &FactKey, fact: &Fact) -> bool {
    wanted.kind.is_none_or(|kind| kind == fact.kind)
        && wanted.scope.is_none_or(|scope| scope == key.scope)
        && wanted.epic.as_ref().is_none_or(|epic| *epic == key.scope_id)
        && wanted.text.as_ref().is_none_or(|text| *text == fact.text)
        && wanted.status.is_none_or(|status| status == fact.status)
        && wanted.confidence.is_none_or(|confidence| confidence == fact.confidence)
        && wanted.trust.is_none_or(|trust| trust == fact.trust)
        && wanted.subject.as_ref().is_none_or(|subject| fact.subject.as_ref() == Some(subject))
        && wanted.sources.is_none_or(|sources| sources as usize == fact.sources.len())
}

fn describe(key: &FactKey, fact: &Fact) -> String {
    let subject = fact.subject.as_ref().map(|subject| format!(", about {subject}")).unwrap_or_default();
    format!(
        "{} {} \"{}\" ({} {}, {}, {} sources{subject})",
        key.scope,
        fact.kind,
        fact.text,
        fact.trust,
        fact.confidence,
        fact.status,
        fact.sources.len()
    )
}
