//! The inbox. The primary key of `delivery_keys` decides what is a duplicate.

use async_trait::async_trait;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{LaneKey, Timestamp};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::{lane_key, lane_parts, row_state, row_state_number, small};
use super::error::TxError;
use super::lanes::lock_lane;
use super::requests::response;
use super::session::{Tx, transact};
use crate::contract::{
    Accepted, Delivery, DeliveryIdentity, Inbox, InboxRow, RowState, Seq, StoreError, WaitingRow,
};
use crate::rules::NOTICE_KIND;

const BY_KEY: &str = concat!(
    "SELECT i.key, i.event, i.received_at, i.state, i.revision, r.body_hash, r.status, r.body, ",
    lane_parts!(),
    " FROM delivery_keys k JOIN inbox i ON i.tenant = k.tenant AND i.key = k.first",
    " JOIN lanes l ON l.tenant = i.tenant AND l.id = i.lane",
    " LEFT JOIN requests r ON r.tenant = i.tenant AND r.key = i.key WHERE k.tenant = $1 AND k.key = $2"
);

fn inbox_row(row: &Row) -> Result<InboxRow, TxError> {
    let lane = lane_key(row);
    let revision: Option<i64> = row.get("revision");
    let turn = revision.map(|revision| IdGenerator::new(&lane, revision.cast_unsigned()).turn());
    Ok(InboxRow {
        lane,
        key: row.get("key"),
        event: row.get("event"),
        received_at: Timestamp(row.get("received_at")),
        state: row_state(row.get("state"))?,
        turn,
        body_hash: row.get::<_, Option<String>>("body_hash").filter(|hash| !hash.is_empty()),
        response: response(row),
    })
}

pub(super) async fn by_key(tx: &Tx, key: &str) -> Result<Option<InboxRow>, TxError> {
    tx.first(BY_KEY, &[&tx.tenant, &key]).await?.as_ref().map(inbox_row).transpose()
}

/// Takes every key of a delivery, or none and returns the row that one of them belongs to.
pub(super) async fn take_keys(tx: &Tx, identity: &DeliveryIdentity) -> Result<Option<InboxRow>, TxError> {
    let mut taken: Vec<&String> = Vec::new();
    for key in identity.keys() {
        if taken.contains(&key) {
            continue;
        }
        let take =
            "INSERT INTO delivery_keys (tenant, key, first) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        if tx.execute(take, &[&tx.tenant, key, &identity.key]).await? == 1 {
            taken.push(key);
            continue;
        }
        let give_back = "DELETE FROM delivery_keys WHERE tenant = $1 AND key = ANY($2)";
        tx.execute(give_back, &[&tx.tenant, &taken]).await?;
        let known = by_key(tx, key).await?;
        let gone = || TxError::Value(format!("the delivery with key {key} is gone"));
        return known.ok_or_else(gone).map(Some);
    }
    Ok(None)
}

/// Stores a delivery, unless one of its keys is taken.
pub(super) async fn accept(tx: &Tx, delivery: &Delivery) -> Result<Accepted, TxError> {
    let Delivery { identity, kind, event, limit } = delivery;
    while let Some(known) = take_keys(tx, identity).await? {
        if !known.was_refused(identity) {
            return Ok(Accepted::Duplicate(Box::new(known)));
        }
        forget(tx, &known.key).await?;
    }
    let lane = lock_lane(tx, &identity.lane).await?;
    let waiting = waiting_number(tx, &lane.id).await?;
    let limit = limit.as_ref().filter(|limit| waiting >= i64::from(limit.max));
    let state = if limit.is_some() { RowState::Refused } else { RowState::Received };
    insert(tx, identity, state, None, tx.now, Some((kind, event))).await?;
    let Some(limit) = limit else { return Ok(Accepted::New) };
    let notice = DeliveryIdentity::new(identity.lane.clone(), limit.notice_key.clone());
    if take_keys(tx, &notice).await?.is_none() {
        insert(tx, &notice, RowState::Received, None, tx.now, Some((NOTICE_KIND, &limit.notice))).await?;
    }
    Ok(Accepted::Full)
}

pub(super) async fn waiting_number(tx: &Tx, lane: &str) -> Result<i64, TxError> {
    let count = "SELECT count(*) FROM inbox WHERE tenant = $1 AND lane = $2 AND state = 0";
    Ok(tx.first(count, &[&tx.tenant, &lane]).await?.map_or(0, |row| row.get(0)))
}

