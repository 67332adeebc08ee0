//! A lane's actor: claim, load, admit, step, commit, in inbox order (`spec 06 §3.3`).
//!
//! The claim and the loaded lane are kept while the lane is idle, so that the next event costs one commit. Every
//! commit compares epoch and revision, so a kept copy that went stale is found out, never believed.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use throughline_engine::lane::Lane;
use throughline_engine::policy::limits;
use throughline_engine::{Admission, LaneKey, Timestamp, admit, canon, snapshot};
use throughline_store::{Claim, InboxRow, LANE_LEASE, Release};

use crate::given::{decode, unreadable};
use crate::record::GENESIS;
use crate::turn::Turned;
use crate::{FailPoint, Runtime, Stop, intake};

/// Rows read at first; more when all of these have to wait.
const ROWS: u32 = 32;

/// What a run of a lane left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRun {
    /// Turns committed.
    pub turns: u32,
    /// There is work left that may run now.
    pub more: bool,
}

/// A claimed lane, loaded.
pub(crate) struct Actor {
    pub(crate) epoch: i64,
    pub(crate) leased_until: Timestamp,
    pub(crate) used_at: Timestamp,
    pub(crate) lane: Lane,
    pub(crate) state_hash: String,
    pub(crate) log_hash: String,
}

impl Actor {
    /// The lease is good for a while yet.
    pub(crate) fn fresh(&self, now: Timestamp) -> bool {
        now < self.leased_until.plus(-LANE_LEASE / 3)
    }
}

/// The lanes this process holds.
#[derive(Default)]
pub(crate) struct Held(Mutex<HashMap<LaneKey, Slot>>);

pub(crate) type Slot = Arc<tokio::sync::Mutex<Option<Actor>>>;

impl Held {
    fn slot(&self, lane: &LaneKey) -> Slot {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.entry(lane.clone()).or_default().clone()
    }

    /// The place of a lane that was held lately, held or not by now.
    pub(crate) fn find(&self, lane: &LaneKey) -> Option<Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(lane).cloned()
    }

    fn all(&self) -> Vec<(LaneKey, Slot)> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().map(|(key, slot)| (key.clone(), slot.clone())).collect()
    }

    fn forget(&self, lane: &LaneKey) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.get(lane).is_some_and(|slot| Arc::strong_count(slot) <= 2) {
            held.remove(lane);
        }
    }
}

impl Runtime {
    /// Runs a lane's waiting events in order, until none may run now or others have waited long enough.
    ///
    /// # Errors
    /// The store failed or a fail point was reached. What was not committed stays in the inbox.
    pub async fn run_lane(&self, key: &LaneKey) -> Result<LaneRun, Stop> {
        let slot = self.lanes.slot(key);
        let mut held = slot.lock().await;
        let result = self.run_held(key, &mut held).await;
        if result.is_err() {
            // Whatever is in memory may be ahead of or behind the store: load it anew next time.
            *held = None;
        }
        result
    }

    async fn run_held(&self, key: &LaneKey, held: &mut Option<Actor>) -> Result<LaneRun, Stop> {
        let mut run = LaneRun { turns: 0, more: false };
        let mut races = 0;
        let began = self.store.now();
        loop {
            let Some(actor) = self.hold(key, held).await? else { return Ok(LaneRun { more: false, ..run }) };
            let Some(row) = self.next_row(&actor.lane).await? else { return Ok(run) };
            let long = run.turns >= self.policy.intake.turns_per_claim
                || self.store.now().since(began) >= limits::RUN;
            if run.turns > 0 && long && self.wakes.crowded() {
                return Ok(LaneRun { more: true, ..run });
            }
            match self.turn(actor, &row).await? {
                Turned::Committed => {
                    run.turns += 1;
                    races = 0;
                }
                Turned::Raced | Turned::NotDirect => {
                    races += 1;
                    *held = None;
                    if races >= limits::RACES {
                        // The row stays; the look at lanes with work comes back to it in a while.
                        return Ok(run);
                    }
                }
                Turned::Lost => {
                    *held = None;
                    return Ok(run);
                }
            }
        }
    }

