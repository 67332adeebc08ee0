//! What the writer remembers between operations, so that it need not ask: it is the only one who writes.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};
use throughline_engine::{LaneKey, Timestamp};

use super::fault::Fault;

/// Lanes remembered at most. An idle lane costs no memory for long.
const LANES: usize = 8_192;

/// A lane's number in the file and its newest effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneMemo {
    pub(super) n: i64,
    pub(super) last_effect: Option<i64>,
}

/// See the module. Counters only rise, so a number that a rollback made free stays unused.
#[derive(Debug)]
pub(super) struct Memo {
    lanes: HashMap<LaneKey, LaneMemo>,
    seq: i64,
    turn: i64,
    effect: i64,
}

impl Memo {
    /// Takes up the counters where the file left them.
    pub(super) fn read(sql: &Connection) -> Result<Self, Fault> {
        let newest = |select: &str| sql.query_row(select, [], |row| row.get::<_, i64>(0));
        Ok(Self {
            lanes: HashMap::new(),
            seq: newest(
                "SELECT max(coalesce((SELECT max(seq) FROM inbox), 0), coalesce((SELECT max(seq) FROM handled), 0))",
            )?,
            turn: newest("SELECT coalesce(max(n), 0) FROM turns")?,
            effect: newest("SELECT coalesce(max(n), 0) FROM outbox")?,
        })
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

    pub(super) fn effect_planned(&mut self, lane: &LaneKey, effect: i64) {
        if let Some(memo) = self.lanes.get_mut(lane) {
            memo.last_effect = Some(effect);
        }
    }

    /// The lane of that name, if it is in the file.
    pub(super) fn find(&mut self, sql: &Connection, lane: &LaneKey) -> Result<Option<LaneMemo>, Fault> {
        if let Some(memo) = self.lanes.get(lane) {
            return Ok(Some(*memo));
        }
        let found = sql
            .prepare_cached("SELECT n, last_effect FROM lanes WHERE tenant = ?1 AND id = ?2")?
            .query_row((&lane.tenant, lane.id().as_str()), |row| {
                Ok(LaneMemo { n: row.get(0)?, last_effect: row.get(1)? })
            })
            .optional()?;
        if let Some(memo) = found {
            self.remember(lane, memo);
        }
        Ok(found)
    }

    /// The lane of that name, made when it is new.
    pub(super) fn make(
        &mut self,
        sql: &Connection,
        lane: &LaneKey,
        now: Timestamp,
    ) -> Result<LaneMemo, Fault> {
        if let Some(memo) = self.find(sql, lane)? {
            return Ok(memo);
        }
        let insert = "INSERT INTO lanes (tenant, id, app, channel, conversation, thread, updated_at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [tenant, app, channel, conversation, thread] = lane.parts();
        let id = lane.id();
        let n = sql.prepare_cached(insert)?.insert((
            tenant,
            id.as_str(),
            app,
            channel,
            conversation,
            thread,
            now.0,
        ))?;
        let memo = LaneMemo { n, last_effect: None };
        self.remember(lane, memo);
        Ok(memo)
    }

    fn remember(&mut self, lane: &LaneKey, memo: LaneMemo) {
        if self.lanes.len() >= LANES {
            self.lanes.clear();
        }
        self.lanes.insert(lane.clone(), memo);
    }
}
