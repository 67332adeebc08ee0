//! The driver, which delivers a scenario's events to the production runtime until the world is idle again.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;

use throughline_channels::Channel;
use throughline_engine::data::call::RemoteTask;
use throughline_engine::data::effect::{EffectResult, Outcome};
use throughline_engine::data::fact::{Fact, FactKey};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Paused;
use throughline_engine::{Event, LaneKey, Millis, Timestamp};
use throughline_models::Model;
use throughline_runtime::{Crash, FailPoint, Inbound, Runtime, RuntimeError, Subject};
use throughline_store::{
    Accepted, DeliveryIdentity, EffectState, Effects, KillSwitch, Outbox, PauseRow, Store, StoredEffect,
    Timers,
};
use throughline_testkit::driver::{Checker, Delivery, Driver, DriverError, Settling, TurnSeen, World};
use throughline_testkit::model::{EraseTarget, Restart};
use throughline_trackers::Tracker;
use throughline_trackers::local::StoredIssue;
use tokio::runtime::{Builder, Runtime as Executor};

use crate::checkers;
use crate::facts;
use crate::faults::{Arming, POINTS};
use crate::host::{ask_held, done, failed, is_hosts};
use crate::observations::Observer;
use crate::seed::{amend, write_facts, write_lane};
use crate::world::{RemoteParties, TENANT};

/// Retries of one effect that are waited for before the world counts as idle.
const RETRIES: u32 = 12;

/// Runs scenarios over the production runtime, in memory and in virtual time.
///
/// ```
/// use throughline_sim::SimDriver;
/// use throughline_testkit::driver::Driver;
/// assert!(SimDriver::new().fail_points().contains(&"s7.turn_committed"));
/// ```
#[derive(Default)]
pub struct SimDriver {
    run: Option<Run>,
    points: Vec<&'static str>,
    channel: Option<Arc<dyn Channel>>,
    model: Option<Arc<dyn Model>>,
    tracker: Option<Arc<dyn Tracker>>,
}

struct Run {
    remote: RemoteParties,
    host: Runtime,
    channel: String,
    lanes: Vec<(String, LaneKey)>,
    observer: Observer,
}

impl SimDriver {
    /// Returns a driver without a world; [`Driver::begin`] makes one.
    #[must_use]
    pub fn new() -> Self {
        Self { points: POINTS.iter().map(|point| point.name()).collect(), ..Self::default() }
    }

    /// Returns a driver whose lanes send by that channel, whatever channel a scenario names.
    #[must_use]
    pub fn with_channel(channel: Arc<dyn Channel>) -> Self {
        Self { channel: Some(channel), ..Self::new() }
    }

    /// Returns a driver that asks that model in place of a scenario's script.
    #[must_use]
    pub fn with_model(model: Arc<dyn Model>) -> Self {
        Self { model: Some(model), ..Self::new() }
    }

    /// Returns a driver whose tickets go to that tracker, under the name of the embedded one. It may be over the network; time
    /// there is then the tracker's own.
    #[must_use]
    pub fn with_tracker(tracker: Arc<dyn Tracker>) -> Self {
        Self { tracker: Some(tracker), ..Self::new() }
    }

    /// Returns the store of the world, which holds everything that was committed; none before the world exists.
    #[must_use]
    pub fn store(&self) -> Option<Arc<dyn Store>> {
        self.run.as_ref().map(|run| run.remote.store.clone() as Arc<dyn Store>)
    }

    /// Sets the clock, also back, and runs nothing: a jump of the machine's clock.
    ///
    /// # Errors
    /// Fails if the scenario has not begun.
    pub fn set_clock(&mut self, now: Timestamp) -> Result<(), DriverError> {
        self.run()?.remote.clock.set(now);
        Ok(())
    }

    /// Returns every issue in the tracker of this world.
    ///
    /// # Errors
    /// Fails if the scenario has not begun.
    pub fn issues(&mut self) -> Result<Vec<StoredIssue>, DriverError> {
        let tracker = self.run()?.remote.tracker.clone();
        let project = tracker.config().projects.keys().next().cloned().unwrap_or_default();
        block(async {
            let issues = tracker.issues(TENANT, &project, None, 10_000).await;
            issues.map_err(|e| RuntimeError::Unreadable {
                what: "the tracker's issues".into(),
                why: e.to_string(),
            })
        })
    }

    fn run(&mut self) -> Result<&mut Run, DriverError> {
        self.run.as_mut().ok_or_else(|| DriverError("the scenario has not begun".into()))
    }
}

thread_local! {
    /// The executor of a driver's thread. It is kept, because connections of a tracker over the network live in it.
    static EXECUTOR: std::io::Result<Executor> = Builder::new_current_thread().enable_all().build();
}

