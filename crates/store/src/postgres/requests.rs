//! Answers of HTTP requests.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::key_hash;
use super::error::TxError;
use super::session::{Tx, transact};
use crate::contract::{Forgotten, Requests, StoreError, StoredResponse};

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

/// Forgets the answers whose delivery is not known any more. Those of requests that delivered nothing have a hash.
async fn forget(tx: &Tx, after: &str, limit: u32) -> Result<Forgotten, TxError> {
    let select =
        "SELECT key FROM requests WHERE tenant = $1 AND key > $2 AND body_hash IS NULL ORDER BY key LIMIT $3";
    let page = tx.rows(select, &[&tx.tenant, &after, &i64::from(limit)]).await?;
    let page: Vec<String> = page.iter().map(|row| row.get(0)).collect();
    let hashes: Vec<String> = page.iter().map(|key| key_hash(&tx.tenant, key)).collect();
    let delete = "DELETE FROM requests r USING unnest($2::text[], $3::text[]) AS a (key, hash) \
                  WHERE r.tenant = $1 AND r.key = a.key AND NOT EXISTS \
                  (SELECT 1 FROM delivery_keys k WHERE k.tenant = $1 AND k.key = a.hash)";
    let deleted = tx.last(&[(delete, &[&tx.tenant, &page, &hashes])]).await?.pop().unwrap_or_default();
    let full = page.len() == limit as usize;
    Ok(Forgotten { keys: deleted.changed, next: page.last().filter(|_| full).cloned() })
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

    async fn forget_answers(
        &self,
        tenant: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Forgotten, StoreError> {
        let after = after.unwrap_or_default();
        transact!(self, "forget answers", tenant, |tx| forget(tx, after, limit).await)
    }
}
