//! A group of turns in one transaction: what decides them is read under locks, they are decided here one after the other, and
//! what is left of them is written by statements that take all rows of a kind.

use std::collections::{HashMap, HashSet};

use throughline_engine::data::canonical_json::hex;
use throughline_engine::{EffectId, Timestamp};

use super::approval_changes::{Changes, Version};
use super::codec::{effect_state_number, performer_number, row_state_number, signed};
use super::error::TxError;
use super::group_rows::{
    Adopt, Button, Cancel, Consumption, Decision, Dependency, Effect, End, Fact, GoneFact, Head, Message,
    NewSet, Open, Participant, RecordChange, Release, Rows, Set, Statements, Supersede, Timer, Turn,
};
use super::group_state::{KnownEffect, State, replaces};
use super::inbox::KeyColumns;
use super::lanes::{LockedLane, lock_lane};
use super::outbox::NEVER;
use super::session::Tx;
use super::settle::{self, Changed};
use super::{audit, erasure};
use crate::contract::{
    CommitResult, EffectState, FactsWrite, LANE_LEASE, Performer, RecordOp, TokenRow, TurnCommit,
};
use crate::rules::{deadline, dependency_outcome, first_state, payload_hash, posted_card};

/// Result of one turn of a group: it is written with the others, or nothing of it is.
pub(super) enum Decided {
    Written,
    Lost(CommitResult),
    Refused(String),
}

/// Writes a group of turns of different lanes, and returns what became of each. The transaction has ended then.
pub(super) async fn commit(tx: &Tx, turns: &[TurnCommit]) -> Result<Vec<Decided>, TxError> {
    let turns: Vec<(String, &TurnCommit)> =
        turns.iter().map(|turn| (turn.lane.id().as_str().to_owned(), turn)).collect();
    let mut group = Group { state: State::read(tx, &turns).await?, rows: Rows::default(), now: tx.now };
    let mut all = Vec::with_capacity(turns.len());
    let mut written = Vec::with_capacity(turns.len());
    for (lane, turn) in &turns {
        let decided = group.decide(tx, lane, turn);
        match decided {
            Decided::Written => written.push(*turn),
            Decided::Lost(_) | Decided::Refused(_) => group.give_back(lane, turn),
        }
        all.push(decided);
    }
    match written.as_slice() {
        [] => tx.undo().await?,
        written => write(tx, group, written).await?,
    }
    Ok(all)
}

async fn write<'t>(tx: &Tx, mut group: Group<'t>, turns: &[&'t TurnCommit]) -> Result<(), TxError> {
    for turn in turns {
        for timer in turn.timers.iter().filter(|timer| timer.lane != turn.lane) {
            lock_lane(tx, &timer.lane).await?;
        }
        for what in &turn.erasures {
            erasure::request(tx, what).await?;
        }
    }
    let rows = turns.iter().flat_map(|turn| turn.audit.iter().map(String::as_str));
    group.rows.audit = audit::Links::after(group.state.audit, rows);
    let statements = Statements::of(group.rows);
    let (list, log) = (statements.list(&tx.tenant), statements.log(&tx.tenant));
    if !statements.end_effects() {
        return tx.last(&[list.queries(), log.queries()].concat()).await.map(|_| ());
    }
    let mut answers = tx.all(&list.queries()).await?;
    let ends = [
        (settle::SUPERSEDE, EffectState::Cancelled),
        (settle::CANCEL, EffectState::Cancelled),
        (settle::ADOPT, EffectState::Done),
    ];
    for (sql, state) in ends {
        let answer = list.place(sql).and_then(|place| answers.get_mut(place)).map(std::mem::take);
        let ended = Changed::read_all(&answer.unwrap_or_default().rows)?;
        settle::after_ends(tx, ended, state).await?;
    }
    tx.last(&log.queries()).await.map(|_| ())
}

/// A group while it is decided.
struct Group<'t> {
    state: State,
    rows: Rows<'t>,
    now: Timestamp,
}

/// Positions of a turn in its lane.
struct Positions {
    turn: i64,
    approvals: i64,
    effects: i64,
    last: i64,
}

impl Positions {
    fn of(tx: &Tx, lane: &LockedLane, turn: &TurnCommit) -> Self {
        let (approvals, effects) = (turn.approvals.len(), turn.outbox.len());
        let first = tx.position(1 + approvals + effects).max(lane.position + 1);
        let [approvals, effects] = [approvals, effects].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        Self {
            turn: first,
            approvals: first + 1,
            effects: first + 1 + approvals,
            last: first + approvals + effects,
        }
    }
}

