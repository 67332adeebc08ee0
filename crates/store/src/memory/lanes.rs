//! Claims and what can be asked about lanes, turns and approvals, in memory.

use async_trait::async_trait;
use throughline_engine::{CardId, LaneId, LaneKey, TurnId};

use super::{Lane, MemoryStore, Turn};
use crate::contract::{
    ApprovalRow, ApprovalState, Claim, CommitResult, LANE_LEASE, LaneInfo, Lanes, Latest, Release, Store,
    StoreError, StoredLane, StoredTurn, TokenRow, TurnCommit, TurnSeq,
};

/// The hash before a lane's first turn, in hex.
fn genesis() -> String {
    "0".repeat(64)
}

impl Lane {
    pub(super) fn log_hash(&self) -> String {
        self.log_hash.clone().unwrap_or_else(genesis)
    }

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

fn stored(lane: &LaneKey, revision: u64, turn: &Turn) -> StoredTurn {
    StoredTurn { lane: lane.clone(), revision, log: turn.log.clone() }
}

#[async_trait]
impl Lanes for MemoryStore {
    async fn claim(&self, lane: &LaneKey, owner: &str) -> Result<Claim, StoreError> {
        let now = self.now();
        let mut world = self.world();
        let lane = world.lane(lane, now);
        let over = lane.owner.is_none() || lane.lease_until <= now;
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
        let world = self.world();
        let Some(lane) = world.find_lane(lane).filter(|lane| lane.revision > 0) else { return Ok(None) };
        Ok(Some(StoredLane {
            revision: lane.revision,
            head: lane.head.clone(),
            records: lane.records.values().cloned().collect(),
            log_hash: lane.log_hash(),
        }))
    }

    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        let now = self.now();
        self.world().commit(turn, now)
    }

    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError> {
        let world = self.world();
        let lane = world.find_lane(lane);
        Ok(lane.is_some_and(|lane| lane.turns.values().rev().any(|turn| turn.log.hash == row)))
    }

    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError> {
        let now = self.now();
        let mut world = self.world();
        let lane = world.lane(lane, now);
        if lane.owner.is_none() || lane.epoch != epoch {
            return Ok(Release::NotOurs);
        }
        if !lane.waiting.is_empty() {
            return Ok(Release::HasWork);
        }
        lane.owner = None;
        Ok(Release::Released)
    }

    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError> {
        let world = self.world();
        let Some(lane) = world.find_lane(lane) else { return Ok(None) };
        let find = |key: &str| {
            let key = (kind.to_owned(), key.to_owned());
            lane.records.get(&key).or_else(|| lane.retired.get(&key)).cloned()
        };
        let mapped = || lane.messages.get(key).filter(|_| kind == "message").and_then(|id| find(id));
        Ok(find(key).or_else(mapped))
    }

    async fn sent(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError> {
        let world = self.world();
        let sent = world.find_lane(lane).and_then(|lane| lane.sent.get(message));
        Ok(sent.cloned().unwrap_or_default())
    }

    async fn turn(&self, tenant: &str, turn: &TurnId) -> Result<Option<StoredTurn>, StoreError> {
        let world = self.world();
        let found = world.tenants.get(tenant).and_then(|t| {
            let (key, revision) = t.turns.get(turn)?;
            Some(stored(key, *revision, t.lanes.get(key)?.turns.get(revision)?))
        });
        Ok(found)
    }

    async fn turns(&self, lane: &LaneKey, after: u64, limit: u32) -> Result<Vec<StoredTurn>, StoreError> {
        let world = self.world();
        let Some(found) = world.find_lane(lane) else { return Ok(Vec::new()) };
        let turns = found.turns.range(after.saturating_add(1)..).take(limit as usize);
        Ok(turns.map(|(revision, turn)| stored(lane, *revision, turn)).collect())
    }

    async fn turns_before(
        &self,
        lane: &LaneKey,
        before: u64,
        limit: u32,
    ) -> Result<Vec<StoredTurn>, StoreError> {
        let world = self.world();
        let Some(found) = world.find_lane(lane) else { return Ok(Vec::new()) };
        let turns = found.turns.range(..before).rev().take(limit as usize);
        Ok(turns.map(|(revision, turn)| stored(lane, *revision, turn)).collect())
    }

    async fn checkpoint(&self, lane: &LaneKey, at: u64) -> Result<Option<(u64, String)>, StoreError> {
        let world = self.world();
        let Some(found) = world.find_lane(lane) else { return Ok(None) };
        let mut kept = found.turns.range(..=at).rev();
        Ok(kept.find_map(|(revision, turn)| Some((*revision, turn.checkpoint.clone()?))))
    }

    async fn lanes(
        &self,
        tenant: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(Vec::new()) };
        let ids = tenant.lane_ids.iter().filter(|(id, _)| after.is_none_or(|after| *id > after));
        Ok(ids.take(limit as usize).map(|(_, key)| tenant.lanes[key].info(key)).collect())
    }

    async fn latest(&self, tenant: &str, before: Option<TurnSeq>, limit: u32) -> Result<Latest, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(Latest::default()) };
        let below = |lane: &Lane| lane.revision > 0 && before.is_none_or(|before| lane.place < before);
        let mut found: Vec<_> = tenant.lanes.iter().filter(|(_, lane)| below(lane)).collect();
        found.sort_by_key(|(_, lane)| std::cmp::Reverse(lane.place));
        let more = found.len() > limit as usize;
        let newest = found.into_iter().take(limit as usize);
        let turns: Vec<_> = newest
            .filter_map(|(key, lane)| {
                let (revision, turn) = lane.turns.last_key_value()?;
                Some((lane.place, stored(key, *revision, turn)))
            })
            .collect();
        let next = turns.last().filter(|_| more).map(|(place, _)| *place);
        Ok(Latest { turns, next })
    }

    async fn lane(&self, tenant: &str, id: &LaneId) -> Result<Option<LaneInfo>, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(None) };
        Ok(tenant.lane_ids.get(id).map(|key| tenant.lanes[key].info(key)))
    }

    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError> {
        Ok(self.world().find_lane(lane).and_then(|lane| lane.tokens.get(hash).cloned()))
    }

    async fn approval(&self, tenant: &str, card: &CardId) -> Result<Option<ApprovalRow>, StoreError> {
        let world = self.world();
        let versions = world.tenants.get(tenant).and_then(|t| t.approvals.get(card));
        Ok(versions.and_then(|versions| versions.last_key_value()).map(|(_, approval)| approval.row.clone()))
    }

    async fn approvals(
        &self,
        tenant: &str,
        pending: bool,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(Vec::new()) };
        let current = tenant.approvals.values().filter_map(|versions| Some(versions.last_key_value()?.1));
        let mut found: Vec<_> =
            current.filter(|approval| !pending || approval.row.state == ApprovalState::Pending).collect();
        found.sort_by_key(|approval| std::cmp::Reverse(approval.order));
        Ok(found.into_iter().take(limit as usize).map(|approval| approval.row.clone()).collect())
    }

    async fn keep_policy(&self, tenant: &str, version: &str, policy: &str) -> Result<(), StoreError> {
        self.world().tenant(tenant).policies.entry(version.into()).or_insert_with(|| policy.into());
        Ok(())
    }

    async fn policy(&self, tenant: &str, version: &str) -> Result<Option<String>, StoreError> {
        Ok(self.world().tenants.get(tenant).and_then(|t| t.policies.get(version).cloned()))
    }
}
