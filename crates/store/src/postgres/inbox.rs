//! The inbox. The primary key of `delivery_keys` decides what is a duplicate.

use async_trait::async_trait;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{LaneId, LaneKey, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::PostgresStore;
use super::codec::{lane_key, lane_parts, row_state, row_state_number, small};
use super::error::TxError;
use super::lanes::{LOCK, LockedLane, lock_lane};
use super::requests::response;
use super::session::{Answer, Params, Query, Tx, transact};
use crate::contract::{
    Accepted, Delivery, DeliveryIdentity, Inbox, InboxRow, RowState, Seq, StoreError, WaitingRow,
};
use crate::rules::NOTICE_KIND;

const BY_KEY: &str = concat!(
    "SELECT coalesce(k.first, k.key) AS key, i.event, coalesce(i.received_at, t.decided_at) AS received_at,",
    " coalesce(k.state, i.state) AS state, coalesce(k.revision, i.revision) AS revision,",
    " r.body_hash, r.status, r.body, ",
    lane_parts!(),
    " FROM delivery_keys k JOIN lanes l ON l.tenant = k.tenant AND l.id = k.lane",
    " LEFT JOIN inbox i ON i.tenant = k.tenant AND i.key = coalesce(k.first, k.key)",
    " LEFT JOIN turns t ON t.tenant = k.tenant AND t.lane = k.lane AND t.revision = k.revision",
    " LEFT JOIN requests r ON r.tenant = k.tenant AND r.key = coalesce(k.first, k.key)",
    " WHERE k.tenant = $1 AND k.key = $2"
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

/// Takes keys for a delivery, in the order of the keys, and returns those that were free.
pub(super) const TAKE_KEYS: &str = "INSERT INTO delivery_keys (tenant, key, first, lane) \
    SELECT $1::text, key, nullif($3, key), $4 FROM unnest($2::text[]) AS key ORDER BY key ON CONFLICT DO NOTHING RETURNING key";

pub(super) const GIVE_BACK: &str = "DELETE FROM delivery_keys WHERE tenant = $1 AND key = ANY($2)";

/// Inserts a row, behind all others of its lane.
const INSERT: &str = "WITH behind AS (UPDATE lanes SET waiting = waiting + $9, position = greatest($10, position + 1) \
        WHERE tenant = $1 AND id = $4 RETURNING position) \
    INSERT INTO inbox (tenant, key, more_keys, seq, lane, received_at, state, kind, event) \
    SELECT $1::text, $2, $3, position, $4, $5, $6, $7, $8 FROM behind";

pub(super) const KEEP_HASHES: &str = "INSERT INTO requests (tenant, key, body_hash) \
    SELECT $1::text, * FROM unnest($2::text[], $3::text[]) ON CONFLICT (tenant, key) \
    DO UPDATE SET body_hash = excluded.body_hash, status = NULL, body = NULL";

/// Returns every key of a delivery once.
pub(super) fn distinct_keys(identity: &DeliveryIdentity) -> Vec<&str> {
    let mut keys: Vec<&str> = identity.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// An attempt to take the keys of a delivery, sent with the lock of its lane.
pub(super) struct Taking<'d> {
    identity: &'d DeliveryIdentity,
    lane: LaneId,
    keys: Vec<&'d str>,
}

/// Its result.
pub(super) struct Taken {
    lane: Option<LockedLane>,
    keys: Vec<String>,
}

impl<'d> Taking<'d> {
    pub(super) fn new(identity: &'d DeliveryIdentity) -> Self {
        Self { identity, lane: identity.lane.id(), keys: distinct_keys(identity) }
    }

    /// Locks the lane and takes the keys, then runs `more` in the same round trip.
    pub(super) async fn send(
        &self,
        tx: &Tx,
        more: Option<Query<'_>>,
    ) -> Result<(Taken, Option<Answer>), TxError> {
        let lane = self.lane.as_str();
        let lanes: &[&str] = &[lane];
        let lock: Params<'_> = &[&tx.tenant, &lanes];
        let take: Params<'_> = &[&tx.tenant, &self.keys, &self.identity.key, &lane];
        let mut queries = vec![(LOCK, lock), (TAKE_KEYS, take)];
        queries.extend(more);
        let mut answers = tx.all(&queries).await?;
        let more = answers.drain(2..).next();
        let [lanes, keys] = [0, 1].map(|n| answers.get(n).map_or(&[][..], |answer| &answer.rows));
        let keys = keys.iter().map(|row| row.get(0)).collect();
        Ok((Taken { lane: lanes.first().map(LockedLane::read), keys }, more))
    }

    /// Returns true if every key was free.
    pub(super) fn got_all(&self, taken: &Taken) -> bool {
        taken.keys.len() == self.keys.len()
    }

    /// Gives the keys back and returns the row that has one of the others.
    async fn owner(&self, tx: &Tx, taken: &Taken) -> Result<InboxRow, TxError> {
        let other = self.keys.iter().find(|key| !taken.keys.iter().any(|taken| taken == *key));
        let key = other.copied().unwrap_or(&self.identity.key);
        let queries: [Query<'_>; 2] =
            [(GIVE_BACK, &[&tx.tenant, &taken.keys]), (BY_KEY, &[&tx.tenant, &key])];
        let answers = tx.all(&queries).await?;
        let row = answers.last().and_then(|answer| answer.rows.first());
        let gone = || TxError::Value(format!("the delivery with key {key} is gone"));
        row.map(inbox_row).transpose()?.ok_or_else(gone)
    }
}

impl Taken {
    pub(super) async fn give_back(&self, tx: &Tx) -> Result<(), TxError> {
        tx.execute(GIVE_BACK, &[&tx.tenant, &self.keys]).await.map(|_| ())
    }
}

/// A row of the inbox that is about to be inserted.
pub(super) struct NewRow<'d> {
    identity: &'d DeliveryIdentity,
    lane: LaneId,
    at: i64,
    state: i64,
    waits: i64,
    position: i64,
    kind: &'d str,
    event: &'d str,
    hash: Option<[&'d str; 2]>,
}

impl<'d> NewRow<'d> {
    pub(super) fn new(
        tx: &Tx,
        identity: &'d DeliveryIdentity,
        state: RowState,
        kind: &'d str,
        event: &'d str,
    ) -> Self {
        Self {
            identity,
            lane: identity.lane.id(),
            at: tx.now.0,
            state: row_state_number(state),
            waits: i64::from(state == RowState::Received),
            position: tx.position(1),
            kind,
            event,
            hash: identity.body_hash.as_deref().map(|hash| [identity.key.as_str(), hash]),
        }
    }

    /// Inserts the row together with other statements, the last ones of the transaction if `last`.
    pub(super) async fn insert(&self, tx: &Tx, with: &[Query<'_>], last: bool) -> Result<(), TxError> {
        let lane = self.lane.as_str();
        let row: Params<'_> = &[
            &tx.tenant,
            &self.identity.key,
            &self.identity.more_keys,
            &lane,
            &self.at,
            &self.state,
            &self.kind,
            &self.event,
            &self.waits,
            &self.position,
        ];
        let hash = self.hash.map(|[key, hash]| (vec![key], vec![hash]));
        let hash: Option<[&(dyn ToSql + Sync); 3]> =
            hash.as_ref().map(|(key, hash)| [&tx.tenant as _, key as _, hash as _]);
        let mut queries = with.to_vec();
        queries.push((INSERT, row));
        queries.extend(hash.as_ref().map(|params| (KEEP_HASHES, &params[..])));
        if last {
            tx.last(&queries).await?
        } else {
            tx.all(&queries).await?
        };
        Ok(())
    }
}

/// Stores a delivery, unless one of its keys is taken.
async fn accept(tx: &Tx, delivery: &Delivery) -> Result<Accepted, TxError> {
    let taking = Taking::new(&delivery.identity);
    loop {
        let (taken, _) = taking.send(tx, None).await?;
        if taking.got_all(&taken) {
            return store(tx, taken, delivery).await;
        }
        let known = taking.owner(tx, &taken).await?;
        if !known.was_refused(&delivery.identity) {
            return Ok(Accepted::Duplicate(Box::new(known)));
        }
        forget(tx, &known.key).await?;
    }
}

/// Stores a delivery whose keys are taken for it.
async fn store(tx: &Tx, taken: Taken, delivery: &Delivery) -> Result<Accepted, TxError> {
    let Delivery { identity, kind, event, limit } = delivery;
    let lane = match taken.lane {
        Some(lane) => lane,
        None => lock_lane(tx, &identity.lane).await?,
    };
    let limit = limit.as_ref().filter(|limit| lane.waiting >= i64::from(limit.max));
    let Some(limit) = limit else {
        NewRow::new(tx, identity, RowState::Received, kind, event).insert(tx, &[], true).await?;
        return Ok(Accepted::New);
    };
    NewRow::new(tx, identity, RowState::Refused, kind, event).insert(tx, &[], false).await?;
    let notice = DeliveryIdentity::new(identity.lane.clone(), limit.notice_key.clone());
    let taking = Taking::new(&notice);
    if taking.got_all(&taking.send(tx, None).await?.0) {
        let row = NewRow::new(tx, &notice, RowState::Received, NOTICE_KIND, &limit.notice);
        row.insert(tx, &[], false).await?;
    }
    Ok(Accepted::Full)
}

/// Stores an event whose keys were taken with other statements, and runs `with` in the same round trip. An event whose key
/// was taken before is durable already.
pub(super) async fn store_with(
    tx: &Tx,
    taking: &Taking<'_>,
    taken: &Taken,
    event: &Delivery,
    with: &[Query<'_>],
) -> Result<(), TxError> {
    if !taking.got_all(taken) {
        let lost: Params<'_> = &[&tx.tenant, &taken.keys];
        let mut queries = with.to_vec();
        queries.push((GIVE_BACK, lost));
        tx.last(&queries).await?;
        return Ok(());
    }
    if taken.lane.is_none() {
        lock_lane(tx, &event.identity.lane).await?;
    }
    let row = NewRow::new(tx, &event.identity, RowState::Received, &event.kind, &event.event);
    row.insert(tx, with, true).await
}

/// Deletes the row of a delivery that was refused and comes again.
async fn forget(tx: &Tx, key: &str) -> Result<(), TxError> {
    let forget = "WITH gone AS (DELETE FROM inbox WHERE tenant = $1 AND key = $2 RETURNING more_keys || key AS keys) \
                  DELETE FROM delivery_keys k USING gone WHERE k.tenant = $1 AND k.key = ANY(gone.keys)";
    tx.execute(forget, &[&tx.tenant, &key]).await.map(|_| ())
}

async fn waiting(tx: &Tx, lane: &LaneKey, limit: u32) -> Result<Vec<WaitingRow>, TxError> {
    let select = "SELECT seq, key, kind, event, received_at, failures FROM inbox \
                  WHERE tenant = $1 AND lane = $2 AND state = 0 ORDER BY seq LIMIT $3";
    let rows = tx.read(select, &[&tx.tenant, &lane.id().as_str(), &i64::from(limit)]).await?;
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
    let answer =
        tx.last(&[(count, &[&tx.tenant, &lane.id().as_str(), &seq])]).await?.pop().unwrap_or_default();
    let none = || TxError::Refused(format!("inbox row {seq} does not wait in lane {lane}"));
    answer.rows.first().map(|row| small(row, "failures")).ok_or_else(none)
}

async fn with_work(tx: &Tx, limit: u32) -> Result<Vec<(Seq, LaneKey)>, TxError> {
    const SELECT: &str = concat!(
        "SELECT w.seq, ",
        lane_parts!(),
        " FROM (SELECT lane, min(seq) AS seq FROM inbox WHERE tenant = $1 AND state = 0 GROUP BY lane) w",
        " JOIN lanes l ON l.tenant = $1 AND l.id = w.lane ORDER BY w.seq LIMIT $2"
    );
    let rows = tx.read(SELECT, &[&tx.tenant, &i64::from(limit)]).await?;
    Ok(rows.iter().map(|row| (row.get("seq"), lane_key(row))).collect())
}

#[async_trait]
impl Inbox for PostgresStore {
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError> {
        let tenant = &delivery.identity.lane.tenant;
        transact!(self, "accept an event", tenant, |tx| accept(tx, &delivery).await)
    }

    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError> {
        transact!(self, "look up a delivery", tenant, |tx| {
            tx.read_first(BY_KEY, &[&tx.tenant, &key]).await?.as_ref().map(inbox_row).transpose()
        })
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
