//! Claims, and what can be read of lanes.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::{CardId, LaneId, LaneKey, TurnId};

use super::codec::{HexText, lane_key, lane_parts, moment, signed};
use super::fault::Fault;
use super::spot::{Loaded, Spot};
use super::writer::{Failure, Tx};
use super::{SqliteStore, approvals, buttons, commit, lane_number, turns};
use crate::contract::{
    ApprovalRow, Claim, CommitResult, LANE_LEASE, LaneInfo, Lanes, Latest, Release, StoreError, StoredLane,
    StoredTurn, TokenRow, TurnCommit, TurnSeq,
};

fn claim(tx: &mut Tx<'_, '_>, lane: &LaneKey, owner: &str) -> Result<Claim, Fault> {
    let n = tx.memo.make(tx.sql, lane, tx.now)?.n;
    let take = "UPDATE lanes SET epoch = epoch + (owner IS NULL OR lease_until <= ?3 OR session <> ?5), \
                owner = ?2, lease_until = ?4, session = ?5 \
                WHERE n = ?1 AND (owner IS NULL OR lease_until <= ?3 OR owner = ?2 OR session <> ?5) \
                RETURNING epoch, revision";
    let until = tx.now.plus(LANE_LEASE);
    let ours = tx.sql.first(take, (n, owner, tx.now.0, until.0, tx.memo.session()), |row| {
        Ok(Claim::Ours { epoch: row.get(0)?, revision: row.get::<_, i64>(1)?.cast_unsigned() })
    })?;
    if let Some(ours) = ours {
        return Ok(ours);
    }
    let held = |row: &Row<'_>| Ok(Claim::Held { until: moment(row, "lease_until")? });
    let held = tx.sql.first("SELECT lease_until FROM lanes WHERE n = ?1", [n], held)?;
    held.ok_or_else(|| Fault::Refused(format!("lane {lane} is gone")))
}

fn release(tx: &mut Tx<'_, '_>, lane: &LaneKey, epoch: i64) -> Result<Release, Fault> {
    let Some(lane) = tx.memo.find(tx.sql, lane)? else { return Ok(Release::NotOurs) };
    let let_go = "UPDATE lanes SET owner = NULL WHERE n = ?1 AND epoch = ?2 AND owner IS NOT NULL AND session = ?3 \
                  AND NOT EXISTS (SELECT 1 FROM inbox WHERE lane = ?1)";
    if tx.sql.execute(let_go, (lane.n, epoch, tx.memo.session()))? == 1 {
        return Ok(Release::Released);
    }
    let ours = "SELECT epoch = ?2 AND owner IS NOT NULL AND session = ?3 FROM lanes WHERE n = ?1";
    let ours = tx.sql.first(ours, (lane.n, epoch, tx.memo.session()), |row| row.get(0))?;
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
        Ok((row.get::<_, i64>(0)?, lane, Loaded::read(row, 4)?))
    });
    let Some((n, mut lane, loaded)) = head.optional()? else { return Ok(None) };
    let mut body = sql.prepare_cached(RECORD)?;
    let records = loaded.iter().map(|spot| body.query_row((n, &spot.at, &spot.kind), |row| row.get(0)));
    lane.records = records.collect::<Result<_, _>>()?;
    Ok(Some(lane))
}

const RECORD: &str = "SELECT body FROM records WHERE lane = ?1 AND at = ?2 AND kind = ?3";

fn record(sql: &Connection, lane: &LaneKey, kind: &str, key: &str) -> rusqlite::Result<Option<String>> {
    let id = lane.id();
    let Some(n) = lane_number(sql, lane)? else { return Ok(None) };
    let mut body = sql.prepare_cached(RECORD)?;
    let mut find =
        |spot: &Spot| body.query_row((n, &spot.at, &spot.kind), |row| row.get::<_, String>(0)).optional();
    if let Some(found) = find(&Spot::of(&id, kind, key))? {
        return Ok(Some(found));
    }
    if kind != "message" {
        return Ok(None);
    }
    let ours = find(&Spot::channel_id(key))?;
    ours.map_or(Ok(None), |ours| find(&Spot::of(&id, kind, &ours)))
}

fn sent(sql: &Connection, lane: &LaneKey, message: &str) -> rusqlite::Result<Vec<String>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let Spot { at, kind } = Spot::sent(message);
    let mut body = sql.prepare_cached(RECORD)?;
    let list = body.query_row((n, at, kind), |row| row.get::<_, String>(0)).optional()?;
    Ok(list.map(|list| read_list(&list)).unwrap_or_default())
}

fn read_list(list: &str) -> Vec<String> {
    serde_json::from_str(list).unwrap_or_default()
}

/// Keeps that a message of ours, or a part of it, went out under that id.
pub(super) fn map_sent(tx: &Tx<'_, '_>, lane: i64, channel_id: &str, ours: &str) -> Result<(), Fault> {
    map_message(tx, lane, channel_id, ours)?;
    let spot = Spot::sent(ours);
    let list = tx.sql.first(RECORD, (lane, &spot.at, &spot.kind), |row| row.get::<_, String>(0))?;
    let mut list = list.map(|list| read_list(&list)).unwrap_or_default();
    if !list.iter().any(|id| id == channel_id) {
        list.push(channel_id.to_owned());
    }
    put(tx, lane, &spot, &serde_json::to_string(&list).unwrap_or_default())
}

/// Keeps under which of the channel's ids a message of ours is known.
pub(super) fn map_message(tx: &Tx<'_, '_>, lane: i64, channel_id: &str, ours: &str) -> Result<(), Fault> {
    put(tx, lane, &Spot::channel_id(channel_id), ours)
}

