//! One turn: look up, step, commit, announce (`docs/design/0030-turn-commit.md`).

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::effect::{Effect, EffectBody, Outcome};
use throughline_engine::data::event::MessagePosted;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::data::lane::{Encoded, Lane};
use throughline_engine::data::policy::limits;
use throughline_engine::data::record::{Record, RecordKey, RecordKind};
use throughline_engine::data::step_input::{Addressing, SummaryLines};
use throughline_engine::data::{canonical_json, snapshot};
use throughline_engine::{
    Change, EffectId, Event, EventKind, LaneKey, Millis, Reason, Step, StepInput, Timer, Timestamp, TurnId,
    Verdict, step,
};
use throughline_store::{
    Claim, CommitResult, DeliveryIdentity, Direct, InboxEnd, LANE_LEASE, News, OutboxRow, Performer,
    RecordOp, RecordWrite, RowState, Seq, StoreError, TimerRow, TokenRow, TurnCommit, TurnNews, WaitingRow,
};
use tracing::Instrument as _;

use crate::facts::fact_writes;
use crate::held_lanes::LaneActor;
use crate::turn_log::{ContentRef, LeftOpen, RetiredRecord, Shown, TurnRow, checkpoint, content_hash};
use crate::{Committed, FailPoint, Runtime, RuntimeError, counters, intake, spans};

/// The end of one attempt at a turn.
pub(crate) enum TurnEnd {
    /// The turn is committed.
    Committed,
    /// The state has changed in between: step again.
    Raced,
    /// Another owner holds the lane.
    Lost,
    /// The event has to go through the inbox.
    NotDirect,
}

/// An event on its way into a turn.
pub(crate) struct Incoming<'a> {
    /// The delivery key.
    pub(crate) key: &'a str,
    pub(crate) event: &'a Event,
    pub(crate) received_at: Timestamp,
    pub(crate) origin: Origin,
}

/// The place of an event until its turn is committed.
pub(crate) enum Origin {
    /// In the inbox.
    Row(Seq),
    /// In memory only: it becomes durable with the turn.
    Direct(DeliveryIdentity),
}

/// A decided turn, not committed yet.
pub(crate) struct Decided {
    given: StepInput,
    step: Step,
    /// The version of the policy it was decided under.
    policy: String,
    /// The end of its inbox row.
    end: RowState,
}

impl Runtime {
    /// Handles one waiting row.
    pub(crate) async fn turn(
        &self,
        actor: &mut LaneActor,
        row: &WaitingRow,
    ) -> Result<TurnEnd, RuntimeError> {
        let started = self.store.now();
        let Ok(intake::Envelope { event, addressing }) = intake::decode(row) else {
            return self.give_up(actor, row, started).await;
        };
        let span = self.causes.turn(&row.lane, &event, &row.key);
        match self.turn_of(actor, row, &event, addressing, started).instrument(span).await {
            // A record or a constraint prevents this turn, and will the next time too.
            Err(RuntimeError::Unreadable { what, why }) => {
                tracing::error!(key = %row.key, what, why, "an event needs what cannot be read");
                self.give_up(actor, row, started).await
            }
            Err(RuntimeError::Store(StoreError::Refused { act, why })) => {
                tracing::error!(key = %row.key, act, why, "the store refuses what an event leads to");
                self.give_up(actor, row, started).await
            }
            other => match other? {
                Some(turned) => Ok(turned),
                None => self.give_up(actor, row, started).await,
            },
        }
    }

    /// Looks up, steps and commits; `None` if the step failed.
    async fn turn_of(
        &self,
        actor: &mut LaneActor,
        row: &WaitingRow,
        event: &Event,
        addressing: Addressing,
        started: Timestamp,
    ) -> Result<Option<TurnEnd>, RuntimeError> {
        let Some(decided) = self.decide(&actor.lane, event, addressing).await? else { return Ok(None) };
        let incoming =
            Incoming { key: &row.key, event, received_at: row.received_at, origin: Origin::Row(row.seq) };
        self.commit(actor, incoming, decided, started).await.map(Some)
    }

    /// Looks up and steps, where that keeps nothing else waiting; `None` if the step failed.
    pub(crate) async fn decide(
        &self,
        lane: &Lane,
        event: &Event,
        addressing: Addressing,
    ) -> Result<Option<Decided>, RuntimeError> {
        self.away.run(lane, &event.kind, self.look_up_and_step(lane, event, addressing)).await
    }

