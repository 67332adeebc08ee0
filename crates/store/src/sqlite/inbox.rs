//! Deliveries: the insert decides whether one is new.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::{LaneKey, TurnId};

use super::codec::{Hex, HexText, lane_key, lane_parts, moment, row_state, row_state_number};
use super::fault::Fault;
use super::writer::Tx;
use super::{SqliteStore, lane_number};
use crate::contract::{
    Accepted, Delivery, Inbox, InboxRow, QueueLimit, RowState, Seq, StoreError, StoredResponse,
};
use crate::rules::NOTICE_KIND;

/// What [`inbox_row`] reads; the tables are named `w` (waits or ended), `l`, `q` (request) and `t` (turn).
macro_rules! row_columns {
    () => {
        concat!("w.seq, w.received_at, w.failures, w.kind, q.body_hash, q.status, q.body, ", lane_parts!())
    };
}

const WAITING_BY_SEQ: &str = concat!(
    "SELECT w.key AS key, w.event AS event, 0 AS state, NULL AS turn, ",
    row_columns!(),
    " FROM inbox w JOIN lanes l ON l.n = w.lane",
    " LEFT JOIN requests q ON q.tenant = l.tenant AND q.key = w.key",
    " WHERE w.seq = ?2 AND l.tenant = ?1"
);

const ENDED_BY_SEQ: &str = concat!(
    "SELECT ?3 AS key, coalesce(w.event, '') AS event, w.state AS state, t.turn AS turn, ",
    row_columns!(),
    " FROM handled w JOIN lanes l ON l.n = w.lane",
    " LEFT JOIN turns t ON t.lane = w.lane AND t.revision = w.revision",
    " LEFT JOIN requests q ON q.tenant = l.tenant AND q.key = ?3",
    " WHERE w.seq = ?2 AND l.tenant = ?1"
);

const WAITING_OF_LANE: &str = concat!(
    "SELECT w.key AS key, w.event AS event, 0 AS state, NULL AS turn, ",
    row_columns!(),
    " FROM inbox w JOIN lanes l ON l.n = w.lane",
    " LEFT JOIN requests q ON q.tenant = l.tenant AND q.key = w.key",
    " WHERE w.lane = ?2 AND l.tenant = ?1 ORDER BY w.seq LIMIT ?3"
);

fn inbox_row(row: &Row<'_>) -> rusqlite::Result<InboxRow> {
    let body: Option<String> = row.get("body")?;
    let status: Option<u16> = row.get("status")?;
    let body_hash: Option<HexText> = row.get("body_hash")?;
    Ok(InboxRow {
        seq: row.get("seq")?,
        lane: lane_key(row)?,
        key: row.get("key")?,
        kind: row.get("kind")?,
        event: row.get("event")?,
        received_at: moment(row, "received_at")?,
        state: row_state(row.get("state")?)?,
        turn: row.get::<_, Option<String>>("turn")?.map(TurnId),
        body_hash: body_hash.map(|hash| hash.0),
        response: status.zip(body).map(|(status, body)| StoredResponse { status, body }),
        failures: row.get("failures")?,
    })
}

/// The row one of whose identities is `key`.
fn find(sql: &Connection, tenant: &str, key: &str) -> rusqlite::Result<Option<InboxRow>> {
    let identity = sql
        .prepare_cached("SELECT seq, first FROM delivery_keys WHERE tenant = ?1 AND key = ?2")?
        .query_row((tenant, key), |row| Ok((row.get::<_, Seq>(0)?, row.get::<_, Option<String>>(1)?)))
        .optional()?;
    let Some((seq, first)) = identity else { return Ok(None) };
    let waiting = sql.prepare_cached(WAITING_BY_SEQ)?.query_row((tenant, seq), inbox_row).optional()?;
    if waiting.is_some() {
        return Ok(waiting);
    }
    let first = first.as_deref().unwrap_or(key);
    sql.prepare_cached(ENDED_BY_SEQ)?.query_row((tenant, seq, first), inbox_row).optional()
}

