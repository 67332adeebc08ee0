//! The driver: a scenario's deliveries into the production runtime, until the world is idle again.

use std::future::Future;
use std::sync::Arc;

use throughline_channels::Channel;
use throughline_engine::effect::{EffectResult, Outcome};
use throughline_engine::given::Paused;
use throughline_engine::lane::{Lane, Record};
use throughline_engine::memory::{Fact, FactKey};
use throughline_engine::work::Underway;
use throughline_engine::{Event, LaneKey, Millis, Timestamp};
use throughline_models::Model;
use throughline_runtime::{Crash, FailPoint, Inbound, Runtime, Stop, Subject};
use throughline_store::{Accepted, EffectState, Keeping, Outbox, PauseRow, Store, StoredEffect};
use throughline_testkit::driver::{Checker, Delivery, Driver, DriverError, Settling, TurnSeen, World};
use throughline_testkit::model::{Erasing, Restart};
use throughline_trackers::local::StoredIssue;

use crate::checkers;
use crate::facts;
use crate::faults::POINTS;
use crate::given::{self, amend, seed};
use crate::host::{done, failed, is_hosts, said};
use crate::seen::Looked;
use crate::world::{Outside, TENANT};

/// How many retries of one effect the world waits out before it counts as idle.
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
}

struct Run {
    outside: Outside,
    host: Runtime,
    channel: String,
    lanes: Vec<(String, LaneKey)>,
    looked: Looked,
}

impl SimDriver {
    /// A driver without a world: [`Driver::begin`] makes one.
    #[must_use]
    pub fn new() -> Self {
        Self { points: POINTS.iter().map(|point| point.name()).collect(), ..Self::default() }
    }

    /// The same, and what lanes say goes out by that channel, whatever channel a scenario names.
    #[must_use]
    pub fn over(channel: Arc<dyn Channel>) -> Self {
        Self { channel: Some(channel), ..Self::new() }
    }

    /// The same, and that model is asked in place of a scenario's script.
    #[must_use]
    pub fn thinking(model: Arc<dyn Model>) -> Self {
        Self { model: Some(model), ..Self::new() }
    }

    /// The store of the world, once there is one: everything that was committed.
    #[must_use]
    pub fn store(&self) -> Option<Arc<dyn Store>> {
        self.run.as_ref().map(|run| run.outside.store.clone() as Arc<dyn Store>)
    }

    /// Every issue there is in the tracker of this world.
    ///
    /// # Errors
    /// The scenario has not begun.
    pub fn issues(&mut self) -> Result<Vec<StoredIssue>, DriverError> {
        let tracker = self.run()?.outside.tracker.clone();
        let project = tracker.config().projects.keys().next().cloned().unwrap_or_default();
        block(async {
            let issues = tracker.issues(TENANT, &project, None, 10_000).await;
            issues.map_err(|e| Stop::Unreadable { what: "the tracker's issues".into(), why: e.to_string() })
        })
    }

    fn run(&mut self) -> Result<&mut Run, DriverError> {
        self.run.as_mut().ok_or_else(|| DriverError("the scenario has not begun".into()))
    }
}

/// Drives a future of the runtime. In memory none of them waits for anything.
fn block<T>(future: impl Future<Output = Result<T, Stop>>) -> Result<T, DriverError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().map_err(|e| DriverError(e.to_string()))?;
    runtime.block_on(future).map_err(|e| DriverError(e.to_string()))
}

impl Driver for SimDriver {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        let outside = Outside::new(world, self.channel.clone(), self.model.clone())?;
        let host = outside.host();
        let mut run = Run {
            outside,
            host,
            channel: world.channel.clone(),
            lanes: Vec::new(),
            looked: Looked::default(),
        };
        for lane in &world.lanes {
            let key = run.key(&lane.name);
            if !lane.records.is_empty() || lane.head != throughline_engine::LaneState::default() {
                block(seed(&run.host, &key, lane))?;
            }
        }
        let facts: Vec<_> = world.facts.iter().map(|fact| (run.key(&fact.lane), fact.clone())).collect();
        block(given::facts(&run.host, &facts))?;
        if let Some(paused) = &world.paused {
            block(switch(&run.host, Some(paused)))?;
        }
        block(run.looked.skip(&run.outside, &run.host, &run.lanes))?;
        self.run = Some(run);
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.run.as_ref().map_or(Timestamp(0), |run| run.outside.store.now())
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