    /// The first row that may be stepped now. While a model is asked, what has to wait is looked past: the answer
    /// itself, a stop and every press may stand behind it.
    async fn next_row(&self, lane: &Lane) -> Result<Option<InboxRow>, Stop> {
        let mut limit = ROWS;
        loop {
            let rows = self.store.waiting(&lane.key, limit).await?;
            let all = rows.len() < limit as usize;
            let first = rows.into_iter().find(|row| lane.head.ask.is_none() || !self.waits(lane, row));
            if first.is_some() || all {
                return Ok(first);
            }
            limit *= 8;
        }
    }

    /// One that cannot be read waits for nothing: its turn is to be given up.
    fn waits(&self, lane: &Lane, row: &InboxRow) -> bool {
        let Ok(envelope) = intake::decode(row) else { return false };
        let admission = catch_unwind(AssertUnwindSafe(|| admit(lane, &envelope.event, &self.policy)));
        matches!(admission, Ok(Admission::Wait))
    }

    /// The claimed, loaded lane: the kept one while its lease is good, else claimed anew. `None`: it is another
    /// owner's, who will run it.
    async fn hold<'h>(
        &self,
        key: &LaneKey,
        held: &'h mut Option<Actor>,
    ) -> Result<Option<&'h mut Actor>, Stop> {
        let now = self.store.now();
        let fresh = held.as_ref().is_some_and(|actor| actor.fresh(now));
        if !fresh {
            match self.store.claim(key, &self.owner).await? {
                Claim::Held { .. } => {
                    *held = None;
                    return Ok(None);
                }
                Claim::Ours { epoch, revision } => {
                    self.faults.at(FailPoint::LaneClaimed, "")?;
                    let kept = held.take_if(|actor| actor.lane.revision == revision);
                    let mut actor = match kept {
                        Some(actor) => actor,
                        None => self.load(key).await?,
                    };
                    actor.epoch = epoch;
                    actor.leased_until = now.plus(LANE_LEASE);
                    *held = Some(actor);
                }
            }
        }
        if let Some(actor) = held.as_mut() {
            actor.used_at = now;
        }
        Ok(held.as_mut())
    }

    async fn load(&self, key: &LaneKey) -> Result<Actor, Stop> {
        let (lane, log_hash) = self.read_lane(key).await?;
        let state_hash = canon::hex(&lane.state_hash());
        let never = Timestamp(0);
        Ok(Actor { epoch: 0, leased_until: never, used_at: never, lane, state_hash, log_hash })
    }

    /// A lane as stored, with the hash of its newest turn row.
    pub(crate) async fn read_lane(&self, key: &LaneKey) -> Result<(Lane, String), Stop> {
        let mut lane = Lane::new(key.clone());
        let Some(stored) = self.store.load(key).await? else { return Ok((lane, GENESIS.to_owned())) };
        lane.revision = stored.revision;
        if stored.revision > 0 {
            lane.head =
                snapshot::decode_head(&stored.head).map_err(|e| unreadable("a lane head", &e.to_string()))?;
        }
        for record in &stored.records {
            lane.records.insert(decode(record)?);
        }
        let log_hash = if stored.log_hash.is_empty() { GENESIS.to_owned() } else { stored.log_hash };
        Ok((lane, log_hash))
    }

    /// Lets go of lanes that were idle for a while; of all of them when draining.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn release_idle(&self, all: bool) -> Result<(), Stop> {
        let now = self.store.now();
        for (key, slot) in self.lanes.all() {
            let Ok(mut held) = slot.try_lock() else { continue };
            let Some(actor) =
                held.as_ref().filter(|actor| all || now.since(actor.used_at) >= limits::IDLE_LANE)
            else {
                if held.is_none() {
                    drop(held);
                    self.lanes.forget(&key);
                }
                continue;
            };
            match self.store.release(&key, actor.epoch).await? {
                Release::HasWork => self.wakes.wake(&key),
                Release::Released | Release::NotOurs => {
                    self.faults.at(FailPoint::LaneReleased, "")?;
                    *held = None;
                    drop(held);
                    self.lanes.forget(&key);
                }
            }
        }
        Ok(())
    }
}