/// Makes a delivery durable inside a transaction.
pub(super) fn accept(tx: &mut Tx<'_, '_>, delivery: &Delivery) -> Result<Accepted, Fault> {
    let Some(first) = delivery.keys.first() else {
        return Err(Fault::Refused("it has no delivery key".into()));
    };
    let tenant = &delivery.lane.tenant;
    let seq = tx.memo.next_seq();
    if let Some(taken) = take_keys(tx, tenant, &delivery.keys, seq)? {
        let row = find(tx.sql, tenant, taken)?;
        let row = row.ok_or_else(|| Fault::Refused(format!("delivery key {taken} leads to no row")))?;
        return Ok(Accepted::Duplicate(Box::new(row)));
    }
    let lane = Waits { key: &delivery.lane, n: tx.memo.make(tx.sql, &delivery.lane, tx.now)?.n };
    if let Some(hash) = &delivery.body_hash {
        let insert = "INSERT INTO requests (tenant, key, body_hash) VALUES (?1, ?2, ?3) \
                      ON CONFLICT (tenant, key) DO UPDATE SET body_hash = excluded.body_hash";
        tx.sql.execute(insert, (tenant, first, Hex(hash)))?;
    }
    match &delivery.limit {
        Some(limit) if tx.memo.waiting(lane.key) >= limit.max => {
            refuse(tx, lane, seq, delivery, limit)?;
            Ok(Accepted::Full(seq))
        }
        _ => {
            wait(tx, lane, seq, &delivery.kind, first, &delivery.event)?;
            Ok(Accepted::New(seq))
        }
    }
}

