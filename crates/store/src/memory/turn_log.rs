//! The log of turns in memory.

use async_trait::async_trait;
use throughline_engine::{LaneKey, TurnId};

use super::{Lane, MemoryStore, Turn};
use crate::contract::{LatestTurns, StoreError, StoredTurn, TurnLog, TurnPage, TurnSeq};

fn stored(lane: &LaneKey, revision: u64, turn: &Turn) -> StoredTurn {
    StoredTurn { lane: lane.clone(), revision, position: turn.position, log: turn.log.clone() }
}

#[async_trait]
impl TurnLog for MemoryStore {
    async fn turn(&self, tenant: &str, turn: &TurnId) -> Result<Option<StoredTurn>, StoreError> {
        let data = self.lock();
        let found = data.tenants.get(tenant).and_then(|t| {
            let (key, revision) = t.turns.get(turn)?;
            Some(stored(key, *revision, t.lanes.get(key)?.turns.get(revision)?))
        });
        Ok(found)
    }

    async fn turns(&self, lane: &LaneKey, after: u64, limit: u32) -> Result<Vec<StoredTurn>, StoreError> {
        let data = self.lock();
        let Some(found) = data.find_lane(lane) else { return Ok(Vec::new()) };
        let turns = found.turns.range(after.saturating_add(1)..).take(limit as usize);
        Ok(turns.map(|(revision, turn)| stored(lane, *revision, turn)).collect())
    }

    async fn turns_before(
        &self,
        lane: &LaneKey,
        before: u64,
        limit: u32,
    ) -> Result<Vec<StoredTurn>, StoreError> {
        let data = self.lock();
        let Some(found) = data.find_lane(lane) else { return Ok(Vec::new()) };
        let turns = found.turns.range(..before).rev().take(limit as usize);
        Ok(turns.map(|(revision, turn)| stored(lane, *revision, turn)).collect())
    }

    async fn latest_turns(
        &self,
        tenant: &str,
        before: Option<TurnSeq>,
        limit: u32,
    ) -> Result<LatestTurns, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(LatestTurns::default()) };
        let below = |lane: &Lane| lane.revision > 0 && before.is_none_or(|before| lane.latest_turn < before);
        let mut found: Vec<_> = tenant.lanes.iter().filter(|(_, lane)| below(lane)).collect();
        found.sort_by_key(|(_, lane)| std::cmp::Reverse(lane.latest_turn));
        let more = found.len() > limit as usize;
        let newest = found.into_iter().take(limit as usize);
        let turns: Vec<_> = newest
            .filter_map(|(key, lane)| {
                let (revision, turn) = lane.turns.last_key_value()?;
                Some((lane.latest_turn, stored(key, *revision, turn)))
            })
            .collect();
        let next = turns.last().filter(|_| more).map(|(position, _)| *position);
        Ok(LatestTurns { turns, next })
    }

    async fn turns_of_tenant(
        &self,
        tenant: &str,
        after: TurnSeq,
        limit: u32,
    ) -> Result<TurnPage, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else {
            return Ok(TurnPage { end: after, ..TurnPage::default() });
        };
        let later = tenant.stream.range(after.saturating_add(1)..).take(limit as usize);
        let found = later.filter_map(|(_, (key, revision))| {
            Some(stored(key, *revision, tenant.lanes.get(key)?.turns.get(revision)?))
        });
        let turns: Vec<_> = found.collect();
        let end = turns.last().map_or(after, |turn| turn.position);
        Ok(TurnPage { turns, end })
    }

    async fn turns_end(&self, tenant: &str) -> Result<TurnSeq, StoreError> {
        let data = self.lock();
        let newest = data.tenants.get(tenant).and_then(|tenant| tenant.stream.last_key_value());
        Ok(newest.map_or(0, |(position, _)| *position))
    }

    async fn checkpoint(&self, lane: &LaneKey, at: u64) -> Result<Option<(u64, String)>, StoreError> {
        let data = self.lock();
        let Some(found) = data.find_lane(lane) else { return Ok(None) };
        let mut kept = found.turns.range(..=at).rev();
        Ok(kept.find_map(|(revision, turn)| Some((*revision, turn.checkpoint.clone()?))))
    }
}
