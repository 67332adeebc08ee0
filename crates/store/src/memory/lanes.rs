//! Claims, loading and releasing in memory. Commits are in `commit`.

use async_trait::async_trait;
use throughline_engine::LaneKey;

use super::{Lane, MemoryStore};
use crate::contract::{
    Claim, CommitResult, LANE_LEASE, Lanes, Release, Store, StoreError, StoredLane, TurnCommit,
};

/// Returns the hash that a lane's first row follows, in hex.
fn genesis() -> String {
    "0".repeat(64)
}

impl Lane {
    pub(super) fn log_hash(&self) -> String {
        self.log_hash.clone().unwrap_or_else(genesis)
    }
}

#[async_trait]
impl Lanes for MemoryStore {
    async fn claim(&self, lane: &LaneKey, owner: &str) -> Result<Claim, StoreError> {
        let now = self.now();
        let mut data = self.lock();
        let lane = data.lane(lane, now);
        // A lease that ends later than one that begins now was taken before the clock was set back.
        let over = lane.owner.is_none() || lane.lease_until <= now || lane.lease_until > now.plus(LANE_LEASE);
        if !over && lane.owner.as_deref() != Some(owner) {
            return Ok(Claim::Held { until: lane.lease_until });
        }
        if over {
            lane.epoch += 1;
            lane.owner = Some(owner.into());
        }
        lane.lease_until = now.plus(LANE_LEASE);
        Ok(Claim::Ours { epoch: lane.epoch, revision: lane.revision })
    }

    async fn load(&self, lane: &LaneKey) -> Result<Option<StoredLane>, StoreError> {
        let data = self.lock();
        let Some(lane) = data.find_lane(lane).filter(|lane| lane.revision > 0) else { return Ok(None) };
        Ok(Some(StoredLane {
            revision: lane.revision,
            head: lane.head.clone(),
            records: lane.records.values().cloned().collect(),
            log_hash: lane.log_hash(),
        }))
    }

    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError> {
        let data = self.lock();
        let Some(lane) = data.find_lane(lane) else { return Ok(None) };
        let find = |key: &str| {
            let key = (kind.to_owned(), key.to_owned());
            lane.records.get(&key).or_else(|| lane.retired.get(&key)).cloned()
        };
        let mapped = || lane.messages.get(key).filter(|_| kind == "message").and_then(|id| find(id));
        Ok(find(key).or_else(mapped))
    }

    async fn records(&self, lane: &LaneKey, kind: &str, keys: &[&str]) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.extend(self.record(lane, kind, key).await?);
        }
        Ok(found)
    }

    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        let now = self.now();
        self.lock().commit(turn, now)
    }

    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError> {
        let data = self.lock();
        let lane = data.find_lane(lane);
        Ok(lane.is_some_and(|lane| lane.turns.values().rev().any(|turn| turn.log.hash == row)))
    }

    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError> {
        let now = self.now();
        let mut data = self.lock();
        let lane = data.lane(lane, now);
        if lane.owner.is_none() || lane.epoch != epoch {
            return Ok(Release::NotOurs);
        }
        if !lane.waiting.is_empty() {
            return Ok(Release::HasWork);
        }
        lane.owner = None;
        Ok(Release::Released)
    }
}