    fn erase(&mut self, what: &Erasing) -> Result<TurnSeen, DriverError> {
        let run = self.run()?;
        let subject = match what {
            Erasing::Person(id) => Subject::Person { id: id.clone() },
            Erasing::Lane(name) => Subject::Lane { lane: run.key(name).id() },
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
        block(run.host.lane(&key))
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
        // `s9.attempt_marked#3`: the third time.
        let (name, time) = fail_point.split_once('#').unwrap_or((fail_point, "1"));
        let point = FailPoint::from_name(name).filter(|point| POINTS.contains(point));
        let armed = point.zip(time.parse().ok().filter(|time| *time > 0));
        let armed = armed.ok_or_else(|| DriverError::unsupported(&format!("fail point {fail_point}")))?;
        self.run()?.outside.faults.set(Some(armed));
        Ok(())
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        let run = self.run().map_err(|e| e.to_string())?;
        block(checkers::check(&run.host, &run.lanes, checker)).map_err(|e| e.to_string())?
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
            received_at: self.outside.store.now(),
            actor: delivery.actor.clone(),
            kind: delivery.kind.clone(),
        };
        Inbound {
            lane: self.key(&delivery.lane),
            keys: vec![delivery.key.clone()],
            event,
            addressing: delivery.addressing,
            body_hash: None,
        }
    }

    async fn look(&mut self) -> Result<TurnSeen, Stop> {
        self.looked.look(&self.outside, &self.host, &self.lanes).await
    }

