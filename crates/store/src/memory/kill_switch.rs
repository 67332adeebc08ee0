//! The kill switch in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::contract::{KillSwitch, PauseRow, StoreError};

#[async_trait]
impl KillSwitch for MemoryStore {
    async fn pause(&self, tenant: &str) -> Result<Option<PauseRow>, StoreError> {
        Ok(self.lock().tenants.get(tenant).and_then(|t| t.pause.clone()))
    }

    async fn set_pause(&self, tenant: &str, pause: Option<PauseRow>, audit: &str) -> Result<(), StoreError> {
        let mut data = self.lock();
        let tenant = data.tenant(tenant);
        tenant.pause = pause;
        tenant.append_audit(audit);
        Ok(())
    }
}
