//! Documents in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use crate::contract::{Document, Documents, StoreError};

#[async_trait]
impl Documents for MemoryStore {
    async fn document(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, StoreError> {
        let key = (collection.to_owned(), key.to_owned());
        Ok(self.lock().tenants.get(tenant).and_then(|t| t.documents.get(&key).cloned()))
    }

    async fn documents(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(Vec::new()) };
        let from = (collection.to_owned(), after.unwrap_or_default().to_owned());
        let found = tenant.documents.range(from..).take_while(|((c, _), _)| c == collection);
        let found = found.filter(|((_, key), _)| after.is_none_or(|after| key.as_str() > after));
        Ok(found.take(limit as usize).map(|(_, document)| document.clone()).collect())
    }

    async fn write_documents(
        &self,
        tenant: &str,
        writes: Vec<(String, Document)>,
        audit: Option<&str>,
    ) -> Result<bool, StoreError> {
        let mut data = self.lock();
        let tenant = data.tenant(tenant);
        let documents = &mut tenant.documents;
        let mut written: BTreeMap<(String, String), Document> = BTreeMap::new();
        for (collection, document) in writes {
            let key = (collection, document.key.clone());
            let kept = written.get(&key).or_else(|| documents.get(&key));
            if kept.map_or(0, |kept| kept.version) != document.version {
                return Ok(false);
            }
            written.insert(key, Document { version: document.version + 1, ..document });
        }
        documents.extend(written);
        if let Some(row) = audit {
            tenant.append_audit(row);
        }
        Ok(true)
    }
}