impl<'t> Group<'t> {
    /// Decides a turn, and adds its rows if it is written.
    fn decide(&mut self, tx: &Tx, id: &'t str, turn: &'t TurnCommit) -> Decided {
        match self.try_decide(tx, id, turn) {
            Ok(None) => Decided::Written,
            Ok(Some(result)) => Decided::Lost(result),
            Err(why) => Decided::Refused(why),
        }
    }

    /// Returns why a turn is not written, if it is not.
    fn try_decide(
        &mut self,
        tx: &Tx,
        id: &'t str,
        turn: &'t TurnCommit,
    ) -> Result<Option<CommitResult>, String> {
        let lane = self.state.lanes.get(id);
        if !self.may_come_direct(id, lane, turn)? {
            return Ok(Some(CommitResult::NotDirect));
        }
        let Some(lane) = lane.filter(|lane| lane.owner.is_some() && lane.epoch == turn.epoch) else {
            return Ok(Some(CommitResult::Fenced));
        };
        if lane.revision != signed(turn.expected_revision) {
            return Ok(Some(CommitResult::RevisionMoved));
        }
        if turn.log.prev_hash != lane.log_hash {
            return Err(format!("the turn's row does not follow the newest row of lane {}", turn.lane));
        }
        let positions = Positions::of(tx, lane, turn);
        if !self.sets_match(turn)? {
            return Ok(Some(CommitResult::RevisionMoved));
        }
        if turn.unsent.iter().any(|id| self.has_begun(id)) {
            return Ok(Some(CommitResult::EffectBegun));
        }
        let now = self.now.0;
        let Some(changes) = Changes::of(&turn.approvals, &self.state.approvals, now, positions.approvals)?
        else {
            return Ok(Some(CommitResult::ApprovalLost));
        };
        let ended = turn.inbox.iter().find(|end| !self.state.waiting.contains(&(id.to_owned(), end.seq)));
        if let Some(end) = ended {
            return Err(format!("inbox row {} does not wait in lane {}", end.seq, turn.lane));
        }
        let plan = Plan::of(&self.state.effects, turn)?;
        let revision = lane.revision + 1;
        self.add_lane(id, revision, &positions, turn);
        self.add_records(id, turn);
        self.add_approvals(id, changes);
        self.add_effects(id, revision, positions.effects, turn, plan);
        self.add_timers(turn);
        self.add_facts(turn);
        Ok(None)
    }

    /// Returns true if a delivery that comes with the turn may: nothing waits, and every key of it was free.
    fn may_come_direct(
        &self,
        id: &str,
        lane: Option<&LockedLane>,
        turn: &TurnCommit,
    ) -> Result<bool, String> {
        let Some(direct) = &turn.direct else { return Ok(true) };
        let of = &direct.identity.lane;
        if *of != turn.lane {
            return Err(format!("a delivery to lane {of} comes with a turn of lane {}", turn.lane));
        }
        let waits = lane.is_some_and(|lane| lane.waiting > 0);
        let of_lane = |hash: String| (id.to_owned(), hash);
        let mut keys = KeyColumns::of(&direct.identity).hashes.into_iter().map(of_lane);
        Ok(!waits && keys.all(|key| self.state.taken.contains(&key)))
    }

    /// Frees the keys that were taken for a turn that is not written.
    fn give_back(&mut self, id: &str, turn: &'t TurnCommit) {
        let Some(direct) = &turn.direct else { return };
        let keys = KeyColumns::of(&direct.identity).hashes.into_iter().map(|hash| (id.to_owned(), hash));
        let taken = keys.filter(|key| self.state.taken.contains(key));
        self.rows.lost_keys.extend(taken.map(|(_, hash)| hash));
    }

