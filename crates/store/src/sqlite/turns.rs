//! The log of turns: one row each, the personal part beside it.

use rusqlite::{Connection, OptionalExtension, Params, Row};
use throughline_engine::{LaneKey, TurnId};

use super::codec::{Hex, HexText, lane_key, lane_parts, moment};
use super::fault::Fault;
use super::lane_number;
use super::writer::Tx;
use crate::contract::{LogRow, StoredTurn, TurnCommit};

const SELECT: &str = concat!(
    "SELECT t.revision, t.turn, t.decided_at, t.prev_hash, t.hash, t.row, c.salt, ",
    "coalesce(c.content, '') AS content, ",
    lane_parts!(),
    " FROM turns t JOIN lanes l ON l.n = t.lane LEFT JOIN contents c ON c.n = t.n WHERE "
);

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredTurn> {
    Ok(StoredTurn {
        lane: lane_key(row)?,
        revision: row.get::<_, i64>("revision")?.cast_unsigned(),
        log: LogRow {
            turn: TurnId(row.get("turn")?),
            at: moment(row, "decided_at")?,
            row: row.get("row")?,
            prev_hash: row.get::<_, HexText>("prev_hash")?.0,
            hash: row.get::<_, HexText>("hash")?.0,
            content: row.get("content")?,
            salt: row.get::<_, HexText>("salt")?.0,
        },
    })
}

fn query(sql: &Connection, rest: &str, params: impl Params) -> rusqlite::Result<Vec<StoredTurn>> {
    sql.prepare_cached(&format!("{SELECT}{rest}"))?.query_map(params, stored)?.collect()
}

pub(super) fn one(sql: &Connection, tenant: &str, turn: &TurnId) -> rusqlite::Result<Option<StoredTurn>> {
    Ok(query(sql, "t.tenant = ?1 AND t.turn = ?2", (tenant, turn.as_str()))?.pop())
}

pub(super) fn after(
    sql: &Connection,
    lane: &LaneKey,
    after: i64,
    limit: u32,
) -> rusqlite::Result<Vec<StoredTurn>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let rest = "t.lane = ?1 AND t.tenant = ?4 AND t.revision > ?2 ORDER BY t.revision LIMIT ?3";
    query(sql, rest, (n, after, limit, &lane.tenant))
}

pub(super) fn before(
    sql: &Connection,
    lane: &LaneKey,
    before: i64,
    limit: u32,
) -> rusqlite::Result<Vec<StoredTurn>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let rest = "t.lane = ?1 AND t.tenant = ?4 AND t.revision < ?2 ORDER BY t.revision DESC LIMIT ?3";
    query(sql, rest, (n, before, limit, &lane.tenant))
}

/// Newest first: the commit that is asked about is the last one or was never made.
pub(super) fn committed(sql: &Connection, lane: &LaneKey, row: &str) -> rusqlite::Result<bool> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(false) };
    let select = "SELECT hash = ?3 FROM turns WHERE lane = ?1 AND tenant = ?2 ORDER BY revision DESC";
    let mut select = sql.prepare_cached(select)?;
    let mut rows = select.query((n, &lane.tenant, Hex(row)))?;
    while let Some(row) = rows.next()? {
        if row.get(0)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn checkpoint(
    sql: &Connection,
    lane: &LaneKey,
    at: i64,
) -> rusqlite::Result<Option<(u64, String)>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(None) };
    let select = "SELECT revision, state FROM checkpoints WHERE lane = ?1 AND revision <= ?2 ORDER BY revision DESC LIMIT 1";
    sql.prepare_cached(select)?
        .query_row((n, at), |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)))
        .optional()
}

/// Writes a turn's row, its content and its checkpoint.
pub(super) fn write(tx: &mut Tx<'_, '_>, lane: i64, revision: i64, turn: &TurnCommit) -> Result<(), Fault> {
    let (n, log) = (tx.memo.next_turn(), &turn.log);
    let insert = "INSERT INTO turns (n, tenant, lane, revision, turn, decided_at, prev_hash, hash, row) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    tx.sql.execute(
        insert,
        (
            n,
            &turn.lane.tenant,
            lane,
            revision,
            log.turn.as_str(),
            log.at.0,
            Hex(&log.prev_hash),
            Hex(&log.hash),
            &log.row,
        ),
    )?;
    let content = "INSERT INTO contents (n, salt, content) VALUES (?1, ?2, ?3)";
    tx.sql.execute(content, (n, Hex(&log.salt), &log.content))?;
    if let Some(state) = &turn.checkpoint {
        let insert = "INSERT INTO checkpoints (lane, revision, state) VALUES (?1, ?2, ?3)";
        tx.sql.execute(insert, (lane, revision, state))?;
    }
    Ok(())
}
