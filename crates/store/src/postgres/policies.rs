//! Policies of a tenant, by version.

use async_trait::async_trait;

use super::session::transact;
use super::{PostgresStore, TxError};
use crate::contract::{Policies, StoreError};

#[async_trait]
impl Policies for PostgresStore {
    async fn keep_policy(&self, tenant: &str, version: &str, policy: &str) -> Result<(), StoreError> {
        let keep =
            "INSERT INTO policies (tenant, version, policy) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        transact!(self, "keep a policy", tenant, |tx| {
            tx.enter_tenant().await?;
            tx.execute(keep, &[&tx.tenant, &version, &policy]).await?;
            Ok::<_, TxError>(())
        })
    }

    async fn policy(&self, tenant: &str, version: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT policy FROM policies WHERE tenant = $1 AND version = $2";
        let row = transact!(self, "read a policy", tenant, |tx| tx
            .read_first(select, &[&tx.tenant, &version])
            .await)?;
        Ok(row.map(|row| row.get(0)))
    }
}
