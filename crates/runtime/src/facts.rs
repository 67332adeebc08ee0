//! Facts of epics and channels: read when a turn may need them, kept in memory until somebody writes them, written
//! with the turn. The turn's log holds only those it looked at.

use std::sync::Arc;

use throughline_engine::data::fact::{Fact, FactChange, FactKey, FactSet, FactTombstone, FactsTouched};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::snapshot;
use throughline_engine::memory::fact_needs;
use throughline_engine::memory::in_reach;
use throughline_engine::{Event, StepInput, Timestamp};
use throughline_store::{FactBody, FactsWrite, StoredFacts};

use crate::{Runtime, RuntimeError};

/// Fact sets per page.
const PAGE: u32 = 200;

/// Prefix that marks the entry of an erased fact in a set.
const GONE: &str = "gone:";

impl Runtime {
    /// Reads the fact sets that an event may need.
    pub(crate) async fn facts_for(
        &self,
        lane: &Lane,
        event: &Event,
        given: &StepInput,
    ) -> Result<Vec<FactSet>, RuntimeError> {
        let mut sets = Vec::new();
        for key in fact_needs(lane, event, given, &self.in_force(&lane.key.tenant).policy) {
            sets.push(FactSet::clone(&*self.facts(&key).await?));
        }
        Ok(sets)
    }

    /// Reads the fact sets that a prompt of this lane may show.
    ///
    /// # Errors
    /// As [`Self::facts`].
    pub async fn facts_near(&self, lane: &Lane) -> Result<Vec<FactSet>, RuntimeError> {
        let mut sets = Vec::new();
        for key in in_reach(lane) {
            sets.push(FactSet::clone(&*self.facts(&key).await?));
        }
        Ok(sets)
    }

    /// Reads the fact sets of a tenant that hold anything a person stated.
    pub(crate) async fn facts_by(&self, tenant: &str, person: &str) -> Result<Vec<FactSet>, RuntimeError> {
        let mut sets = Vec::new();
        let mut after = None;
        loop {
            let page = self.store.fact_sets(tenant, after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(sets) };
            after = Some(last.clone());
            for key in &page {
                let set = self.facts(key).await?;
                if set.facts.iter().flat_map(|fact| &fact.sources).any(|source| source.author == person) {
                    sets.push(FactSet::clone(&*set));
                }
            }
        }
    }

    /// Reads a fact set: from memory if the store says that it has not changed.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn facts(&self, key: &FactKey) -> Result<Arc<FactSet>, RuntimeError> {
        let kept = self.fact_cache.get(key);
        let known = kept.as_ref().map(|(version, _)| *version);
        match (self.store.facts(key, known).await?, kept) {
            (None, Some((_, set))) => Ok(set),
            (stored, _) => {
                let stored = stored.unwrap_or_default();
                let set = Arc::new(decoded(key, &stored)?);
                self.fact_cache.put(stored.version, set.clone());
                Ok(set)
            }
        }
    }
}

fn decoded(key: &FactKey, stored: &StoredFacts) -> Result<FactSet, RuntimeError> {
    let revision = stored.version.revision;
    let mut set = FactSet { key: key.clone(), revision, facts: Vec::new(), gone: Vec::new() };
    for (id, FactBody { body, used_at }) in &stored.entries {
        let fail = |e: snapshot::DecodeError| RuntimeError::unreadable("a fact", &e.to_string());
        if id.starts_with(GONE) {
            set.gone.push(snapshot::decode_tombstone(body).map_err(fail)?);
        } else {
            let fact = snapshot::decode_fact(body).map_err(fail)?;
            set.facts.push(Fact { last_used_at: *used_at, ..fact });
        }
    }
    Ok(set)
}

/// Converts a turn's changes of fact sets to the store's writes.
#[must_use]
pub fn fact_writes(facts: &[FactsTouched], now: Timestamp) -> Vec<FactsWrite> {
    let touched = facts.iter().filter(|set| !(set.changes.is_empty() && set.used.is_empty()));
    let writes = touched.map(|set| FactsWrite {
        key: set.key.clone(),
        expected: set.revision,
        entries: set.changes.iter().map(entry).collect(),
        used: set.used.clone(),
        used_at: now,
    });
    writes.collect()
}

fn entry(change: &FactChange) -> (String, Option<FactBody>) {
    let body = |body| Some(FactBody { body, used_at: None });
    match change {
        FactChange::Put(fact) => {
            let stored = snapshot::encode_fact(&Fact { last_used_at: None, ..fact.clone() });
            let used_at = fact.last_used_at;
            (fact.canonical_id.0.clone(), Some(FactBody { body: stored, used_at }))
        }
        FactChange::Drop(id) => (id.0.clone(), None),
        FactChange::PutTombstone(gone) => (name(gone), body(snapshot::encode_tombstone(gone))),
        FactChange::DropTombstone(gone) => (name(gone), None),
    }
}

fn name(gone: &FactTombstone) -> String {
    let lane = gone.lane.as_ref().map_or("", |lane| lane.as_str());
    format!("{GONE}{}:{lane}:{}", gone.fact, gone.message)
}
