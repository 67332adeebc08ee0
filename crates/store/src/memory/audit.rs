//! The audit chain in memory.

use async_trait::async_trait;

use super::{MemoryStore, Tenant};
use crate::audit_chain::{GENESIS, first_break, link};
use crate::contract::{Audit, StoreError};

impl Tenant {
    pub(super) fn append_audit(&mut self, row: &str) {
        let prev = self.audit.last().map_or(GENESIS, |(_, hash)| *hash);
        self.audit.push((row.into(), link(&prev, row)));
    }
}

#[async_trait]
impl Audit for MemoryStore {
    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(Vec::new()) };
        let rows = (1..).zip(&tenant.audit).filter(|(n, _)| *n > after).take(limit as usize);
        Ok(rows.map(|(n, (row, _))| (n, row.clone())).collect())
    }

    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(None) };
        let rows = || (1..).zip(&tenant.audit).map(|(n, (row, hash))| (n, row.as_str(), *hash));
        Ok(first_break(rows(), rows().last().map_or((0, GENESIS), |(n, _, hash)| (n, hash))))
    }
}