    async fn look_up_and_step(
        &self,
        lane: &Lane,
        event: &Event,
        addressing: Addressing,
    ) -> Result<Option<Decided>, RuntimeError> {
        let given = self.look_up(lane, event, addressing).await?;
        self.faults.at(FailPoint::ContextRead, event.kind.name())?;
        let Some((step, policy)) = self.try_step(lane, event, &given) else { return Ok(None) };
        let given = StepInput { facts: step.used_fact_sets(given.facts), ..given };
        let ignored = step.decision.outcome == Verdict::Ignored;
        let end = if ignored { RowState::Ignored } else { RowState::Done };
        Ok(Some(Decided { given, step, policy, end }))
    }

    /// Counts a failure of an event, and sets the event aside after enough of them. The turn of that is a notice
    /// which tells the person, and the lane goes on (`docs/design/0029-durable-intake.md`).
    async fn give_up(
        &self,
        actor: &mut LaneActor,
        row: &WaitingRow,
        started: Timestamp,
    ) -> Result<TurnEnd, RuntimeError> {
        let failures = self.store.count_failure(&row.lane, row.seq).await?;
        tracing::error!(key = %row.key, failures, "handling an event failed");
        if failures < self.policy().intake.failures {
            return Ok(TurnEnd::Raced);
        }
        metrics::counter!("throughline_inbox_dead_total").increment(1);
        let turn = IdGenerator::new(&actor.lane.key, actor.lane.revision + 1).turn();
        let event = intake::set_aside(row, turn);
        let mut given = StepInput {
            now: self.store.now(),
            multilingual: true,
            // Nothing is looked up for a notice.
            lines: SummaryLines::WhenRead,
            ..StepInput::default()
        };
        if !event.actor.is_empty() {
            given.actor = Some(self.ports.directory.actor(&actor.lane.key, &event.actor).await);
        }
        let Some((step, policy)) = self.try_step(&actor.lane, &event, &given) else {
            return Ok(TurnEnd::Lost);
        };
        let incoming = Incoming {
            key: &row.key,
            event: &event,
            received_at: row.received_at,
            origin: Origin::Row(row.seq),
        };
        self.commit(actor, incoming, Decided { given, step, policy, end: RowState::Dead }, started).await
    }

    /// Steps under the tenant's policy, and returns that policy's version too. Catches panics: a defect in a rule must not take the
    /// lane down. `None` after a panic.
    pub(crate) fn try_step(&self, lane: &Lane, event: &Event, given: &StepInput) -> Option<(Step, String)> {
        let in_force = self.in_force(&lane.key.tenant);
        let step = catch_unwind(AssertUnwindSafe(|| step(lane, event, given, &in_force.policy))).ok()?;
        Some((step, in_force.version.clone()))
    }

    /// Commits a decided turn and notifies who waits for it.
    pub(crate) async fn commit(
        &self,
        actor: &mut LaneActor,
        incoming: Incoming<'_>,
        decided: Decided,
        started: Timestamp,
    ) -> Result<TurnEnd, RuntimeError> {
        let Incoming { key, event, received_at, origin } = incoming;
        let direct = matches!(origin, Origin::Direct(_));
        let mut encoded = actor.lane.encode(&decided.step.next, &decided.step.changes);
        let commit = self.turn_commit(actor, key, event, origin, &decided, &mut encoded);
        let (turn, row) = (commit.log.turn.clone(), commit.log.hash.clone());
        let begun = self.store.now();
        let result = match self.store.commit(commit).instrument(spans::commit()).await {
            Err(StoreError::Unknown { .. }) => self.resolve_unknown(actor, &row).await?,
            other => other?,
        };
        let done = self.store.now();
        metrics::histogram!("throughline_commit_seconds").record(counters::seconds(done.since(begun)));
        let (why, turned) = match result {
            CommitResult::Committed => ("", None),
            CommitResult::RevisionMoved => ("revision_moved", Some(TurnEnd::Raced)),
            CommitResult::ApprovalLost => ("approval_lost", Some(TurnEnd::Raced)),
            CommitResult::EffectBegun => ("effect_begun", Some(TurnEnd::Raced)),
            CommitResult::NotDirect => ("not_direct", Some(TurnEnd::NotDirect)),
            CommitResult::Fenced => ("fenced", Some(TurnEnd::Lost)),
        };
        if let Some(turned) = turned {
            counters::commit_retry(why);
            return Ok(turned);
        }
        if direct {
            self.faults.at(FailPoint::InboxCommitted, event.kind.name())?;
        }
        self.faults.at(FailPoint::TurnCommitted, event.kind.name())?;
        let Step { next, changes, effects, timers, .. } = &decided.step;
        let woken = !timers.is_empty() || effects.iter().any(|one| self.performer(actor, one).is_some());
        counters::turn(&decided.step, done.since(started), started.since(received_at));
        spans::decided(&turn.0, &decided.step);
        effects.iter().for_each(|effect| self.causes.leads_to(effect.id.as_str()));
        if decided.step.decision.reason == Reason::PressTampered {
            counters::tampered("press", turn.0.as_str());
        }
        actor.state_hash = canonical_json::hex(&encoded.hash);
        actor.log_hash = row;
        actor.leased_until = done.plus(LANE_LEASE);
        if let Some(asked) = &actor.lane.head.ask
            && next.ask.as_ref().is_none_or(|ask| ask.effect != asked.effect)
        {
            self.in_flight.give_up(&asked.effect);
        }
        decided.step.cancel.iter().for_each(|effect| self.in_flight.give_up(effect));
        actor.lane.apply_encoded(next.clone(), changes.clone(), encoded);
        let forget = decided.step.forget.as_ref().map(|_| actor.lane.key.tenant.clone());
        self.announce(actor, key, event, turn, woken, forget);
        self.signal(&actor.lane.key, event, decided.step.decision.reason);
        self.card_fail_points(actor, event, effects)?;
        Ok(TurnEnd::Committed)
    }

