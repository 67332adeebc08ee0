//! Versioned documents in collections: what the local tracker, the web chat and other parts beside the engine keep.

use async_trait::async_trait;

use throughline_engine::LaneId;

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
    /// Its subjects, for erasure.
    pub about: DocumentSubjects,
}

/// People, lane and words that a document holds. Erasure goes by these alone, never by what a key or a body looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentSubjects {
    /// People it is about: erased with any of them.
    pub people: Vec<String>,
    /// Lane it belongs to: erased with it.
    pub lane: Option<LaneId>,
    /// True if its body is JSON with words of people in members called `fields` and `text`: rewritten without the words
    /// of somebody who is erased.
    pub words: bool,
}

impl Document {
    /// Returns a document about nobody.
    pub fn new(key: impl Into<String>, version: u64, body: impl Into<String>) -> Self {
        Self { key: key.into(), version, body: body.into(), about: DocumentSubjects::default() }
    }

    /// Returns the document as one about these people.
    #[must_use]
    pub fn about(mut self, people: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.about.people = people.into_iter().map(Into::into).collect();
        self
    }
}
