//! The log of turns: one row each, with the personal part in columns of its own.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{LaneId, LaneKey, TurnId};

use super::codec::{Hex, HexText, lane_key, lane_parts, moment, signed};
use super::error::TxError;
use super::writer::Tx;
use super::{SqliteStore, lane_number};
use crate::contract::{LatestTurns, LogRow, StoreError, StoredTurn, TurnCommit, TurnLog, TurnPage, TurnSeq};

const SELECT: &str = concat!(
    "SELECT t.n, t.revision, t.decided_at, t.hash, t.row, t.salt, coalesce(t.content, '') AS content, ",
    "CASE t.revision WHEN 1 THEN zeroblob(32) ELSE p.hash END AS prev_hash, ",
    lane_parts!(),
    " FROM turns t JOIN lanes l ON l.n = t.lane",
    " LEFT JOIN turns p ON p.lane = t.lane AND p.revision = t.revision - 1 WHERE "
);

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredTurn> {
    let lane = lane_key(row)?;
    let revision = row.get::<_, i64>("revision")?.cast_unsigned();
    Ok(StoredTurn {
        log: LogRow {
            turn: IdGenerator::new(&lane, revision).turn(),
            at: moment(row, "decided_at")?,
            row: row.get("row")?,
            prev_hash: row.get::<_, HexText>("prev_hash")?.0,
            hash: row.get::<_, HexText>("hash")?.0,
            content: row.get("content")?,
            salt: row.get::<_, HexText>("salt")?.0,
        },
        lane,
        revision,
        position: row.get("n")?,
    })
}

fn query(sql: &Connection, rest: &str, params: impl Params) -> rusqlite::Result<Vec<StoredTurn>> {
    sql.prepare_cached(&format!("{SELECT}{rest}"))?.query_map(params, stored)?.collect()
}

/// Returns number of the lane and revision that a turn's id is made of.
fn named(sql: &Connection, tenant: &str, turn: &TurnId) -> rusqlite::Result<Option<(i64, i64)>> {
    let Some((lane, revision)) = turn.parts() else { return Ok(None) };
    let lane: LaneId = lane;
    let n = sql
        .prepare_cached("SELECT n FROM lanes WHERE tenant = ?1 AND id = ?2")?
        .query_row((tenant, lane.as_str()), |row| row.get(0))
        .optional()?;
    Ok(n.map(|n| (n, signed(revision))))
}

fn one(sql: &Connection, tenant: &str, turn: &TurnId) -> rusqlite::Result<Option<StoredTurn>> {
    match named(sql, tenant, turn)? {
        Some(place) => Ok(query(sql, "t.lane = ?1 AND t.revision = ?2", place)?.pop()),
        None => Ok(None),
    }
}

fn turns_after(
    sql: &Connection,
    lane: &LaneKey,
    after: i64,
    limit: u32,
) -> rusqlite::Result<Vec<StoredTurn>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let rest = "t.lane = ?1 AND t.revision > ?2 ORDER BY t.revision LIMIT ?3";
    query(sql, rest, (n, after, limit))
}

fn turns_before(
    sql: &Connection,
    lane: &LaneKey,
    before: i64,
    limit: u32,
) -> rusqlite::Result<Vec<StoredTurn>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let rest = "t.lane = ?1 AND t.revision < ?2 ORDER BY t.revision DESC LIMIT ?3";
    query(sql, rest, (n, before, limit))
}

/// Number of turns that one page of [`latest`] reads at most. There is no index of lanes by their newest turn, because
/// every commit would have to write it.
const DEPTH: i64 = 5_000;

/// Walks the turns from the newest back. A turn is its lane's newest if the lane is at its revision.
fn latest(
    sql: &Connection,
    tenant: &str,
    before: Option<TurnSeq>,
    limit: u32,
) -> rusqlite::Result<LatestTurns> {
    let before = before.map_or_else(|| Ok::<_, rusqlite::Error>(newest(sql)? + 1), Ok)?;
    let end = before.saturating_sub(DEPTH);
    // The unary plus keeps SQLite from using an index of lanes: the walk has to follow the order of turns.
    let rest =
        "t.n < ?2 AND t.n >= ?3 AND +l.tenant = ?1 AND l.revision = t.revision ORDER BY t.n DESC LIMIT ?4";
    let mut select = sql.prepare_cached(&format!("{SELECT}{rest}"))?;
    let found = select.query_map((tenant, before, end, limit), |row| Ok((row.get("n")?, stored(row)?)))?;
    let turns: Vec<(TurnSeq, StoredTurn)> = found.collect::<Result<_, _>>()?;
    let full = turns.len() == limit as usize;
    let stopped = turns.last().filter(|_| full).map_or(end, |(n, _)| *n);
    let older = "SELECT EXISTS (SELECT 1 FROM turns WHERE n < ?1)";
    let more: bool = sql.prepare_cached(older)?.query_row([stopped], |row| row.get(0))?;
    Ok(LatestTurns { turns, next: more.then_some(stopped) })
}

