//! Timers.

use async_trait::async_trait;
use throughline_engine::{TimerId, Timestamp};

use super::PostgresStore;
use super::codec::{lane_key, lane_parts};
use super::error::TxError;
use super::outbox::NEVER;
use super::session::{Tx, transact};
use crate::contract::{StoreError, TimerRow, Timers};

pub(super) async fn clear(tx: &Tx, id: &TimerId) -> Result<(), TxError> {
    tx.execute("DELETE FROM timers WHERE tenant = $1 AND id = $2", &[&tx.tenant, &id.as_str()]).await?;
    Ok(())
}

async fn due(tx: &Tx, limit: u32) -> Result<Vec<TimerRow>, TxError> {
    const SELECT: &str = concat!(
        "SELECT t.id, t.due, t.about, ",
        lane_parts!(),
        " FROM timers t JOIN lanes l ON l.tenant = t.tenant AND l.id = t.lane",
        " WHERE t.tenant = $1 AND t.due <= $2 ORDER BY t.due, t.id LIMIT $3"
    );
    let rows = tx.read(SELECT, &[&tx.tenant, &tx.now.0, &i64::from(limit)]).await?;
    let timers = rows.iter().map(|row| TimerRow {
        id: TimerId(row.get("id")),
        lane: lane_key(row),
        due: Timestamp(row.get("due")),
        about: row.get("about"),
    });
    Ok(timers.collect())
}

async fn next(tx: &Tx) -> Result<Option<i64>, TxError> {
    let select = "SELECT least((SELECT min(due) FROM timers WHERE tenant = $1 AND due > $2), \
                  (SELECT min(wake) FROM outbox WHERE tenant = $1 AND wake > $2 AND wake <> $3))";
    Ok(tx.read_first(select, &[&tx.tenant, &tx.now.0, &NEVER]).await?.and_then(|row| row.get(0)))
}

#[async_trait]
impl Timers for PostgresStore {
    async fn due_timers(&self, limit: u32) -> Result<Vec<TimerRow>, StoreError> {
        let act = "look for due timers";
        let mut found = Vec::new();
        for tenant in self.tenants(act).await? {
            found.extend(transact!(self, act, &tenant, |tx| due(tx, limit).await)?);
        }
        found.sort_by_key(|timer| timer.due);
        found.truncate(limit as usize);
        Ok(found)
    }

    async fn clear_timer(&self, tenant: &str, id: &TimerId) -> Result<(), StoreError> {
        transact!(self, "clear a timer", tenant, |tx| clear(tx, id).await)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let act = "look for the next moment";
        let mut earliest = None;
        for tenant in self.tenants(act).await? {
            let next = transact!(self, act, &tenant, |tx| next(tx).await)?;
            earliest = earliest.into_iter().chain(next).min();
        }
        Ok(earliest.map(Timestamp))
    }
}
