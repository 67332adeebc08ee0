//! Looking up lanes.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::{LaneId, LaneKey};

use super::codec::{lane_key, lane_parts, moment};
use super::error::TxError;
use super::writer::Tx;
use super::{SqliteStore, buttons, lane_number, records};
use crate::contract::{LaneIndex, LaneInfo, StoreError, TokenRow};

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

fn list_of(
    sql: &Connection,
    tenant: &str,
    person: &str,
    after: Option<&LaneId>,
    limit: u32,
) -> rusqlite::Result<Vec<LaneInfo>> {
    let took_part = "l.n IN (SELECT lane FROM participants WHERE person = ?4)";
    let select = format!("{INFO} AND {took_part} AND l.id > ?2 ORDER BY l.id LIMIT ?3");
    let after = after.map_or("", LaneId::as_str);
    sql.prepare_cached(&select)?.query_map((tenant, after, limit, person), info)?.collect()
}

fn took_part(sql: &Connection, lane: &LaneKey, person: &str) -> rusqlite::Result<bool> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(false) };
    let select = "SELECT EXISTS (SELECT 1 FROM participants WHERE lane = ?1 AND person = ?2)";
    sql.prepare_cached(select)?.query_row((n, person), |row| row.get(0))
}

pub(super) fn add_participant(tx: &Tx<'_, '_>, lane: i64, person: &str) -> Result<(), TxError> {
    let insert = "INSERT OR IGNORE INTO participants (lane, person) VALUES (?1, ?2)";
    tx.sql.execute(insert, (lane, person))?;
    Ok(())
}

fn one(sql: &Connection, tenant: &str, id: &LaneId) -> rusqlite::Result<Option<LaneInfo>> {
    let select = format!("{INFO} AND l.id = ?2");
    sql.prepare_cached(&select)?.query_row((tenant, id.as_str()), info).optional()
}

#[async_trait]
impl LaneIndex for SqliteStore {
    async fn lane(&self, tenant: &str, id: &LaneId) -> Result<Option<LaneInfo>, StoreError> {
        self.read("look a lane up", |sql| one(sql, tenant, id))
    }

    async fn lanes(
        &self,
        tenant: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        self.read("list lanes", |sql| list(sql, tenant, after, limit))
    }

    async fn lanes_of(
        &self,
        tenant: &str,
        person: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        self.read("list a person's lanes", |sql| list_of(sql, tenant, person, after, limit))
    }

    async fn took_part(&self, lane: &LaneKey, person: &str) -> Result<bool, StoreError> {
        self.read("look a participant up", |sql| took_part(sql, lane, person))
    }

    async fn channel_ids(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError> {
        self.read("look a message up", |sql| records::channel_ids(sql, lane, message))
    }

    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError> {
        self.read("look a button up", |sql| buttons::find(sql, lane, hash))
    }
}
