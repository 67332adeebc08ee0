//! Documents of the local tracker, kept in the store.

use std::sync::Arc;

use async_trait::async_trait;
use throughline_store::{Document, Store, StoreError};
use throughline_trackers::local::{Document as TrackerDocument, Documents, DocumentsError, holds_words};

/// Adapts a store to the documents of the local tracker.
pub(crate) struct StoredDocuments(pub(crate) Arc<dyn Store>);

fn unavailable(act: &'static str, error: StoreError) -> DocumentsError {
    match error {
        StoreError::Unknown { why, .. } => DocumentsError::Unknown { why },
        error => DocumentsError::Unavailable { act, why: error.to_string() },
    }
}

fn handed(document: Document) -> TrackerDocument {
    TrackerDocument { key: document.key, version: document.version, body: document.body }
}

#[async_trait]
impl Documents for StoredDocuments {
    async fn get(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<TrackerDocument>, DocumentsError> {
        let found = self.0.document(tenant, collection, key).await;
        found.map(|found| found.map(handed)).map_err(|error| unavailable("read an issue", error))
    }

    async fn list(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<TrackerDocument>, DocumentsError> {
        let found = self.0.documents(tenant, collection, after, limit).await;
        let found = found.map_err(|error| unavailable("list issues", error))?;
        Ok(found.into_iter().map(handed).collect())
    }

    async fn write(
        &self,
        tenant: &str,
        writes: Vec<(String, TrackerDocument)>,
    ) -> Result<bool, DocumentsError> {
        let stored = |(collection, document): (String, TrackerDocument)| {
            let TrackerDocument { key, version, body } = document;
            let mut document = Document::new(key, version, body);
            document.about.words = holds_words(&collection);
            (collection, document)
        };
        let written = self.0.write_documents(tenant, writes.into_iter().map(stored).collect(), None).await;
        written.map_err(|error| unavailable("write an issue", error))
    }
}