    /// Compares the sets of facts that a turn writes. One that a turn before it in the group wrote has moved.
    fn sets_match(&self, turn: &TurnCommit) -> Result<bool, String> {
        for FactsWrite { key, expected, entries, .. } in &turn.facts {
            if key.tenant != turn.lane.tenant {
                let why = format!("facts of tenant {} come with a turn of lane {}", key.tenant, turn.lane);
                return Err(why);
            }
            let set = (key.scope.as_str().to_owned(), key.scope_id.clone());
            let revision = self.state.sets.get(&set).copied().unwrap_or(0);
            if !entries.is_empty() && revision != signed(*expected) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has_begun(&self, id: &EffectId) -> bool {
        let known = self.state.effects.get(id.as_str());
        known.is_some_and(|known| known.attempts > 0 && known.state != EffectState::Cancelled)
    }

    fn add_lane(&mut self, id: &'t str, revision: i64, positions: &Positions, turn: &'t TurnCommit) {
        let log = &turn.log;
        self.rows.heads.push(Head {
            id,
            revision,
            lease_until: self.now.plus(LANE_LEASE).0,
            updated_at: log.at.0,
            log_hash: &log.hash,
            head: &turn.head,
            position: positions.last,
            ended: i64::try_from(turn.inbox.len()).unwrap_or(i64::MAX),
        });
        self.rows.turns.push(Turn {
            lane: id,
            revision,
            turn: log.turn.as_str(),
            position: positions.turn,
            decided_at: log.at.0,
            prev_hash: &log.prev_hash,
            hash: &log.hash,
            row: &log.row,
            content: &log.content,
            salt: &log.salt,
            checkpoint: turn.checkpoint.as_deref(),
        });
        for end in &turn.inbox {
            self.rows.ends.push(End { lane: id, seq: end.seq, state: row_state_number(end.state), revision });
        }
        if let Some(person) = &turn.participant {
            self.rows.participants.push(Participant { lane: id, person });
        }
        for (channel_id, ours) in &turn.message_map {
            self.rows.messages.push(Message { lane: id, channel_id, ours });
        }
        for TokenRow { hash, card, version, item, action } in &turn.tokens {
            let (card, version) = (card.as_str(), i64::from(*version));
            let button = Button { lane: id, hash, card, version, item, action };
            self.rows.buttons.insert((id, hash), button);
        }
    }

    fn add_records(&mut self, id: &'t str, turn: &'t TurnCommit) {
        for record in &turn.records {
            let at = (id, record.kind, record.key.as_str());
            let change = match (&record.op, self.rows.records.get(&at)) {
                (RecordOp::Put(body), _) => RecordChange::Put { body, loaded: true },
                (RecordOp::Retire, Some(RecordChange::Put { body, .. })) => {
                    RecordChange::Put { body, loaded: false }
                }
                (RecordOp::Retire, Some(RecordChange::Delete)) | (RecordOp::Delete, _) => {
                    RecordChange::Delete
                }
                (RecordOp::Retire, _) => RecordChange::Retire,
            };
            self.rows.records.insert(at, change);
        }
    }

    fn add_approvals(&mut self, id: &'t str, changes: Changes<'t>) {
        for (card, version, hashes) in changes.consumed {
            self.rows.consumptions.push(Consumption { card, version });
            for payload_sha256 in hashes {
                self.rows.releases.push(Release { card, version, payload_sha256 });
            }
        }
        for (card, mut versions) in changes.versions {
            for (number, version) in &mut versions {
                let Version { state, expires_at, approval, change, opened, changed } = version;
                let (number, state, change) = (i64::from(*number), *state, change.take());
                if let Some(n) = opened.take() {
                    let (expires_at, approval) = (*expires_at, approval.clone());
                    let open =
                        Open { card, version: number, n, lane: id, state, expires_at, approval, change };
                    self.rows.opened.push(open);
                } else if std::mem::take(changed) {
                    self.rows.decisions.push(Decision { card, version: number, state, change });
                }
            }
            self.state.approvals.insert(card.into(), versions);
        }
    }

    fn add_effects(&mut self, id: &'t str, revision: i64, first: i64, turn: &'t TurnCommit, plan: Plan) {
        for ((row, planned), n) in turn.outbox.iter().zip(plan.0).zip(first..) {
            let Planned { state, attempts, waits, outcome } = planned;
            if replaces(row) && self.state.card_updates.contains(&(id.to_owned(), row.stream.clone())) {
                self.rows.superseded.push(Supersede { lane: id, stream: &row.stream });
            }
            for on in &row.depends_on {
                self.rows.dependencies.push(Dependency { on_effect: on.as_str(), effect: row.id.as_str() });
            }
            let ends = row.deadline.map(|at| deadline(at, turn.log.at, self.now));
            let open = matches!(state, EffectState::Planned | EffectState::Attempted);
            let wake = match row.performer {
                Performer::Us => self.now.0,
                Performer::Host => ends.map_or(NEVER, |at| at.0),
            };
            let (card, version) =
                row.approval.as_ref().map(|a| (a.card.as_str(), i64::from(a.version))).unzip();
            self.rows.effects.push(Effect {
                id: row.id.as_str(),
                n,
                lane: id,
                revision,
                ordinal: i64::from(row.ordinal),
                class: row.class.as_str(),
                outward: row.outward,
                performer: performer_number(row.performer),
                state: effect_state_number(state),
                attempts: i64::from(attempts),
                fence: i64::from(state == EffectState::Cancelled),
                wake: open.then_some(wake),
                created_at: self.now.0,
                deadline: ends.map(|at| at.0),
                stream: &row.stream,
                card,
                version,
                waits,
                depends_on: array(&row.depends_on),
                posts_card: posted_card(row.class, &row.payload),
                payload_sha256: hex(&payload_hash(&row.payload)),
                payload: &row.payload,
                outcome,
            });
            let known = KnownEffect { state, attempts: i64::from(attempts) };
            self.state.effects.insert(row.id.as_str().into(), known);
        }
        for id in &turn.cancel {
            self.rows.cancelled.push(Cancel { id: id.as_str() });
        }
        for (id, outcome) in &turn.adopt {
            self.rows.adopted.push(Adopt { id: id.as_str(), outcome });
        }
    }

    fn add_timers(&mut self, turn: &'t TurnCommit) {
        for id in &turn.clear_timers {
            self.rows.timers.insert(id.as_str(), None);
        }
        for timer in &turn.timers {
            let due = deadline(timer.due, turn.log.at, self.now).0;
            let (id, lane) = (timer.id.as_str(), timer.lane.id().as_str().to_owned());
            self.rows.timers.insert(id, Some(Timer { id, lane, due, about: &timer.about }));
        }
    }

    fn add_facts(&mut self, turn: &'t TurnCommit) {
        for FactsWrite { key, expected, entries, used, used_at } in &turn.facts {
            let (scope, scope_id) = (key.scope.as_str(), key.scope_id.as_str());
            if !entries.is_empty() {
                match expected {
                    0 => self.rows.new_sets.push(NewSet { scope, scope_id }),
                    _ => self.rows.sets.push(Set { scope, scope_id }),
                }
                // No other turn of the group expects this: what the first one writes is not read yet.
                self.state.sets.insert((scope.into(), scope_id.into()), -1);
            }
            let last: HashMap<&str, _> = entries.iter().map(|(id, body)| (id.as_str(), body)).collect();
            for (id, body) in last {
                match body {
                    Some(fact) => self.rows.facts.push(Fact {
                        scope,
                        scope_id,
                        id,
                        used_at: fact.used_at.map(|at| at.0),
                        body: &fact.body,
                    }),
                    None => self.rows.gone_facts.push(GoneFact { scope, scope_id, id }),
                }
            }
            for id in used {
                let latest = self.rows.used_facts.entry((scope, scope_id, id.as_str())).or_insert(used_at.0);
                *latest = (*latest).max(used_at.0);
            }
        }
    }
}

/// The states in which the effects of a turn begin.
struct Plan(Vec<Planned>);

struct Planned {
    state: EffectState,
    attempts: u32,
    /// Number of dependencies that are not done yet.
    waits: i64,
    outcome: Option<String>,
}

impl Plan {
    fn of(known: &HashMap<String, KnownEffect>, turn: &TurnCommit) -> Result<Self, String> {
        let mut planned: HashMap<&str, EffectState> = HashMap::new();
        let mut plan = Vec::with_capacity(turn.outbox.len());
        for (place, row) in turn.outbox.iter().enumerate() {
            let (mut waits, mut lost, mut seen) = (0, false, HashSet::new());
            for on in row.depends_on.iter().filter(|on| seen.insert(on.as_str())) {
                let stored = || known.get(on.as_str()).map(|known| known.state);
                let state = planned.get(on.as_str()).copied().or_else(stored);
                let state =
                    state.ok_or_else(|| format!("effect {} depends on {on}, which is not there", row.id))?;
                lost |= matches!(state, EffectState::Failed | EffectState::Cancelled);
                waits += i64::from(state != EffectState::Done);
            }
            let (mut state, attempts) = first_state(row.performer, waits > 0);
            let mut outcome = None;
            if lost && state == EffectState::Planned {
                (state, outcome) = (EffectState::Failed, Some(dependency_outcome()));
            } else if replaced_later(turn, place) {
                state = EffectState::Cancelled;
            }
            planned.insert(row.id.as_str(), state);
            plan.push(Planned { state, attempts, waits, outcome });
        }
        Ok(Self(plan))
    }
}

/// Returns true if a later effect of the turn replaces this one, which is an update of a card.
fn replaced_later(turn: &TurnCommit, place: usize) -> bool {
    let row = turn.outbox.get(place).filter(|row| replaces(row));
    let later = turn.outbox.iter().skip(place + 1);
    row.is_some_and(|row| later.filter(|later| replaces(later)).any(|later| later.stream == row.stream))
}
/// Returns ids as the text of an array.
fn array(ids: &[EffectId]) -> String {
    let quoted = ids.iter().map(|id| {
        let escaped = id.as_str().replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    });
    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
}
