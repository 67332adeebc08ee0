//! The sets of facts in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;
use throughline_engine::FactId;
use throughline_engine::memory::FactKey;

use super::{MemoryStore, Tenant};
use crate::contract::{FactBody, Facts, FactsVersion, FactsWrite, StoreError, StoredFacts, TurnCommit};

/// A set.
#[derive(Default)]
pub(super) struct FactSet {
    version: FactsVersion,
    entries: BTreeMap<String, FactBody>,
}

impl Tenant {
    /// Whether every set that a turn writes is where the turn read it.
    pub(super) fn facts_stand(&self, turn: &TurnCommit) -> bool {
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
    /// Shows each entry; `fate` says what it becomes, if it changes.
    pub(super) fn sift(&mut self, mut fate: impl FnMut(&str) -> Option<Option<String>>) {
        let before = self.entries.len();
        let mut changed = false;
        self.entries.retain(|_, entry| match fate(&entry.body) {
            None => true,
            Some(None) => false,
            Some(Some(text)) => {
                entry.body = text;
                changed = true;
                true
            }
        });
        self.version.revision += u64::from(changed || self.entries.len() != before);
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
        let world = self.world();
        let set = world.tenants.get(&key.tenant).and_then(|tenant| tenant.facts.get(key));
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
        let world = self.world();
        let sets = world.tenants.get(tenant).into_iter().flat_map(|tenant| tenant.facts.keys());
        let mut keys: Vec<&FactKey> = sets.collect();
        keys.sort_by_key(|key| (key.scope.word(), &key.scope_id));
        let later = |key: &&FactKey| {
            after
                .is_none_or(|after| (key.scope.word(), &key.scope_id) > (after.scope.word(), &after.scope_id))
        };
        Ok(keys.into_iter().filter(later).take(limit as usize).cloned().collect())
    }

    async fn fact_set_of(&self, tenant: &str, fact: &FactId) -> Result<Option<FactKey>, StoreError> {
        let world = self.world();
        let mut sets = world.tenants.get(tenant).into_iter().flat_map(|tenant| &tenant.facts);
        Ok(sets.find(|(_, set)| set.entries.contains_key(fact.as_str())).map(|(key, _)| key.clone()))
    }
}
