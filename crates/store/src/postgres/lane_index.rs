//! Looking up lanes.

use async_trait::async_trait;
use throughline_engine::{CardId, LaneId, LaneKey, Timestamp};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::{lane_key, lane_parts, small};
use super::session::transact;
use crate::contract::{LaneIndex, LaneInfo, StoreError, TokenRow};

const INFO: &str = concat!(
    "SELECT l.id, l.revision, l.updated_at, l.waiting, ",
    lane_parts!(),
    " FROM lanes l WHERE l.tenant = $1 "
);

fn info(row: &Row) -> LaneInfo {
    LaneInfo {
        id: LaneId(row.get("id")),
        key: lane_key(row),
        revision: row.get::<_, i64>("revision").cast_unsigned(),
        waiting: small(row, "waiting"),
        updated_at: Timestamp(row.get("updated_at")),
    }
}

#[async_trait]
impl LaneIndex for PostgresStore {
    async fn lane(&self, tenant: &str, id: &LaneId) -> Result<Option<LaneInfo>, StoreError> {
        let select = format!("{INFO} AND l.id = $2");
        let row = transact!(self, "look up a lane", tenant, |tx| {
            tx.read_first(&select, &[&tx.tenant, &id.as_str()]).await
        })?;
        Ok(row.as_ref().map(info))
    }

    async fn lanes(
        &self,
        tenant: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        let select = format!("{INFO} AND l.id > $2 ORDER BY l.id LIMIT $3");
        let after = after.map_or("", LaneId::as_str);
        let rows = transact!(self, "list lanes", tenant, |tx| {
            tx.read(&select, &[&tx.tenant, &after, &i64::from(limit)]).await
        })?;
        Ok(rows.iter().map(info).collect())
    }

    async fn lanes_of(
        &self,
        tenant: &str,
        person: &str,
        after: Option<&LaneId>,
        limit: u32,
    ) -> Result<Vec<LaneInfo>, StoreError> {
        let select = format!(
            "{INFO} AND l.id > $2 AND EXISTS (SELECT 1 FROM participants p WHERE p.tenant = $1 AND p.person = $4 \
             AND p.lane = l.id) ORDER BY l.id LIMIT $3"
        );
        let after = after.map_or("", LaneId::as_str);
        let rows = transact!(self, "list lanes", tenant, |tx| {
            tx.read(&select, &[&tx.tenant, &after, &i64::from(limit), &person]).await
        })?;
        Ok(rows.iter().map(info).collect())
    }

    async fn took_part(&self, lane: &LaneKey, person: &str) -> Result<bool, StoreError> {
        let select = "SELECT 1 FROM participants WHERE tenant = $1 AND lane = $2 AND person = $3";
        let row = transact!(self, "look for a participant", &lane.tenant, |tx| {
            tx.read_first(select, &[&tx.tenant, &lane.id().as_str(), &person]).await
        })?;
        Ok(row.is_some())
    }

    async fn channel_ids(&self, lane: &LaneKey, message: &str) -> Result<Vec<String>, StoreError> {
        let select = "SELECT channel_id FROM sent WHERE tenant = $1 AND lane = $2 AND ours = $3 ORDER BY n";
        let rows = transact!(self, "look up a message", &lane.tenant, |tx| {
            tx.read(select, &[&tx.tenant, &lane.id().as_str(), &message]).await
        })?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    async fn token(&self, lane: &LaneKey, hash: &str) -> Result<Option<TokenRow>, StoreError> {
        let select = "SELECT card, version, item, action FROM buttons WHERE tenant = $1 AND lane = $2 AND hash = left($3, 32)";
        let row = transact!(self, "look up a button", &lane.tenant, |tx| {
            tx.read_first(select, &[&tx.tenant, &lane.id().as_str(), &hash]).await
        })?;
        Ok(row.map(|row| TokenRow {
            hash: hash.into(),
            card: CardId(row.get("card")),
            version: small(&row, "version"),
            item: row.get("item"),
            action: row.get("action"),
        }))
    }
}
