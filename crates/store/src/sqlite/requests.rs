//! Answers of HTTP requests.

use async_trait::async_trait;

use super::SqliteStore;
use super::codec::{Hex, HexText};
use super::delivery_keys::DeliveryKey;
use super::error::TxError;
use super::writer::Tx;
use crate::contract::{Requests, StoreError, StoredResponse};

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
}
