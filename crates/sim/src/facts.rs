//! The facts of the virtual world: given before the first turn, and read back.

use throughline_engine::data::fact::{Fact, FactChange, FactKey, FactOrigin, FactScope, FactSource};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::record::Record;
use throughline_engine::facts::merge::Facts;
use throughline_engine::facts::{eviction, merge};
use throughline_engine::{LaneKey, Timestamp};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_testkit::model::{GivenFact, When};

/// Merges the seeded facts by place as turns would, with the statuses that follow.
pub(crate) fn given(
    host: &Runtime,
    facts: &[(LaneKey, GivenFact)],
    now: Timestamp,
) -> Vec<(LaneKey, FactKey, Facts)> {
    let policy = &host.policy().facts;
    let mut places: Vec<(LaneKey, FactKey, Facts)> = Vec::new();
    for (lane, fact) in facts {
        let key = match (fact.scope, &fact.epic) {
            (FactScope::Thread, _) => FactKey::thread(lane),
            (FactScope::Channel, _) => FactKey::channel(lane),
            (FactScope::Epic, epic) => FactKey::epic(&lane.tenant, epic.as_deref().unwrap_or_default()),
        };
        let at = match fact.at {
            Some(When::At(at)) => at,
            Some(When::In(span)) => now.plus(span),
            None => now,
        };
        let source = FactSource {
            at,
            author: fact.by.clone(),
            text: fact.text.clone(),
            confidence: fact.confidence,
            trust: fact.trust,
            origin: FactOrigin::User,
            subject: fact.subject.clone(),
            lane: (fact.scope != FactScope::Thread).then(|| lane.id()),
            message: None,
        };
        let place = places.iter().position(|(_, known, _)| *known == key).unwrap_or_else(|| {
            places.push((lane.clone(), key.clone(), Facts::new()));
            places.len() - 1
        });
        merge::merge(&mut places[place].2, &key, fact.kind, source, at, policy.sources_kept);
    }
    for (_, key, facts) in &mut places {
        eviction::evict_excess(facts, key.scope, policy);
    }
    places
}

/// Returns facts as records of the lane they are seeded in.
pub(crate) fn records(facts: &Facts) -> Vec<Record> {
    facts.values().map(|fact| Record::Fact(Box::new(fact.clone()))).collect()
}

/// Returns facts as the changes that a turn writes.
pub(crate) fn changes(facts: &Facts) -> Vec<FactChange> {
    facts.values().cloned().map(FactChange::Put).collect()
}

/// Returns the facts in reach of a lane: its own, its channel's, and those of every epic.
pub(crate) async fn in_reach(host: &Runtime, lane: &Lane) -> Result<Vec<(FactKey, Fact)>, RuntimeError> {
    let thread = FactKey::thread(&lane.key);
    let own = lane.records.iter().filter_map(|record| match record {
        Record::Fact(fact) => Some((thread.clone(), (**fact).clone())),
        _ => None,
    });
    let mut all: Vec<(FactKey, Fact)> = own.collect();
    let channel = FactKey::channel(&lane.key);
    for key in host.store().fact_sets(&lane.key.tenant, None, 1_000).await? {
        if key == channel || key.scope == FactScope::Epic {
            all.extend(host.facts(&key).await?.facts.iter().map(|fact| (key.clone(), fact.clone())));
        }
    }
    Ok(all)
}