/// Runs a future of the runtime to its end. In memory none of them waits for anything.
fn block<T>(future: impl Future<Output = Result<T, RuntimeError>>) -> Result<T, DriverError> {
    EXECUTOR.with(|executor| {
        let executor = executor.as_ref().map_err(|error| DriverError(error.to_string()))?;
        executor.block_on(future).map_err(|error| DriverError(error.to_string()))
    })
}

impl Driver for SimDriver {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        let remote =
            RemoteParties::new(world, self.channel.clone(), self.model.clone(), self.tracker.clone())?;
        let host = remote.host();
        let mut run = Run {
            remote,
            host,
            channel: world.channel.clone(),
            lanes: Vec::new(),
            observer: Observer::default(),
        };
        for lane in &world.lanes {
            let key = run.key(&lane.name);
            if !lane.records.is_empty()
                || lane.head != throughline_engine::data::lane_state::LaneState::default()
            {
                block(write_lane(&run.host, &key, lane))?;
            }
        }
        let facts: Vec<_> = world.facts.iter().map(|fact| (run.key(&fact.lane), fact.clone())).collect();
        block(write_facts(&run.host, &facts))?;
        if let Some(paused) = &world.paused {
            block(switch(&run.host, Some(paused)))?;
        }
        block(run.observer.skip(&run.remote, &run.host, &run.lanes))?;
        self.run = Some(run);
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.run.as_ref().map_or(Timestamp(0), |run| run.remote.store.now())
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        let run = self.run()?;
        let inbound: Vec<Inbound> = batch.iter().map(|delivery| run.inbound(delivery)).collect();
        block(run.deliver(&inbound))
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        let run = self.run()?;
        block(run.advance(by))
    }

    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError> {
        let run = self.run()?;
        block(async {
            if how == Restart::Clean {
                run.host.release_idle(true).await?;
            }
            run.reborn().await?;
            run.settle().await?;
            run.look().await
        })
    }

    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError> {
        let run = self.run()?;
        block(run.settle_effect(settling))
    }

    fn pause(&mut self, to: Option<Paused>) -> Result<TurnSeen, DriverError> {
        let run = self.run()?;
        block(async {
            switch(&run.host, to.as_ref()).await?;
            run.settle().await?;
            run.look().await
        })
    }

    fn erase(&mut self, what: &EraseTarget) -> Result<TurnSeen, DriverError> {
        let run = self.run()?;
        let subject = match what {
            EraseTarget::Person(id) => Subject::Person { id: id.clone() },
            EraseTarget::Lane(name) => Subject::Lane { lane: run.key(name).id() },
        };
        block(run.erase(&subject))
    }

    fn amend(&mut self, lane: &str, records: Vec<Record>) -> Result<(), DriverError> {
        let run = self.run()?;
        let key = run.key(lane);
        block(async {
            amend(&run.host, &key, &records).await?;
            run.look().await.map(drop)
        })
    }

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        let run = self.run()?;
        let key = run.key(name);
        block(run.host.lane_with_summary(&key))
    }

    fn facts(&mut self, name: &str) -> Result<Vec<(FactKey, Fact)>, DriverError> {
        let run = self.run()?;
        let key = run.key(name);
        block(async {
            let lane = run.host.lane(&key).await?;
            facts::in_reach(&run.host, &lane).await
        })
    }

    fn fail_points(&self) -> &[&'static str] {
        &self.points
    }

    fn arm(&mut self, fail_point: &str) -> Result<(), DriverError> {
        self.arm_but(fail_point, BTreeSet::new())
    }

    fn arm_harmless(&mut self, fail_point: &str) -> Result<(), DriverError> {
        let spared = self.run()?.remote.unrepeated();
        self.arm_but(fail_point, spared)
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        let run = self.run().map_err(|e| e.to_string())?;
        block(checkers::check(&run.host, &run.lanes, checker)).map_err(|e| e.to_string())?
    }
}

impl SimDriver {
    /// Arms a fail point that passes over the spared classes.
    fn arm_but(&mut self, fail_point: &str, spared: BTreeSet<&'static str>) -> Result<(), DriverError> {
        // `s9.attempt_marked#3` is the third time the point is passed.
        let (name, time) = fail_point.split_once('#').unwrap_or((fail_point, "1"));
        let point = FailPoint::from_name(name).filter(|point| POINTS.contains(point));
        let armed = point.zip(time.parse().ok().filter(|time| *time > 0));
        let (point, passing) =
            armed.ok_or_else(|| DriverError::unsupported(&format!("fail point {fail_point}")))?;
        self.run()?.remote.faults.set(Some(Arming { point, passing, spared }));
        Ok(())
    }
}

