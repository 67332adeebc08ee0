//! The inbox. The primary key of `delivery_keys` decides what is a duplicate.

use std::collections::BTreeSet;

use async_trait::async_trait;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{LaneId, LaneKey, Timestamp};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::{key_hash, lane_key, lane_parts, row_state, row_state_number, small};
use super::error::TxError;
use super::lanes::{LOCK, LockedLane, lock_lane};
use super::requests::response;
use super::session::{Answer, Params, Query, Tx, transact};
use crate::contract::{
    Accepted, Delivery, DeliveryIdentity, Forgotten, Inbox, InboxRow, RowState, Seq, StoreError, WaitingRow,
};
use crate::rules::NOTICE_KIND;

/// Finds a delivery by one of its keys: $2 as it is stored, $3 as it came.
const BY_KEY: &str = concat!(
    "SELECT coalesce(k.first, $3) AS key, i.event, coalesce(i.received_at, t.decided_at) AS received_at,",
    " coalesce(k.state, i.state) AS state, coalesce(k.revision, i.revision) AS revision,",
    " k.body_hash, r.status, r.body, ",
    lane_parts!(),
    " FROM delivery_keys k JOIN lanes l ON l.tenant = k.tenant AND l.id = k.lane",
    " LEFT JOIN inbox i ON i.tenant = k.tenant AND i.lane = k.lane AND i.seq = k.seq",
    " LEFT JOIN turns t ON t.tenant = k.tenant AND t.lane = k.lane AND t.revision = k.revision",
    " LEFT JOIN requests r ON r.tenant = k.tenant AND r.key = coalesce(k.first, $3)",
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
        body_hash: row.get("body_hash"),
        response: response(row),
    })
}

/// Takes keys for a delivery, in the order of the keys, and returns those that were free. They lead to the row that [`INSERT`]
/// adds next, at the same position of the lane, which is locked.
const TAKE_KEYS: &str = "INSERT INTO delivery_keys (tenant, key, first, lane, seq, body_hash) \
    SELECT $1::text, k.key, k.first, $4, greatest($5, (SELECT position + 1 FROM lanes WHERE tenant = $1 AND id = $4)), $6 \
    FROM unnest($2::text[], $3::text[]) AS k (key, first) ORDER BY k.key ON CONFLICT DO NOTHING RETURNING key";

pub(super) const GIVE_BACK: &str = "DELETE FROM delivery_keys WHERE tenant = $1 AND key = ANY($2)";

/// Leads keys to another position.
const LEAD: &str = "UPDATE delivery_keys SET seq = $3 WHERE tenant = $1 AND key = ANY($2)";

/// Inserts a row, behind all others of its lane.
const INSERT: &str = "WITH behind AS (UPDATE lanes SET waiting = waiting + $9, position = $10 \
        WHERE tenant = $1 AND id = $4 RETURNING position) \
    INSERT INTO inbox (tenant, key, keys, seq, lane, received_at, state, kind, event) \
    SELECT $1::text, $2, $3, position, $4, $5, $6, $7, $8 FROM behind";

/// The keys of a delivery, each once, as columns.
pub(super) struct KeyColumns<'d> {
    /// The hash of each.
    pub(super) hashes: Vec<String>,
    /// The delivery key, for each that is another.
    pub(super) first: Vec<Option<&'d str>>,
}

impl<'d> KeyColumns<'d> {
    pub(super) fn of(identity: &'d DeliveryIdentity) -> Self {
        let tenant = &identity.lane.tenant;
        let keys: BTreeSet<&String> = identity.keys().collect();
        let first = keys.iter().map(|key| (**key != identity.key).then_some(identity.key.as_str()));
        Self { first: first.collect(), hashes: keys.iter().map(|key| key_hash(tenant, key)).collect() }
    }
}

/// An attempt to take the keys of a delivery, sent with the lock of its lane.
pub(super) struct Taking<'d> {
    identity: &'d DeliveryIdentity,
    lane: LaneId,
    keys: KeyColumns<'d>,
    /// Position of the row in its lane, unless the lane has a higher one.
    position: i64,
}

/// Its result.
pub(super) struct Taken {
    lane: Option<LockedLane>,
    keys: Vec<String>,
}

impl<'d> Taking<'d> {
    pub(super) fn new(tx: &Tx, identity: &'d DeliveryIdentity) -> Self {
        let (lane, keys) = (identity.lane.id(), KeyColumns::of(identity));
        Self { identity, lane, keys, position: tx.position(1) }
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
        let KeyColumns { hashes, first } = &self.keys;
        let body_hash = &self.identity.body_hash;
        let take: Params<'_> = &[&tx.tenant, hashes, first, &lane, &self.position, body_hash];
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
        taken.keys.len() == self.keys.hashes.len()
    }

