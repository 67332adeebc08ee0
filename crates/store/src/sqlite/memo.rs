//! What the writer remembers between operations, so that it need not ask: it is the only one who writes.

use std::collections::HashMap;

use rusqlite::Connection;
use throughline_engine::{LaneId, LaneKey, Timestamp};

use super::book::Book;
use super::fault::Fault;
use super::spot::{Loaded, Spot};

/// Lanes remembered at most. An idle lane costs no memory for long.
const LANES: usize = 4_096;

/// A lane's number in the file and its newest effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) n: i64,
    pub(super) last_effect: Option<i64>,
}

/// What is remembered of a lane.
#[derive(Debug)]
struct LaneMemo {
    id: LaneId,
    place: Place,
    waiting: u32,
    loaded: Loaded,
}

/// See the module. Counters only rise, so a number that a rollback made free stays unused.
#[derive(Debug)]
pub(super) struct Memo {
    lanes: HashMap<LaneKey, LaneMemo>,
    session: i64,
    seq: i64,
    turn: i64,
    effect: i64,
}

impl Memo {
    /// Takes up the counters where the file left them.
    pub(super) fn read(sql: &Connection) -> rusqlite::Result<Self> {
        let newest = |select: &str| sql.query_row(select, [], |row| row.get::<_, i64>(0));
        let waits = newest("SELECT coalesce(max(seq), 0) FROM inbox")?;
        let ended = newest("SELECT coalesce(max(seq), 0) FROM handled")?;
        Ok(Self {
            lanes: HashMap::new(),
            session: newest("SELECT session FROM instance")?,
            seq: waits.max(ended),
            turn: newest("SELECT coalesce(max(n), 0) FROM turns")?,
            effect: newest("SELECT coalesce(max(n), 0) FROM outbox")?,
        })
    }

    /// Which opening of the file this is.
    pub(super) fn session(&self) -> i64 {
        self.session
    }

    pub(super) fn next_seq(&mut self) -> i64 {
        self.seq += 1;
        self.seq
    }

    pub(super) fn next_turn(&mut self) -> i64 {
        self.turn += 1;
        self.turn
    }

    pub(super) fn next_effect(&mut self) -> i64 {
        self.effect += 1;
        self.effect
    }

    /// The number of the newest effect.
    pub(super) fn last_effect(&self) -> i64 {
        self.effect
    }

    /// Forgets what a rollback may have made untrue.
    pub(super) fn forget(&mut self) {
        self.lanes.clear();
    }

    /// Forgets one lane: what was noted of it did not come to be.
    pub(super) fn forget_lane(&mut self, lane: &LaneKey) {
        self.lanes.remove(lane);
    }

    /// Notes a lane's newest effect.
    pub(super) fn effect_planned(&mut self, lane: &LaneKey, effect: i64) {
        if let Some(memo) = self.lanes.get_mut(lane) {
            memo.place.last_effect = Some(effect);
        }
    }

    /// Rows that wait in a lane that was found or made before.
    pub(super) fn waiting(&self, lane: &LaneKey) -> u32 {
        self.lanes.get(lane).map_or(0, |memo| memo.waiting)
    }

    /// Notes that a row waits more, or `by` rows less.
    pub(super) fn wait(&mut self, lane: &LaneKey, by: i32) {
        if let Some(memo) = self.lanes.get_mut(lane) {
            memo.waiting = memo.waiting.saturating_add_signed(by);
        }
    }

    /// The loaded records of a lane that was found or made before.
    pub(super) fn loaded(&mut self, lane: &LaneKey) -> Option<&mut Loaded> {
        self.lanes.get_mut(lane).map(|memo| &mut memo.loaded)
    }

    /// Where a record of a lane that was found or made before lies.
    pub(super) fn spot(&self, lane: &LaneKey, kind: &str, key: &str) -> Spot {
        match self.lanes.get(lane) {
            Some(memo) => Spot::of(&memo.id, kind, key),
            None => Spot::of(&lane.id(), kind, key),
        }
    }

    /// The lane of that name, if it is in the file.
    pub(super) fn find(&mut self, sql: &Book<'_>, lane: &LaneKey) -> Result<Option<Place>, Fault> {
        if let Some(memo) = self.lanes.get(lane) {
            return Ok(Some(memo.place));
        }
        self.look(sql, lane, lane.id())
    }

    fn look(&mut self, sql: &Book<'_>, lane: &LaneKey, id: LaneId) -> Result<Option<Place>, Fault> {
        let select = "SELECT n, last_effect, loaded, (SELECT count(*) FROM inbox WHERE lane = lanes.n) \
                      FROM lanes WHERE tenant = ?1 AND id = ?2";
        let found = sql.first(select, (&lane.tenant, id.as_str()), |row| {
            let place = Place { n: row.get(0)?, last_effect: row.get(1)? };
            Ok((place, Loaded::read(row, 2)?, row.get(3)?))
        })?;
        let Some((place, loaded, waiting)) = found else { return Ok(None) };
        self.remember(lane, LaneMemo { id, place, waiting, loaded });
        Ok(Some(place))
    }

    /// The lane of that name, made when it is new.
    pub(super) fn make(&mut self, sql: &Book<'_>, lane: &LaneKey, now: Timestamp) -> Result<Place, Fault> {
        if let Some(memo) = self.lanes.get(lane) {
            return Ok(memo.place);
        }
        let id = lane.id();
        if let Some(place) = self.look(sql, lane, id.clone())? {
            return Ok(place);
        }
        let insert = "INSERT INTO lanes (tenant, id, app, channel, conversation, thread, updated_at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [tenant, app, channel, conversation, thread] = lane.parts();
        sql.execute(insert, (tenant, id.as_str(), app, channel, conversation, thread, now.0))?;
        let place = Place { n: sql.last_insert_rowid(), last_effect: None };
        self.remember(lane, LaneMemo { id, place, waiting: 0, loaded: Loaded::default() });
        Ok(place)
    }

    fn remember(&mut self, lane: &LaneKey, memo: LaneMemo) {
        if self.lanes.len() >= LANES {
            self.lanes.clear();
        }
        self.lanes.insert(lane.clone(), memo);
    }
}