/// Returns the number of the newest turn of all tenants. One thread writes, so no later turn has a lower one.
fn newest(sql: &Connection) -> rusqlite::Result<TurnSeq> {
    sql.prepare_cached("SELECT coalesce(max(n), 0) FROM turns")?.query_row([], |row| row.get(0))
}

/// Walks the turns of all tenants in their order, until there are some of this one.
fn turns_of_tenant(sql: &Connection, tenant: &str, after: TurnSeq, limit: u32) -> rusqlite::Result<TurnPage> {
    let (mut end, newest) = (after, newest(sql)?);
    let rest = "t.n > ?2 AND t.n <= ?3 AND +l.tenant = ?1 ORDER BY t.n LIMIT ?4";
    while end < newest {
        let until = end.saturating_add(DEPTH).min(newest);
        let turns = query(sql, rest, (tenant, end, until, limit))?;
        let full = turns.len() >= limit as usize;
        end = turns.last().filter(|_| full).map_or(until, |turn| turn.position);
        if !turns.is_empty() {
            return Ok(TurnPage { turns, end });
        }
    }
    Ok(TurnPage { turns: Vec::new(), end })
}

/// Looks for a row's hash from the newest turn back: the commit in question is the last one or was never made.
pub(super) fn committed(sql: &Connection, lane: &LaneKey, row: &str) -> rusqlite::Result<bool> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(false) };
    let select = "SELECT hash = ?2 FROM turns WHERE lane = ?1 ORDER BY revision DESC";
    let mut select = sql.prepare_cached(select)?;
    let mut rows = select.query((n, Hex(row)))?;
    while let Some(row) = rows.next()? {
        if row.get(0)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn checkpoint(sql: &Connection, lane: &LaneKey, at: i64) -> rusqlite::Result<Option<(u64, String)>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(None) };
    let select = "SELECT revision, state FROM checkpoints WHERE lane = ?1 AND revision <= ?2 ORDER BY revision DESC LIMIT 1";
    sql.prepare_cached(select)?
        .query_row((n, at), |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)))
        .optional()
}

/// Inserts a turn's row and its checkpoint.
pub(super) fn write(tx: &mut Tx<'_, '_>, lane: i64, revision: i64, turn: &TurnCommit) -> Result<(), TxError> {
    let (n, log) = (tx.state.next_turn(), &turn.log);
    let insert = "INSERT INTO turns (n, lane, revision, decided_at, hash, salt, row, content) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let hashes = (Hex(&log.hash), Hex(&log.salt));
    tx.sql.execute(insert, (n, lane, revision, log.at.0, hashes.0, hashes.1, &log.row, &log.content))?;
    if let Some(state) = &turn.checkpoint {
        let insert = "INSERT INTO checkpoints (lane, revision, state) VALUES (?1, ?2, ?3)";
        tx.sql.execute(insert, (lane, revision, state))?;
    }
    Ok(())
}

#[async_trait]
impl TurnLog for SqliteStore {
    async fn turn(&self, tenant: &str, turn: &TurnId) -> Result<Option<StoredTurn>, StoreError> {
        self.read("read a turn", |sql| one(sql, tenant, turn))
    }

    async fn turns(&self, lane: &LaneKey, after: u64, limit: u32) -> Result<Vec<StoredTurn>, StoreError> {
        self.read("read turns", |sql| turns_after(sql, lane, signed(after), limit))
    }

    async fn turns_before(
        &self,
        lane: &LaneKey,
        before: u64,
        limit: u32,
    ) -> Result<Vec<StoredTurn>, StoreError> {
        self.read("read turns", |sql| turns_before(sql, lane, signed(before), limit))
    }

    async fn latest_turns(
        &self,
        tenant: &str,
        before: Option<TurnSeq>,
        limit: u32,
    ) -> Result<LatestTurns, StoreError> {
        self.read("read the latest turns", |sql| latest(sql, tenant, before, limit))
    }

    async fn turns_of_tenant(
        &self,
        tenant: &str,
        after: TurnSeq,
        limit: u32,
    ) -> Result<TurnPage, StoreError> {
        self.read("read the turns of a tenant", |sql| turns_of_tenant(sql, tenant, after, limit))
    }

    async fn turns_end(&self, _tenant: &str) -> Result<TurnSeq, StoreError> {
        self.read("read the newest turn", newest)
    }

    async fn checkpoint(&self, lane: &LaneKey, at: u64) -> Result<Option<(u64, String)>, StoreError> {
        self.read("read a checkpoint", |sql| checkpoint(sql, lane, signed(at)))
    }
}