/// Takes every key, or none and says which was taken.
fn take_keys<'a>(
    tx: &Tx<'_, '_>,
    tenant: &str,
    keys: &'a [String],
    seq: Seq,
) -> Result<Option<&'a str>, Fault> {
    for (i, key) in keys.iter().enumerate().filter(|(i, key)| !keys[..*i].contains(key)) {
        let first = (i > 0).then_some(&keys[0]);
        let insert = "INSERT INTO delivery_keys (tenant, key, seq, first) VALUES (?1, ?2, ?3, ?4) \
                      ON CONFLICT (tenant, key) DO NOTHING";
        if tx.sql.execute(insert, (tenant, key, seq, first))? == 0 {
            for taken in &keys[..i] {
                let undo = "DELETE FROM delivery_keys WHERE tenant = ?1 AND key = ?2 AND seq = ?3";
                tx.sql.execute(undo, (tenant, taken, seq))?;
            }
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// Enters a row that waits for its turn.
fn wait(
    tx: &mut Tx<'_, '_>,
    lane: Waits<'_>,
    seq: Seq,
    kind: &str,
    key: &str,
    event: &str,
) -> Result<(), Fault> {
    let insert =
        "INSERT INTO inbox (seq, lane, received_at, kind, key, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    tx.sql.execute(insert, (seq, lane.n, tx.now.0, kind, key, event))?;
    tx.memo.wait(lane.key, 1);
    Ok(())
}

/// A lane that something waits in.
#[derive(Clone, Copy)]
struct Waits<'a> {
    key: &'a LaneKey,
    n: i64,
}

/// Stores the row as refused and the notice in its place.
fn refuse(
    tx: &mut Tx<'_, '_>,
    lane: Waits<'_>,
    seq: Seq,
    delivery: &Delivery,
    limit: &QueueLimit,
) -> Result<(), Fault> {
    let insert = "INSERT INTO handled (seq, lane, received_at, failures, state, kind, event) \
                  VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6)";
    let refused = row_state_number(RowState::Refused);
    tx.sql.execute(insert, (seq, lane.n, tx.now.0, refused, &delivery.kind, &delivery.event))?;
    let notice = tx.memo.next_seq();
    let keys = std::slice::from_ref(&limit.notice_key);
    if take_keys(tx, &delivery.lane.tenant, keys, notice)?.is_none() {
        wait(tx, lane, notice, NOTICE_KIND, &limit.notice_key, &limit.notice)?;
    }
    Ok(())
}

/// Ends a waiting row with the turn that handled it. `false`: it does not wait in that lane.
pub(super) fn end(
    tx: &Tx<'_, '_>,
    lane: i64,
    seq: Seq,
    state: RowState,
    revision: i64,
) -> Result<bool, Fault> {
    // The turn's content holds the event of a handled row; of a dead one nothing else does.
    let copy = "INSERT INTO handled (seq, lane, received_at, failures, state, revision, kind, event) \
                SELECT seq, lane, received_at, failures, ?3, ?4, kind, CASE WHEN ?3 = 4 THEN event END \
                FROM inbox WHERE seq = ?1 AND lane = ?2";
    let copied = tx.sql.execute(copy, (seq, lane, row_state_number(state), revision))?;
    tx.sql.execute("DELETE FROM inbox WHERE seq = ?1 AND lane = ?2", (seq, lane))?;
    Ok(copied == 1)
}

fn respond(tx: &Tx<'_, '_>, tenant: &str, key: &str, response: &StoredResponse) -> Result<(), Fault> {
    let known = "SELECT coalesce(first, key) FROM delivery_keys WHERE tenant = ?1 AND key = ?2 \
                 UNION ALL SELECT key FROM requests WHERE tenant = ?1 AND key = ?2 LIMIT 1";
    let first: Option<String> = tx.sql.first(known, (tenant, key), |row| row.get(0))?;
    let first = first.ok_or_else(|| Fault::Refused(format!("no request has the key {key}")))?;
    let keep = "INSERT INTO requests (tenant, key, status, body) VALUES (?1, ?2, ?3, ?4) \
                ON CONFLICT (tenant, key) DO UPDATE SET status = excluded.status, body = excluded.body";
    tx.sql.execute(keep, (tenant, first, response.status, &response.body))?;
    Ok(())
}

type Begun = (String, Option<StoredResponse>);

fn begin(tx: &Tx<'_, '_>, tenant: &str, key: &str, body_hash: &str) -> Result<Option<Begun>, Fault> {
    let insert = "INSERT INTO requests (tenant, key, body_hash) VALUES (?1, ?2, ?3) \
                  ON CONFLICT (tenant, key) DO NOTHING";
    if tx.sql.execute(insert, (tenant, key, Hex(body_hash)))? == 1 {
        return Ok(None);
    }
    let select = "SELECT body_hash, status, body FROM requests WHERE tenant = ?1 AND key = ?2";
    let begun = tx.sql.first(select, (tenant, key), |row| {
        let (hash, status, body): (HexText, Option<u16>, Option<String>) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((hash.0, status.zip(body).map(|(status, body)| StoredResponse { status, body })))
    })?;
    Ok(begun)
}

fn failed(tx: &Tx<'_, '_>, tenant: &str, seq: Seq) -> Result<u32, Fault> {
    let count = "UPDATE inbox SET failures = failures + 1 \
                 WHERE seq = ?2 AND lane IN (SELECT n FROM lanes WHERE tenant = ?1 AND n = inbox.lane) \
                 RETURNING failures";
    let failures = tx.sql.first(count, (tenant, seq), |row| row.get(0))?;
    failures.ok_or_else(|| Fault::Refused(format!("{tenant} has no inbox row {seq} that waits")))
}

fn waiting(sql: &Connection, lane: &LaneKey, limit: u32) -> rusqlite::Result<Vec<InboxRow>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    sql.prepare_cached(WAITING_OF_LANE)?.query_map((&lane.tenant, n, limit), inbox_row)?.collect()
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

    async fn respond(&self, tenant: &str, key: &str, response: StoredResponse) -> Result<(), StoreError> {
        let (tenant, key) = (tenant.to_owned(), key.to_owned());
        Ok(self.writer.call("keep an answer", move |tx| respond(tx, &tenant, &key, &response)).await?)
    }

    async fn begin(&self, tenant: &str, key: &str, body_hash: &str) -> Result<Option<Begun>, StoreError> {
        let (tenant, key, hash) = (tenant.to_owned(), key.to_owned(), body_hash.to_owned());
        Ok(self.writer.call("claim an Idempotency-Key", move |tx| begin(tx, &tenant, &key, &hash)).await?)
    }

    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<InboxRow>, StoreError> {
        self.read("read what waits in a lane", |sql| waiting(sql, lane, limit))
    }

    async fn failed(&self, tenant: &str, seq: Seq) -> Result<u32, StoreError> {
        let tenant = tenant.to_owned();
        Ok(self.writer.call("count a failed handling", move |tx| failed(tx, &tenant, seq)).await?)
    }

    async fn lanes_with_work(&self, limit: u32) -> Result<Vec<LaneKey>, StoreError> {
        self.read("look for lanes with work", |sql| lanes_with_work(sql, limit))
    }
}
