//! The contract on ordered maps under one lock, for tests and the scenario runner. The data lives as long as the store,
//! so a simulated kill that drops everything around the store loses nothing that was committed.

mod approvals;
mod audit;
mod clock;
mod commit;
mod documents;
mod effects;
mod erasure;
mod facts;
mod inbox;
mod kill_switch;
mod lane_index;
mod lanes;
mod outbox;
mod policies;
mod reopen;
mod requests;
mod timers;
mod turn_log;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use throughline_engine::data::canonical_json::Hash;
use throughline_engine::data::fact::FactKey;
use throughline_engine::{CardId, EffectId, LaneId, LaneKey, TimerId, Timestamp, TurnId};

use crate::clock::Clock;
use crate::contract::{
    ApprovalRow, ApprovalState, Counts, Document, EffectState, ErasureRow, FAILING, LONGEST_PLAN, LogRow,
    PauseRow, Performer, RowState, Seq, Store, StoreError, StoredEffect, StoredResponse, TimerRow, TokenRow,
    TurnSeq,
};

/// A store that lives as long as the process.
///
/// ```
/// use std::sync::Arc;
/// use throughline_store::{MemoryStore, Store, SystemClock};
/// let store = MemoryStore::new(Arc::new(SystemClock::default()));
/// assert_eq!(store.describe(), "memory");
/// ```
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    data: Mutex<Data>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, data: Mutex::default() }
    }

    // Nothing panics half-way through a change, so the data behind a poisoned lock is whole.
    fn lock(&self) -> MutexGuard<'_, Data> {
        let mut data = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        data.follow_clock(self.clock.now());
        data
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemoryStore")
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn describe(&self) -> String {
        "memory".into()
    }

    async fn writable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn counts(&self) -> Result<Counts, StoreError> {
        let now = self.now();
        let data = self.lock();
        let mut counts = Counts::default();
        for tenant in data.tenants.values() {
            tenant.count(&mut counts, now);
        }
        let planned = data.effects.values().filter_map(|(tenant, id)| data.tenants[tenant].effects.get(id));
        let due = planned.filter(|e| e.stored.state == EffectState::Planned && e.stored.not_before <= now);
        counts.oldest_due = due.map(|e| now.since(e.stored.not_before)).max().unwrap_or(0);
        Ok(counts)
    }
}

/// Rows of all tenants, and indexes over them.
#[derive(Default)]
struct Data {
    /// The latest time at which the data was used.
    last_at: Timestamp,
    seq: Seq,
    planned: u64,
    tenants: BTreeMap<String, Tenant>,
    /// Effects that have not ended, by [`Effect::wake`].
    wakes: BTreeSet<(Timestamp, u64)>,
    /// Effects by their number.
    effects: BTreeMap<u64, (String, EffectId)>,
    /// Effects that have not ended, by lane and stream, in order. Effects of hosts keep no order.
    streams: BTreeMap<(LaneKey, String), BTreeSet<u64>>,
    due: BTreeSet<(Timestamp, String, TimerId)>,
}

/// Rows of one tenant.
#[derive(Default)]
struct Tenant {
    keys: BTreeMap<String, Seq>,
    inbox: BTreeMap<Seq, inbox::Row>,
    requests: BTreeMap<String, (String, Option<StoredResponse>)>,
    lanes: BTreeMap<LaneKey, Lane>,
    lane_ids: BTreeMap<LaneId, LaneKey>,
    turns: BTreeMap<TurnId, (LaneKey, u64)>,
    /// Turns by their positions.
    stream: BTreeMap<TurnSeq, (LaneKey, u64)>,
    approvals: BTreeMap<CardId, BTreeMap<u32, Approval>>,
    approval_order: u64,
    /// The approvals that were consumed, and the hashes of the effects that each releases.
    consumed: BTreeMap<(CardId, u32), BTreeSet<String>>,
    effects: BTreeMap<EffectId, Effect>,
    timers: BTreeMap<TimerId, TimerRow>,
    policies: BTreeMap<String, String>,
    pause: Option<PauseRow>,
    documents: BTreeMap<(String, String), Document>,
    audit: Vec<(String, Hash)>,
    erasures: Vec<ErasureRow>,
    facts: BTreeMap<FactKey, facts::FactSet>,
}

/// A lane with its records and turns.
#[derive(Default)]
struct Lane {
    id: Option<LaneId>,
    revision: u64,
    epoch: i64,
    owner: Option<String>,
    lease_until: Timestamp,
    head: String,
    log_hash: Option<String>,
    /// Position of its newest turn among the tenant's.
    latest_turn: TurnSeq,
    updated_at: Timestamp,
    waiting: BTreeSet<Seq>,
    records: BTreeMap<(String, String), String>,
    retired: BTreeMap<(String, String), String>,
    messages: BTreeMap<String, String>,
    participants: BTreeSet<String>,
    tokens: BTreeMap<String, TokenRow>,
    sent: BTreeMap<String, Vec<String>>,
    turns: BTreeMap<u64, Turn>,
}

