//! The kill switch: columns of the tenant's row.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::Timestamp;

use super::SqliteStore;
use super::audit::append;
use super::error::TxError;
use super::writer::Tx;
use crate::contract::{KillSwitch, PauseRow, StoreError};

/// Reads a pause from four columns, beginning at `first`.
pub(super) fn pause_row(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<PauseRow>> {
    let Some(by) = row.get(first)? else { return Ok(None) };
    Ok(Some(PauseRow {
        by,
        since: Timestamp(row.get(first + 1)?),
        reason: row.get(first + 2)?,
        everything: row.get(first + 3)?,
    }))
}

fn pause(sql: &Connection, tenant: &str) -> rusqlite::Result<Option<PauseRow>> {
    let select =
        "SELECT pause_by, pause_since, pause_reason, pause_everything FROM tenants WHERE tenant = ?1";
    let row = sql.prepare_cached(select)?.query_row([tenant], |row| pause_row(row, 0)).optional()?;
    Ok(row.flatten())
}

fn set_pause(tx: &Tx<'_, '_>, tenant: &str, pause: Option<&PauseRow>, audit: &str) -> Result<(), TxError> {
    append(tx, tenant, audit)?;
    let set = "UPDATE tenants SET pause_by = ?2, pause_since = ?3, pause_reason = ?4, pause_everything = ?5 \
               WHERE tenant = ?1";
    let params = (
        tenant,
        pause.map(|p| &p.by),
        pause.map(|p| p.since.0),
        pause.map(|p| &p.reason),
        pause.map(|p| p.everything),
    );
    tx.sql.execute(set, params)?;
    Ok(())
}

#[async_trait]
impl KillSwitch for SqliteStore {
    async fn pause(&self, tenant: &str) -> Result<Option<PauseRow>, StoreError> {
        self.read("read the kill switch", |sql| pause(sql, tenant))
    }

    async fn set_pause(&self, tenant: &str, pause: Option<PauseRow>, audit: &str) -> Result<(), StoreError> {
        let (tenant, audit) = (tenant.to_owned(), audit.to_owned());
        let call =
            self.writer.call("set the kill switch", move |tx| set_pause(tx, &tenant, pause.as_ref(), &audit));
        Ok(call.await?)
    }
}
