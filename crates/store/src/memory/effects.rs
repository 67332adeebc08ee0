//! Looking up effects in memory.

use async_trait::async_trait;
use throughline_engine::{EffectId, LaneKey};

use super::{Data, Effect, MemoryStore};
use crate::contract::{EffectState, Effects, StoreError, StoredEffect};

impl Data {
    pub(super) fn effect(&self, tenant: &str, id: &EffectId) -> Option<&Effect> {
        self.tenants.get(tenant)?.effects.get(id)
    }
}

#[async_trait]
impl Effects for MemoryStore {
    async fn effect(&self, tenant: &str, id: &EffectId) -> Result<Option<StoredEffect>, StoreError> {
        Ok(self.lock().effect(tenant, id).map(|effect| effect.stored.clone()))
    }

    async fn effects(
        &self,
        tenant: &str,
        lane: Option<&LaneKey>,
        state: Option<EffectState>,
        limit: u32,
    ) -> Result<Vec<StoredEffect>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(Vec::new()) };
        let mut found: Vec<_> = tenant
            .effects
            .values()
            .filter(|effect| lane.is_none_or(|lane| effect.stored.lane == *lane))
            .filter(|effect| state.is_none_or(|state| effect.stored.state == state))
            .collect();
        found.sort_by_key(|effect| std::cmp::Reverse(effect.n));
        Ok(found.into_iter().take(limit as usize).map(|effect| effect.stored.clone()).collect())
    }

    async fn unfinished(&self, lane: &LaneKey) -> Result<Vec<StoredEffect>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(&lane.tenant) else { return Ok(Vec::new()) };
        let open = |effect: &&Effect| {
            let stored = &effect.stored;
            let ended =
                matches!(stored.state, EffectState::Done | EffectState::Failed | EffectState::Cancelled);
            stored.lane == *lane && stored.row.outward && !ended
        };
        let mut found: Vec<_> = tenant.effects.values().filter(open).collect();
        found.sort_by_key(|effect| effect.n);
        Ok(found.into_iter().map(|effect| effect.stored.clone()).collect())
    }
}
