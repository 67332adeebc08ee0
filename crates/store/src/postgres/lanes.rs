//! The write path of a lane: claim, load, release. Turns go through the writer.

use async_trait::async_trait;
use throughline_engine::{LaneKey, Timestamp};
use tokio_postgres::Row;

use super::error::TxError;
use super::replicas::GONE;
use super::session::{Tx, transact};
use super::{PostgresStore, records};
use crate::contract::{Claim, CommitResult, LANE_LEASE, Lanes, Release, StoreError, StoredLane, TurnCommit};

/// A lane whose row this transaction holds.
pub(super) struct LockedLane {
    pub(super) id: String,
    pub(super) revision: i64,
    pub(super) epoch: i64,
    pub(super) owner: Option<String>,
    pub(super) log_hash: String,
    /// Number of inbox rows that wait.
    pub(super) waiting: i64,
    /// The last position that was used in the lane.
    pub(super) position: i64,
}

/// Locks lanes, in the order of their ids.
pub(super) const LOCK: &str = "SELECT id, revision, epoch, owner, log_hash, waiting, position FROM lanes \
                               WHERE tenant = $1 AND id = ANY($2) ORDER BY id FOR UPDATE";

impl LockedLane {
    /// Reads a row of [`LOCK`].
    pub(super) fn read(row: &Row) -> Self {
        Self {
            id: row.get("id"),
            revision: row.get("revision"),
            epoch: row.get("epoch"),
            owner: row.get("owner"),
            log_hash: row.get("log_hash"),
            waiting: row.get("waiting"),
            position: row.get("position"),
        }
    }
}

/// Locks a lane that is there.
pub(super) async fn find_locked(tx: &Tx, lane: &LaneKey) -> Result<Option<LockedLane>, TxError> {
    let found = tx.first(LOCK, &[&tx.tenant, &[lane.id().as_str()].as_slice()]).await?;
    Ok(found.as_ref().map(LockedLane::read))
}

/// Locks a lane, and creates it if it is new.
pub(super) async fn lock_lane(tx: &Tx, lane: &LaneKey) -> Result<LockedLane, TxError> {
    if let Some(found) = find_locked(tx, lane).await? {
        return Ok(found);
    }
    tx.enter_tenant().await?;
    let insert = "INSERT INTO lanes (tenant, id, app, channel, conversation, thread, updated_at) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
    let LaneKey { app, channel, conversation, thread, .. } = lane;
    tx.execute(insert, &[&tx.tenant, &lane.id().as_str(), app, channel, conversation, thread, &tx.now.0])
        .await?;
    find_locked(tx, lane).await?.ok_or_else(|| TxError::Gone(format!("lane {lane} is gone")))
}

/// Takes a lane whose lease is over, or extends the owner's own. A lease that ends later than one that begins now was taken
/// before the clock was set back. So is that of a process that runs no more; whoever
/// is silent itself takes nobody for gone.
const CLAIM: &str = "WITH held AS MATERIALIZED (SELECT revision, owner, lease_until, \
        owner IS NULL OR lease_until <= $4 OR lease_until > $5 OR NOT (coalesce(holder = $6, true) \
        OR EXISTS (SELECT 1 FROM replicas WHERE id = holder AND seen >= $7) \
        OR NOT EXISTS (SELECT 1 FROM replicas WHERE id = $6 AND seen >= $7)) AS over \
        FROM lanes WHERE tenant = $1 AND id = $2 FOR UPDATE), \
    taken AS (UPDATE lanes l SET epoch = l.epoch + held.over::int, owner = $3, lease_until = $5, holder = $6 \
        FROM held WHERE l.tenant = $1 AND l.id = $2 AND (held.over OR held.owner = $3) RETURNING l.epoch) \
    SELECT held.revision, held.lease_until, taken.epoch FROM held LEFT JOIN taken ON true";

