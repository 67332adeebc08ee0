//! The inbox: waiting rows in `inbox`, ended ones in `handled`, keys in `delivery_keys`.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::data::canonical_json::unhex;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{LaneId, LaneKey, Timestamp, TurnId};

use super::codec::{lane_key, lane_parts, moment, row_state, row_state_number};
use super::delivery_keys::{DeliveryKey, KeyOwner, move_to, take_keys};
use super::error::TxError;
use super::writer::Tx;
use super::{SqliteStore, delivery_keys, lane_number};
use crate::contract::{
    Accepted, Delivery, DeliveryIdentity, Forgotten, Inbox, InboxRow, QueueLimit, RowState, Seq, StoreError,
    StoredResponse, WaitingRow,
};
use crate::rules::NOTICE_KIND;

/// Columns of a delivery; its keys and its request's answer are elsewhere.
struct Handling {
    lane: LaneKey,
    event: Option<String>,
    received_at: Timestamp,
    state: RowState,
    turn: Option<TurnId>,
}

/// Returns the row that a key belongs to.
fn find(sql: &Connection, tenant: &str, key: &str) -> rusqlite::Result<Option<InboxRow>> {
    let Some(found) = DeliveryKey::find(sql, tenant, key)? else { return Ok(None) };
    let (key, body_hash) = match found.first {
        None => (key.to_owned(), found.body_hash),
        Some(first) => {
            let hash = DeliveryKey::find(sql, tenant, &first)?.and_then(|first| first.body_hash);
            (first, hash)
        }
    };
    let row = match (found.turn, found.seq) {
        (Some((lane, revision, state)), _) => direct_row(sql, lane, revision, state)?,
        (None, Some(seq)) => row_by_seq(sql, seq)?,
        (None, None) => None,
    };
    let Some(Handling { lane, event, received_at, state, turn }) = row else { return Ok(None) };
    let answer = "SELECT status, body FROM requests WHERE tenant = ?1 AND key = ?2";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let answer: Option<(Option<u16>, Option<String>)> =
        sql.prepare_cached(answer)?.query_row((tenant, &key), read).optional()?;
    let response = answer.and_then(|(status, body)| Some(StoredResponse { status: status?, body: body? }));
    Ok(Some(InboxRow { lane, key, event, received_at, state, turn, body_hash, response }))
}

/// Returns lane and revision of the turn that handled a delivery.
pub(super) fn turn_of(sql: &Connection, tenant: &str, key: &str) -> rusqlite::Result<Option<(LaneId, u64)>> {
    let Some(found) = DeliveryKey::find(sql, tenant, key)? else { return Ok(None) };
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let place: Option<(i64, Option<i64>)> = match (found.turn, found.seq) {
        (Some((lane, revision, _)), _) => Some((lane, Some(revision))),
        (None, Some(seq)) => {
            let select = "SELECT lane, revision FROM handled WHERE seq = ?1";
            sql.prepare_cached(select)?.query_row([seq], read).optional()?
        }
        (None, None) => None,
    };
    let Some((lane, Some(revision))) = place else { return Ok(None) };
    let id: Option<String> = sql
        .prepare_cached("SELECT id FROM lanes WHERE n = ?1")?
        .query_row([lane], |row| row.get(0))
        .optional()?;
    Ok(id.map(|id| (LaneId(id), revision.cast_unsigned())))
}

/// Returns the row of a delivery that came with its turn.
fn direct_row(sql: &Connection, lane: i64, revision: i64, state: i64) -> rusqlite::Result<Option<Handling>> {
    const SELECT: &str = concat!(
        "SELECT t.decided_at, ",
        lane_parts!(),
        " FROM lanes l JOIN turns t ON t.lane = l.n AND t.revision = ?2 WHERE l.n = ?1"
    );
    let read = |row: &Row<'_>| Ok((lane_key(row)?, moment(row, "decided_at")?));
    let found = sql.prepare_cached(SELECT)?.query_row((lane, revision), read).optional()?;
    let Some((lane, at)) = found else { return Ok(None) };
    let turn = IdGenerator::new(&lane, revision.cast_unsigned()).turn();
    Ok(Some(Handling { lane, event: None, received_at: at, state: row_state(state)?, turn: Some(turn) }))
}