    /// Gives the keys back and returns the row that has one of the others.
    async fn owner(&self, tx: &Tx, taken: &Taken) -> Result<InboxRow, TxError> {
        let is_free = |key: &&String| taken.keys.contains(&key_hash(&tx.tenant, key));
        let key = self.identity.keys().find(|key| !is_free(key)).unwrap_or(&self.identity.key);
        let queries: [Query<'_>; 2] = [
            (GIVE_BACK, &[&tx.tenant, &taken.keys]),
            (BY_KEY, &[&tx.tenant, &key_hash(&tx.tenant, key), key]),
        ];
        let answers = tx.all(&queries).await?;
        let row = answers.last().and_then(|answer| answer.rows.first());
        let gone = || TxError::Gone(format!("the delivery with key {key} is gone"));
        row.map(inbox_row).transpose()?.ok_or_else(gone)
    }
}

impl Taken {
    /// Returns the row that the keys were taken for, and the number of those that wait in its lane, which is created if it
    /// is new.
    async fn row<'d>(self, tx: &Tx, taking: &'d Taking<'d>) -> Result<(NewRow<'d>, i64), TxError> {
        let next = |lane: &LockedLane| taking.position.max(lane.position + 1);
        let led_to = self.lane.as_ref().map_or(taking.position, next);
        let lane = match self.lane {
            Some(lane) => lane,
            None => lock_lane(tx, &taking.identity.lane).await?,
        };
        Ok((NewRow { taking, seq: next(&lane), led_to }, lane.waiting))
    }

    pub(super) async fn give_back(&self, tx: &Tx) -> Result<(), TxError> {
        tx.execute(GIVE_BACK, &[&tx.tenant, &self.keys]).await.map(|_| ())
    }
}

/// A row of the inbox that is about to be inserted.
struct NewRow<'d> {
    taking: &'d Taking<'d>,
    /// Its position.
    seq: Seq,
    /// The position that its keys lead to.
    led_to: Seq,
}

/// Content of a row of the inbox.
struct Held<'d> {
    state: RowState,
    kind: &'d str,
    event: &'d str,
}

impl NewRow<'_> {
    /// Inserts the row together with other statements, the last ones of the transaction if `last`.
    async fn insert(&self, tx: &Tx, held: Held<'_>, with: &[Query<'_>], last: bool) -> Result<(), TxError> {
        let Self { taking: Taking { identity, lane, keys, .. }, seq, led_to } = self;
        let waits = held.state == RowState::Received;
        let row: Params<'_> = &[
            &tx.tenant,
            &waits.then_some(&identity.key),
            &keys.hashes,
            &lane.as_str(),
            &tx.now.0,
            &row_state_number(held.state),
            &held.kind,
            &held.event,
            &i64::from(waits),
            seq,
        ];
        let mut queries = with.to_vec();
        // Somebody else created the lane after the keys were taken.
        let lead: Params<'_> = &[&tx.tenant, &keys.hashes, seq];
        queries.extend((seq != led_to).then_some((LEAD, lead)));
        queries.push((INSERT, row));
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
    let taking = Taking::new(tx, &delivery.identity);
    loop {
        let (taken, _) = taking.send(tx, None).await?;
        if taking.got_all(&taken) {
            return store(tx, &taking, taken, delivery).await;
        }
        let known = taking.owner(tx, &taken).await?;
        if !known.was_refused(&delivery.identity) {
            return Ok(Accepted::Duplicate(Box::new(known)));
        }
        forget(tx, &known.key).await?;
    }
}

/// Stores a delivery whose keys are taken for it.
async fn store(tx: &Tx, taking: &Taking<'_>, taken: Taken, delivery: &Delivery) -> Result<Accepted, TxError> {
    let Delivery { identity, kind, event, limit } = delivery;
    let (row, waiting) = taken.row(tx, taking).await?;
    let limit = limit.as_ref().filter(|limit| waiting >= i64::from(limit.max));
    let Some(limit) = limit else {
        row.insert(tx, Held { state: RowState::Received, kind, event }, &[], true).await?;
        return Ok(Accepted::New);
    };
    row.insert(tx, Held { state: RowState::Refused, kind, event }, &[], false).await?;
    let notice = DeliveryIdentity::new(identity.lane.clone(), limit.notice_key.clone());
    let taking = Taking::new(tx, &notice);
    let (taken, _) = taking.send(tx, None).await?;
    if taking.got_all(&taken) {
        let held = Held { state: RowState::Received, kind: NOTICE_KIND, event: &limit.notice };
        taken.row(tx, &taking).await?.0.insert(tx, held, &[], false).await?;
    }
    Ok(Accepted::Full)
}