/// Claims a lane that is there.
async fn claim(tx: &Tx, id: &str, owner: &str) -> Result<Option<Claim>, TxError> {
    let until = tx.now.plus(LANE_LEASE).0;
    let params: super::session::Params<'_> =
        &[&tx.tenant, &id, &owner, &tx.now.0, &until, &&*tx.replica, &tx.now.plus(-GONE).0];
    let found = tx.last(&[(CLAIM, params)]).await?.pop().unwrap_or_default();
    Ok(found.rows.first().map(|row| match row.get::<_, Option<i64>>("epoch") {
        Some(epoch) => Claim::Ours { epoch, revision: row.get::<_, i64>("revision").cast_unsigned() },
        None => Claim::Held { until: Timestamp(row.get("lease_until")) },
    }))
}

/// Frees a lane in which nothing waits. Its row is locked, so no delivery arrives in between.
const RELEASE: &str = "WITH held AS MATERIALIZED (SELECT waiting FROM lanes \
        WHERE tenant = $1 AND id = $2 AND epoch = $3 AND owner IS NOT NULL FOR UPDATE), \
    freed AS (UPDATE lanes l SET owner = NULL FROM held WHERE l.tenant = $1 AND l.id = $2 AND held.waiting = 0) \
    SELECT waiting FROM held";

async fn release(tx: &Tx, key: &LaneKey, epoch: i64) -> Result<Release, TxError> {
    let found = tx.last(&[(RELEASE, &[&tx.tenant, &key.id().as_str(), &epoch])]).await?.pop();
    let waiting: Option<i64> = found.and_then(|answer| answer.rows.first().map(|row| row.get(0)));
    Ok(match waiting {
        None => Release::NotOurs,
        Some(0) => Release::Released,
        Some(_) => Release::HasWork,
    })
}

/// Reads a lane in one statement, and so as one turn left it.
async fn load(tx: &Tx, key: &LaneKey) -> Result<Option<StoredLane>, TxError> {
    let select = "SELECT l.revision, l.head, l.log_hash, ARRAY(SELECT r.body FROM records r WHERE r.tenant = l.tenant \
                  AND r.lane = l.id AND r.loaded ORDER BY r.kind, r.key) FROM lanes l \
                  WHERE l.tenant = $1 AND l.id = $2 AND l.revision > 0";
    let row = tx.read_first(select, &[&tx.tenant, &key.id().as_str()]).await?;
    Ok(row.map(|row| StoredLane {
        revision: row.get::<_, i64>(0).cast_unsigned(),
        head: row.get(1),
        records: row.get(3),
        log_hash: row.get(2),
    }))
}

#[async_trait]
impl Lanes for PostgresStore {
    async fn claim(&self, lane: &LaneKey, owner: &str) -> Result<Claim, StoreError> {
        let (act, id) = ("claim a lane", lane.id());
        loop {
            let claim = transact!(self, act, &lane.tenant, |tx| claim(tx, id.as_str(), owner).await)?;
            if let Some(claim) = claim {
                return Ok(claim);
            }
            transact!(self, act, &lane.tenant, |tx| lock_lane(tx, lane).await)?;
        }
    }

    async fn load(&self, lane: &LaneKey) -> Result<Option<StoredLane>, StoreError> {
        transact!(self, "load a lane", &lane.tenant, |tx| load(tx, lane).await)
    }

    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError> {
        transact!(self, "read a record", &lane.tenant, |tx| {
            records::find(tx, lane.id().as_str(), kind, key).await
        })
    }

    async fn records(&self, lane: &LaneKey, kind: &str, keys: &[&str]) -> Result<Vec<String>, StoreError> {
        transact!(self, "read records", &lane.tenant, |tx| {
            records::find_all(tx, lane.id().as_str(), kind, keys).await
        })
    }

    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        self.writer.commit(turn).await
    }

    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError> {
        let (id, act) = (lane.id(), "look for a commit");
        let id = id.as_str();
        // The lock waits for the end of a transaction that still holds the lane.
        let select = "SELECT 1 FROM turns WHERE tenant = $1 AND lane = $2 AND hash = $3 LIMIT 1";
        let answers = transact!(self, act, &lane.tenant, |tx| {
            tx.last(&[(LOCK, &[&tx.tenant, &[id].as_slice()]), (select, &[&tx.tenant, &id, &row])]).await
        })?;
        Ok(answers.last().is_some_and(|answer| !answer.rows.is_empty()))
    }

    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError> {
        transact!(self, "release a lane", &lane.tenant, |tx| release(tx, lane, epoch).await)
    }
}
