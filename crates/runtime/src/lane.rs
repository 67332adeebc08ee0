//! Runs lanes: claim, load, admit, step, commit, in inbox order (`docs/design/0030-turn-commit.md`).
//!
//! The claim and the loaded lane are kept while the lane is idle, so that the next event costs one commit. Every
//! commit compares epoch and revision, so a stale copy is found out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures_util::stream::{StreamExt as _, TryStreamExt as _, iter};
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::lane_state::LaneState;
use throughline_engine::data::policy::limits;
use throughline_engine::data::{canonical_json, snapshot};
use throughline_engine::{Admission, LaneKey, Timestamp, admit};
use throughline_store::{Claim, LANE_LEASE, News, Release, WaitingRow};

use crate::held_lanes::{LaneActor, Spare};
use crate::turn::TurnEnd;
use crate::turn_log::GENESIS;
use crate::{FailPoint, Runtime, RuntimeError, intake, stored};

/// Inbox rows read at first; more if all of these have to wait.
const ROWS: u32 = 32;

/// Time in which a lane that nothing holds up handles several turns.
const SOON: Duration = Duration::from_secs(1);

/// The result of running a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRun {
    /// The number of turns committed.
    pub turns: u32,
    /// True if work is left that may run now.
    pub more: bool,
}

fn head(stored: &str) -> Result<LaneState, RuntimeError> {
    snapshot::decode_head(stored).map_err(|e| RuntimeError::unreadable("a lane head", &e.to_string()))
}

impl Runtime {
    /// Runs a lane's waiting events in order, until none may run now or others have waited long enough.
    ///
    /// # Errors
    /// The store failed or a fail point was reached. What was not committed stays in the inbox.
    pub async fn run_lane(&self, key: &LaneKey) -> Result<LaneRun, RuntimeError> {
        let slot = self.lanes.slot(key);
        let mut held = slot.lock().await;
        let result = self.run_held(key, &mut held).await;
        if result.is_err() {
            // The copy in memory may be ahead of the store or behind it: load it anew next time.
            *held = None;
        }
        result
    }

    async fn run_held(&self, key: &LaneKey, held: &mut Option<LaneActor>) -> Result<LaneRun, RuntimeError> {
        let mut run = LaneRun { turns: 0, more: false };
        let mut races = 0;
        let began = self.store.now();
        loop {
            let Some(actor) = self.hold(key, held).await? else { return Ok(LaneRun { more: false, ..run }) };
            let Some(row) = self.next_row(&actor.lane).await? else { return Ok(run) };
            let long = run.turns >= self.policy().intake.turns_per_claim
                || self.store.now().since(began) >= limits::RUN;
            if run.turns > 0 && long && self.wakes.crowded() {
                return Ok(LaneRun { more: true, ..run });
            }
            match self.turn(actor, &row).await? {
                TurnEnd::Committed => {
                    run.turns += 1;
                    races = 0;
                }
                TurnEnd::Raced | TurnEnd::NotDirect => {
                    races += 1;
                    *held = None;
                    if races >= limits::RACES {
                        // The row stays; the periodic look at lanes with work comes back to it.
                        return Ok(run);
                    }
                }
                TurnEnd::Lost => {
                    *held = None;
                    return Ok(run);
                }
            }
        }
    }