impl Run {
    fn key(&mut self, name: &str) -> LaneKey {
        // `room/t1` is a thread of a room; any other name is a room of its own.
        let (conversation, thread) = name.split_once('/').unwrap_or((name, ""));
        let key = LaneKey::new(TENANT, "sim", &self.channel, conversation, thread);
        if !self.lanes.iter().any(|(known, _)| known == name) {
            self.lanes.push((name.into(), key.clone()));
        }
        key
    }

    fn inbound(&mut self, delivery: &Delivery) -> Inbound {
        let event = Event {
            id: delivery.key.clone(),
            received_at: self.remote.store.now(),
            actor: delivery.actor.clone(),
            kind: delivery.kind.clone(),
        };
        Inbound {
            identity: DeliveryIdentity::new(self.key(&delivery.lane), delivery.key.as_str()),
            event,
            addressing: delivery.addressing,
        }
    }

    async fn look(&mut self) -> Result<TurnSeen, RuntimeError> {
        self.observer.look(&self.remote, &self.host, &self.lanes).await
    }

    /// Delivers a batch, settles, and survives an armed kill: deliveries that were not acknowledged are repeated.
    async fn deliver(&mut self, batch: &[Inbound]) -> Result<TurnSeen, RuntimeError> {
        let mut duplicates = Vec::new();
        let mut killed = None;
        for inbound in batch {
            let accepted = match self.host.accept(inbound.clone()).await {
                Err(RuntimeError::Crash(crash)) => {
                    killed = Some(crash);
                    self.reborn().await?;
                    // It was never acknowledged, so its sender sends it again. A duplicate is no error then.
                    self.host.accept(inbound.clone()).await?;
                    continue;
                }
                other => other?,
            };
            if let Accepted::Duplicate(row) = accepted {
                duplicates.push(row.key);
            }
        }
        if let Some(crash) = self.settle().await? {
            killed = Some(crash);
        }
        self.remote.faults.set(None);
        let mut seen = self.look().await?;
        seen.duplicates = duplicates;
        seen.killed = killed.map(|crash| crash.0.name().to_owned());
        Ok(seen)
    }

    /// Erases, and survives an armed kill: a new host resumes the erasure.
    async fn erase(&mut self, subject: &Subject) -> Result<TurnSeen, RuntimeError> {
        let mut killed = match self.host.erase(TENANT, subject, "").await {
            Err(RuntimeError::Crash(crash)) => {
                self.reborn().await?;
                Some(crash)
            }
            other => other.map(|_| None)?,
        };
        if let Some(crash) = self.settle().await? {
            killed = Some(crash);
        }
        self.remote.faults.set(None);
        let mut seen = self.look().await?;
        seen.killed = killed.map(|crash| crash.0.name().to_owned());
        Ok(seen)
    }

    /// Starts a new host over the same world. The old one is gone with everything it had not committed.
    async fn reborn(&mut self) -> Result<(), RuntimeError> {
        self.remote.store.reopen();
        self.host = self.remote.host();
        self.host.recover(TENANT).await.map(drop)
    }