/// Writes one record.
pub(super) fn put(tx: &Tx<'_, '_>, lane: i64, spot: &Spot, body: &str) -> Result<(), Fault> {
    let put = "INSERT INTO records (lane, at, kind, body) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT DO UPDATE SET body = excluded.body";
    tx.sql.execute(put, (lane, &spot.at, &spot.kind, body))?;
    Ok(())
}

const INFO: &str = concat!(
    "SELECT l.id, l.revision, l.updated_at, (SELECT count(*) FROM inbox i WHERE i.lane = l.n) AS waiting, ",
    lane_parts!(),
    " FROM lanes l WHERE l.tenant = ?1"
);

fn info(row: &Row<'_>) -> rusqlite::Result<LaneInfo> {
    Ok(LaneInfo {
        id: LaneId(row.get("id")?),
        key: lane_key(row)?,
        revision: row.get::<_, i64>("revision")?.cast_unsigned(),
        waiting: row.get("waiting")?,
        updated_at: moment(row, "updated_at")?,
    })
}

fn list(
    sql: &Connection,
    tenant: &str,
    after: Option<&LaneId>,
    limit: u32,
) -> rusqlite::Result<Vec<LaneInfo>> {
    let select = format!("{INFO} AND l.id > ?2 ORDER BY l.id LIMIT ?3");
    let after = after.map_or("", LaneId::as_str);
    sql.prepare_cached(&select)?.query_map((tenant, after, limit), info)?.collect()
}

fn one(sql: &Connection, tenant: &str, id: &LaneId) -> rusqlite::Result<Option<LaneInfo>> {
    let select = format!("{INFO} AND l.id = ?2");
    sql.prepare_cached(&select)?.query_row((tenant, id.as_str()), info).optional()
}

fn keep_policy(tx: &Tx<'_, '_>, tenant: &str, version: &str, policy: &str) -> Result<(), Fault> {
    let keep = "INSERT INTO policies (tenant, version, policy) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    tx.sql.execute(keep, (tenant, version, policy))?;
    Ok(())
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

    async fn commit(&self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        match self.writer.call("commit a turn", move |tx| commit::commit(tx, &turn)).await {
            Err(Failure::Lost(result)) => Ok(result),
            other => Ok(other?),
        }
    }

    async fn committed(&self, lane: &LaneKey, row: &str) -> Result<bool, StoreError> {
        self.read("look for a commit", |sql| turns::committed(sql, lane, row))
    }

    async fn release(&self, lane: &LaneKey, epoch: i64) -> Result<Release, StoreError> {
        let lane = lane.clone();
        Ok(self.writer.call("release a lane", move |tx| release(tx, &lane, epoch)).await?)
    }

    async fn record(&self, lane: &LaneKey, kind: &str, key: &str) -> Result<Option<String>, StoreError> {
        self.read("read a record", |sql| record(sql, lane, kind, key))
    }

    async fn sent(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError> {
        self.read("look a message up", |sql| sent(sql, lane, message))
    }

    async fn turn(&self, tenant: &str, turn: &TurnId) -> Result<Option<StoredTurn>, StoreError> {
        self.read("read a turn", |sql| turns::one(sql, tenant, turn))
    }

    async fn turns(&self, lane: &LaneKey, after: u64, limit: u32) -> Result<Vec<StoredTurn>, StoreError> {
        self.read("read turns", |sql| turns::after(sql, lane, signed(after), limit))
    }

    async fn turns_before(
        &self,
        lane: &LaneKey,
        before: u64,
        limit: u32,
    ) -> Result<Vec<StoredTurn>, StoreError> {
        self.read("read turns", |sql| turns::before(sql, lane, signed(before), limit))
    }

    async fn checkpoint(&self, lane: &LaneKey, at: u64) -> Result<Option<(u64, String)>, StoreError> {
        self.read("read a checkpoint", |sql| turns::checkpoint(sql, lane, signed(at)))
    }

    async fn lanes(
        &self,
        tenant: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        self.read("list lanes", |sql| list(sql, tenant, after, limit))
    }

    async fn latest(&self, tenant: &str, before: Option<TurnSeq>, limit: u32) -> Result<Latest, StoreError> {
        self.read("read the latest turns", |sql| turns::latest(sql, tenant, before, limit))
    }

    async fn lane(&self, tenant: &str, id: &LaneId) -> Result<Option<LaneInfo>, StoreError> {
        self.read("look a lane up", |sql| one(sql, tenant, id))
    }

    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError> {
        self.read("look a button up", |sql| buttons::find(sql, lane, hash))
    }

    async fn approval(&self, tenant: &str, card: &CardId) -> Result<Option<ApprovalRow>, StoreError> {
        self.read("read an approval", |sql| approvals::current(sql, tenant, card))
    }

    async fn approvals(
        &self,
        tenant: &str,
        pending: bool,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read("list approvals", |sql| approvals::list(sql, tenant, pending, limit))
    }

    async fn keep_policy(&self, tenant: &str, version: &str, policy: &str) -> Result<(), StoreError> {
        let (tenant, version, policy) = (tenant.to_owned(), version.to_owned(), policy.to_owned());
        Ok(self.writer.call("keep a policy", move |tx| keep_policy(tx, &tenant, &version, &policy)).await?)
    }

    async fn policy(&self, tenant: &str, version: &str) -> Result<Option<String>, StoreError> {
        self.read("read a policy", |sql| {
            sql.prepare_cached("SELECT policy FROM policies WHERE tenant = ?1 AND version = ?2")?
                .query_row((tenant, version), |row| row.get(0))
                .optional()
        })
    }
}
