//! The audit chain of a tenant.

use async_trait::async_trait;
use throughline_engine::data::canonical_json::{Hash, hex};
use tokio_postgres::Row;

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

/// Locks the end of the chain, so that it does not fork.
pub(super) const HEAD: &str = "SELECT audit_number, audit_hash FROM tenants WHERE tenant = $1 FOR UPDATE";

/// Appends rows with the numbers and hashes of [`Links`], and moves the end.
pub(super) const APPEND: &str = "WITH rows AS (INSERT INTO audit (tenant, number, hash, row) \
        SELECT $1::text, * FROM unnest($2::bigint[], $3::text[], $4::text[]) RETURNING number, hash) \
    UPDATE tenants SET audit_number = rows.number, audit_hash = rows.hash \
    FROM (SELECT number, hash FROM rows ORDER BY number DESC LIMIT 1) rows WHERE tenant = $1";

/// Reads the end of the chain from a row of [`HEAD`].
pub(super) fn head(row: &Row) -> (i64, Hash) {
    (row.get(0), hash(row.get(1)))
}

/// Rows that follow the end of the chain, as columns.
#[derive(Default)]
pub(super) struct Links<'r> {
    pub(super) numbers: Vec<i64>,
    pub(super) hashes: Vec<String>,
    pub(super) rows: Vec<&'r str>,
}

impl<'r> Links<'r> {
    pub(super) fn after(end: Option<(i64, Hash)>, rows: impl IntoIterator<Item = &'r str>) -> Self {
        let (mut number, mut last) = end.unwrap_or((0, GENESIS));
        let mut links = Self::default();
        for row in rows {
            (number, last) = (number + 1, link(&last, row));
            links.numbers.push(number);
            links.hashes.push(hex(&last));
            links.rows.push(row);
        }
        links
    }
}

/// Appends a row.
pub(super) async fn append(tx: &Tx, row: &str) -> Result<(), TxError> {
    tx.enter_tenant().await?;
    let end = tx.first(HEAD, &[&tx.tenant]).await?;
    let links = Links::after(end.as_ref().map(head), [row]);
    tx.execute(APPEND, &[&tx.tenant, &links.numbers, &links.hashes, &links.rows]).await?;
    Ok(())
}

async fn verify(tx: &Tx) -> Result<Option<i64>, TxError> {
    let end = "SELECT audit_number, audit_hash FROM tenants WHERE tenant = $1 FOR SHARE";
    let select = "SELECT number, row, hash FROM audit WHERE tenant = $1 ORDER BY number";
    let mut found = tx.reads(&[(end, &[&tx.tenant]), (select, &[&tx.tenant])]).await?;
    let rows = found.pop().unwrap_or_default();
    let head = found.pop().and_then(|rows| rows.first().map(head)).unwrap_or((0, GENESIS));
    Ok(first_break(rows.iter().map(|row| (row.get(0), row.get(1), hash(row.get(2)))), head))
}

#[async_trait]
impl Audit for PostgresStore {
    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError> {
        let select =
            "SELECT number, row FROM audit WHERE tenant = $1 AND number > $2 ORDER BY number LIMIT $3";
        let rows = transact!(self, "read the audit chain", tenant, |tx| {
            tx.read(select, &[&tx.tenant, &after, &i64::from(limit)]).await
        })?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError> {
        transact!(self, "verify the audit chain", tenant, |tx| verify(tx).await)
    }
}
