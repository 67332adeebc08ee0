//! The log of turns.

use async_trait::async_trait;
use throughline_engine::{LaneKey, Timestamp, TurnId};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::{lane_key, lane_parts, signed};
use super::session::transact;
use crate::contract::{LatestTurns, LogRow, StoreError, StoredTurn, TurnLog, TurnPage, TurnSeq};

/// Turns that a page of the latest ones looks at. Most of them are older turns of lanes that come first.
const DEPTH: i64 = 4_096;

const TURNS: &str = concat!(
    "SELECT t.revision, t.turn, t.decided_at, t.prev_hash, t.hash, t.row, coalesce(t.content, '') AS content,",
    " coalesce(t.salt, '') AS salt, t.position, ",
    lane_parts!(),
    " FROM turns t JOIN lanes l ON l.tenant = t.tenant AND l.id = t.lane WHERE t.tenant = $1 "
);

fn stored_turn(row: &Row) -> StoredTurn {
    StoredTurn {
        lane: lane_key(row),
        revision: row.get::<_, i64>("revision").cast_unsigned(),
        position: row.get("position"),
        log: LogRow {
            turn: TurnId(row.get("turn")),
            at: Timestamp(row.get("decided_at")),
            row: row.get("row"),
            prev_hash: row.get("prev_hash"),
            hash: row.get("hash"),
            content: row.get("content"),
            salt: row.get("salt"),
        },
    }
}

#[async_trait]
impl TurnLog for PostgresStore {
    async fn turn(&self, tenant: &str, turn: &TurnId) -> Result<Option<StoredTurn>, StoreError> {
        let select = format!("{TURNS} AND t.turn = $2");
        let row = transact!(self, "look up a turn", tenant, |tx| {
            tx.read_first(&select, &[&tx.tenant, &turn.as_str()]).await
        })?;
        Ok(row.as_ref().map(stored_turn))
    }

    async fn turns(&self, lane: &LaneKey, after: u64, limit: u32) -> Result<Vec<StoredTurn>, StoreError> {
        let select = format!("{TURNS} AND t.lane = $2 AND t.revision > $3 ORDER BY t.revision LIMIT $4");
        let rows = transact!(self, "read turns", &lane.tenant, |tx| {
            tx.read(&select, &[&tx.tenant, &lane.id().as_str(), &signed(after), &i64::from(limit)]).await
        })?;
        Ok(rows.iter().map(stored_turn).collect())
    }

    async fn turns_before(
        &self,
        lane: &LaneKey,
        before: u64,
        limit: u32,
    ) -> Result<Vec<StoredTurn>, StoreError> {
        let select = format!("{TURNS} AND t.lane = $2 AND t.revision < $3 ORDER BY t.revision DESC LIMIT $4");
        let rows = transact!(self, "read turns", &lane.tenant, |tx| {
            tx.read(&select, &[&tx.tenant, &lane.id().as_str(), &signed(before), &i64::from(limit)]).await
        })?;
        Ok(rows.iter().map(stored_turn).collect())
    }

    async fn latest_turns(
        &self,
        tenant: &str,
        before: Option<TurnSeq>,
        limit: u32,
    ) -> Result<LatestTurns, StoreError> {
        let below = "t.position < $2 ORDER BY t.position DESC LIMIT $3";
        let walk =
            format!("SELECT t.lane, t.revision, t.position FROM turns t WHERE t.tenant = $1 AND {below}");
        let select = format!(
            "{TURNS} AND t.revision = l.revision AND (t.lane, t.revision, t.position) IN ({walk}) \
             ORDER BY t.position DESC LIMIT $4"
        );
        let end = format!("SELECT min(position) FROM ({walk}) AS walked HAVING count(*) = $3");
        let (before, limit) = (before.unwrap_or(i64::MAX), i64::from(limit));
        let mut answers = transact!(self, "list the latest turns", tenant, |tx| {
            tx.reads(&[
                (&select, &[&tx.tenant, &before, &DEPTH, &limit]),
                (&end, &[&tx.tenant, &before, &DEPTH]),
            ])
            .await
        })?;
        let end = answers.pop().and_then(|rows| rows.first().map(|row| row.get::<_, TurnSeq>(0)));
        let rows = answers.pop().unwrap_or_default();
        let turns: Vec<_> = rows.iter().map(|row| (row.get("position"), stored_turn(row))).collect();
        let full = i64::try_from(turns.len()) == Ok(limit);
        let next = turns.last().filter(|_| full).map(|(position, _)| *position).or(end);
        Ok(LatestTurns { turns, next })
    }

    async fn turns_of_tenant(
        &self,
        tenant: &str,
        after: TurnSeq,
        limit: u32,
    ) -> Result<TurnPage, StoreError> {
        let select = format!("{TURNS} AND t.position > $2 ORDER BY t.position LIMIT $3");
        let rows = transact!(self, "read the turns of a tenant", tenant, |tx| {
            tx.read(&select, &[&tx.tenant, &after, &i64::from(limit)]).await
        })?;
        let turns: Vec<_> = rows.iter().map(stored_turn).collect();
        let end = turns.last().map_or(after, |turn| turn.position);
        Ok(TurnPage { turns, end })
    }

    async fn turns_end(&self, tenant: &str) -> Result<TurnSeq, StoreError> {
        // Not the row that counts: it may be of a turn that is being written.
        let select = "SELECT position FROM turns WHERE tenant = $1 ORDER BY position DESC LIMIT 1";
        let row = transact!(self, "read the newest turn", tenant, |tx| {
            tx.read_first(select, &[&tx.tenant]).await
        })?;
        Ok(row.map_or(0, |row| row.get(0)))
    }

    async fn checkpoint(&self, lane: &LaneKey, at: u64) -> Result<Option<(u64, String)>, StoreError> {
        let select = "SELECT revision, checkpoint FROM turns WHERE tenant = $1 AND lane = $2 AND revision <= $3 \
                      AND checkpoint IS NOT NULL ORDER BY revision DESC LIMIT 1";
        let row = transact!(self, "read a checkpoint", &lane.tenant, |tx| {
            tx.read_first(select, &[&tx.tenant, &lane.id().as_str(), &signed(at)]).await
        })?;
        Ok(row.map(|row| (row.get::<_, i64>(0).cast_unsigned(), row.get(1))))
    }
}
