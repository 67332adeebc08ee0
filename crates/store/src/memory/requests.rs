//! Answers of HTTP requests in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::contract::{Forgotten, Requests, StoreError, StoredResponse};

#[async_trait]
impl Requests for MemoryStore {
    async fn begin_request(
        &self,
        tenant: &str,
        key: &str,
        body_hash: &str,
    ) -> Result<Option<(String, Option<StoredResponse>)>, StoreError> {
        let mut data = self.lock();
        let requests = &mut data.tenant(tenant).requests;
        if let Some(known) = requests.get(key) {
            return Ok(Some(known.clone()));
        }
        requests.insert(key.into(), (body_hash.into(), None));
        Ok(None)
    }

    async fn store_response(
        &self,
        tenant: &str,
        key: &str,
        response: StoredResponse,
    ) -> Result<(), StoreError> {
        let mut data = self.lock();
        let first = data.delivery(tenant, key).map(|row| row.key);
        let requests = &mut data.tenant(tenant).requests;
        let known = first.is_some() || requests.contains_key(key);
        if !known {
            return Err(StoreError::Refused {
                act: "keep an answer",
                why: format!("no request has the key {key}"),
            });
        }
        requests.entry(first.unwrap_or_else(|| key.into())).or_default().1 = Some(response);
        Ok(())
    }

    async fn forget_answers(&self, _: &str, _: Option<&str>, _: u32) -> Result<Forgotten, StoreError> {
        // They went with their deliveries.
        Ok(Forgotten::default())
    }
}