/// Stores an event whose keys were taken with other statements, and runs `with` in the same round trip. An event whose key
/// was taken before is durable already.
pub(super) async fn store_with(
    tx: &Tx,
    taking: &Taking<'_>,
    taken: Taken,
    event: &Delivery,
    with: &[Query<'_>],
) -> Result<(), TxError> {
    if !taking.got_all(&taken) {
        let lost: Params<'_> = &[&tx.tenant, &taken.keys];
        let mut queries = with.to_vec();
        queries.push((GIVE_BACK, lost));
        tx.last(&queries).await?;
        return Ok(());
    }
    let held = Held { state: RowState::Received, kind: &event.kind, event: &event.event };
    taken.row(tx, taking).await?.0.insert(tx, held, with, true).await
}

/// Deletes the row of a delivery that was refused and comes again, its keys, and the answer that it got.
async fn forget(tx: &Tx, key: &str) -> Result<(), TxError> {
    let forget = "WITH row AS (SELECT lane, seq FROM delivery_keys WHERE tenant = $1 AND key = $2), \
                  gone AS (DELETE FROM inbox i USING row WHERE i.tenant = $1 AND i.lane = row.lane AND i.seq = row.seq \
                  RETURNING i.keys) \
                  DELETE FROM delivery_keys k USING gone WHERE k.tenant = $1 AND k.key = ANY(gone.keys)";
    let answer = "DELETE FROM requests WHERE tenant = $1 AND key = $2";
    let queries: [Query<'_>; 2] =
        [(forget, &[&tx.tenant, &key_hash(&tx.tenant, key)]), (answer, &[&tx.tenant, &key])];
    tx.all(&queries).await.map(|_| ())
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

/// Forgets deliveries that ended before $2 and have one of the first $4 keys behind $3, each with all its keys, so that none
/// ever leads to a row that is gone.
const FORGET_ENDED: &str = "WITH page AS (SELECT key, lane, seq, revision FROM delivery_keys \
        WHERE tenant = $1 AND key > $3 ORDER BY key LIMIT $4), \
    old AS (SELECT p.key, i.lane, i.seq, i.keys FROM page p \
        LEFT JOIN inbox i ON i.tenant = $1 AND i.lane = p.lane AND i.seq = p.seq \
        LEFT JOIN turns t ON t.tenant = $1 AND t.lane = p.lane AND t.revision = p.revision \
        WHERE CASE WHEN p.seq IS NULL THEN t.decided_at < $2 ELSE i.state > 0 AND i.received_at < $2 END), \
    ended AS (DELETE FROM inbox i USING old WHERE i.tenant = $1 AND i.lane = old.lane AND i.seq = old.seq), \
    gone AS (DELETE FROM delivery_keys k USING (SELECT key FROM old UNION SELECT unnest(keys) FROM old) o \
        WHERE k.tenant = $1 AND k.key = o.key RETURNING k.key) \
    SELECT (SELECT count(*) FROM gone) AS keys, (SELECT max(key) FROM page HAVING count(*) = $4) AS next";

async fn forget_ended(tx: &Tx, before: Timestamp, after: &str, limit: u32) -> Result<Forgotten, TxError> {
    let params: Params<'_> = &[&tx.tenant, &before.0, &after, &i64::from(limit)];
    let answer = tx.last(&[(FORGET_ENDED, params)]).await?.pop().unwrap_or_default();
    let forgotten = answer
        .rows
        .first()
        .map(|row| Forgotten { keys: row.get::<_, i64>("keys").unsigned_abs(), next: row.get("next") });
    Ok(forgotten.unwrap_or_default())
}

#[async_trait]
impl Inbox for PostgresStore {
    async fn accept(&self, delivery: Delivery) -> Result<Accepted, StoreError> {
        let tenant = &delivery.identity.lane.tenant;
        let accepted = transact!(self, "accept an event", tenant, |tx| accept(tx, &delivery).await)?;
        if !matches!(accepted, Accepted::Full) {
            self.shared.remember(&delivery.identity);
        }
        Ok(accepted)
    }

    async fn recall(&self, identity: &DeliveryIdentity) -> Result<Option<InboxRow>, StoreError> {
        let tenant = &identity.lane.tenant;
        let Some(redis) = &self.shared.redis else { return Ok(None) };
        if !redis.remembers(&key_hash(tenant, &identity.key)).await {
            return Ok(None);
        }
        let known = self.delivery(tenant, &identity.key).await?;
        Ok(known.filter(|row| !row.was_refused(identity)))
    }

    async fn delivery(&self, tenant: &str, key: &str) -> Result<Option<InboxRow>, StoreError> {
        transact!(self, "look up a delivery", tenant, |tx| {
            tx.read_first(BY_KEY, &[&tx.tenant, &key_hash(&tx.tenant, key), &key])
                .await?
                .as_ref()
                .map(inbox_row)
                .transpose()
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

    async fn forget_ended(
        &self,
        tenant: &str,
        before: Timestamp,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Forgotten, StoreError> {
        let after = after.unwrap_or_default();
        transact!(self, "forget deliveries", tenant, |tx| forget_ended(tx, before, after, limit).await)
    }
}
