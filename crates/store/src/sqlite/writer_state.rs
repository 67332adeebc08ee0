//! State that the writer keeps between operations: counters and a cache of lanes. It stays true without reading the
//! file, because nobody else writes.

use std::collections::HashMap;

use rusqlite::Connection;
use throughline_engine::{LaneId, LaneKey, Millis, Timestamp};

use super::error::TxError;
use super::record_key::{LoadedRecords, RecordKey};
use super::write_conn::WriteConn;
use crate::rules::set_back_by;

/// Largest number of cached lanes.
const MAX_LANES: usize = 4_096;

/// Number of a lane in the file, and of its newest effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneRow {
    pub(super) n: i64,
    pub(super) last_effect: Option<i64>,
}

#[derive(Debug)]
struct CachedLane {
    id: LaneId,
    row: LaneRow,
    waiting: u32,
    loaded: LoadedRecords,
}

/// Counters and cached lanes. Counters only rise: a number that was given out in a rolled-back transaction stays
/// unused.
#[derive(Debug)]
pub(super) struct WriterState {
    lanes: HashMap<LaneKey, CachedLane>,
    session: i64,
    /// Time of the last transaction, and the time that is noted in the file.
    last_at: Timestamp,
    noted_at: Timestamp,
    seq: i64,
    turn: i64,
    effect: i64,
}

impl WriterState {
    /// Reads the counters from the file.
    pub(super) fn read(sql: &Connection) -> rusqlite::Result<Self> {
        let newest = |select: &str| sql.query_row(select, [], |row| row.get::<_, i64>(0));
        let waits = newest("SELECT coalesce(max(seq), 0) FROM inbox")?;
        let ended = newest("SELECT coalesce(max(seq), 0) FROM handled")?;
        Ok(Self {
            lanes: HashMap::new(),
            session: newest("SELECT session FROM instance")?,
            last_at: Timestamp(newest("SELECT last_at FROM instance")?),
            noted_at: Timestamp(newest("SELECT last_at FROM instance")?),
            seq: waits.max(ended),
            turn: newest("SELECT coalesce(max(n), 0) FROM turns")?,
            effect: newest("SELECT coalesce(max(n), 0) FROM outbox")?,
        })
    }

    /// Returns the number of times that the file has been opened.
    pub(super) fn session(&self) -> i64 {
        self.session
    }

    /// Returns by how much the clock was set back since the last transaction, if it was.
    pub(super) fn clock_set_back(&mut self, now: Timestamp) -> Option<Millis> {
        let by = set_back_by(self.last_at, now);
        if by.is_none() {
            self.last_at = self.last_at.max(now);
        }
        by
    }

    /// Follows a clock that was set back, once the file has.
    pub(super) fn follow_clock(&mut self, now: Timestamp) {
        (self.last_at, self.noted_at) = (now, now);
    }

    /// Notes in the file that there was a write at that time, once a second.
    pub(super) fn note_time(&mut self, sql: &WriteConn<'_>, now: Timestamp) -> Result<(), TxError> {
        if now.since(self.noted_at) >= Timestamp::SECOND {
            sql.execute("UPDATE instance SET last_at = ?1 WHERE one = 1", [now.0])?;
            self.noted_at = now;
        }
        Ok(())
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

    /// Returns the number of the newest effect of all lanes.
    pub(super) fn last_effect(&self) -> i64 {
        self.effect
    }

    /// Drops all cached lanes: a rollback may have made them untrue.
    pub(super) fn forget_lanes(&mut self) {
        self.lanes.clear();
    }

    /// Drops a cached lane: a change that was noted in it was not written.
    pub(super) fn forget_lane(&mut self, lane: &LaneKey) {
        self.lanes.remove(lane);
    }

    /// Notes the newest effect of a lane.
    pub(super) fn set_last_effect(&mut self, lane: &LaneKey, effect: i64) {
        if let Some(cached) = self.lanes.get_mut(lane) {
            cached.row.last_effect = Some(effect);
        }
    }

    /// Returns the number of rows that wait in a cached lane.
    pub(super) fn waiting(&self, lane: &LaneKey) -> u32 {
        self.lanes.get(lane).map_or(0, |cached| cached.waiting)
    }

    /// Adds `by` to the number of rows that wait in a lane.
    pub(super) fn add_waiting(&mut self, lane: &LaneKey, by: i32) {
        if let Some(cached) = self.lanes.get_mut(lane) {
            cached.waiting = cached.waiting.saturating_add_signed(by);
        }
    }

    /// Returns the loaded records of a cached lane.
    pub(super) fn loaded(&mut self, lane: &LaneKey) -> Option<&mut LoadedRecords> {
        self.lanes.get_mut(lane).map(|cached| &mut cached.loaded)
    }

    /// Returns the key under which a record is stored.
    pub(super) fn record_key(&self, lane: &LaneKey, kind: &str, key: &str) -> RecordKey {
        match self.lanes.get(lane) {
            Some(cached) => RecordKey::of(&cached.id, kind, key),
            None => RecordKey::of(&lane.id(), kind, key),
        }
    }

    /// Returns a lane, if it is in the file, and caches it.
    pub(super) fn find_lane(
        &mut self,
        sql: &WriteConn<'_>,
        lane: &LaneKey,
    ) -> Result<Option<LaneRow>, TxError> {
        if let Some(cached) = self.lanes.get(lane) {
            return Ok(Some(cached.row));
        }
        self.read_lane(sql, lane, lane.id())
    }

    fn read_lane(
        &mut self,
        sql: &WriteConn<'_>,
        lane: &LaneKey,
        id: LaneId,
    ) -> Result<Option<LaneRow>, TxError> {
        let select = "SELECT n, last_effect, loaded, (SELECT count(*) FROM inbox WHERE lane = lanes.n) \
                      FROM lanes WHERE tenant = ?1 AND id = ?2";
        let found = sql.first(select, (&lane.tenant, id.as_str()), |row| {
            let found = LaneRow { n: row.get(0)?, last_effect: row.get(1)? };
            Ok((found, LoadedRecords::read(row, 2)?, row.get(3)?))
        })?;
        let Some((row, loaded, waiting)) = found else { return Ok(None) };
        self.remember(lane, CachedLane { id, row, waiting, loaded });
        Ok(Some(row))
    }

    /// Returns a lane, creating it if it is new, and caches it.
    pub(super) fn find_or_create_lane(
        &mut self,
        sql: &WriteConn<'_>,
        lane: &LaneKey,
        now: Timestamp,
    ) -> Result<LaneRow, TxError> {
        if let Some(cached) = self.lanes.get(lane) {
            return Ok(cached.row);
        }
        let id = lane.id();
        if let Some(row) = self.read_lane(sql, lane, id.clone())? {
            return Ok(row);
        }
        let insert = "INSERT INTO lanes (tenant, id, app, channel, conversation, thread, updated_at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [tenant, app, channel, conversation, thread] = lane.parts();
        sql.execute(insert, (tenant, id.as_str(), app, channel, conversation, thread, now.0))?;
        let row = LaneRow { n: sql.last_insert_rowid(), last_effect: None };
        self.remember(lane, CachedLane { id, row, waiting: 0, loaded: LoadedRecords::default() });
        Ok(row)
    }

    fn remember(&mut self, lane: &LaneKey, cached: CachedLane) {
        if self.lanes.len() >= MAX_LANES {
            self.lanes.clear();
        }
        self.lanes.insert(lane.clone(), cached);
    }
}