/// Returns a row by its position, whether it waits or has ended.
fn row_by_seq(sql: &Connection, seq: Seq) -> rusqlite::Result<Option<Handling>> {
    const WAITING: &str = concat!(
        "SELECT w.received_at, w.event, ",
        lane_parts!(),
        " FROM inbox w JOIN lanes l ON l.n = w.lane WHERE w.seq = ?1"
    );
    const ENDED: &str = concat!(
        "SELECT w.received_at, w.event, w.state, w.revision, ",
        lane_parts!(),
        " FROM handled w JOIN lanes l ON l.n = w.lane WHERE w.seq = ?1"
    );
    let waiting = |row: &Row<'_>| {
        let (lane, received_at) = (lane_key(row)?, moment(row, "received_at")?);
        Ok(Handling { lane, event: row.get("event")?, received_at, state: RowState::Received, turn: None })
    };
    let waiting = sql.prepare_cached(WAITING)?.query_row([seq], waiting).optional()?;
    if waiting.is_some() {
        return Ok(waiting);
    }
    let ended = |row: &Row<'_>| {
        let lane = lane_key(row)?;
        let revision: Option<i64> = row.get("revision")?;
        Ok(Handling {
            event: row.get("event")?,
            received_at: moment(row, "received_at")?,
            state: row_state(row.get("state")?)?,
            turn: revision.map(|revision| IdGenerator::new(&lane, revision.cast_unsigned()).turn()),
            lane,
        })
    };
    sql.prepare_cached(ENDED)?.query_row([seq], ended).optional()
}

fn waiting_row(row: &Row<'_>) -> rusqlite::Result<WaitingRow> {
    Ok(WaitingRow {
        seq: row.get("seq")?,
        lane: lane_key(row)?,
        key: row.get("key")?,
        kind: row.get("kind")?,
        event: row.get("event")?,
        received_at: moment(row, "received_at")?,
        failures: row.get("failures")?,
    })
}

/// Makes a delivery durable inside a transaction.
pub(super) fn accept(tx: &mut Tx<'_, '_>, delivery: &Delivery) -> Result<Accepted, TxError> {
    let seq = tx.state.next_seq();
    let Delivery { identity, kind, event, limit } = delivery;
    if let Some(taken) = take_keys(tx, identity, KeyOwner::Row(seq))? {
        let row = find(tx.sql, &identity.lane.tenant, taken)?;
        let row = row.ok_or_else(|| TxError::Refused(format!("delivery key {taken} leads to no row")))?;
        if !row.was_refused(identity) {
            return Ok(Accepted::Duplicate(Box::new(row)));
        }
        forget_refused(tx, identity, seq)?;
    }
    let lane =
        LaneRef { key: &identity.lane, n: tx.state.find_or_create_lane(tx.sql, &identity.lane, tx.now)?.n };
    match limit {
        Some(limit) if tx.state.waiting(lane.key) >= limit.max => {
            insert_refused(tx, lane, seq, delivery, limit)?;
            Ok(Accepted::Full)
        }
        _ => {
            insert_waiting(tx, lane, seq, kind, &identity.key, event)?;
            Ok(Accepted::New)
        }
    }
}

/// Deletes the row of a delivery that was refused and comes again and the answer that it got, and leads its keys to its new
/// position.
fn forget_refused(tx: &Tx<'_, '_>, identity: &DeliveryIdentity, seq: Seq) -> Result<(), TxError> {
    let tenant = &identity.lane.tenant;
    let before = DeliveryKey::find(tx.sql, tenant, &identity.key)?.and_then(|found| found.seq);
    if let Some(before) = before {
        move_to(tx.sql, tenant, &identity.key, before, seq)?;
        tx.sql.execute("DELETE FROM handled WHERE seq = ?1", [before])?;
        tx.sql.execute("DELETE FROM requests WHERE tenant = ?1 AND key = ?2", (tenant, &identity.key))?;
    }
    Ok(())
}

/// Inserts a waiting row.
fn insert_waiting(
    tx: &mut Tx<'_, '_>,
    lane: LaneRef<'_>,
    seq: Seq,
    kind: &str,
    key: &str,
    event: &str,
) -> Result<(), TxError> {
    let insert =
        "INSERT INTO inbox (seq, lane, received_at, kind, key, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    tx.sql.execute(insert, (seq, lane.n, tx.now.0, kind, key, event))?;
    tx.state.add_waiting(lane.key, 1);
    Ok(())
}

/// A lane by key and number.
#[derive(Clone, Copy)]
struct LaneRef<'a> {
    key: &'a LaneKey,
    n: i64,
}

