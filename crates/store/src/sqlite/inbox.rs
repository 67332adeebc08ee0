//! Deliveries: the insert decides whether one is new.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::canon::sha256;
use throughline_engine::id::Mint;
use throughline_engine::{LaneId, LaneKey, Timestamp};

use super::codec::{Hex, HexText, lane_key, lane_parts, moment, row_state, row_state_number};
use super::fault::Fault;
use super::writer::Tx;
use super::{SqliteStore, lane_number};
use crate::contract::{
    Accepted, Delivery, Inbox, InboxRow, QueueLimit, RowState, Seq, StoreError, StoredResponse,
};
use crate::rules::NOTICE_KIND;

/// One identity of a delivery as it is kept: 16 bytes of a hash are as good as unique, and lie close together.
fn identity(tenant: &str, key: &str) -> [u8; 16] {
    let hash = sha256(&[tenant.as_bytes(), b"\0", key.as_bytes()]);
    std::array::from_fn(|i| hash[i])
}

/// A kept identity.
struct Identity {
    seq: Option<Seq>,
    /// The turn that took it in directly: lane, revision, state.
    turn: Option<(i64, i64, i64)>,
    body_hash: Option<String>,
    first: Option<String>,
}

impl Identity {
    fn find(sql: &Connection, tenant: &str, key: &str) -> rusqlite::Result<Option<Self>> {
        let select = "SELECT seq, lane, revision, state, body_hash, first FROM delivery_keys WHERE key = ?1";
        let read = |row: &Row<'_>| {
            let (lane, revision, state): (Option<i64>, Option<i64>, Option<i64>) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Self {
                seq: row.get(0)?,
                turn: lane.zip(revision).zip(state).map(|((lane, revision), state)| (lane, revision, state)),
                body_hash: row.get::<_, Option<HexText>>(4)?.map(|hash| hash.0),
                first: row.get(5)?,
            })
        };
        sql.prepare_cached(select)?.query_row([identity(tenant, key)], read).optional()
    }
}

/// The row one of whose identities is `key`.
fn find(sql: &Connection, tenant: &str, key: &str) -> rusqlite::Result<Option<InboxRow>> {
    let Some(found) = Identity::find(sql, tenant, key)? else { return Ok(None) };
    let (key, body_hash) = match found.first {
        None => (key.to_owned(), found.body_hash),
        Some(first) => {
            let hash = Identity::find(sql, tenant, &first)?.and_then(|first| first.body_hash);
            (first, hash)
        }
    };
    let row = match (found.turn, found.seq) {
        (Some((lane, revision, state)), _) => direct(sql, lane, revision, state)?,
        (None, Some(seq)) => by_seq(sql, seq)?,
        (None, None) => None,
    };
    let Some(row) = row else { return Ok(None) };
    let answer = "SELECT status, body FROM requests WHERE tenant = ?1 AND key = ?2";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let answer: Option<(Option<u16>, Option<String>)> =
        sql.prepare_cached(answer)?.query_row((tenant, &key), read).optional()?;
    let response = answer.and_then(|(status, body)| Some(StoredResponse { status: status?, body: body? }));
    Ok(Some(InboxRow { key, body_hash, response, ..row }))
}

/// The turn that a delivery led to.
pub(super) fn led_to(sql: &Connection, tenant: &str, key: &str) -> rusqlite::Result<Option<(LaneId, u64)>> {
    let Some(found) = Identity::find(sql, tenant, key)? else { return Ok(None) };
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

/// A row that its turn took in directly.
fn direct(sql: &Connection, lane: i64, revision: i64, state: i64) -> rusqlite::Result<Option<InboxRow>> {
    const SELECT: &str = concat!(
        "SELECT t.decided_at, ",
        lane_parts!(),
        " FROM lanes l JOIN turns t ON t.lane = l.n AND t.revision = ?2 WHERE l.n = ?1"
    );
    let read = |row: &Row<'_>| Ok((lane_key(row)?, moment(row, "decided_at")?));
    let found = sql.prepare_cached(SELECT)?.query_row((lane, revision), read).optional()?;
    let Some((lane, at)) = found else { return Ok(None) };
    let turn = Mint::new(&lane, revision.cast_unsigned()).turn();
    Ok(Some(InboxRow { state: row_state(state)?, turn: Some(turn), ..bare(lane, 0, at) }))
}

/// A row that waited or waits.
fn by_seq(sql: &Connection, seq: Seq) -> rusqlite::Result<Option<InboxRow>> {
    const WAITING: &str = concat!(
        "SELECT w.seq, w.received_at, w.failures, w.kind, w.key, w.event, ",
        lane_parts!(),
        " FROM inbox w JOIN lanes l ON l.n = w.lane WHERE w.seq = ?1"
    );
    const ENDED: &str = concat!(
        "SELECT w.received_at, w.failures, w.kind, w.event, w.state, w.revision, ",
        lane_parts!(),
        " FROM handled w JOIN lanes l ON l.n = w.lane WHERE w.seq = ?1"
    );
    let waiting = sql.prepare_cached(WAITING)?.query_row([seq], waiting_row).optional()?;
    if waiting.is_some() {
        return Ok(waiting);
    }
    let ended = |row: &Row<'_>| {
        let lane = lane_key(row)?;
        let revision: Option<i64> = row.get("revision")?;
        Ok(InboxRow {
            kind: row.get::<_, Option<String>>("kind")?.unwrap_or_default(),
            event: row.get::<_, Option<String>>("event")?.unwrap_or_default(),
            state: row_state(row.get("state")?)?,
            failures: row.get("failures")?,
            turn: revision.map(|revision| Mint::new(&lane, revision.cast_unsigned()).turn()),
            ..bare(lane.clone(), seq, moment(row, "received_at")?)
        })
    };
    sql.prepare_cached(ENDED)?.query_row([seq], ended).optional()
}

