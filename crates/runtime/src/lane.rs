//! A lane's actor: claim, load, admit, step, commit, in inbox order (`spec 06 §3.3`).
//!
//! The claim and the loaded lane are kept while the lane is idle, so that the next event costs one commit. Every
//! commit compares epoch and revision, so a kept copy that went stale is found out, never believed.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use throughline_engine::effect::Effect;
use throughline_engine::given::Addressing;
use throughline_engine::lane::{Lane, Record};
use throughline_engine::policy::limits;
use throughline_engine::{
    Admission, Event, Given, LaneKey, Step, Timestamp, Verdict, admit, canon, snapshot, step,
};
use throughline_store::{
    Claim, CommitResult, InboxEnd, InboxRow, LANE_LEASE, OutboxRow, Performer, RecordWrite, Release,
    RowState, StoreError, TimerRow, TurnCommit, Write,
};

use crate::given::{decode, unreadable};
use crate::record::{Content, GENESIS, Shown, TurnRow, checkpoint, content_hash};
use crate::{Committed, FailPoint, Runtime, Stop, counted, intake};

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
struct Actor {
    epoch: i64,
    leased_until: Timestamp,
    used_at: Timestamp,
    lane: Lane,
    state_hash: String,
    log_hash: String,
}

/// The lanes this process holds.
#[derive(Default)]
pub(crate) struct Held(Mutex<HashMap<LaneKey, Slot>>);

type Slot = Arc<tokio::sync::Mutex<Option<Actor>>>;