/// Stores a delivery as refused, and the notice in its place.
fn insert_refused(
    tx: &mut Tx<'_, '_>,
    lane: LaneRef<'_>,
    seq: Seq,
    delivery: &Delivery,
    limit: &QueueLimit,
) -> Result<(), TxError> {
    let insert = "INSERT INTO handled (seq, lane, received_at, failures, state, kind, event) \
                  VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6)";
    let refused = row_state_number(RowState::Refused);
    tx.sql.execute(insert, (seq, lane.n, tx.now.0, refused, &delivery.kind, &delivery.event))?;
    let row = tx.state.next_seq();
    let notice = DeliveryIdentity::new(lane.key.clone(), limit.notice_key.as_str());
    if take_keys(tx, &notice, KeyOwner::Row(row))?.is_none() {
        insert_waiting(tx, lane, row, NOTICE_KIND, &notice.key, &limit.notice)?;
    }
    Ok(())
}

/// Ends a waiting row with the turn that handled it. Returns false if it does not wait in that lane.
pub(super) fn end(
    tx: &Tx<'_, '_>,
    lane: i64,
    seq: Seq,
    state: RowState,
    revision: i64,
) -> Result<bool, TxError> {
    // The event of a handled row is in the turn's content. The event of a dead one is nowhere else.
    let copy = "INSERT INTO handled (seq, lane, received_at, failures, state, revision, kind, event) \
                SELECT seq, lane, received_at, failures, ?3, ?4, CASE WHEN ?3 = 4 THEN kind END, \
                CASE WHEN ?3 = 4 THEN event END FROM inbox WHERE seq = ?1 AND lane = ?2";
    let copied = tx.sql.execute(copy, (seq, lane, row_state_number(state), revision))?;
    tx.sql.execute("DELETE FROM inbox WHERE seq = ?1 AND lane = ?2", (seq, lane))?;
    Ok(copied == 1)
}

fn count_failure(tx: &Tx<'_, '_>, lane: &LaneKey, seq: Seq) -> Result<u32, TxError> {
    let count = "UPDATE inbox SET failures = failures + 1 WHERE seq = ?2 AND lane = ?1 RETURNING failures";
    let failures = match lane_number(tx.sql, lane)? {
        Some(n) => tx.sql.first(count, (n, seq), |row| row.get(0))?,
        None => None,
    };
    failures.ok_or_else(|| TxError::Refused(format!("inbox row {seq} does not wait in lane {lane}")))
}

fn waiting(sql: &Connection, lane: &LaneKey, limit: u32) -> rusqlite::Result<Vec<WaitingRow>> {
    const SELECT: &str = concat!(
        "SELECT w.seq, w.received_at, w.failures, w.kind, w.key, w.event, ",
        lane_parts!(),
        " FROM inbox w JOIN lanes l ON l.n = w.lane WHERE w.lane = ?1 ORDER BY w.seq LIMIT ?2"
    );
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    sql.prepare_cached(SELECT)?.query_map((n, limit), waiting_row)?.collect()
}

fn lanes_with_work(sql: &Connection, limit: u32) -> rusqlite::Result<Vec<LaneKey>> {
    const SELECT: &str = concat!(
        "SELECT ",
        lane_parts!(),
        " FROM (SELECT lane, min(seq) AS oldest FROM inbox GROUP BY lane ORDER BY oldest LIMIT ?1) w",
        " JOIN lanes l ON l.n = w.lane ORDER BY w.oldest"
    );
    sql.prepare_cached(SELECT)?.query_map([limit], lane_key)?.collect()
}

#[async_trait]
impl Inbox for SqliteStore {
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError> {
        Ok(self.writer.call("accept a delivery", move |tx| accept(tx, &delivery)).await?)
    }

    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError> {
        self.read("read a delivery", |sql| find(sql, tenant, key))
    }

    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<WaitingRow>, StoreError> {
        self.read("read what waits in a lane", |sql| waiting(sql, lane, limit))
    }

    async fn count_failure(&self, lane: &LaneKey, seq: Seq) -> Result<u32, StoreError> {
        let lane = lane.clone();
        Ok(self.writer.call("count a failed handling", move |tx| count_failure(tx, &lane, seq)).await?)
    }

    async fn lanes_with_work(&self, limit: u32) -> Result<Vec<LaneKey>, StoreError> {
        self.read("look for lanes with work", |sql| lanes_with_work(sql, limit))
    }

    async fn forget_ended(
        &self,
        tenant: &str,
        before: Timestamp,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Forgotten, StoreError> {
        let (tenant, after) = (tenant.to_owned(), after.and_then(unhex).unwrap_or_default());
        let forget =
            move |tx: &mut Tx<'_, '_>| delivery_keys::forget_ended(tx, &tenant, before, &after, limit);
        Ok(self.writer.call("forget deliveries", forget).await?)
    }
}
