//! Facts in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;
use throughline_engine::FactId;
use throughline_engine::data::fact::FactKey;

use super::erasure::Change;
use super::{MemoryStore, Tenant};
use crate::contract::{FactBody, Facts, FactsVersion, FactsWrite, StoreError, StoredFacts, TurnCommit};

/// A set of facts.
#[derive(Default)]
pub(super) struct FactSet {
    version: FactsVersion,
    entries: BTreeMap<String, FactBody>,
}

impl Tenant {
    /// Returns true if every set that the turn writes is at the revision it read.
    pub(super) fn fact_revisions_match(&self, turn: &TurnCommit) -> bool {
        let revision = |key: &FactKey| self.facts.get(key).map_or(0, |set| set.version.revision);
        turn.facts.iter().all(|write| write.entries.is_empty() || revision(&write.key) == write.expected)
    }

    pub(super) fn write_facts(&mut self, turn: &TurnCommit) {
        for FactsWrite { key, entries, used, used_at, .. } in &turn.facts {
            if !entries.is_empty() {
                let set = self.facts.entry(key.clone()).or_default();
                set.version.revision += 1;
                for (id, body) in entries {
                    set.put(id, body.as_ref());
                }
            }
            let Some(set) = self.facts.get_mut(key) else { continue };
            let mut newer = false;
            for id in used {
                if let Some(entry) =
                    set.entries.get_mut(id.as_str()).filter(|one| one.used_at < Some(*used_at))
                {
                    entry.used_at = Some(*used_at);
                    newer = true;
                }
            }
            set.version.used += u64::from(newer);
        }
    }
}

impl FactSet {
    /// Redacts every fact as `decide` returns.
    pub(super) fn redact(&mut self, mut decide: impl FnMut(&str) -> Change) {
        let mut changed = false;
        self.entries.retain(|_, entry| {
            let change = decide(&entry.body);
            changed |= change != Change::None;
            change.apply(&mut entry.body)
        });
        self.version.revision += u64::from(changed);
    }

    fn put(&mut self, id: &str, body: Option<&FactBody>) {
        let Some(body) = body else {
            self.entries.remove(id);
            return;
        };
        let used_at = self.entries.get(id).and_then(|known| known.used_at).max(body.used_at);
        self.entries.insert(id.to_owned(), FactBody { used_at, ..body.clone() });
    }
}

#[async_trait]
impl Facts for MemoryStore {
    async fn facts(
        &self,
        key: &FactKey,
        known: Option<FactsVersion>,
    ) -> Result<Option<StoredFacts>, StoreError> {
        let data = self.lock();
        let set = data.tenants.get(&key.tenant).and_then(|tenant| tenant.facts.get(key));
        let version = set.map(|set| set.version).unwrap_or_default();
        if known == Some(version) {
            return Ok(None);
        }
        let entries = set.into_iter().flat_map(|set| &set.entries);
        Ok(Some(StoredFacts {
            version,
            entries: entries.map(|(id, body)| (id.clone(), body.clone())).collect(),
        }))
    }

    async fn fact_sets(
        &self,
        tenant: &str,
        after: Option<&FactKey>,
        limit: u32,
    ) -> Result<Vec<FactKey>, StoreError> {
        let data = self.lock();
        let sets = data.tenants.get(tenant).into_iter().flat_map(|tenant| tenant.facts.keys());
        let mut keys: Vec<&FactKey> = sets.collect();
        keys.sort_by_key(|key| (key.scope.as_str(), &key.scope_id));
        let later = |key: &&FactKey| {
            after.is_none_or(|after| {
                (key.scope.as_str(), &key.scope_id) > (after.scope.as_str(), &after.scope_id)
            })
        };
        Ok(keys.into_iter().filter(later).take(limit as usize).cloned().collect())
    }

    async fn fact_set_of(&self, tenant: &str, fact: &FactId) -> Result<Option<FactKey>, StoreError> {
        let data = self.lock();
        let mut sets = data.tenants.get(tenant).into_iter().flat_map(|tenant| &tenant.facts);
        Ok(sets.find(|(_, set)| set.entries.contains_key(fact.as_str())).map(|(key, _)| key.clone()))
    }
}
