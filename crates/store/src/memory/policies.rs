//! Policies in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::contract::{Policies, StoreError};

#[async_trait]
impl Policies for MemoryStore {
    async fn keep_policy(&self, tenant: &str, version: &str, policy: &str) -> Result<(), StoreError> {
        self.lock().tenant(tenant).policies.entry(version.into()).or_insert_with(|| policy.into());
        Ok(())
    }

    async fn policy(&self, tenant: &str, version: &str) -> Result<Option<String>, StoreError> {
        Ok(self.lock().tenants.get(tenant).and_then(|t| t.policies.get(version).cloned()))
    }
}