    /// Finds out whether a commit was taken when the connection broke inside it. Claiming waits for the old
    /// transaction to end; then the turn's row is there or not.
    async fn resolve_unknown(&self, actor: &mut LaneActor, row: &str) -> Result<CommitResult, RuntimeError> {
        if let Claim::Ours { epoch, .. } = self.store.claim(&actor.lane.key, &self.owner).await? {
            // Higher than before, if the lease was over meanwhile.
            actor.epoch = epoch;
        }
        let written = self.store.committed(&actor.lane.key, row).await?;
        Ok(if written { CommitResult::Committed } else { CommitResult::RevisionMoved })
    }

    fn performer(&self, actor: &LaneActor, effect: &Effect) -> Option<Performer> {
        self.ports.performer(self.policy(), &actor.lane.key, effect.body.class())
    }

    /// Shows on the channel, where it can, that a closing word was seen: it gets no answer.
    fn signal(&self, lane: &LaneKey, event: &Event, reason: Reason) {
        if let (
            Reason::Acknowledged | Reason::SmallTalk,
            EventKind::MessagePosted(MessagePosted { message_id: Some(message), .. }),
        ) = (reason, &event.kind)
            && let Some(channel) = self.ports.channels.get(&lane.channel)
        {
            channel.clone().seen(lane, message);
        }
    }

    /// Notifies watchers and wakes the loops that have work now.
    fn announce(
        &self,
        actor: &LaneActor,
        key: &str,
        event: &Event,
        turn: TurnId,
        woken: bool,
        forget: Option<String>,
    ) {
        let lane = actor.lane.key.clone();
        let committed = Committed { lane_id: lane.id(), lane, revision: actor.lane.revision, turn };
        let mut names = vec![key];
        if let EventKind::EffectSettled { effect, .. } = &event.kind {
            names.push(effect.as_str());
        }
        self.wakes.tell(names.iter().copied(), &committed);
        if self.store.is_shared() {
            self.store.announce(news(&committed, &names));
        }
        if woken {
            self.wakes.effects.notify_one();
        }
        if let Some(tenant) = forget {
            self.wakes.erase(&tenant);
        }
    }

    /// Passes the fail points of a turn that shows a card.
    fn card_fail_points(
        &self,
        actor: &LaneActor,
        event: &Event,
        effects: &[Effect],
    ) -> Result<(), RuntimeError> {
        let card = |effect: &&Effect| {
            matches!(effect.body, EffectBody::CardPost { .. } | EffectBody::CardUpdate { .. })
        };
        if let Some(card) = effects.iter().find(card) {
            self.faults.at(FailPoint::CardPlanned, event.kind.name())?;
            // Where the channel reads from the store, the commit has delivered it.
            if self.performer(actor, card).is_none() {
                self.faults.at(FailPoint::CardSent, event.kind.name())?;
            }
        }
        Ok(())
    }