    /// The first row that may be stepped now. While a model is asked, rows that have to wait are skipped: its answer,
    /// a stop and every press may be behind them.
    async fn next_row(&self, lane: &Lane) -> Result<Option<WaitingRow>, RuntimeError> {
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

    /// True if the row has to wait. An unreadable row never waits: its turn will give it up.
    fn waits(&self, lane: &Lane, row: &WaitingRow) -> bool {
        let Ok(envelope) = intake::decode(row) else { return false };
        let admission = catch_unwind(AssertUnwindSafe(|| {
            admit(lane, &envelope.event, &self.in_force(&lane.key.tenant).policy)
        }));
        matches!(admission, Ok(Admission::Wait))
    }

    /// Returns the claimed, loaded lane: the kept one while its lease is good, else a new claim. `None` if another
    /// owner holds it, who will run it.
    async fn hold<'h>(
        &self,
        key: &LaneKey,
        held: &'h mut Option<LaneActor>,
    ) -> Result<Option<&'h mut LaneActor>, RuntimeError> {
        let now = self.store.now();
        let fresh = held.as_ref().is_some_and(|actor| actor.fresh(now));
        if !fresh {
            match self.store.claim(key, &self.owner).await? {
                Claim::Held { .. } => {
                    *held = None;
                    if self.store.is_shared() {
                        self.store.announce(News::Work(key.clone()));
                    }
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

    async fn load(&self, key: &LaneKey) -> Result<LaneActor, RuntimeError> {
        let (lane, log_hash) = self.read_lane(key).await?;
        let state_hash = canonical_json::hex(&lane.state_hash());
        let never = Timestamp(0);
        Ok(LaneActor { epoch: 0, leased_until: never, used_at: never, lane, state_hash, log_hash })
    }

    /// Reads a lane from the store, with the hash of its newest turn row.
    pub(crate) async fn read_lane(&self, key: &LaneKey) -> Result<(Lane, String), RuntimeError> {
        let mut lane = Lane::new(key.clone());
        let Some(stored) = self.store.load(key).await? else { return Ok((lane, GENESIS.to_owned())) };
        lane.revision = stored.revision;
        if stored.revision > 0 {
            lane.head = head(&stored.head)?;
        }
        for record in &stored.records {
            lane.records.insert(stored::record(record)?);
        }
        let log_hash = if stored.log_hash.is_empty() { GENESIS.to_owned() } else { stored.log_hash };
        Ok((lane, log_hash))
    }

    /// Reads the head of a lane alone; `None` before its first turn.
    pub(crate) async fn read_head(&self, key: &LaneKey) -> Result<Option<LaneState>, RuntimeError> {
        let stored = self.store.load(key).await?.filter(|stored| stored.revision > 0);
        stored.map(|stored| head(&stored.head)).transpose()
    }

    /// Returns the time after which a lane whose queue is full has room again, as far as can be told: while a model is
    /// asked, the rest of the time for its answer; else what a few turns take.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn room_in(&self, key: &LaneKey) -> Result<Duration, RuntimeError> {
        let head = self.read_head(key).await?;
        let Some(asked) = head.and_then(|head| head.ask) else { return Ok(SOON) };
        let Some(effect) = self.store.effect(&key.tenant, &asked.effect).await? else { return Ok(SOON) };
        let EffectBody::ModelAsk(ask) = stored::effect_body(&effect)? else { return Ok(SOON) };
        let left = effect.created_at.plus(ask.budget_ms).since(self.store.now());
        Ok(SOON.max(Duration::from_millis(u64::try_from(left).unwrap_or(0))))
    }

    /// Releases lanes that were idle for a while, and more if they take too much memory; all of them if `all`.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn release_idle(&self, all: bool) -> Result<(), RuntimeError> {
        let releases = self.lanes.spare(all, self.store.now()).into_iter().map(|spare| self.release(spare));
        // The store writes those that come at once together.
        iter(releases).buffer_unordered(limits::RELEASED_AT_ONCE).try_collect().await
    }

    async fn release(&self, (key, mut held): Spare) -> Result<(), RuntimeError> {
        let Some(actor) = held.as_ref() else { return Ok(()) };
        match self.store.release(&key, actor.epoch).await? {
            Release::HasWork => self.wakes.wake(&key),
            Release::Released | Release::NotOurs => {
                self.faults.at(FailPoint::LaneReleased, "")?;
                *held = None;
                drop(held);
                self.lanes.forget(&key);
            }
        }
        Ok(())
    }
}