/// Inserts the row of a delivery whose keys are taken for it.
pub(super) async fn insert(
    tx: &Tx,
    identity: &DeliveryIdentity,
    state: RowState,
    revision: Option<i64>,
    at: Timestamp,
    event: Option<(&str, &String)>,
) -> Result<(), TxError> {
    let (kind, event) = event.unzip();
    let insert = "INSERT INTO inbox (tenant, key, lane, received_at, state, revision, kind, event) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let (lane, state) = (identity.lane.id(), row_state_number(state));
    tx.execute(insert, &[&tx.tenant, &identity.key, &lane.as_str(), &at.0, &state, &revision, &kind, &event])
        .await?;
    if let Some(hash) = &identity.body_hash {
        let request = "INSERT INTO requests (tenant, key, body_hash) VALUES ($1, $2, $3) ON CONFLICT (tenant, key) \
                       DO UPDATE SET body_hash = excluded.body_hash, status = NULL, body = NULL";
        tx.execute(request, &[&tx.tenant, &identity.key, hash]).await?;
    }
    Ok(())
}

/// Deletes the row of a delivery that was refused and comes again.
async fn forget(tx: &Tx, key: &str) -> Result<(), TxError> {
    tx.execute("DELETE FROM inbox WHERE tenant = $1 AND key = $2", &[&tx.tenant, &key]).await?;
    tx.execute("DELETE FROM delivery_keys WHERE tenant = $1 AND first = $2", &[&tx.tenant, &key]).await?;
    Ok(())
}

async fn waiting(tx: &Tx, lane: &LaneKey, limit: u32) -> Result<Vec<WaitingRow>, TxError> {
    let select = "SELECT seq, key, kind, event, received_at, failures FROM inbox \
                  WHERE tenant = $1 AND lane = $2 AND state = 0 ORDER BY seq LIMIT $3";
    let rows = tx.rows(select, &[&tx.tenant, &lane.id().as_str(), &i64::from(limit)]).await?;
    let waiting = rows.iter().map(|row| WaitingRow {
        seq: row.get("seq"),
        lane: lane.clone(),
        key: row.get("key"),
        kind: row.get("kind"),
        event: row.get("event"),
        received_at: Timestamp(row.get("received_at")),
        failures: small(row, "failures"),
    });
    Ok(waiting.collect())
}

async fn count_failure(tx: &Tx, lane: &LaneKey, seq: Seq) -> Result<u32, TxError> {
    let count = "UPDATE inbox SET failures = failures + 1 WHERE tenant = $1 AND lane = $2 AND seq = $3 AND state = 0 \
                 RETURNING failures";
    let row = tx.first(count, &[&tx.tenant, &lane.id().as_str(), &seq]).await?;
    let none = || TxError::Refused(format!("inbox row {seq} does not wait in lane {lane}"));
    row.as_ref().map(|row| small(row, "failures")).ok_or_else(none)
}

async fn with_work(tx: &Tx, limit: u32) -> Result<Vec<(Seq, LaneKey)>, TxError> {
    const SELECT: &str = concat!(
        "SELECT w.seq, ",
        lane_parts!(),
        " FROM (SELECT lane, min(seq) AS seq FROM inbox WHERE tenant = $1 AND state = 0 GROUP BY lane) w",
        " JOIN lanes l ON l.tenant = $1 AND l.id = w.lane ORDER BY w.seq LIMIT $2"
    );
    let rows = tx.rows(SELECT, &[&tx.tenant, &i64::from(limit)]).await?;
    Ok(rows.iter().map(|row| (row.get("seq"), lane_key(row))).collect())
}

#[async_trait]
impl Inbox for PostgresStore {
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError> {
        let tenant = &delivery.identity.lane.tenant;
        transact!(self, "accept an event", tenant, |tx| accept(tx, &delivery).await)
    }

    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError> {
        transact!(self, "look up a delivery", tenant, |tx| by_key(tx, key).await)
    }

    async fn waiting(&self, lane: &LaneKey, limit: u32) -> Result<Vec<WaitingRow>, StoreError> {
        transact!(self, "read the inbox", &lane.tenant, |tx| waiting(tx, lane, limit).await)
    }

    async fn count_failure(&self, lane: &LaneKey, seq: Seq) -> Result<u32, StoreError> {
        transact!(self, "count a failed handling", &lane.tenant, |tx| count_failure(tx, lane, seq).await)
    }

    async fn lanes_with_work(&self, limit: u32) -> Result<Vec<LaneKey>, StoreError> {
        let act = "look for work";
        let mut found = Vec::new();
        for tenant in self.tenants(act).await? {
            found.extend(transact!(self, act, &tenant, |tx| with_work(tx, limit).await)?);
        }
        found.sort();
        found.truncate(limit as usize);
        Ok(found.into_iter().map(|(_, lane)| lane).collect())
    }
}
