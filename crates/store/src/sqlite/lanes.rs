//! The write path of a lane: claim, load, commit, release.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::LaneKey;

use super::codec::{HexText, moment};
use super::error::TxError;
use super::record_key::LoadedRecords;
use super::writer::{CallError, Tx};
use super::{SqliteStore, commit, records, turn_log};
use crate::contract::{Claim, CommitResult, LANE_LEASE, Lanes, Release, StoreError, StoredLane, TurnCommit};

fn claim(tx: &mut Tx<'_, '_>, lane: &LaneKey, owner: &str) -> Result<Claim, TxError> {
    let n = tx.state.find_or_create_lane(tx.sql, lane, tx.now)?.n;
    // A lease that ends later than one that begins now was taken before the clock was set back.
    let take = "UPDATE lanes SET \
                epoch = epoch + (owner IS NULL OR lease_until <= ?3 OR lease_until > ?4 OR session <> ?5), \
                owner = ?2, lease_until = ?4, session = ?5 WHERE n = ?1 AND (owner IS NULL OR lease_until <= ?3 \
                OR lease_until > ?4 OR owner = ?2 OR session <> ?5) RETURNING epoch, revision";
    let until = tx.now.plus(LANE_LEASE);
    let ours = tx.sql.first(take, (n, owner, tx.now.0, until.0, tx.state.session()), |row| {
        Ok(Claim::Ours { epoch: row.get(0)?, revision: row.get::<_, i64>(1)?.cast_unsigned() })
    })?;
    if let Some(ours) = ours {
        return Ok(ours);
    }
    let held = |row: &Row<'_>| Ok(Claim::Held { until: moment(row, "lease_until")? });
    let held = tx.sql.first("SELECT lease_until FROM lanes WHERE n = ?1", [n], held)?;
    held.ok_or_else(|| TxError::Refused(format!("lane {lane} is gone")))
}

fn release(tx: &mut Tx<'_, '_>, lane: &LaneKey, epoch: i64) -> Result<Release, TxError> {
    let Some(lane) = tx.state.find_lane(tx.sql, lane)? else { return Ok(Release::NotOurs) };
    let let_go = "UPDATE lanes SET owner = NULL WHERE n = ?1 AND epoch = ?2 AND owner IS NOT NULL AND session = ?3 \
                  AND NOT EXISTS (SELECT 1 FROM inbox WHERE lane = ?1)";
    if tx.sql.execute(let_go, (lane.n, epoch, tx.state.session()))? == 1 {
        return Ok(Release::Released);
    }
    let ours = "SELECT epoch = ?2 AND owner IS NOT NULL AND session = ?3 FROM lanes WHERE n = ?1";
    let ours = tx.sql.first(ours, (lane.n, epoch, tx.state.session()), |row| row.get(0))?;
    Ok(if ours == Some(true) { Release::HasWork } else { Release::NotOurs })
}

fn load(sql: &Connection, lane: &LaneKey) -> rusqlite::Result<Option<StoredLane>> {
    let head = "SELECT n, revision, log_hash, head, loaded FROM lanes \
                WHERE tenant = ?1 AND id = ?2 AND revision > 0";
    let head = sql.prepare_cached(head)?.query_row((&lane.tenant, lane.id().as_str()), |row| {
        let lane = StoredLane {
            revision: row.get::<_, i64>(1)?.cast_unsigned(),
            log_hash: row.get::<_, HexText>(2)?.0,
            head: row.get(3)?,
            records: Vec::new(),
        };
        Ok((row.get::<_, i64>(0)?, lane, LoadedRecords::read(row, 4)?))
    });
    let Some((n, mut lane, loaded)) = head.optional()? else { return Ok(None) };
    let mut body = sql.prepare_cached(records::RECORD)?;
    let records = loaded.iter().map(|key| body.query_row((n, &key.at, &key.kind), |row| row.get(0)));
    lane.records = records.collect::<Result<_, _>>()?;
    Ok(Some(lane))
}

#[async_trait]
impl Lanes for SqliteStore {
    async fn claim(&self, lane: &LaneKey, owner: &str) -> Result<Claim, StoreError> {
        let (lane, owner) = (lane.clone(), owner.to_owned());
        Ok(self.writer.call("claim a lane", move |tx| claim(tx, &lane, &owner)).await?)
    }

    async fn load(&self, lane: &LaneKey) -> Result<Option<StoredLane>, StoreError> {
        self.read("load a lane", |sql| load(sql, lane))
    }

    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError> {
        self.read("read a record", |sql| records::record(sql, lane, kind, key))
    }

    async fn records(&self, lane: &LaneKey, kind: &str, keys: &[&str]) -> Result<Vec<String>, StoreError> {
        self.read("read records", |sql| {
            keys.iter().filter_map(|key| records::record(sql, lane, kind, key).transpose()).collect()
        })
    }

    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        match self.writer.call("commit a turn", move |tx| commit::commit(tx, &turn)).await {
            Err(CallError::NotCommitted(result)) => Ok(result),
            other => Ok(other?),
        }
    }

    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError> {
        self.read("look for a commit", |sql| turn_log::committed(sql, lane, row))
    }

    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError> {
        let lane = lane.clone();
        Ok(self.writer.call("release a lane", move |tx| release(tx, &lane, epoch)).await?)
    }
}
