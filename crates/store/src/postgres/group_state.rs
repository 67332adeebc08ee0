//! State that decides a group of turns: read in one round trip, under the locks that keep it as it is until the end.
//!
//! Locks are taken in one order by everybody: lanes, keys of deliveries, sets of facts, approvals, effects, the tenant. Rows of
//! one table are locked in the order of their keys.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::canonical_json::Hash;
use throughline_engine::data::effect::EffectClass;
use tokio_postgres::Row;

use super::approval_changes::Version;
use super::audit;
use super::codec::{effect_state, row_state_number};
use super::error::TxError;
use super::inbox::KeyColumns;
use super::lanes::{LOCK, LockedLane};
use super::session::{Params, Query, Tx};
use crate::contract::{EffectState, OutboxRow, Performer, TurnCommit};

/// Takes the keys of deliveries that come with their turns. A key that is taken is passed over.
const TAKE: &str = "INSERT INTO delivery_keys (tenant, key, first, lane, revision, state, body_hash) \
    SELECT $1::text, k.* FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[]) \
    AS k (key, first, lane, revision, state, body_hash) ORDER BY k.key ON CONFLICT DO NOTHING RETURNING lane, key";

const WAITING: &str = "SELECT i.lane, i.seq FROM unnest($2::text[], $3::bigint[]) AS e (lane, seq) \
    JOIN inbox i ON i.tenant = $1 AND i.lane = e.lane AND i.seq = e.seq AND i.state = 0";

const SETS: &str = "SELECT s.scope, s.scope_id, s.revision FROM fact_sets s WHERE s.tenant = $1 \
    AND (s.scope, s.scope_id) IN (SELECT * FROM unnest($2::text[], $3::text[])) ORDER BY s.scope, s.scope_id FOR UPDATE";

const APPROVALS: &str = "SELECT card, version, state, expires_at, approval FROM approvals \
    WHERE tenant = $1 AND card = ANY($2) ORDER BY card, version FOR UPDATE";

const EFFECTS: &str =
    "SELECT id, state, attempts FROM outbox WHERE tenant = $1 AND id = ANY($2) ORDER BY id FOR UPDATE";

const CARD_UPDATES: &str = "SELECT DISTINCT o.lane, o.stream FROM unnest($2::text[], $3::text[]) AS s (lane, stream) \
    JOIN outbox o ON o.tenant = $1 AND o.lane = s.lane AND o.stream = s.stream AND o.state = 0 \
    AND o.wake IS NOT NULL AND o.performer = 0";

/// State of an effect that turns refer to.
#[derive(Clone, Copy)]
pub(super) struct KnownEffect {
    pub(super) state: EffectState,
    pub(super) attempts: i64,
}

/// State that decides a group of turns.
#[derive(Default)]
pub(super) struct State {
    pub(super) lanes: HashMap<String, LockedLane>,
    /// Keys that were free and are taken now, as they are stored, each with its lane.
    pub(super) taken: HashSet<(String, String)>,
    /// Inbox rows that wait: lane and position.
    pub(super) waiting: HashSet<(String, i64)>,
    /// Revisions of sets of facts, by scope and scope id.
    pub(super) sets: HashMap<(String, String), i64>,
    pub(super) approvals: HashMap<String, BTreeMap<u32, Version>>,
    pub(super) effects: HashMap<String, KnownEffect>,
    /// Streams of a lane that hold an update of a card which has not begun.
    pub(super) card_updates: HashSet<(String, String)>,
    pub(super) audit: Option<(i64, Hash)>,
}

/// Returns true if the effect is an update of a card, which replaces earlier ones that have not begun.
pub(super) fn replaces(row: &OutboxRow) -> bool {
    row.class == EffectClass::CardUpdate && row.performer == Performer::Us && !row.stream.is_empty()
}

/// Keys that a group asks for, as columns.
#[derive(Default)]
struct Wanted<'t> {
    keys: Vec<String>,
    first: Vec<Option<&'t str>>,
    key_lanes: Vec<&'t str>,
    revisions: Vec<i64>,
    states: Vec<i64>,
    body_hashes: Vec<Option<&'t str>>,
    end_lanes: Vec<&'t str>,
    ends: Vec<i64>,
    scopes: Vec<&'t str>,
    scope_ids: Vec<&'t str>,
    cards: Vec<&'t str>,
    effects: BTreeSet<&'t str>,
    stream_lanes: Vec<&'t str>,
    streams: Vec<&'t str>,
    audit: bool,
}

