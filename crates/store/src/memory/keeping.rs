//! Pause, documents, audit and counts in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{MemoryStore, Tenant};
use crate::audit::{GENESIS, first_break, link};
use crate::contract::{
    ApprovalState, Counts, Document, EffectState, Keeping, PauseRow, RowState, Store, StoreError,
};

impl Tenant {
    pub(super) fn append_audit(&mut self, row: &str) {
        let prev = self.audit.last().map_or(GENESIS, |(_, hash)| *hash);
        self.audit.push((row.into(), link(&prev, row)));
    }

    fn count(&self, counts: &mut Counts) {
        let rows = |state| self.inbox.values().filter(|row| row.state == state).count() as u64;
        let effects = |states: &[EffectState]| {
            self.effects.values().filter(|effect| states.contains(&effect.stored.state)).count() as u64
        };
        let approvals = self.approvals.values().flat_map(|versions| versions.values());
        counts.waiting += rows(RowState::Received);
        counts.dead += rows(RowState::Dead);
        counts.open_effects += effects(&[EffectState::Planned, EffectState::Attempted]);
        counts.uncertain += effects(&[EffectState::Uncertain]);
        counts.approvals += approvals.filter(|a| a.row.state == ApprovalState::Pending).count() as u64;
        counts.lanes += self.lanes.len() as u64;
    }
}

#[async_trait]
impl Keeping for MemoryStore {
    async fn pause(&self, tenant: &str) -> Result<Option<PauseRow>, StoreError> {
        Ok(self.world().tenants.get(tenant).and_then(|t| t.pause.clone()))
    }

    async fn set_pause(&self, tenant: &str, pause: Option<PauseRow>, audit: &str) -> Result<(), StoreError> {
        let mut world = self.world();
        let tenant = world.tenant(tenant);
        tenant.pause = pause;
        tenant.append_audit(audit);
        Ok(())
    }

    async fn document(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, StoreError> {
        let key = (collection.to_owned(), key.to_owned());
        Ok(self.world().tenants.get(tenant).and_then(|t| t.documents.get(&key).cloned()))
    }

    async fn documents(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(Vec::new()) };
        let from = (collection.to_owned(), after.unwrap_or_default().to_owned());
        let found = tenant.documents.range(from..).take_while(|((c, _), _)| c == collection);
        let found = found.filter(|((_, key), _)| after.is_none_or(|after| key.as_str() > after));
        Ok(found.take(limit as usize).map(|(_, document)| document.clone()).collect())
    }

    async fn write_documents(
        &self,
        tenant: &str,
        writes: Vec<(String, Document)>,
        audit: Option<&str>,
    ) -> Result<bool, StoreError> {
        let mut world = self.world();
        let tenant = world.tenant(tenant);
        let documents = &mut tenant.documents;
        let mut written: BTreeMap<(String, String), Document> = BTreeMap::new();
        for (collection, document) in writes {
            let key = (collection, document.key.clone());
            let kept = written.get(&key).or_else(|| documents.get(&key));
            if kept.map_or(0, |kept| kept.version) != document.version {
                return Ok(false);
            }
            written.insert(key, Document { version: document.version + 1, ..document });
        }
        documents.extend(written);
        if let Some(row) = audit {
            tenant.append_audit(row);
        }
        Ok(true)
    }

    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(Vec::new()) };
        let rows = (1..).zip(&tenant.audit).filter(|(n, _)| *n > after).take(limit as usize);
        Ok(rows.map(|(n, (row, _))| (n, row.clone())).collect())
    }

    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(None) };
        let rows = || (1..).zip(&tenant.audit).map(|(n, (row, hash))| (n, row.as_str(), *hash));
        Ok(first_break(rows(), rows().last().map_or((0, GENESIS), |(n, _, hash)| (n, hash))))
    }

    async fn counts(&self) -> Result<Counts, StoreError> {
        let now = self.now();
        let world = self.world();
        let mut counts = Counts::default();
        for tenant in world.tenants.values() {
            tenant.count(&mut counts);
        }
        let planned = world.effects.values().filter_map(|(tenant, id)| world.tenants[tenant].effects.get(id));
        let due = planned.filter(|e| e.stored.state == EffectState::Planned && e.stored.not_before <= now);
        counts.oldest_due = due.map(|e| now.since(e.stored.not_before)).max().unwrap_or(0);
        Ok(counts)
    }
}