struct Turn {
    position: TurnSeq,
    log: LogRow,
    checkpoint: Option<String>,
}

/// One version of an approval, with the position in which the tenant's approvals were opened.
#[derive(Clone)]
struct Approval {
    order: u64,
    row: ApprovalRow,
}

/// An effect with its lease.
struct Effect {
    n: u64,
    stored: StoredEffect,
    fence: i64,
    leased: bool,
    /// Next moment at which something has to be done: start, retry, end of the lease, deadline of the host. `None` once
    /// the effect has ended.
    wake: Option<Timestamp>,
    dependents: Vec<EffectId>,
}

impl Data {
    fn tenant(&mut self, tenant: &str) -> &mut Tenant {
        if !self.tenants.contains_key(tenant) {
            self.tenants.insert(tenant.into(), Tenant::default());
        }
        self.tenants.get_mut(tenant).expect("the tenant was put in above")
    }

    fn lane(&mut self, key: &LaneKey, now: Timestamp) -> &mut Lane {
        self.tenant(&key.tenant).lane(key, now)
    }

    fn find_lane(&self, key: &LaneKey) -> Option<&Lane> {
        self.tenants.get(&key.tenant)?.lanes.get(key)
    }
}

impl Tenant {
    fn count(&self, counts: &mut Counts, now: Timestamp) {
        let rows = |state| self.inbox.values().filter(|row| row.state == state).count() as u64;
        let effects = |states: &[EffectState]| {
            self.effects.values().filter(|effect| states.contains(&effect.stored.state)).count() as u64
        };
        let approvals = self.approvals.values().flat_map(|versions| versions.values());
        counts.waiting += rows(RowState::Received);
        counts.dead += rows(RowState::Dead);
        counts.open_effects += effects(&[EffectState::Planned, EffectState::Attempted]);
        counts.uncertain += effects(&[EffectState::Uncertain]);
        counts.approvals += approvals.filter(|a| a.row.state == ApprovalState::Pending).count() as u64;
        counts.lanes += self.lanes.len() as u64;
        let waiting = self.inbox.values().filter(|row| row.state == RowState::Received);
        let oldest = waiting.clone().map(|row| now.since(row.received_at)).max();
        counts.oldest_waiting = counts.oldest_waiting.max(oldest.unwrap_or(0));
        let far = |effect: &&Effect| {
            let ours = effect.stored.row.performer == Performer::Us;
            ours && effect.wake.is_some_and(|wake| wake > now.plus(LONGEST_PLAN))
        };
        counts.far_effects += self.effects.values().filter(far).count() as u64;
        let failing: BTreeSet<&LaneKey> =
            waiting.filter(|row| row.failures >= FAILING).map(|row| &row.lane).collect();
        counts.failing_lanes += failing.len() as u64;
    }

    /// Returns the lane, creating it if it is new.
    fn lane(&mut self, key: &LaneKey, now: Timestamp) -> &mut Lane {
        if !self.lanes.contains_key(key) {
            let id = key.id();
            self.lane_ids.insert(id.clone(), key.clone());
            self.lanes.insert(key.clone(), Lane { id: Some(id), updated_at: now, ..Lane::default() });
        }
        self.lanes.get_mut(key).expect("the lane was put in above")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::MemoryStore;
    use crate::conformance::fixture::{LaneWriter, lane, lease, loose};
    use crate::conformance::{START, Subject, block_on};
    use crate::{Claim, CommitResult, Lanes, ManualClock, Outbox};

    crate::conformance!(semantics, |clock| Subject::new(MemoryStore::new(clock.clone()), clock));

    #[test]
    fn reopening_ends_what_was_held() {
        let store = MemoryStore::new(Arc::new(ManualClock::at(START)));
        let mut writer = block_on(LaneWriter::claim_as("a", &store, &lane("C1")));
        block_on(writer.commit_effects(vec![loose("fx_1"), loose("fx_2")]));
        let leased = block_on(lease(&store));
        block_on(store.mark("acme", &"fx_1".into(), leased[0].fence, &leased[0].effect.held())).unwrap();
        store.reopen();
        assert_eq!(block_on(store.commit(writer.turn())).unwrap(), CommitResult::Fenced);
        let claim = block_on(store.claim(&lane("C1"), "b")).unwrap();
        assert_eq!(claim, Claim::Ours { epoch: 2, revision: 1 });
        let again = block_on(lease(&store));
        let found: Vec<_> = again.iter().map(|l| (l.effect.row.id.as_str(), l.found_attempted)).collect();
        assert_eq!(found, [("fx_1", true), ("fx_2", false)]);
    }
}