impl<'t> Wanted<'t> {
    fn add(&mut self, lane: &'t str, turn: &'t TurnCommit) {
        if let Some(direct) = turn.direct.as_ref().filter(|direct| direct.identity.lane == turn.lane) {
            let keys = KeyColumns::of(&direct.identity);
            self.first.extend(keys.first);
            for hash in keys.hashes {
                self.keys.push(hash);
                self.body_hashes.push(direct.identity.body_hash.as_deref());
                self.key_lanes.push(lane);
                self.revisions.push(super::codec::signed(turn.expected_revision) + 1);
                self.states.push(row_state_number(direct.state));
            }
        }
        for end in &turn.inbox {
            self.end_lanes.push(lane);
            self.ends.push(end.seq);
        }
        for write in turn.facts.iter().filter(|write| !write.entries.is_empty()) {
            self.scopes.push(write.key.scope.as_str());
            self.scope_ids.push(&write.key.scope_id);
        }
        self.cards.extend(turn.approvals.iter().map(|change| match change {
            ApprovalChange::Open(approval) => approval.card.as_str(),
            ApprovalChange::Decide { card, .. } | ApprovalChange::Close { card, .. } => card.as_str(),
        }));
        let depends_on = turn.outbox.iter().flat_map(|row| &row.depends_on);
        self.effects.extend(turn.unsent.iter().chain(depends_on).map(|id| id.as_str()));
        for row in turn.outbox.iter().filter(|row| replaces(row)) {
            self.stream_lanes.push(lane);
            self.streams.push(&row.stream);
        }
        self.audit |= !turn.audit.is_empty();
    }
}

impl State {
    /// Locks the lanes of a group and what its turns change, and reads it.
    pub(super) async fn read(tx: &Tx, turns: &[(String, &TurnCommit)]) -> Result<Self, TxError> {
        let mut w = Wanted::default();
        turns.iter().for_each(|(lane, turn)| w.add(lane, turn));
        let lanes: Vec<&str> = turns.iter().map(|(lane, _)| lane.as_str()).collect();
        let effects: Vec<&str> = w.effects.iter().copied().collect();
        let t = &tx.tenant;
        let take: Params<'_> = &[t, &w.keys, &w.first, &w.key_lanes, &w.revisions, &w.states, &w.body_hashes];
        let parts: [(bool, Query<'_>); 8] = [
            (true, (LOCK, &[t, &lanes])),
            (!w.keys.is_empty(), (TAKE, take)),
            (!w.ends.is_empty(), (WAITING, &[t, &w.end_lanes, &w.ends])),
            (!w.scopes.is_empty(), (SETS, &[t, &w.scopes, &w.scope_ids])),
            (!w.cards.is_empty(), (APPROVALS, &[t, &w.cards])),
            (!effects.is_empty(), (EFFECTS, &[t, &effects])),
            (!w.streams.is_empty(), (CARD_UPDATES, &[t, &w.stream_lanes, &w.streams])),
            (w.audit, (audit::HEAD, &[t])),
        ];
        let asked: Vec<Query<'_>> =
            parts.iter().filter(|(asked, _)| *asked).map(|(_, query)| *query).collect();
        let mut answers = tx.all(&asked).await?.into_iter();
        let [lanes, taken, waiting, sets, approvals, effects, card_updates, audit] =
            parts.map(|(asked, _)| asked.then(|| answers.next()).flatten().unwrap_or_default().rows);
        let pair = |row: &Row| (row.get(0), row.get(1));
        let mut state = Self {
            lanes: lanes.iter().map(LockedLane::read).map(|lane| (lane.id.clone(), lane)).collect(),
            taken: taken.iter().map(pair).collect(),
            waiting: waiting.iter().map(|row| (row.get(0), row.get(1))).collect(),
            sets: sets.iter().map(|row| (pair(row), row.get(2))).collect(),
            card_updates: card_updates.iter().map(pair).collect(),
            audit: audit.first().map(audit::head),
            ..Self::default()
        };
        for row in &approvals {
            let version = u32::try_from(row.get::<_, i64>("version")).unwrap_or(u32::MAX);
            state.approvals.entry(row.get("card")).or_default().insert(version, Version::read(row));
        }
        for row in &effects {
            let known = KnownEffect { state: effect_state(row.get("state"))?, attempts: row.get("attempts") };
            state.effects.insert(row.get("id"), known);
        }
        Ok(state)
    }
}
