//! Answers of HTTP requests.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::key_hash;
use super::error::TxError;
use super::session::{Tx, transact};
use crate::contract::{Requests, StoreError, StoredResponse};

/// Reads the answer of a request, if it has one.
pub(super) fn response(row: &Row) -> Option<StoredResponse> {
    let status = u16::try_from(row.get::<_, Option<i64>>("status")?).ok()?;
    Some(StoredResponse { status, body: row.get::<_, Option<String>>("body")? })
}

type Known = Option<(String, Option<StoredResponse>)>;

async fn begin(tx: &Tx, key: &str, body_hash: &str) -> Result<Known, TxError> {
    let insert = "INSERT INTO requests (tenant, key, body_hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    tx.enter_tenant().await?;
    if tx.execute(insert, &[&tx.tenant, &key, &body_hash]).await? == 1 {
        return Ok(None);
    }
    let select = "SELECT body_hash, status, body FROM requests WHERE tenant = $1 AND key = $2";
    let row = tx.first(select, &[&tx.tenant, &key]).await?;
    Ok(row.map(|row| (row.get::<_, Option<String>>(0).unwrap_or_default(), response(&row))))
}

async fn store(tx: &Tx, key: &str, response: &StoredResponse) -> Result<(), TxError> {
    let put = "INSERT INTO requests (tenant, key, body_hash, status, body) \
               SELECT $1, coalesce(k.first, $2), NULL, $4, $5 FROM delivery_keys k WHERE k.tenant = $1 AND k.key = $3 \
               ON CONFLICT (tenant, key) DO UPDATE SET status = excluded.status, body = excluded.body";
    let status = i64::from(response.status);
    if tx.execute(put, &[&tx.tenant, &key, &key_hash(&tx.tenant, key), &status, &response.body]).await? == 1 {
        return Ok(());
    }
    let update = "UPDATE requests SET status = $3, body = $4 WHERE tenant = $1 AND key = $2";
    match tx.execute(update, &[&tx.tenant, &key, &status, &response.body]).await? {
        0 => Err(TxError::Refused(format!("no request has the key {key}"))),
        _ => Ok(()),
    }
}

#[async_trait]
impl Requests for PostgresStore {
    async fn begin_request(&self, tenant: &str, key: &str, body_hash: &str) -> Result<Known, StoreError> {
        transact!(self, "begin a request", tenant, |tx| begin(tx, key, body_hash).await)
    }

    async fn store_response(
        &self,
        tenant: &str,
        key: &str,
        response: StoredResponse,
    ) -> Result<(), StoreError> {
        transact!(self, "keep an answer", tenant, |tx| store(tx, key, &response).await)
    }
}
