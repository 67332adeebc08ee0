//! Looking up lanes in memory.

use async_trait::async_trait;
use throughline_engine::{LaneId, LaneKey};

use super::{Lane, MemoryStore};
use crate::contract::{LaneIndex, LaneInfo, StoreError, TokenRow};

impl Lane {
    fn info(&self, key: &LaneKey) -> LaneInfo {
        LaneInfo {
            id: self.id.clone().unwrap_or_else(|| key.id()),
            key: key.clone(),
            revision: self.revision,
            waiting: u32::try_from(self.waiting.len()).unwrap_or(u32::MAX),
            updated_at: self.updated_at,
        }
    }
}

#[async_trait]
impl LaneIndex for MemoryStore {
    async fn lane(&self, tenant: &str, id: &LaneId) -> Result<Option<LaneInfo>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(None) };
        Ok(tenant.lane_ids.get(id).map(|key| tenant.lanes[key].info(key)))
    }

    async fn lanes(
        &self,
        tenant: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(Vec::new()) };
        let ids = tenant.lane_ids.iter().filter(|(id, _)| after.is_none_or(|after| *id > after));
        Ok(ids.take(limit as usize).map(|(_, key)| tenant.lanes[key].info(key)).collect())
    }

    async fn lanes_of(
        &self,
        tenant: &str,
        person: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(Vec::new()) };
        let lanes = tenant.lane_ids.iter().filter(|(id, _)| after.is_none_or(|after| *id > after));
        let lanes = lanes.map(|(_, key)| (key, &tenant.lanes[key]));
        let theirs = lanes.filter(|(_, lane)| lane.participants.contains(person));
        Ok(theirs.take(limit as usize).map(|(key, lane)| lane.info(key)).collect())
    }

    async fn took_part(&self, lane: &LaneKey, person: &str) -> Result<bool, StoreError> {
        Ok(self.lock().find_lane(lane).is_some_and(|lane| lane.participants.contains(person)))
    }

    async fn channel_ids(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError> {
        let data = self.lock();
        let sent = data.find_lane(lane).and_then(|lane| lane.sent.get(message));
        Ok(sent.cloned().unwrap_or_default())
    }

    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError> {
        Ok(self.lock().find_lane(lane).and_then(|lane| lane.tokens.get(hash).cloned()))
    }
}
