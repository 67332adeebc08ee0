//! The kill switch of each tenant.

use async_trait::async_trait;
use throughline_engine::Timestamp;
use tokio_postgres::Row;

use super::error::TxError;
use super::session::{Tx, transact};
use super::{PostgresStore, audit};
use crate::contract::{KillSwitch, PauseRow, StoreError};

/// Reads the pause in force.
pub(super) const PAUSE: &str =
    "SELECT pause_by, pause_since, pause_reason, pause_everything FROM tenants WHERE tenant = $1";

/// Returns the pause that a row of [`PAUSE`] holds.
pub(super) fn pause(row: &Row) -> Option<PauseRow> {
    Some(PauseRow {
        by: row.get::<_, Option<String>>(0)?,
        since: Timestamp(row.get::<_, Option<i64>>(1)?),
        reason: row.get::<_, Option<String>>(2)?,
        everything: row.get::<_, Option<bool>>(3)?,
    })
}

async fn set(tx: &Tx, pause: Option<&PauseRow>, row: &str) -> Result<(), TxError> {
    audit::append(tx, row).await?;
    let (by, since) = pause.map(|pause| (&pause.by, pause.since.0)).unzip();
    let (reason, everything) = pause.map(|pause| (&pause.reason, pause.everything)).unzip();
    let set = "UPDATE tenants SET pause_by = $2, pause_since = $3, pause_reason = $4, pause_everything = $5 \
               WHERE tenant = $1";
    tx.execute(set, &[&tx.tenant, &by, &since, &reason, &everything]).await?;
    Ok(())
}

#[async_trait]
impl KillSwitch for PostgresStore {
    async fn pause(&self, tenant: &str) -> Result<Option<PauseRow>, StoreError> {
        transact!(self, "read the kill switch", tenant, |tx| {
            let row = tx.read_first(PAUSE, &[&tx.tenant]).await?;
            Ok::<_, TxError>(row.as_ref().and_then(pause))
        })
    }

    async fn set_pause(&self, tenant: &str, pause: Option<PauseRow>, audit: &str) -> Result<(), StoreError> {
        transact!(self, "set the kill switch", tenant, |tx| set(tx, pause.as_ref(), audit).await)
    }
}