fn waiting_row(row: &Row<'_>) -> rusqlite::Result<InboxRow> {
    Ok(InboxRow {
        key: row.get("key")?,
        kind: row.get("kind")?,
        event: row.get("event")?,
        failures: row.get("failures")?,
        ..bare(lane_key(row)?, row.get("seq")?, moment(row, "received_at")?)
    })
}

/// A row with nothing in it yet.
fn bare(lane: LaneKey, seq: Seq, received_at: Timestamp) -> InboxRow {
    InboxRow {
        seq,
        lane,
        key: String::new(),
        kind: String::new(),
        event: String::new(),
        received_at,
        state: RowState::Received,
        turn: None,
        body_hash: None,
        response: None,
        failures: 0,
    }
}

/// Makes a delivery durable inside a transaction.
pub(super) fn accept(tx: &mut Tx<'_, '_>, delivery: &Delivery) -> Result<Accepted, Fault> {
    let seq = tx.memo.next_seq();
    if let Some(taken) = take_keys(tx, delivery, Taker::Row(seq))? {
        let row = find(tx.sql, &delivery.lane.tenant, taken)?;
        let row = row.ok_or_else(|| Fault::Refused(format!("delivery key {taken} leads to no row")))?;
        return Ok(Accepted::Duplicate(Box::new(row)));
    }
    let lane = Waits { key: &delivery.lane, n: tx.memo.make(tx.sql, &delivery.lane, tx.now)?.n };
    match &delivery.limit {
        Some(limit) if tx.memo.waiting(lane.key) >= limit.max => {
            refuse(tx, lane, seq, delivery, limit)?;
            Ok(Accepted::Full(seq))
        }
        _ => {
            wait(tx, lane, seq, &delivery.kind, &delivery.keys[0], &delivery.event)?;
            Ok(Accepted::New(seq))
        }
    }
}

/// What a delivery's keys will lead to.
#[derive(Clone, Copy)]
pub(super) enum Taker {
    /// A row of its own.
    Row(Seq),
    /// The turn that takes it in: lane, revision, state.
    Turn(i64, i64, RowState),
}

/// Takes every key of a delivery, or none and says which was taken.
pub(super) fn take_keys<'a>(
    tx: &Tx<'_, '_>,
    delivery: &'a Delivery,
    taker: Taker,
) -> Result<Option<&'a str>, Fault> {
    let (tenant, keys) = (&delivery.lane.tenant, &delivery.keys);
    if keys.is_empty() {
        return Err(Fault::Refused("it has no delivery key".into()));
    }
    let (seq, turn) = match taker {
        Taker::Row(seq) => (Some(seq), None),
        Taker::Turn(lane, revision, state) => (None, Some((lane, revision, row_state_number(state)))),
    };
    for (i, key) in keys.iter().enumerate().filter(|(i, key)| !keys[..*i].contains(key)) {
        let insert = "INSERT INTO delivery_keys (key, seq, lane, revision, state, body_hash, first) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (key) DO NOTHING";
        let body_hash = delivery.body_hash.as_deref().filter(|_| i == 0);
        let params = (
            identity(tenant, key),
            seq,
            turn.map(|turn| turn.0),
            turn.map(|turn| turn.1),
            turn.map(|turn| turn.2),
            body_hash.map(Hex),
            (i > 0).then_some(&keys[0]),
        );
        if tx.sql.execute(insert, params)? == 0 {
            for taken in &keys[..i] {
                tx.sql.execute("DELETE FROM delivery_keys WHERE key = ?1", [identity(tenant, taken)])?;
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
    let row = tx.memo.next_seq();
    let notice = Delivery {
        lane: delivery.lane.clone(),
        keys: vec![limit.notice_key.clone()],
        kind: NOTICE_KIND.into(),
        event: limit.notice.clone(),
        body_hash: None,
        limit: None,
    };
    if take_keys(tx, &notice, Taker::Row(row))?.is_none() {
        wait(tx, lane, row, &notice.kind, &limit.notice_key, &notice.event)?;
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
                SELECT seq, lane, received_at, failures, ?3, ?4, CASE WHEN ?3 = 4 THEN kind END, \
                CASE WHEN ?3 = 4 THEN event END FROM inbox WHERE seq = ?1 AND lane = ?2";
    let copied = tx.sql.execute(copy, (seq, lane, row_state_number(state), revision))?;
    tx.sql.execute("DELETE FROM inbox WHERE seq = ?1 AND lane = ?2", (seq, lane))?;
    Ok(copied == 1)
}

fn respond(tx: &Tx<'_, '_>, tenant: &str, key: &str, response: &StoredResponse) -> Result<(), Fault> {
    let first = match Identity::find(tx.sql, tenant, key)? {
        Some(identity) => Some(identity.first.unwrap_or_else(|| key.to_owned())),
        None => {
            let known = "SELECT key FROM requests WHERE tenant = ?1 AND key = ?2";
            tx.sql.first(known, (tenant, key), |row| row.get(0))?
        }
    };
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
