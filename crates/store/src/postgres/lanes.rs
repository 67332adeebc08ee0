//! The write path of a lane: claim, load, release. Turns go through the writer.

use async_trait::async_trait;
use throughline_engine::{LaneKey, Timestamp};
use tokio_postgres::Row;

use super::error::TxError;
use super::session::{Tx, transact};
use super::{PostgresStore, inbox, records};
use crate::contract::{Claim, CommitResult, LANE_LEASE, Lanes, Release, StoreError, StoredLane, TurnCommit};

/// A lane whose row this transaction holds.
pub(super) struct LockedLane {
    pub(super) id: String,
    pub(super) revision: i64,
    pub(super) epoch: i64,
    pub(super) owner: Option<String>,
    pub(super) log_hash: String,
    lease_until: Timestamp,
}

/// Locks a lane that is there.
pub(super) async fn find_locked(tx: &Tx, lane: &LaneKey) -> Result<Option<LockedLane>, TxError> {
    let select = "SELECT revision, epoch, owner, lease_until, log_hash FROM lanes WHERE tenant = $1 AND id = $2 \
                  FOR UPDATE";
    let id = lane.id().as_str().to_owned();
    let read = |row: &Row| LockedLane {
        id: id.clone(),
        revision: row.get("revision"),
        epoch: row.get("epoch"),
        owner: row.get("owner"),
        log_hash: row.get("log_hash"),
        lease_until: Timestamp(row.get("lease_until")),
    };
    Ok(tx.first(select, &[&tx.tenant, &id]).await?.as_ref().map(read))
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
    find_locked(tx, lane).await?.ok_or_else(|| TxError::Value(format!("lane {lane} is gone")))
}

async fn claim(tx: &Tx, key: &LaneKey, owner: &str) -> Result<Claim, TxError> {
    let lane = lock_lane(tx, key).await?;
    let until = tx.now.plus(LANE_LEASE);
    // A lease that ends later than one that begins now was taken before the clock was set back.
    let over = lane.owner.is_none() || lane.lease_until <= tx.now || lane.lease_until > until;
    if !over && lane.owner.as_deref() != Some(owner) {
        return Ok(Claim::Held { until: lane.lease_until });
    }
    let epoch = lane.epoch + i64::from(over);
    let take = "UPDATE lanes SET epoch = $3, owner = $4, lease_until = $5 WHERE tenant = $1 AND id = $2";
    tx.execute(take, &[&tx.tenant, &lane.id, &epoch, &owner, &until.0]).await?;
    Ok(Claim::Ours { epoch, revision: lane.revision.cast_unsigned() })
}

async fn release(tx: &Tx, key: &LaneKey, epoch: i64) -> Result<Release, TxError> {
    let lane = find_locked(tx, key).await?;
    let Some(lane) = lane.filter(|lane| lane.owner.is_some() && lane.epoch == epoch) else {
        return Ok(Release::NotOurs);
    };
    // The row of the lane is locked, so no delivery arrives in between.
    if inbox::waiting_number(tx, &lane.id).await? > 0 {
        return Ok(Release::HasWork);
    }
    tx.execute("UPDATE lanes SET owner = NULL WHERE tenant = $1 AND id = $2", &[&tx.tenant, &lane.id])
        .await?;
    Ok(Release::Released)
}

async fn load(tx: &Tx, key: &LaneKey) -> Result<Option<StoredLane>, TxError> {
    // The lock keeps a turn from being written between the head and the records.
    let select =
        "SELECT revision, head, log_hash FROM lanes WHERE tenant = $1 AND id = $2 AND revision > 0 FOR SHARE";
    let id = key.id();
    let Some(row) = tx.first(select, &[&tx.tenant, &id.as_str()]).await? else { return Ok(None) };
    Ok(Some(StoredLane {
        revision: row.get::<_, i64>(0).cast_unsigned(),
        head: row.get(1),
        records: records::loaded(tx, id.as_str()).await?,
        log_hash: row.get(2),
    }))
}

#[async_trait]
impl Lanes for PostgresStore {
    async fn claim(&self, lane: &LaneKey, owner: &str) -> Result<Claim, StoreError> {
        transact!(self, "claim a lane", &lane.tenant, |tx| claim(tx, lane, owner).await)
    }

    async fn load(&self, lane: &LaneKey) -> Result<Option<StoredLane>, StoreError> {
        transact!(self, "load a lane", &lane.tenant, |tx| load(tx, lane).await)
    }

    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError> {
        transact!(self, "read a record", &lane.tenant, |tx| {
            records::find(tx, lane.id().as_str(), kind, key).await
        })
    }

    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        self.writer.commit(turn).await
    }

    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError> {
        transact!(self, "look for a commit", &lane.tenant, |tx| {
            // Waits for the end of a transaction that still holds the lane.
            find_locked(tx, lane).await?;
            let select = "SELECT 1 FROM turns WHERE tenant = $1 AND lane = $2 AND hash = $3";
            let found = tx.first(select, &[&tx.tenant, &lane.id().as_str(), &row]).await?;
            Ok::<_, TxError>(found.is_some())
        })
    }

    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError> {
        transact!(self, "release a lane", &lane.tenant, |tx| release(tx, lane, epoch).await)
    }
}