    /// Runs until nothing is left that could run now. Returns true if an armed kill struck on the way.
    async fn settle(&mut self) -> Result<Option<Crash>, RuntimeError> {
        let mut killed = None;
        loop {
            match self.round().await {
                Ok(true) => {}
                Ok(false) => return Ok(killed),
                Err(RuntimeError::Crash(crash)) => {
                    killed = Some(crash);
                    self.reborn().await?;
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// Runs everything that can run now, then the next retry of an effect. False if nothing ran.
    async fn round(&mut self) -> Result<bool, RuntimeError> {
        let mut busy = false;
        while let Some(lane) = self.host.wakes().next() {
            let run = self.host.run_lane(&lane).await?;
            self.host.wakes().done(&lane, run.more);
            busy |= run.turns > 0 || run.more;
        }
        busy |= self.host.fire_timers().await? > 0;
        busy |= self.host.end_overdue().await? > 0;
        for tenant in self.host.wakes().to_erase() {
            busy |= self.host.resume_erasures(&tenant).await? > 0;
        }
        busy |= self.dispatch().await?;
        busy |= self.remote.hosting.work(&self.host).await?;
        if !busy {
            self.host.release_idle(false).await?;
            busy = !self.host.wakes().idle() || self.wait_for_retry().await?;
        }
        Ok(busy)
    }

    /// Performs the effects that are due and not held.
    async fn dispatch(&mut self) -> Result<bool, RuntimeError> {
        let mut busy = false;
        for leased in self.host.lease_effects(16).await? {
            if self.remote.hosting.holds(&leased) {
                // The effect is in flight; only its answer is held.
                self.remote
                    .store
                    .mark(TENANT, &leased.effect.row.id, leased.fence, &leased.effect.held())
                    .await?;
            } else {
                self.host.perform(leased).await?;
                busy = true;
            }
        }
        Ok(busy)
    }

    /// Moves the clock to the next retry, unless a person holds it back.
    async fn wait_for_retry(&mut self) -> Result<bool, RuntimeError> {
        if self.remote.store.pause(TENANT).await?.is_some() {
            return Ok(false);
        }
        let now = self.remote.store.now();
        let planned = self.remote.store.effects(TENANT, None, Some(EffectState::Planned), 1_000).await?;
        let retried = |effect: &&StoredEffect| effect.attempts < RETRIES && effect.not_before > now;
        // Work at a worker takes time that only a scenario lets pass.
        let goes_on = |effect: &&StoredEffect| {
            let kept =
                effect.outcome.as_deref().and_then(|kept| serde_json::from_str::<RemoteTask>(kept).ok());
            kept.is_some()
        };
        let waiting = planned.iter().filter(|effect| retried(effect) && !goes_on(effect));
        let Some(next) = waiting.map(|effect| effect.not_before).min() else { return Ok(false) };
        self.remote.clock.set(next);
        Ok(true)
    }

    /// Moves the clock through every deadline on the way.
    async fn advance(&mut self, by: Millis) -> Result<TurnSeen, RuntimeError> {
        let end = self.remote.store.now().plus(by);
        while let Some(due) = self.remote.store.next_due().await?.filter(|due| *due <= end) {
            self.remote.clock.set(due.max(self.remote.store.now()));
            self.settle().await?;
            if self.remote.store.next_due().await? == Some(due) {
                break;
            }
        }
        let left = end.since(self.remote.store.now());
        if left > 0 {
            self.remote.advance(left);
        }
        self.settle().await?;
        self.look().await
    }

    async fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, RuntimeError> {
        let key = self.key(&settling.lane);
        let open = self.remote.store.effects(TENANT, Some(&key), None, 1_000).await?;
        let named = |id: &str, class: &str| id == settling.effect || class == settling.effect;
        let found = open.into_iter().find(|effect| {
            matches!(effect.state, EffectState::Planned | EffectState::Attempted)
                && named(effect.row.id.as_str(), effect.row.class.as_str())
        });
        let Some(found) = found else {
            return Err(RuntimeError::Unreadable {
                what: format!("the effect {}", settling.effect),
                why: "none of that name is open".into(),
            });
        };
        if is_hosts(&found) {
            let outcome = self.hosts_outcome(settling, &found).await?;
            self.remote.hosting.report(&self.host, &found, outcome).await?;
        } else if !self.release(settling, &found).await? {
            self.end(settling, &found).await?;
        }
        self.settle().await?;
        self.look().await
    }

    /// Ends an effect of ours with the given outcome.
    async fn end(&self, settling: &Settling, found: &StoredEffect) -> Result<(), RuntimeError> {
        let now = self.remote.store.now();
        self.remote.clock.set(found.not_before.max(now));
        let text = settling.text.clone().unwrap_or_default();
        let outcome = match settling.outcome.as_str() {
            "done" => Outcome::Done { result: EffectResult::Issue { key: text, url: None } },
            "uncertain" => Outcome::Uncertain { text: Fault::Said(text) },
            _ => failed(text),
        };
        for leased in self.host.lease_effects(64).await? {
            if leased.effect.row.id == found.row.id {
                self.remote.store.mark(TENANT, &found.row.id, leased.fence, &leased.effect.held()).await?;
                self.host.end_with(&leased, outcome.clone()).await?;
            }
        }
        Ok(())
    }

    /// Ends an effect of the host as a scenario words it.
    async fn hosts_outcome(
        &self,
        settling: &Settling,
        found: &StoredEffect,
    ) -> Result<Outcome, RuntimeError> {
        let text = settling.text.clone().unwrap_or_default();
        Ok(match settling.outcome.as_str() {
            "done" => done(&self.host, found).await?,
            "uncertain" => Outcome::Uncertain { text: Fault::Said(text) },
            _ => failed(text),
        })
    }

    /// Lets a held effect go on. False if it was not held, or is to end otherwise.
    async fn release(&self, settling: &Settling, found: &StoredEffect) -> Result<bool, RuntimeError> {
        if settling.outcome != "done" {
            return Ok(false);
        }
        let Some(leased) = self.remote.hosting.release(&found.row.id) else { return Ok(false) };
        let Some(model) = self.remote.asked_model() else { return Ok(false) };
        let answer = ask_held(&*model, &leased, self.remote.store.now()).await;
        if let Some(outcome) = answer {
            self.host.end_with(&leased, outcome).await?;
        }
        Ok(true)
    }
}

async fn switch(host: &Runtime, to: Option<&Paused>) -> Result<(), RuntimeError> {
    let row = to.map(|paused| PauseRow {
        by: paused.by.clone(),
        since: paused.since,
        reason: String::new(),
        everything: paused.everything,
    });
    host.store().set_pause(TENANT, row, "{\"what\":\"pause\"}").await?;
    Ok(())
}
