//! Policies by version.

use async_trait::async_trait;
use rusqlite::OptionalExtension;

use super::SqliteStore;
use super::error::TxError;
use super::writer::Tx;
use crate::contract::{Policies, StoreError};

fn keep_policy(tx: &Tx<'_, '_>, tenant: &str, version: &str, policy: &str) -> Result<(), TxError> {
    let keep = "INSERT INTO policies (tenant, version, policy) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    tx.sql.execute(keep, (tenant, version, policy))?;
    Ok(())
}

#[async_trait]
impl Policies for SqliteStore {
    async fn keep_policy(&self, tenant: &str, version: &str, policy: &str) -> Result<(), StoreError> {
        let (tenant, version, policy) = (tenant.to_owned(), version.to_owned(), policy.to_owned());
        Ok(self.writer.call("keep a policy", move |tx| keep_policy(tx, &tenant, &version, &policy)).await?)
    }

    async fn policy(&self, tenant: &str, version: &str) -> Result<Option<String>, StoreError> {
        self.read("read a policy", |sql| {
            sql.prepare_cached("SELECT policy FROM policies WHERE tenant = ?1 AND version = ?2")?
                .query_row((tenant, version), |row| row.get(0))
                .optional()
        })
    }
}
