//! The facts of epics and channels: read where a turn may need them, kept as long as nobody writes them, written with
//! the turn, and logged with it only as far as it looked at them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use throughline_engine::lane::Lane;
use throughline_engine::memory::{Fact, FactChange, FactKey, FactSet, FactsTouched, Gone, wants};
use throughline_engine::{Event, Given, Timestamp, snapshot};
use throughline_store::{FactBody, FactsVersion, FactsWrite, StoredFacts};

use crate::given::unreadable;
use crate::{Runtime, Stop};

/// Sets kept in memory at most.
const SETS: usize = 256;

/// Sets read at once.
const PAGE: u32 = 200;

/// What the ids of erased facts begin with among the entries of a set.
const GONE: &str = "gone:";

/// The sets that were read lately, each as it stood then.
#[derive(Default)]
pub(crate) struct Read(Mutex<BTreeMap<FactKey, (FactsVersion, Arc<FactSet>)>>);

impl Read {
    fn get(&self, key: &FactKey) -> Option<(FactsVersion, Arc<FactSet>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn put(&self, version: FactsVersion, set: Arc<FactSet>) {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= SETS {
            sets.clear();
        }
        sets.insert(set.key.clone(), (version, set));
    }
}

impl Runtime {
    /// The sets that the event may need.
    pub(crate) async fn facts_for(
        &self,
        lane: &Lane,
        event: &Event,
        given: &Given,
    ) -> Result<Vec<FactSet>, Stop> {
        let mut sets = Vec::new();
        for key in wants(lane, event, given, &self.policy) {
            sets.push(FactSet::clone(&*self.facts(&key).await?));
        }
        Ok(sets)
    }

    /// The sets of a tenant that hold anything that person stated.
    pub(crate) async fn facts_by(&self, tenant: &str, person: &str) -> Result<Vec<FactSet>, Stop> {
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

    /// Keeps no set in memory.
    pub(crate) fn forget_facts(&self) {
        self.read.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A set as it stands.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn facts(&self, key: &FactKey) -> Result<Arc<FactSet>, Stop> {
        let kept = self.read.get(key);
        let known = kept.as_ref().map(|(version, _)| *version);
        match (self.store.facts(key, known).await?, kept) {
            (None, Some((_, set))) => Ok(set),
            (stored, _) => {
                let stored = stored.unwrap_or_default();
                let set = Arc::new(decoded(key, &stored)?);
                self.read.put(stored.version, set.clone());
                Ok(set)
            }
        }
    }
}

fn decoded(key: &FactKey, stored: &StoredFacts) -> Result<FactSet, Stop> {
    let revision = stored.version.revision;
    let mut set = FactSet { key: key.clone(), revision, facts: Vec::new(), gone: Vec::new() };
    for (id, FactBody { body, used_at }) in &stored.entries {
        let fail = |e: snapshot::DecodeError| unreadable("a fact", &e.to_string());
        if id.starts_with(GONE) {
            set.gone.push(snapshot::decode_gone(body).map_err(fail)?);
        } else {
            let fact = snapshot::decode_fact(body).map_err(fail)?;
            set.facts.push(Fact { last_used_at: *used_at, ..fact });
        }
    }
    Ok(set)
}

/// What a turn does to the sets, as the store takes it.
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
        FactChange::Bury(gone) => (name(gone), body(snapshot::encode_gone(gone))),
        FactChange::Unbury(gone) => (name(gone), None),
    }
}

fn name(gone: &Gone) -> String {
    let lane = gone.lane.as_ref().map_or("", |lane| lane.as_str());
    format!("{GONE}{}:{lane}:{}", gone.fact, gone.message)
}