    /// Takes a batch in, settles, and survives an armed kill: what was not acknowledged is delivered again.
    async fn deliver(&mut self, batch: &[Inbound]) -> Result<TurnSeen, Stop> {
        let mut duplicates = Vec::new();
        let mut killed = None;
        for inbound in batch {
            let accepted = match self.host.accept(inbound.clone()).await {
                Err(Stop::Crash(crash)) => {
                    killed = Some(crash);
                    self.reborn().await?;
                    // It was never acknowledged, so its sender sends it again. That it is known by now is no news.
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
        self.outside.faults.set(None);
        let mut seen = self.look().await?;
        seen.duplicates = duplicates;
        seen.killed = killed.map(|crash| crash.0.name().to_owned());
        Ok(seen)
    }

    /// Erases, and survives an armed kill: a new host takes up what was asked for.
    async fn erase(&mut self, subject: &Subject) -> Result<TurnSeen, Stop> {
        let mut killed = match self.host.erase(TENANT, subject, "").await {
            Err(Stop::Crash(crash)) => {
                self.reborn().await?;
                Some(crash)
            }
            other => other.map(|_| None)?,
        };
        if let Some(crash) = self.settle().await? {
            killed = Some(crash);
        }
        self.outside.faults.set(None);
        let mut seen = self.look().await?;
        seen.killed = killed.map(|crash| crash.0.name().to_owned());
        Ok(seen)
    }

    /// A new host over the same world; the old one is gone with everything it had not committed.
    async fn reborn(&mut self) -> Result<(), Stop> {
        self.outside.store.reopen();
        self.host = self.outside.host();
        self.host.recover(TENANT).await.map(drop)
    }

    /// Runs until nothing is left that could run now. An armed kill on the way is survived, and told.
    async fn settle(&mut self) -> Result<Option<Crash>, Stop> {
        let mut killed = None;
        loop {
            match self.round().await {
                Ok(true) => {}
                Ok(false) => return Ok(killed),
                Err(Stop::Crash(crash)) => {
                    killed = Some(crash);
                    self.reborn().await?;
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// Everything that can run now, then the next retry of an effect; `false`: nothing did.
    async fn round(&mut self) -> Result<bool, Stop> {
        let mut busy = false;
        while let Some(lane) = self.host.wakes().next() {
            let run = self.host.run_lane(&lane).await?;
            self.host.wakes().done(&lane, run.more);
            busy |= run.turns > 0 || run.more;
        }
        busy |= self.host.fire_timers().await? > 0;
        busy |= self.host.overdue().await? > 0;
        for tenant in self.host.wakes().to_erase() {
            busy |= self.host.erase_what_was_asked(&tenant).await? > 0;
        }
        busy |= self.dispatch().await?;
        busy |= self.outside.hosting.work(&self.host).await?;
        if !busy {
            self.host.release_idle(false).await?;
            busy = !self.host.wakes().idle() || self.wait_for_retry().await?;
        }
        Ok(busy)
    }

    /// Performs what may be performed now, but for what is held.
    async fn dispatch(&mut self) -> Result<bool, Stop> {
        let mut busy = false;
        for leased in self.host.lease_effects(16).await? {
            if self.outside.hosting.holds(&leased) {
                // It is on its way: its answer is all that is held.
                self.outside.store.mark(TENANT, &leased.effect.row.id, leased.fence).await?;
            } else {
                self.host.perform(leased).await?;
                busy = true;
            }
        }
        Ok(busy)
    }

    /// Steps the clock to the next retry, unless a person holds it back.
    async fn wait_for_retry(&mut self) -> Result<bool, Stop> {
        if self.outside.store.pause(TENANT).await?.is_some() {
            return Ok(false);
        }
        let now = self.outside.store.now();
        let planned = self.outside.store.effects(TENANT, None, Some(EffectState::Planned), 1_000).await?;
        let retried = |effect: &&StoredEffect| effect.attempts < RETRIES && effect.not_before > now;
        // What goes on at a far side takes its time; only a scenario lets it pass.
        let goes_on = |effect: &&StoredEffect| {
            let kept = effect.outcome.as_deref().and_then(|kept| serde_json::from_str::<Underway>(kept).ok());
            kept.is_some()
        };
        let waiting = planned.iter().filter(|effect| retried(effect) && !goes_on(effect));
        let Some(next) = waiting.map(|effect| effect.not_before).min() else { return Ok(false) };
        self.outside.clock.set(next);
        Ok(true)
    }

    /// Moves the clock through every deadline on the way.
    async fn advance(&mut self, by: Millis) -> Result<TurnSeen, Stop> {
        let end = self.outside.store.now().plus(by);
        while let Some(due) = self.outside.store.next_due().await?.filter(|due| *due <= end) {
            self.outside.clock.set(due.max(self.outside.store.now()));
            self.settle().await?;
            if self.outside.store.next_due().await? == Some(due) {
                break;
            }
        }
        let left = end.since(self.outside.store.now());
        if left > 0 {
            self.outside.advance(left);
        }
        self.settle().await?;
        self.look().await
    }

    async fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, Stop> {
        let key = self.key(&settling.lane);
        let open = self.outside.store.effects(TENANT, Some(&key), None, 1_000).await?;
        let named = |id: &str, class: &str| id == settling.effect || class == settling.effect;
        let found = open.into_iter().find(|effect| {
            matches!(effect.state, EffectState::Planned | EffectState::Attempted)
                && named(effect.row.id.as_str(), effect.row.class.word())
        });
        let Some(found) = found else {
            return Err(Stop::Unreadable {
                what: format!("the effect {}", settling.effect),
                why: "none of that name is open".into(),
            });
        };
        if is_hosts(&found) {
            let outcome = self.hosts_outcome(settling, &found).await?;
            self.outside.hosting.report(&self.host, &found, outcome).await?;
        } else if !self.release(settling, &found).await? {
            self.end(settling, &found).await?;
        }
        self.settle().await?;
        self.look().await
    }

    /// An effect of ours ends as told.
    async fn end(&self, settling: &Settling, found: &StoredEffect) -> Result<(), Stop> {
        let now = self.outside.store.now();
        self.outside.clock.set(found.not_before.max(now));
        let text = settling.text.clone().unwrap_or_default();
        let outcome = match settling.outcome.as_str() {
            "done" => Outcome::Done { result: EffectResult::Issue { key: text, url: None } },
            "uncertain" => Outcome::Uncertain { text },
            _ => failed(text),
        };
        for leased in self.host.lease_effects(64).await? {
            if leased.effect.row.id == found.row.id {
                self.outside.store.mark(TENANT, &found.row.id, leased.fence).await?;
                self.host.end_as(&leased, outcome.clone()).await?;
            }
        }
        Ok(())
    }

    /// How an effect of the host's ends, in the words of a scenario.
    async fn hosts_outcome(&self, settling: &Settling, found: &StoredEffect) -> Result<Outcome, Stop> {
        let text = settling.text.clone().unwrap_or_default();
        Ok(match settling.outcome.as_str() {
            "done" => done(&self.host, found).await?,
            "uncertain" => Outcome::Uncertain { text },
            _ => failed(text),
        })
    }

    /// What was held goes on as it would have; `false`: it was not held, or is to end otherwise.
    async fn release(&self, settling: &Settling, found: &StoredEffect) -> Result<bool, Stop> {
        if settling.outcome != "done" {
            return Ok(false);
        }
        let Some(leased) = self.outside.hosting.release(&found.row.id) else { return Ok(false) };
        let Some(model) = self.outside.thinking() else { return Ok(false) };
        let answer = said(&*model, &leased, self.outside.store.now()).await;
        if let Some(outcome) = answer {
            self.host.end_as(&leased, outcome).await?;
        }
        Ok(true)
    }
}

async fn switch(host: &Runtime, to: Option<&Paused>) -> Result<(), Stop> {
    let row = to.map(|paused| PauseRow {
        by: paused.by.clone(),
        since: paused.since,
        reason: String::new(),
        everything: paused.everything,
    });
    host.store().set_pause(TENANT, row, "{\"what\":\"pause\"}").await?;
    Ok(())
}
