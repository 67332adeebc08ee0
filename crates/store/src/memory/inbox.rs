//! The inbox in memory.

use std::collections::BTreeSet;
use std::ops::Bound;

use async_trait::async_trait;
use throughline_engine::{LaneKey, Timestamp, TurnId};

use super::{Data, MemoryStore, Tenant};
use crate::contract::{
    Accepted, Delivery, DeliveryIdentity, Forgotten, Inbox, InboxRow, RowState, Seq, Store, StoreError,
    WaitingRow,
};
use crate::rules::NOTICE_KIND;

/// A row of the inbox, in any state.
pub(super) struct Row {
    pub(super) lane: LaneKey,
    key: String,
    /// The event, as long as the row keeps it.
    pub(super) event: Option<Event>,
    pub(super) received_at: Timestamp,
    pub(super) state: RowState,
    pub(super) turn: Option<TurnId>,
    pub(super) failures: u32,
}

/// The event of a row.
pub(super) struct Event {
    kind: String,
    pub(super) text: String,
}

#[async_trait]
impl Inbox for MemoryStore {
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError> {
        let now = self.now();
        self.lock().accept(delivery, now)
    }

    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError> {
        Ok(self.lock().delivery(tenant, key))
    }

    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<WaitingRow>, StoreError> {
        let data = self.lock();
        let Some(found) = data.find_lane(lane) else { return Ok(Vec::new()) };
        let tenant = &data.tenants[&lane.tenant];
        Ok(found
            .waiting
            .iter()
            .take(limit as usize)
            .filter_map(|seq| tenant.inbox.get(seq)?.waiting(*seq))
            .collect())
    }

    async fn count_failure(&self, lane: &LaneKey, seq: Seq) -> Result<u32, StoreError> {
        let mut data = self.lock();
        let row = data.tenant(&lane.tenant).inbox.get_mut(&seq);
        let Some(row) = row.filter(|row| row.state == RowState::Received && row.lane == *lane) else {
            let why = format!("inbox row {seq} does not wait in lane {lane}");
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

    async fn forget_ended(
        &self,
        tenant: &str,
        before: Timestamp,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Forgotten, StoreError> {
        let mut data = self.lock();
        let tenant = data.tenant(tenant);
        let behind = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let keys = tenant.keys.range::<str, _>(behind).take(limit as usize);
        let page: Vec<(String, Seq)> = keys.map(|(key, seq)| (key.clone(), *seq)).collect();
        let full = page.len() == limit as usize;
        let next = page.last().filter(|_| full).map(|(key, _)| key.clone());
        let ended = |row: &Row| row.state != RowState::Received && row.received_at < before;
        let old: BTreeSet<Seq> =
            page.iter().map(|(_, seq)| *seq).filter(|seq| tenant.inbox.get(seq).is_some_and(ended)).collect();
        let known = tenant.keys.len();
        tenant.keys.retain(|_, seq| !old.contains(seq));
        for row in old.iter().filter_map(|seq| tenant.inbox.remove(seq)) {
            tenant.requests.remove(&row.key);
        }
        Ok(Forgotten { keys: (known - tenant.keys.len()) as u64, next })
    }
}

impl Row {
    fn waiting(&self, seq: Seq) -> Option<WaitingRow> {
        let Event { kind, text } = self.event.as_ref()?;
        Some(WaitingRow {
            seq,
            lane: self.lane.clone(),
            key: self.key.clone(),
            kind: kind.clone(),
            event: text.clone(),
            received_at: self.received_at,
            failures: self.failures,
        })
    }
}

impl Tenant {
    /// Returns a row together with the answer of its request.
    fn inbox_row(&self, seq: Seq) -> Option<InboxRow> {
        let row = self.inbox.get(&seq)?;
        let request = self.requests.get(&row.key);
        Some(InboxRow {
            lane: row.lane.clone(),
            key: row.key.clone(),
            event: row.event.as_ref().map(|event| event.text.clone()),
            received_at: row.received_at,
            state: row.state,
            turn: row.turn.clone(),
            body_hash: request.map(|(hash, _)| hash.clone()).filter(|hash| !hash.is_empty()),
            response: request.and_then(|(_, response)| response.clone()),
        })
    }
}

impl Data {
    pub(super) fn delivery(&self, tenant: &str, key: &str) -> Option<InboxRow> {
        let tenant = self.tenants.get(tenant)?;
        tenant.inbox_row(*tenant.keys.get(key)?)
    }

    pub(super) fn accept(&mut self, delivery: Delivery, now: Timestamp) -> Result<Accepted, StoreError> {
        let Delivery { identity, kind, event, limit } = delivery;
        for key in identity.keys() {
            if let Some(row) = self.delivery(&identity.lane.tenant, key) {
                if !row.was_refused(&identity) {
                    return Ok(Accepted::Duplicate(Box::new(row)));
                }
                self.forget_refused(&identity);
            }
        }
        let lane = identity.lane.clone();
        let waiting = self.lane(&lane, now).waiting.len();
        let limit = limit.filter(|limit| waiting >= limit.max as usize);
        let state = if limit.is_some() { RowState::Refused } else { RowState::Received };
        self.insert(identity, Some(Event { kind, text: event }), state, None, now);
        let Some(limit) = limit else { return Ok(Accepted::New) };
        if !self.tenant(&lane.tenant).keys.contains_key(&limit.notice_key) {
            let notice = Event { kind: NOTICE_KIND.into(), text: limit.notice };
            let identity = DeliveryIdentity::new(lane, limit.notice_key);
            self.insert(identity, Some(notice), RowState::Received, None, now);
        }
        Ok(Accepted::Full)
    }

    /// Deletes the row of a delivery that was refused and comes again.
    fn forget_refused(&mut self, identity: &DeliveryIdentity) {
        let tenant = self.tenant(&identity.lane.tenant);
        if let Some(seq) = tenant.keys.get(&identity.key).copied() {
            tenant.inbox.remove(&seq);
            tenant.keys.retain(|_, of| *of != seq);
        }
    }

    /// Inserts a row; one that came with its turn has no event.
    pub(super) fn insert(
        &mut self,
        identity: DeliveryIdentity,
        event: Option<Event>,
        state: RowState,
        turn: Option<TurnId>,
        now: Timestamp,
    ) {
        self.seq += 1;
        let seq = self.seq;
        let tenant = self.tenant(&identity.lane.tenant);
        tenant.keys.extend(identity.keys().map(|key| (key.clone(), seq)));
        if state == RowState::Received {
            tenant.lane(&identity.lane, now).waiting.insert(seq);
        }
        let DeliveryIdentity { lane, key, body_hash, .. } = identity;
        if let Some(hash) = body_hash {
            tenant.requests.insert(key.clone(), (hash, None));
        }
        tenant.inbox.insert(seq, Row { lane, key, event, received_at: now, state, turn, failures: 0 });
    }
}
