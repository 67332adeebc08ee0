//! Looking up approvals in memory.

use async_trait::async_trait;
use throughline_engine::data::effect::ApprovalRef;
use throughline_engine::{CardId, LaneKey};

use super::MemoryStore;
use crate::contract::{ApprovalRow, ApprovalState, Approvals, StoreError};

#[async_trait]
impl Approvals for MemoryStore {
    async fn approval(&self, tenant: &str, card: &CardId) -> Result<Option<ApprovalRow>, StoreError> {
        let data = self.lock();
        let versions = data.tenants.get(tenant).and_then(|t| t.approvals.get(card));
        Ok(versions.and_then(|versions| versions.last_key_value()).map(|(_, approval)| approval.row.clone()))
    }

    async fn approvals(
        &self,
        tenant: &str,
        pending: bool,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(Vec::new()) };
        let current = tenant.approvals.values().filter_map(|versions| Some(versions.last_key_value()?.1));
        let mut found: Vec<_> =
            current.filter(|approval| !pending || approval.row.state == ApprovalState::Pending).collect();
        found.sort_by_key(|approval| std::cmp::Reverse(approval.order));
        Ok(found.into_iter().take(limit as usize).map(|approval| approval.row.clone()).collect())
    }

    async fn awaited(&self, lane: &LaneKey) -> Result<Vec<ApprovalRow>, StoreError> {
        let all = self.approvals(&lane.tenant, true, u32::MAX).await?;
        Ok(all.into_iter().rev().filter(|row| row.lane == *lane).collect())
    }

    async fn released(
        &self,
        tenant: &str,
        approval: &ApprovalRef,
    ) -> Result<Option<Vec<String>>, StoreError> {
        let data = self.lock();
        let key = (approval.card.clone(), approval.version);
        let hashes = data.tenants.get(tenant).and_then(|tenant| tenant.consumed.get(&key));
        Ok(Some(hashes.into_iter().flatten().cloned().collect()))
    }
}
