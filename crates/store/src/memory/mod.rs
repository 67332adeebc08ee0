//! The whole contract in ordered maps under one lock: what tests and the scenario runner use. Whoever holds a
//! clone of the [`std::sync::Arc`] around it keeps the data, so a simulated kill loses nothing that was committed.

mod commit;
mod erasing;
mod facts;
mod inbox;
mod keeping;
mod lanes;
mod outbox;
mod reopen;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use throughline_engine::canon::Hash;
use throughline_engine::memory::FactKey;
use throughline_engine::{CardId, EffectId, LaneId, LaneKey, TimerId, Timestamp, TurnId};

use crate::contract::{
    ApprovalRow, Clock, Document, ErasureRow, InboxRow, LogRow, PauseRow, Seq, Store, StoreError,
    StoredEffect, StoredResponse, TimerRow, TokenRow, TurnSeq,
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
    world: Mutex<World>,
}

impl MemoryStore {
    /// An empty store on that clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, world: Mutex::default() }
    }

    /// Nothing below panics half-way through a change, so a poisoned lock still guards whole data.
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
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
}

/// Everything there is.
#[derive(Default)]
struct World {
    seq: Seq,
    planned: u64,
    tenants: BTreeMap<String, Tenant>,
    /// Effects that have not ended, by the moment they next need somebody.
    wakes: BTreeSet<(Timestamp, u64)>,
    /// Where an effect's number leads.
    effects: BTreeMap<u64, (String, EffectId)>,
    /// Open effects of a lane's stream, in order. Rows a host performs keep no order here.
    streams: BTreeMap<(LaneKey, String), BTreeSet<u64>>,
    due: BTreeSet<(Timestamp, String, TimerId)>,
}

/// What belongs to one tenant.
#[derive(Default)]
struct Tenant {
    keys: BTreeMap<String, Seq>,
    inbox: BTreeMap<Seq, InboxRow>,
    requests: BTreeMap<String, (String, Option<StoredResponse>)>,
    lanes: BTreeMap<LaneKey, Lane>,
    lane_ids: BTreeMap<LaneId, LaneKey>,
    turns: BTreeMap<TurnId, (LaneKey, u64)>,
    approvals: BTreeMap<CardId, BTreeMap<u32, Approval>>,
    approval_order: u64,
    consumed: BTreeSet<(CardId, u32)>,
    effects: BTreeMap<EffectId, Effect>,
    timers: BTreeMap<TimerId, TimerRow>,
    policies: BTreeMap<String, String>,
    pause: Option<PauseRow>,
    documents: BTreeMap<(String, String), Document>,
    audit: Vec<(String, Hash)>,
    erasures: Vec<ErasureRow>,
    facts: BTreeMap<FactKey, facts::FactSet>,
}

/// A lane with all of its history.
#[derive(Default)]
struct Lane {
    id: Option<LaneId>,
    revision: u64,
    epoch: i64,
    owner: Option<String>,
    lease_until: Timestamp,
    head: String,
    log_hash: Option<String>,
    /// The place of its newest turn among the tenant's.
    place: TurnSeq,
    updated_at: Timestamp,
    waiting: BTreeSet<Seq>,
    records: BTreeMap<(String, String), String>,
    retired: BTreeMap<(String, String), String>,
    messages: BTreeMap<String, String>,
    tokens: BTreeMap<String, TokenRow>,
    sent: BTreeMap<String, Vec<String>>,
    turns: BTreeMap<u64, Turn>,
}

struct Turn {
    log: LogRow,
    checkpoint: Option<String>,
}

/// One version of an approval and the place of its opening among the tenant's.
#[derive(Clone)]
struct Approval {
    order: u64,
    row: ApprovalRow,
}

/// An effect and its lease.
struct Effect {
    n: u64,
    stored: StoredEffect,
    fence: i64,
    leased: bool,
    /// When somebody is next needed: the lease's end, the retry, the host's deadline. `None`: it has ended.
    wake: Option<Timestamp>,
    dependents: Vec<EffectId>,
}

impl World {
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
    /// The lane of that name, made when it is new.
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
    use crate::conformance::fixture::{Hand, lane, lease, loose};
    use crate::conformance::{START, Subject, block_on};
    use crate::{Claim, CommitResult, Lanes, ManualClock, Outbox};

    crate::conformance!(semantics, |clock| Subject::new(MemoryStore::new(clock.clone()), clock));

    #[test]
    fn reopening_ends_what_was_held() {
        let store = MemoryStore::new(Arc::new(ManualClock::at(START)));
        let mut hand = block_on(Hand::of("a", &store, &lane("C1")));
        block_on(hand.plan(vec![loose("fx_1"), loose("fx_2")]));
        let leased = block_on(lease(&store));
        block_on(store.mark("acme", &"fx_1".into(), leased[0].fence)).unwrap();
        store.reopen();
        assert_eq!(block_on(store.commit(hand.turn())).unwrap(), CommitResult::Fenced);
        let claim = block_on(store.claim(&lane("C1"), "b")).unwrap();
        assert_eq!(claim, Claim::Ours { epoch: 2, revision: 1 });
        let again = block_on(lease(&store));
        let found: Vec<_> = again.iter().map(|l| (l.effect.row.id.as_str(), l.found_attempted)).collect();
        assert_eq!(found, [("fx_1", true), ("fx_2", false)]);
    }
}
