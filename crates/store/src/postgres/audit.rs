//! The audit chain of a tenant.

use async_trait::async_trait;
use throughline_engine::data::canonical_json::{Hash, hex};

use super::PostgresStore;
use super::error::TxError;
use super::session::{Tx, transact};
use crate::audit_chain::{GENESIS, first_break, link};
use crate::contract::{Audit, StoreError};

/// Reads a hash. One that is no hash was tampered with, and equals none.
fn hash(text: &str) -> Hash {
    let byte = |at: usize| text.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    bytes.and_then(|bytes| Hash::try_from(bytes).ok()).unwrap_or([0xff; 32])
}

/// Appends a row. The tenant's row is locked, so that the chain does not fork.
pub(super) async fn append(tx: &Tx, row: &str) -> Result<(), TxError> {
    tx.enter_tenant().await?;
    let head = "SELECT audit_number, audit_hash FROM tenants WHERE tenant = $1 FOR UPDATE";
    let found = tx.first(head, &[&tx.tenant]).await?;
    let (number, prev) = found.map_or((0_i64, GENESIS), |head| (head.get(0), hash(head.get(1))));
    let (number, hash) = (number + 1, hex(&link(&prev, row)));
    let insert = "INSERT INTO audit (tenant, number, hash, row) VALUES ($1, $2, $3, $4)";
    tx.execute(insert, &[&tx.tenant, &number, &hash, &row]).await?;
    let update = "UPDATE tenants SET audit_number = $2, audit_hash = $3 WHERE tenant = $1";
    tx.execute(update, &[&tx.tenant, &number, &hash]).await?;
    Ok(())
}

async fn verify(tx: &Tx) -> Result<Option<i64>, TxError> {
    let head = "SELECT audit_number, audit_hash FROM tenants WHERE tenant = $1 FOR SHARE";
    let head = tx.first(head, &[&tx.tenant]).await?;
    let head = head.map_or((0, GENESIS), |row| (row.get(0), hash(row.get(1))));
    let select = "SELECT number, row, hash FROM audit WHERE tenant = $1 ORDER BY number";
    let rows = tx.rows(select, &[&tx.tenant]).await?;
    Ok(first_break(rows.iter().map(|row| (row.get(0), row.get(1), hash(row.get(2)))), head))
}

#[async_trait]
impl Audit for PostgresStore {
    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError> {
        let select =
            "SELECT number, row FROM audit WHERE tenant = $1 AND number > $2 ORDER BY number LIMIT $3";
        let rows = transact!(self, "read the audit chain", tenant, |tx| {
            tx.rows(select, &[&tx.tenant, &after, &i64::from(limit)]).await
        })?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError> {
        transact!(self, "verify the audit chain", tenant, |tx| verify(tx).await)
    }
}