impl Held {
    fn slot(&self, lane: &LaneKey) -> Slot {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.entry(lane.clone()).or_default().clone()
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

/// How one attempt at a turn ended.
enum Turned {
    Committed,
    Raced,
    Lost,
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
                Turned::Raced => {
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
        let fresh = held.as_ref().is_some_and(|actor| now < actor.leased_until.plus(-LANE_LEASE / 3));
        if !fresh {
            match self.store.claim(key, &self.owner).await? {
                Claim::Held { .. } => {
                    *held = None;
                    return Ok(None);
                }
                Claim::Ours { epoch, revision } => {
                    self.faults.at(FailPoint::LaneClaimed)?;
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

    /// One turn of one row.
    async fn turn(&self, actor: &mut Actor, row: &InboxRow) -> Result<Turned, Stop> {
        let started = self.store.now();
        let Ok(intake::Envelope { event, addressing }) = intake::decode(row) else {
            return self.give_up(actor, row, started).await;
        };
        match self.decided(actor, row, &event, addressing, started).await {
            // A record or a constraint stands in the way of this event, and will the next time too.
            Err(Stop::Unreadable { what, why }) => {
                tracing::error!(key = %row.key, what, why, "an event needs what cannot be read");
                self.give_up(actor, row, started).await
            }
            Err(Stop::Store(StoreError::Refused { act, why })) => {
                tracing::error!(key = %row.key, act, why, "the store refuses what an event leads to");
                self.give_up(actor, row, started).await
            }
            other => match other? {
                Some(turned) => Ok(turned),
                None => self.give_up(actor, row, started).await,
            },
        }
    }

    /// Looks up, steps and commits; `None` when the step itself failed.
    async fn decided(
        &self,
        actor: &mut Actor,
        row: &InboxRow,
        event: &Event,
        addressing: Addressing,
        started: Timestamp,
    ) -> Result<Option<Turned>, Stop> {
        let given = self.look_up(&actor.lane, event, addressing).await?;
        self.faults.at(FailPoint::ContextRead)?;
        let Some(step) = self.stepped(&actor.lane, event, &given) else { return Ok(None) };
        let ignored = step.decision.outcome == Verdict::Ignored;
        let end = if ignored { RowState::Ignored } else { RowState::Done };
        self.commit(actor, row, event, given, step, end, started).await.map(Some)
    }

    /// An event that cannot be handled: counted, and after enough failures set aside. Its turn is then the notice that
    /// says so, and the lane goes on (`spec 06 §2.3`).
    async fn give_up(&self, actor: &mut Actor, row: &InboxRow, started: Timestamp) -> Result<Turned, Stop> {
        let failures = self.store.failed(&row.lane.tenant, row.seq).await?;
        tracing::error!(key = %row.key, failures, "handling an event failed");
        if failures < self.policy.intake.failures {
            return Ok(Turned::Raced);
        }
        metrics::counter!("throughline_inbox_dead_total").increment(1);
        let turn = throughline_engine::id::Mint::new(&actor.lane.key, actor.lane.revision + 1).turn();
        let text = format!("I could not handle what you sent; it was set aside ({turn}).");
        let event = intake::notice_of(row, "dead", text);
        let given = Given { now: self.store.now(), ..Given::default() };
        match self.stepped(&actor.lane, &event, &given) {
            Some(step) => self.commit(actor, row, &event, given, step, RowState::Dead, started).await,
            None => Ok(Turned::Lost),
        }
    }

    /// The step, behind a wall: a defect in a rule must not take the lane with it.
    fn stepped(&self, lane: &Lane, event: &Event, given: &Given) -> Option<Step> {
        catch_unwind(AssertUnwindSafe(|| step(lane, event, given, &self.policy))).ok()
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one commit, gathered once")]
    async fn commit(
        &self,
        actor: &mut Actor,
        row: &InboxRow,
        event: &Event,
        given: Given,
        step: Step,
        end: RowState,
        started: Timestamp,
    ) -> Result<Turned, Stop> {
        let key = actor.lane.key.clone();
        let revision = actor.lane.revision + 1;
        let head = snapshot::encode_head(&step.next);
        let state_hash = canon::hex(&actor.lane.hash_after(&head, &step.changes));
        let turn = throughline_engine::id::Mint::new(&key, revision).turn();
        let content = Content {
            event: event.clone(),
            given,
            applied: step.decision.applied.clone(),
            shown: self.shown(&key, &step),
        };
        let now = content.given.now;
        let content = content.encode();
        let salt = self.random_hex();
        let effects: Vec<(String, String)> =
            step.effects.iter().map(|e| (e.body.class().word().to_owned(), e.id.0.clone())).collect();
        let mut decision = step.decision.clone();
        decision.applied = None;
        let log = TurnRow {
            turn: turn.clone(),
            lane: key.id().0,
            revision,
            at: now,
            key: row.key.clone(),
            event: event.kind.name().into(),
            decision,
            trace: step.trace.clone(),
            policy: self.policy_version.clone(),
            engine: env!("CARGO_PKG_VERSION").into(),
            snapshot: snapshot::VERSION,
            before: actor.state_hash.clone(),
            after: state_hash.clone(),
            effects,
            messages: step.messages.clone(),
            content: content_hash(&salt, &content),
        }
        .seal(&actor.log_hash, content, salt);
        let log_hash = log.hash.clone();
        let audit = step.approvals.iter().filter_map(|change| audit_row(change, &turn.0, now)).collect();
        let commit = TurnCommit {
            expected_revision: actor.lane.revision,
            epoch: actor.epoch,
            head,
            inbox: vec![InboxEnd { seq: row.seq, state: end }],
            direct: None,
            approvals: step.approvals.clone(),
            outbox: self.outbox(&key, &step, now),
            cancel: step.cancel.clone(),
            adopt: step.adopt.iter().map(|(effect, outcome)| (effect.clone(), encoded(outcome))).collect(),
            timers: timers(&key, &step),
            clear_timers: step.clear_timers.clone(),
            records: record_writes(&step),
            message_map: message_map(&step),
            tokens: self.tokens(&key, &step),
            audit,
            checkpoint: (revision == 1 || revision.is_multiple_of(limits::CHECKPOINT_EVERY)).then(|| {
                let mut after = actor.lane.clone();
                after.apply(step.next.clone(), &step.changes);
                checkpoint(&after)
            }),
            log,
            lane: key.clone(),
        };
        let begun = self.store.now();
        let result = match self.store.commit(commit).await {
            Err(StoreError::Unknown { .. }) => self.resolve_unknown(&key, &log_hash).await?,
            other => other?,
        };
        metrics::histogram!("throughline_commit_seconds")
            .record(counted::seconds(self.store.now().since(begun)));
        let (why, turned) = match result {
            CommitResult::Committed => ("", None),
            CommitResult::RevisionMoved => ("revision_moved", Some(Turned::Raced)),
            CommitResult::ApprovalLost => ("approval_lost", Some(Turned::Raced)),
            CommitResult::NotDirect => ("not_direct", Some(Turned::Raced)),
            CommitResult::Fenced => ("fenced", Some(Turned::Lost)),
        };
        if let Some(turned) = turned {
            counted::again(why);
            return Ok(turned);
        }
        self.faults.at(FailPoint::TurnCommitted)?;
        actor.lane.apply(step.next.clone(), &step.changes);
        actor.state_hash = state_hash;
        actor.log_hash = log_hash;
        actor.leased_until = self.store.now().plus(LANE_LEASE);
        self.announce(&key, row, event, &step, turn, revision, started)?;
        Ok(Turned::Committed)
    }

    /// The connection broke inside the commit: claim again, which waits for the old transaction, then look.
    async fn resolve_unknown(&self, key: &LaneKey, row: &str) -> Result<CommitResult, Stop> {
        self.store.claim(key, &self.owner).await?;
        let written = self.store.committed(key, row).await?;
        Ok(if written { CommitResult::Committed } else { CommitResult::RevisionMoved })
    }

    #[expect(clippy::too_many_arguments, reason = "what a committed turn is announced with")]
    fn announce(
        &self,
        key: &LaneKey,
        row: &InboxRow,
        event: &Event,
        step: &Step,
        turn: throughline_engine::TurnId,
        revision: u64,
        started: Timestamp,
    ) -> Result<(), Stop> {
        counted::turn(step, self.store.now().since(started), started.since(row.received_at));
        let committed = Committed { lane: key.clone(), lane_id: key.id(), revision, turn };
        let mut names = vec![row.key.as_str()];
        if let throughline_engine::EventKind::EffectSettled { effect, .. } = &event.kind {
            names.push(effect.as_str());
        }
        self.wakes.tell(&names, &committed);
        if step.effects.iter().any(|effect| self.ports.performer(key, effect.body.class()).is_some())
            || !step.timers.is_empty()
        {
            self.wakes.effects.notify_one();
        }
        let card = |effect: &&Effect| effect.body.class().word().starts_with("card.");
        if let Some(card) = step.effects.iter().find(card) {
            self.faults.at(FailPoint::CardPlanned)?;
            // Where the channel reads from the store, the commit has sent it.
            if self.ports.performer(key, card.body.class()).is_none() {
                self.faults.at(FailPoint::CardSent)?;
            }
        }
        Ok(())
    }

    /// What the commit itself delivers.
    fn shown(&self, key: &LaneKey, step: &Step) -> BTreeMap<u32, Shown> {
        let delivered =
            |(_, effect): &(u32, &Effect)| self.ports.performer(key, effect.body.class()).is_none();
        let shown = |(n, effect): (u32, &Effect)| Some((n, Shown::of(&effect.body)?));
        (0..).zip(&step.effects).filter(delivered).filter_map(shown).collect()
    }

    /// What somebody performs.
    fn outbox(&self, key: &LaneKey, step: &Step, now: Timestamp) -> Vec<OutboxRow> {
        let row = |(ordinal, effect): (u32, &Effect)| {
            let class = effect.body.class();
            let performer = self.ports.performer(key, class)?;
            Some(OutboxRow {
                id: effect.id.clone(),
                ordinal,
                class,
                stream: effect.body.stream(),
                payload: canon::jcs(&effect.body),
                depends_on: effect.depends_on.clone(),
                approval: effect.approval.clone(),
                performer,
                deadline: (performer == Performer::Host).then(|| now.plus(limits::HOST_REPORT)),
            })
        };
        (0..).zip(&step.effects).filter_map(row).collect()
    }

    fn tokens(&self, key: &LaneKey, step: &Step) -> Vec<throughline_store::TokenRow> {
        use throughline_engine::effect::EffectBody;
        let cards = step.effects.iter().filter_map(|effect| match &effect.body {
            EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } => Some(card),
            _ => None,
        });
        cards.flat_map(|card| self.keys.rows(&key.tenant, card)).collect()
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
                    self.faults.at(FailPoint::LaneReleased)?;
                    *held = None;
                    drop(held);
                    self.lanes.forget(&key);
                }
            }
        }
        Ok(())
    }
}

fn encoded(outcome: &throughline_engine::effect::Outcome) -> String {
    serde_json::to_string(outcome).unwrap_or_default()
}

fn timers(key: &LaneKey, step: &Step) -> Vec<TimerRow> {
    let row = |timer: &throughline_engine::Timer| TimerRow {
        id: timer.id.clone(),
        lane: key.clone(),
        due: timer.due,
        about: serde_json::to_string(&timer.about).unwrap_or_default(),
    };
    step.timers.iter().map(row).collect()
}

fn record_writes(step: &Step) -> Vec<RecordWrite> {
    use throughline_engine::Change;
    let write = |change: &Change| {
        let (key, write) = match change {
            Change::Put(record) => (record.key(), Write::Put(snapshot::encode_record(record))),
            Change::Retire(key) => (key.clone(), Write::Retire),
            Change::Drop(key) => (key.clone(), Write::Drop),
        };
        RecordWrite { kind: key.kind.word(), key: key.key, write }
    };
    step.changes.iter().map(write).collect()
}

fn message_map(step: &Step) -> Vec<(String, String)> {
    use throughline_engine::Change;
    let mapped = |change: &Change| match change {
        Change::Put(Record::Message(message)) if step.messages.contains(&message.id) => {
            message.channel_id.clone().map(|channel| (channel, message.id.0.clone()))
        }
        _ => None,
    };
    step.changes.iter().filter_map(mapped).collect()
}

/// Decisions on approvals also go to the tenant's audit chain, in the same commit.
fn audit_row(
    change: &throughline_engine::approval::ApprovalChange,
    turn: &str,
    now: Timestamp,
) -> Option<String> {
    use throughline_engine::approval::ApprovalChange;
    match change {
        ApprovalChange::Decide { .. } => Some(canon::jcs(&serde_json::json!({
            "what": "approval.decided", "turn": turn, "at": now, "change": change,
        }))),
        ApprovalChange::Open(_) | ApprovalChange::Close { .. } => None,
    }
}