    /// Builds the turn as one value. Takes the bodies out of `encoded`.
    fn turn_commit(
        &self,
        actor: &LaneActor,
        key: &str,
        event: &Event,
        origin: Origin,
        decided: &Decided,
        encoded: &mut Encoded,
    ) -> TurnCommit {
        let Decided { given, step, policy, end } = decided;
        let (lane, revision) = (&actor.lane.key, actor.lane.revision + 1);
        let (now, turn) = (given.now, IdGenerator::new(lane, revision).turn());
        let applied = step.decision.applied.as_ref();
        let left = LeftOpen::after(&actor.lane, step, now);
        let content =
            ContentRef { key, event, given, applied, shown: &self.shown(lane, step), left: &left }.encode();
        let salt = self.random_hex();
        let log = TurnRow {
            turn: turn.clone(),
            lane: lane.id().0,
            revision,
            at: now,
            key: key.into(),
            event: event.kind.name().into(),
            decision: throughline_engine::Decision { applied: None, ..step.decision.clone() },
            trace: step.trace.clone(),
            policy: policy.clone(),
            engine: env!("CARGO_PKG_VERSION").into(),
            snapshot: snapshot::VERSION,
            before: actor.state_hash.clone(),
            after: canonical_json::hex(&encoded.hash),
            effects: step
                .effects
                .iter()
                .map(|e| (e.body.class().as_str().to_owned(), e.id.0.clone()))
                .collect(),
            asked: asked(step),
            messages: step.messages.clone(),
            content: content_hash(&salt, &content),
            retired: retired(&actor.lane, step),
        }
        .seal(&actor.log_hash, content, salt);
        let (inbox, direct) = match origin {
            Origin::Row(seq) => (vec![InboxEnd { seq, state: *end }], None),
            Origin::Direct(identity) => (Vec::new(), Some(Direct { identity, state: *end })),
        };
        TurnCommit {
            expected_revision: actor.lane.revision,
            epoch: actor.epoch,
            head: std::mem::take(&mut encoded.head),
            participant: participant(event, step),
            inbox,
            direct,
            approvals: step.approvals.clone(),
            outbox: self.outbox(lane, step, now),
            cancel: step.cancel.clone(),
            unsent: taken_back(given, step),
            adopt: step.adopt.iter().map(|(id, outcome)| (id.clone(), outcome_text(outcome))).collect(),
            timers: timers(lane, step),
            clear_timers: step.clear_timers.clone(),
            records: record_writes(step, encoded),
            facts: fact_writes(&step.facts, now),
            message_map: message_map(step),
            tokens: self.tokens(lane, step),
            erasures: step
                .forget
                .iter()
                .map(|id| canonical_json::jcs(&crate::Subject::Person { id: id.clone() }))
                .collect(),
            audit: step.approvals.iter().filter_map(|change| audit_row(change, &turn.0, now)).collect(),
            // An erasure cannot be decided again, so a replay of later turns starts after it.
            checkpoint: (revision == 1
                || revision.is_multiple_of(limits::CHECKPOINT_EVERY)
                || matches!(event.kind, EventKind::Erasure(_)))
            .then(|| {
                let mut after = actor.lane.clone();
                after.apply(step.next.clone(), &step.changes);
                checkpoint(&after)
            }),
            log,
            lane: lane.clone(),
        }
    }

    /// The effects that the commit itself delivers, by their number in the turn.
    fn shown(&self, key: &LaneKey, step: &Step) -> BTreeMap<u32, Shown> {
        let delivered = |(_, effect): &(u32, &Effect)| {
            self.ports.performer(self.policy(), key, effect.body.class()).is_none()
        };
        let shown = |(n, effect): (u32, &Effect)| Some((n, Shown::of(&effect.body)?));
        (0..).zip(&step.effects).filter(delivered).filter_map(shown).collect()
    }

    /// The effects that a worker or a host performs.
    fn outbox(&self, key: &LaneKey, step: &Step, now: Timestamp) -> Vec<OutboxRow> {
        let row = |(ordinal, effect): (u32, &Effect)| {
            let class = effect.body.class();
            let performer = self.ports.performer(self.policy(), key, class)?;
            Some(OutboxRow {
                id: effect.id.clone(),
                ordinal,
                class,
                outward: effect.body.is_outward(),
                stream: effect.body.stream(),
                payload: canonical_json::jcs(&effect.body),
                depends_on: effect.depends_on.clone(),
                approval: effect.approval.clone(),
                performer,
                deadline: (performer == Performer::Host).then(|| now.plus(host_time(&effect.body))),
            })
        };
        (0..).zip(&step.effects).filter_map(row).collect()
    }

    fn tokens(&self, key: &LaneKey, step: &Step) -> Vec<TokenRow> {
        let cards = step.effects.iter().filter_map(|effect| match &effect.body {
            EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } => Some(card),
            _ => None,
        });
        cards.flat_map(|card| self.keys.rows(&key.tenant, card)).collect()
    }
}

