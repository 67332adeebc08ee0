//! Looking up lanes.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::{LaneId, LaneKey};

use super::codec::{lane_key, lane_parts, moment};
use super::{SqliteStore, buttons, records};
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

    async fn channel_ids(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError> {
        self.read("look a message up", |sql| records::channel_ids(sql, lane, message))
    }

    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError> {
        self.read("look a button up", |sql| buttons::find(sql, lane, hash))
    }
}
