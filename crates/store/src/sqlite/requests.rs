//! Answers of HTTP requests.

use async_trait::async_trait;

use super::SqliteStore;
use super::codec::{Hex, HexText};
use super::delivery_keys::DeliveryKey;
use super::error::TxError;
use super::writer::Tx;
use crate::contract::{Forgotten, Requests, StoreError, StoredResponse};

fn respond(tx: &Tx<'_, '_>, tenant: &str, key: &str, response: &StoredResponse) -> Result<(), TxError> {
    let first = match DeliveryKey::find(tx.sql, tenant, key)? {
        Some(identity) => Some(identity.first.unwrap_or_else(|| key.to_owned())),
        None => {
            let known = "SELECT key FROM requests WHERE tenant = ?1 AND key = ?2";
            tx.sql.first(known, (tenant, key), |row| row.get(0))?
        }
    };
    let first = first.ok_or_else(|| TxError::Refused(format!("no request has the key {key}")))?;
    let keep = "INSERT INTO requests (tenant, key, status, body) VALUES (?1, ?2, ?3, ?4) \
                ON CONFLICT (tenant, key) DO UPDATE SET status = excluded.status, body = excluded.body";
    tx.sql.execute(keep, (tenant, first, response.status, &response.body))?;
    Ok(())
}

/// Forgets the answers whose delivery is not known any more. Those of requests that delivered nothing have a hash.
fn forget(tx: &Tx<'_, '_>, tenant: &str, after: &str, limit: u32) -> Result<Forgotten, TxError> {
    let select =
        "SELECT key FROM requests WHERE tenant = ?1 AND key > ?2 AND body_hash IS NULL ORDER BY key LIMIT ?3";
    let mut select = tx.sql.prepare_cached(select)?;
    let page = select.query_map((tenant, after, limit), |row| row.get(0))?;
    let page = page.collect::<rusqlite::Result<Vec<String>>>()?;
    let full = page.len() == limit as usize;
    let mut forgotten = Forgotten { keys: 0, next: page.last().filter(|_| full).cloned() };
    for key in &page {
        if DeliveryKey::find(tx.sql, tenant, key)?.is_none() {
            tx.sql.execute("DELETE FROM requests WHERE tenant = ?1 AND key = ?2", (tenant, key))?;
            forgotten.keys += 1;
        }
    }
    Ok(forgotten)
}

type Begun = (String, Option<StoredResponse>);

fn begin(tx: &Tx<'_, '_>, tenant: &str, key: &str, body_hash: &str) -> Result<Option<Begun>, TxError> {
    let insert = "INSERT INTO requests (tenant, key, body_hash) VALUES (?1, ?2, ?3) \
                  ON CONFLICT (tenant, key) DO NOTHING";
    if tx.sql.execute(insert, (tenant, key, Hex(body_hash)))? == 1 {
        return Ok(None);
    }
    let select = "SELECT body_hash, status, body FROM requests WHERE tenant = ?1 AND key = ?2";
    let begun = tx.sql.first(select, (tenant, key), |row| {
        let (hash, status, body): (HexText, Option<u16>, Option<String>) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((hash.0, status.zip(body).map(|(status, body)| StoredResponse { status, body })))
    })?;
    Ok(begun)
}

#[async_trait]
impl Requests for SqliteStore {
    async fn begin_request(
        &self,
        tenant: &str,
        key: &str,
        body_hash: &str,
    ) -> Result<Option<Begun>, StoreError> {
        let (tenant, key, hash) = (tenant.to_owned(), key.to_owned(), body_hash.to_owned());
        Ok(self.writer.call("claim an Idempotency-Key", move |tx| begin(tx, &tenant, &key, &hash)).await?)
    }

    async fn store_response(
        &self,
        tenant: &str,
        key: &str,
        response: StoredResponse,
    ) -> Result<(), StoreError> {
        let (tenant, key) = (tenant.to_owned(), key.to_owned());
        Ok(self.writer.call("keep an answer", move |tx| respond(tx, &tenant, &key, &response)).await?)
    }

    async fn forget_answers(
        &self,
        tenant: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Forgotten, StoreError> {
        let (tenant, after) = (tenant.to_owned(), after.unwrap_or_default().to_owned());
        Ok(self.writer.call("forget answers", move |tx| forget(tx, &tenant, &after, limit)).await?)
    }
}