/// The effects that the step cancels because they were not sent when it was looked up.
fn taken_back(given: &StepInput, step: &Step) -> Vec<EffectId> {
    let unsent = given.effects.iter().flatten().filter(|standing| !standing.sent);
    unsent.filter(|standing| step.cancel.contains(&standing.effect)).map(|s| s.effect.clone()).collect()
}

/// The question of this turn that decides about its message.
fn asked(step: &Step) -> Option<EffectId> {
    let open = &step.next.ask.as_ref()?.effect;
    step.effects.iter().any(|effect| effect.id == *open).then(|| open.clone())
}

/// Returns the person who takes part by this event. Who was refused took no part, so that trying opens nothing.
fn participant(event: &Event, step: &Step) -> Option<String> {
    let counts = !matches!(step.decision.outcome, Verdict::Ignored | Verdict::Refused);
    (counts && !event.actor.is_empty()).then(|| event.actor.clone())
}

/// The time a host has to report. Effects that only a host can perform say it themselves.
fn host_time(effect: &EffectBody) -> Millis {
    if effect.class().is_host_only() { effect.retry_limits().1 } else { limits::HOST_REPORT }
}

fn outcome_text(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).unwrap_or_default()
}

fn timers(key: &LaneKey, step: &Step) -> Vec<TimerRow> {
    let row = |timer: &Timer| TimerRow {
        id: timer.id.clone(),
        lane: key.clone(),
        due: timer.due,
        about: serde_json::to_string(&timer.about).unwrap_or_default(),
    };
    step.timers.iter().map(row).collect()
}

fn record_writes(step: &Step, encoded: &mut Encoded) -> Vec<RecordWrite> {
    let written = step.changes.iter().zip(&mut encoded.changes).map(|(change, encoded)| {
        let op = match change {
            Change::Put(_) => RecordOp::Put(encoded.body.take().unwrap_or_default()),
            Change::Retire(_) => RecordOp::Retire,
            Change::Drop(_) => RecordOp::Delete,
        };
        RecordWrite { kind: encoded.key.kind.as_str(), key: encoded.key.key.clone(), op }
    });
    written.collect()
}

/// The hashes of the records that cards rest on and that the step puts aside.
fn retired(lane: &Lane, step: &Step) -> Vec<RetiredRecord> {
    let shown = |key: &&RecordKey| {
        matches!(key.kind, RecordKind::Card | RecordKind::Draft | RecordKind::Batch | RecordKind::Proposal)
    };
    let written = |key: &RecordKey| {
        let changed = step.changes.iter().find_map(|change| match change {
            Change::Put(record) if record.key() == *key => Some(record),
            _ => None,
        });
        changed.or_else(|| lane.records.record(key)).map(snapshot::encode_record)
    };
    let aside = step.changes.iter().filter_map(|change| match change {
        Change::Retire(key) => Some(key),
        Change::Put(_) | Change::Drop(_) => None,
    });
    let hashed = |key: &RecordKey| {
        let hash = canonical_json::hex(&snapshot::record_hash(key, &written(key)?));
        Some(RetiredRecord { key: key.clone(), hash })
    };
    aside.filter(shown).filter_map(hashed).collect()
}

/// Returns the news of a turn for other processes.
fn news(committed: &Committed, names: &[&str]) -> News {
    let Committed { lane, revision, turn, .. } = committed.clone();
    News::Turn(TurnNews { lane, revision, turn, names: names.iter().map(|name| (*name).into()).collect() })
}

fn message_map(step: &Step) -> Vec<(String, String)> {
    let mapped = |change: &Change| match change {
        Change::Put(Record::Message(message)) if step.messages.contains(&message.id) => {
            message.channel_id.clone().map(|channel| (channel, message.id.0.clone()))
        }
        _ => None,
    };
    step.changes.iter().filter_map(mapped).collect()
}

/// The audit row of a decision on an approval, written in the same commit.
fn audit_row(change: &ApprovalChange, turn: &str, now: Timestamp) -> Option<String> {
    match change {
        // The person's id alone: names have to be erasable, and this chain is not.
        ApprovalChange::Decide { card, version, action, by, at, payload_sha256, releases } => {
            let mut change = serde_json::json!({
                "change": "decide", "card": card, "version": version, "action": action, "by": { "id": by.id }, "at": at,
            });
            if let Some(hash) = payload_sha256 {
                change["payload_sha256"] = hash.as_str().into();
                change["releases"] = releases.as_slice().into();
            }
            Some(canonical_json::jcs(&serde_json::json!({
                "what": "approval.decided", "turn": turn, "at": now, "change": change,
            })))
        }
        ApprovalChange::Open(_) | ApprovalChange::Close { .. } => None,
    }
}
