//! The driver: a scenario's deliveries into the production runtime, until the world is idle again.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use throughline_channels::Channel;
use throughline_engine::effect::{EffectResult, Outcome};
use throughline_engine::given::Paused;
use throughline_engine::lane::Lane;
use throughline_engine::{Decision, Event, LaneKey, Millis, Reason, Timestamp, Verdict, canon, snapshot};
use throughline_models::Model;
use throughline_runtime::record::{GENESIS, Said, TurnRow, checkpoint, content_hash};
use throughline_runtime::{Crash, FailPoint, Inbound, Runtime, Stop};
use throughline_store::{
    Accepted, Claim, EffectState, Keeping, Outbox, PauseRow, RecordWrite, Store, TurnCommit, Write,
};
use throughline_testkit::driver::{
    Checker, Delivery, Driver, DriverError, SeedLane, Settling, TurnSeen, World,
};
use throughline_testkit::model::Restart;
use throughline_trackers::local::StoredIssue;

use crate::checkers;
use crate::faults::POINTS;
use crate::seen::Looked;
use crate::world::{Outside, TENANT};

/// The delivery key of the turn that writes a lane's given history.
pub(crate) const SEED: &str = "scenario:given";
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

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        let run = self.run()?;
        let key = run.key(name);
        block(run.host.lane(&key))
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
        let key = LaneKey::new(TENANT, "sim", &self.channel, name, "");
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
        busy |= self.host.dispatch().await? > 0;
        if !busy {
            self.host.release_idle(false).await?;
            busy = !self.host.wakes().idle() || self.wait_for_retry().await?;
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
        let waiting = planned.iter().filter(|effect| effect.attempts < RETRIES && effect.not_before > now);
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
        let now = self.outside.store.now();
        self.outside.clock.set(found.not_before.max(now));
        let text = settling.text.clone().unwrap_or_default();
        let outcome = match settling.outcome.as_str() {
            "done" => Outcome::Done { result: EffectResult::Issue { key: text, url: None } },
            "uncertain" => Outcome::Uncertain { text },
            _ => Outcome::Failed { reason: "rejected".into(), text, errors: Vec::new() },
        };
        for leased in self.host.lease_effects(64).await? {
            if leased.effect.row.id == found.row.id {
                self.outside.store.mark(TENANT, &found.row.id, leased.fence).await?;
                self.host.end_as(&leased, outcome.clone()).await?;
            }
        }
        self.settle().await?;
        self.look().await
    }
}

/// Writes a lane's given history as its first turn, with a checkpoint, so that replays start behind it.
async fn seed(host: &Runtime, key: &LaneKey, given: &SeedLane) -> Result<(), Stop> {
    let store = host.store();
    let Claim::Ours { epoch, revision } = store.claim(key, SEED).await? else { return Ok(()) };
    let mut lane = Lane::new(key.clone());
    lane.revision = revision + 1;
    lane.head = given.head.clone();
    for record in &given.records {
        lane.records.insert(record.clone());
    }
    let now = store.now();
    let event = Event {
        id: SEED.into(),
        received_at: now,
        actor: String::new(),
        kind: throughline_engine::EventKind::Unknown { name: SEED.into() },
    };
    let looked_up = throughline_engine::Given::default();
    let shown = BTreeMap::new();
    let content = Said { key: SEED, event: &event, given: &looked_up, applied: None, shown: &shown }.encode();
    let salt = "00".repeat(16);
    let log = TurnRow {
        turn: throughline_engine::id::Mint::new(key, revision + 1).turn(),
        lane: key.id().0,
        revision: revision + 1,
        at: now,
        key: SEED.into(),
        event: SEED.into(),
        decision: Decision::new(Verdict::Recorded, Reason::AssistantPosted),
        trace: throughline_engine::trace::Trace::default(),
        policy: host.policy().version(),
        engine: env!("CARGO_PKG_VERSION").into(),
        snapshot: snapshot::VERSION,
        before: String::new(),
        after: canon::hex(&lane.state_hash()),
        effects: Vec::new(),
        messages: Vec::new(),
        content: content_hash(&salt, &content),
    }
    .seal(GENESIS, content, salt);
    let record = |record: &throughline_engine::Record| {
        let key = record.key();
        RecordWrite {
            kind: key.kind.word(),
            key: key.key,
            write: Write::Put(snapshot::encode_record(record)),
        }
    };
    let commit = TurnCommit {
        lane: key.clone(),
        expected_revision: revision,
        epoch,
        head: snapshot::encode_head(&lane.head),
        inbox: Vec::new(),
        direct: None,
        approvals: Vec::new(),
        outbox: Vec::new(),
        cancel: Vec::new(),
        adopt: Vec::new(),
        timers: Vec::new(),
        clear_timers: Vec::new(),
        records: given.records.iter().map(record).collect(),
        message_map: Vec::new(),
        tokens: Vec::new(),
        audit: Vec::new(),
        checkpoint: Some(checkpoint(&lane)),
        log,
    };
    let result = store.commit(commit).await?;
    debug_assert_eq!(result, throughline_store::CommitResult::Committed);
    let _released = store.release(key, epoch).await?;
    Ok(())
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
