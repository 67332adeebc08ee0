//! Versioned documents in collections: what the local tracker, the web chat and other parts beside the engine keep.

use async_trait::async_trait;

use super::StoreError;

/// Documents of a tenant.
#[async_trait]
pub trait Documents {
    /// Returns one document.
    async fn document(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, StoreError>;

    /// Returns up to `limit` documents of a collection in order of their keys, beginning behind `after`.
    async fn documents(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, StoreError>;

    /// Writes documents, each named by its collection, if every one of them is at the version it states; a written one
    /// is at the next version. `audit`, if given, is appended to the tenant's audit chain in the same transaction.
    /// Returns false, with nothing written, if one of them is at another version.
    async fn write_documents(
        &self,
        tenant: &str,
        writes: Vec<(String, Document)>,
        audit: Option<&str>,
    ) -> Result<bool, StoreError>;
}

/// A document of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its key in the collection.
    pub key: String,
    /// Rises with every write. 0 in a write states that the document does not exist yet.
    pub version: u64,
    /// Its bytes.
    pub body: String,
}
