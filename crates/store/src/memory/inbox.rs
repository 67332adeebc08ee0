//! The inbox in memory.

use async_trait::async_trait;
use throughline_engine::{LaneKey, Timestamp, TurnId};

use super::{Data, MemoryStore, Tenant};
use crate::contract::{Accepted, Delivery, Inbox, InboxRow, RowState, Seq, Store, StoreError};
use crate::rules::NOTICE_KIND;

#[async_trait]
impl Inbox for MemoryStore {
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError> {
        let now = self.now();
        self.lock().accept(delivery, now)
    }

    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError> {
        Ok(self.lock().delivery(tenant, key))
    }

    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<InboxRow>, StoreError> {
        let data = self.lock();
        let Some(found) = data.find_lane(lane) else { return Ok(Vec::new()) };
        let tenant = &data.tenants[&lane.tenant];
        Ok(found
            .waiting
            .iter()
            .take(limit as usize)
            .filter_map(|seq| tenant.inbox.get(seq))
            .cloned()
            .collect())
    }

    async fn count_failure(&self, tenant: &str, seq: Seq) -> Result<u32, StoreError> {
        let mut data = self.lock();
        let row = data.tenant(tenant).inbox.get_mut(&seq);
        let Some(row) = row.filter(|row| row.state == RowState::Received) else {
            let why = format!("{tenant} has no inbox row {seq} that waits");
            return Err(StoreError::Refused { act: "count a failed handling", why });
        };
        row.failures += 1;
        Ok(row.failures)
    }

    async fn lanes_with_work(&self, limit: u32) -> Result<Vec<LaneKey>, StoreError> {
        let data = self.lock();
        let lanes = data.tenants.values().flat_map(|tenant| &tenant.lanes);
        let mut waiting: Vec<_> =
            lanes.filter_map(|(key, lane)| Some((*lane.waiting.first()?, key.clone()))).collect();
        waiting.sort();
        waiting.truncate(limit as usize);
        Ok(waiting.into_iter().map(|(_, key)| key).collect())
    }
}

impl Tenant {
    /// Returns a row together with the answer of its request.
    fn inbox_row(&self, seq: Seq) -> Option<InboxRow> {
        let mut row = self.inbox.get(&seq)?.clone();
        if let Some((hash, response)) = self.requests.get(&row.key) {
            row.body_hash = Some(hash.clone()).filter(|hash| !hash.is_empty());
            row.response = response.clone();
        }
        Some(row)
    }
}

impl Data {
    pub(super) fn delivery(&self, tenant: &str, key: &str) -> Option<InboxRow> {
        let tenant = self.tenants.get(tenant)?;
        tenant.inbox_row(*tenant.keys.get(key)?)
    }

    pub(super) fn accept(&mut self, delivery: Delivery, now: Timestamp) -> Result<Accepted, StoreError> {
        if delivery.keys.is_empty() {
            return Err(StoreError::Refused {
                act: "accept a delivery",
                why: "it has no delivery key".into(),
            });
        }
        for key in &delivery.keys {
            if let Some(row) = self.delivery(&delivery.lane.tenant, key) {
                return Ok(Accepted::Duplicate(Box::new(row)));
            }
        }
        let waiting = self.lane(&delivery.lane, now).waiting.len();
        let full = delivery.limit.as_ref().is_some_and(|limit| waiting >= limit.max as usize);
        let state = if full { RowState::Refused } else { RowState::Received };
        let Delivery { lane, keys, kind, event, body_hash, limit } = delivery;
        let seq = self.insert(&lane, &keys, kind, event, state, now);
        if let Some(hash) = body_hash {
            self.tenant(&lane.tenant).requests.insert(keys[0].clone(), (hash, None));
        }
        let Some(limit) = limit.filter(|_| full) else { return Ok(Accepted::New(seq)) };
        if !self.tenant(&lane.tenant).keys.contains_key(&limit.notice_key) {
            self.insert(
                &lane,
                &[limit.notice_key],
                NOTICE_KIND.into(),
                limit.notice,
                RowState::Received,
                now,
            );
        }
        Ok(Accepted::Full(seq))
    }

    /// Inserts the row of a delivery that came with its turn.
    pub(super) fn insert_direct(
        &mut self,
        delivery: Delivery,
        state: RowState,
        turn: &TurnId,
        at: Timestamp,
    ) {
        let Delivery { lane, keys, body_hash, .. } = delivery;
        let seq = self.insert(&lane, &keys, String::new(), String::new(), state, at);
        let tenant = self.tenant(&lane.tenant);
        if let Some(row) = tenant.inbox.get_mut(&seq) {
            row.turn = Some(turn.clone());
        }
        if let Some(hash) = body_hash {
            tenant.requests.insert(keys[0].clone(), (hash, None));
        }
    }

    fn insert(
        &mut self,
        lane: &LaneKey,
        keys: &[String],
        kind: String,
        event: String,
        state: RowState,
        now: Timestamp,
    ) -> Seq {
        self.seq += 1;
        let seq = self.seq;
        let tenant = self.tenant(&lane.tenant);
        tenant.keys.extend(keys.iter().map(|key| (key.clone(), seq)));
        if state == RowState::Received {
            tenant.lane(lane, now).waiting.insert(seq);
        }
        let row = InboxRow {
            seq,
            lane: lane.clone(),
            key: keys[0].clone(),
            kind,
            event,
            received_at: now,
            state,
            turn: None,
            body_hash: None,
            response: None,
            failures: 0,
        };
        tenant.inbox.insert(seq, row);
        seq
    }
}
