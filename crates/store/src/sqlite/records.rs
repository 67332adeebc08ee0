//! Records of a lane, and the ids that its channel gave to messages.

use rusqlite::{Connection, OptionalExtension};
use throughline_engine::LaneKey;

use super::error::TxError;
use super::lane_number;
use super::record_key::RecordKey;
use super::writer::Tx;
use crate::contract::{RecordOp, TurnCommit};

pub(super) const RECORD: &str = "SELECT body FROM records WHERE lane = ?1 AND at = ?2 AND kind = ?3";

/// Returns a record by its key, or a message by the channel's id.
pub(super) fn record(
    sql: &Connection,
    lane: &LaneKey,
    kind: &str,
    key: &str,
) -> rusqlite::Result<Option<String>> {
    let id = lane.id();
    let Some(n) = lane_number(sql, lane)? else { return Ok(None) };
    let mut body = sql.prepare_cached(RECORD)?;
    let mut find =
        |key: &RecordKey| body.query_row((n, &key.at, &key.kind), |row| row.get::<_, String>(0)).optional();
    if let Some(found) = find(&RecordKey::of(&id, kind, key))? {
        return Ok(Some(found));
    }
    // Only messages have an id of the channel beside ours.
    if kind != "message" {
        return Ok(None);
    }
    let ours = find(&RecordKey::channel_id(key))?;
    ours.map_or(Ok(None), |ours| find(&RecordKey::of(&id, kind, &ours)))
}

/// Updates the list of loaded records in the writer's cache.
pub(super) fn note_loaded(tx: &mut Tx<'_, '_>, turn: &TurnCommit, records: &[(RecordKey, &RecordOp)]) {
    let Some(loaded) = tx.state.loaded(&turn.lane) else { return };
    for (key, op) in records {
        match op {
            RecordOp::Put(_) => loaded.add(key),
            RecordOp::Retire | RecordOp::Delete => loaded.remove(key),
        }
    }
}

pub(super) fn write(tx: &Tx<'_, '_>, lane: i64, key: &RecordKey, op: &RecordOp) -> Result<(), TxError> {
    match op {
        RecordOp::Put(body) => put(tx, lane, key, body),
        // A retired record keeps its row: it only leaves the lane's list of loaded ones.
        RecordOp::Retire => Ok(()),
        RecordOp::Delete => {
            let drop = "DELETE FROM records WHERE lane = ?1 AND at = ?2 AND kind = ?3";
            tx.sql.execute(drop, (lane, &key.at, &key.kind))?;
            Ok(())
        }
    }
}

pub(super) fn channel_ids(sql: &Connection, lane: &LaneKey, message: &str) -> rusqlite::Result<Vec<String>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let RecordKey { at, kind } = RecordKey::sent(message);
    let mut body = sql.prepare_cached(RECORD)?;
    let list = body.query_row((n, at, kind), |row| row.get::<_, String>(0)).optional()?;
    Ok(list.map(|list| read_list(&list)).unwrap_or_default())
}

fn read_list(list: &str) -> Vec<String> {
    serde_json::from_str(list).unwrap_or_default()
}

/// Stores that a message of ours, or a part of it, went out under a channel's id.
pub(super) fn map_sent(tx: &Tx<'_, '_>, lane: i64, channel_id: &str, ours: &str) -> Result<(), TxError> {
    put(tx, lane, &RecordKey::channel_id(channel_id), ours)?;
    let key = RecordKey::sent(ours);
    let list = tx.sql.first(RECORD, (lane, &key.at, &key.kind), |row| row.get::<_, String>(0))?;
    let mut list = list.map(|list| read_list(&list)).unwrap_or_default();
    if !list.iter().any(|id| id == channel_id) {
        list.push(channel_id.to_owned());
    }
    put(tx, lane, &key, &serde_json::to_string(&list).unwrap_or_default())
}

/// Maps a channel's id to our id of a message that came in. The first message with an id keeps it, so that nobody
/// can put their own in the place of somebody else's.
pub(super) fn map_message(tx: &Tx<'_, '_>, lane: i64, channel_id: &str, ours: &str) -> Result<(), TxError> {
    let key = RecordKey::channel_id(channel_id);
    let add = "INSERT INTO records (lane, at, kind, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    tx.sql.execute(add, (lane, &key.at, &key.kind, ours))?;
    Ok(())
}

/// Inserts or replaces a record.
pub(super) fn put(tx: &Tx<'_, '_>, lane: i64, key: &RecordKey, body: &str) -> Result<(), TxError> {
    let put = "INSERT INTO records (lane, at, kind, body) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT DO UPDATE SET body = excluded.body";
    tx.sql.execute(put, (lane, &key.at, &key.kind, body))?;
    Ok(())
}
