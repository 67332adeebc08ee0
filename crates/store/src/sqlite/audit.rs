//! The audit chain: rows in `audit`, the head of each tenant's chain in `tenants`.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::data::canonical_json::Hash;

use super::SqliteStore;
use super::error::TxError;
use super::writer::Tx;
use crate::audit_chain::{GENESIS, first_break, link};
use crate::contract::{Audit, StoreError};

/// Appends a row to a tenant's chain and moves the chain's head.
pub(super) fn append(tx: &Tx<'_, '_>, tenant: &str, row: &str) -> Result<(), TxError> {
    let (number, prev) = chain_head(tx.sql, tenant)?;
    let (number, hash) = (number + 1, link(&prev, row));
    tx.sql.execute(
        "INSERT INTO audit (tenant, number, hash, row) VALUES (?1, ?2, ?3, ?4)",
        (tenant, number, hash, row),
    )?;
    let head = "INSERT INTO tenants (tenant, audit_number, audit_hash) VALUES (?1, ?2, ?3) \
                ON CONFLICT DO UPDATE SET audit_number = excluded.audit_number, audit_hash = excluded.audit_hash";
    tx.sql.execute(head, (tenant, number, hash))?;
    Ok(())
}

fn chain_head(sql: &Connection, tenant: &str) -> rusqlite::Result<(i64, Hash)> {
    let select = "SELECT audit_number, audit_hash FROM tenants WHERE tenant = ?1";
    let head = sql.prepare_cached(select)?.query_row([tenant], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(head.optional()?.unwrap_or((0, GENESIS)))
}

fn verify_audit(sql: &Connection, tenant: &str) -> rusqlite::Result<Option<i64>> {
    let head = chain_head(sql, tenant)?;
    let mut rows =
        sql.prepare_cached("SELECT number, row, hash FROM audit WHERE tenant = ?1 ORDER BY number")?;
    let rows = rows
        .query_map([tenant], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(i64, String, Hash)>>>()?;
    Ok(first_break(rows.iter().map(|(n, row, hash)| (*n, row.as_str(), *hash)), head))
}

#[async_trait]
impl Audit for SqliteStore {
    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError> {
        self.read("read the audit chain", |sql| {
            let select =
                "SELECT number, row FROM audit WHERE tenant = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            sql.prepare_cached(select)?.query_map((tenant, after, limit), read)?.collect()
        })
    }

    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError> {
        self.read("verify the audit chain", |sql| verify_audit(sql, tenant))
    }
}
