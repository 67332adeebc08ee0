//! Timers, and the next moment at which there is work.

use async_trait::async_trait;
use rusqlite::{Connection, Row};
use throughline_engine::{TimerId, Timestamp};

use super::SqliteStore;
use super::codec::{lane_key, lane_parts, moment};
use super::error::TxError;
use super::outbox::NEVER;
use super::writer::Tx;
use crate::contract::{StoreError, TimerRow, Timers};
use crate::rules::deadline;

/// Sets a timer of a turn that was decided at that time.
pub(super) fn set(
    tx: &Tx<'_, '_>,
    tenant: &str,
    lane: i64,
    decided_at: Timestamp,
    timer: &TimerRow,
) -> Result<(), TxError> {
    let due = deadline(timer.due, decided_at, tx.now);
    let set = "INSERT INTO timers (tenant, id, lane, due, about) VALUES (?1, ?2, ?3, ?4, ?5) \
               ON CONFLICT DO UPDATE SET lane = excluded.lane, due = excluded.due, about = excluded.about";
    tx.sql.execute(set, (tenant, timer.id.as_str(), lane, due.0, &timer.about))?;
    Ok(())
}

pub(super) fn clear(tx: &Tx<'_, '_>, tenant: &str, id: &TimerId) -> Result<(), TxError> {
    tx.sql.execute("DELETE FROM timers WHERE tenant = ?1 AND id = ?2", (tenant, id.as_str()))?;
    Ok(())
}

fn due(sql: &Connection, now: Timestamp, limit: u32) -> rusqlite::Result<Vec<TimerRow>> {
    const SELECT: &str = concat!(
        "SELECT t.id, t.due, t.about, ",
        lane_parts!(),
        " FROM timers t JOIN lanes l ON l.n = t.lane",
        " WHERE t.due <= ?1 ORDER BY t.due, t.tenant, t.id LIMIT ?2"
    );
    let read = |row: &Row<'_>| {
        let (id, due) = (TimerId(row.get("id")?), moment(row, "due")?);
        Ok(TimerRow { id, lane: lane_key(row)?, due, about: row.get("about")? })
    };
    sql.prepare_cached(SELECT)?.query_map((now.0, limit), read)?.collect()
}

fn next_due(sql: &Connection, now: Timestamp) -> rusqlite::Result<Option<Timestamp>> {
    // Two searches, each in one index; SQLite would read a union of both as a whole.
    let first = |select: &str| -> rusqlite::Result<Option<i64>> {
        let at: Option<i64> = sql.prepare_cached(select)?.query_row([now.0], |row| row.get(0))?;
        Ok(at.filter(|at| *at != NEVER))
    };
    let timer = first("SELECT min(due) FROM timers WHERE due > ?1")?;
    let effect = first("SELECT min(wake) FROM outbox WHERE wake > ?1")?;
    Ok(timer.into_iter().chain(effect).min().map(Timestamp))
}

#[async_trait]
impl Timers for SqliteStore {
    async fn due_timers(&self, limit: u32) -> Result<Vec<TimerRow>, StoreError> {
        let now = self.clock.now();
        self.read("look for deadlines", |sql| due(sql, now, limit))
    }

    async fn clear_timer(&self, tenant: &str, id: &TimerId) -> Result<(), StoreError> {
        let (tenant, id) = (tenant.to_owned(), id.clone());
        Ok(self.writer.call("clear a deadline", move |tx| clear(tx, &tenant, &id)).await?)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let now = self.clock.now();
        self.read("look for the next deadline", |sql| next_due(sql, now))
    }
}
