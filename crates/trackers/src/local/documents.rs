//! The storage the local tracker needs: documents by collection and key, written by compare-and-swap.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

/// One document of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its key in the collection.
    pub key: String,
    /// Rises by one with every write. In a write it is the expected version; 0 if the document must not exist yet.
    pub version: u64,
    /// Its text.
    pub body: String,
}

/// A failure of the documents' storage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentsError {
    /// Nothing was read or written.
    #[error("cannot {act}: {why}")]
    Unavailable {
        /// The act that failed.
        act: &'static str,
        /// The store's reason.
        why: String,
    },
    /// A write may or may not have happened.
    #[error("cannot tell whether the tracker's documents were written: {why}")]
    Unknown {
        /// The store's reason.
        why: String,
    },
}

/// The storage of the local tracker. `server` implements it over the store.
#[async_trait]
pub trait Documents: Send + Sync {
    /// The document with that key, if there is one.
    async fn get(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, DocumentsError>;

    /// At most `limit` documents whose key sorts after `after`, in key order.
    async fn list(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, DocumentsError>;

    /// Writes (collection, document) pairs if every document is at its expected version. Returns false, and writes
    /// nothing, if one was not.
    async fn write(&self, tenant: &str, writes: Vec<(String, Document)>) -> Result<bool, DocumentsError>;
}

/// Documents in memory, for tests. Share it in an `Arc`.
#[derive(Debug, Default)]
pub struct MemoryDocuments {
    rows: Mutex<BTreeMap<Place, (u64, String)>>,
}

/// Tenant, collection and key.
type Place = (String, String, String);

impl MemoryDocuments {
    /// Creates an empty storage.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl Documents for MemoryDocuments {
    async fn get(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, DocumentsError> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = rows.get(&(tenant.into(), collection.into(), key.into()));
        Ok(row.map(|(version, body)| Document { key: key.into(), version: *version, body: body.clone() }))
    }

    async fn list(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, DocumentsError> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let from = (tenant.to_owned(), collection.to_owned(), after.unwrap_or_default().to_owned());
        let of_collection = rows.range(from..).take_while(|((t, c, _), _)| t == tenant && c == collection);
        let new = of_collection.filter(|((.., key), _)| after.is_none_or(|after| key.as_str() > after));
        let documents = new.map(|((.., key), (version, body))| Document {
            key: key.clone(),
            version: *version,
            body: body.clone(),
        });
        Ok(documents.take(limit as usize).collect())
    }

    async fn write(&self, tenant: &str, writes: Vec<(String, Document)>) -> Result<bool, DocumentsError> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let at = |collection: &String, key: &String| (tenant.to_owned(), collection.clone(), key.clone());
        let fits = writes
            .iter()
            .all(|(c, doc)| rows.get(&at(c, &doc.key)).map_or(0, |(version, _)| *version) == doc.version);
        if fits {
            for (collection, document) in writes {
                rows.insert(at(&collection, &document.key), (document.version + 1, document.body));
            }
        }
        Ok(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc(key: &str, version: u64, body: &str) -> Document {
        Document { key: key.into(), version, body: body.into() }
    }

    #[tokio::test]
    async fn writes_all_or_nothing() {
        let documents = MemoryDocuments::new();
        let both = vec![("a".to_owned(), doc("1", 0, "x")), ("b".to_owned(), doc("1", 0, "y"))];
        assert!(documents.write("t", both.clone()).await.unwrap());
        assert!(!documents.write("t", both).await.unwrap(), "both exist now");
        let one_stale = vec![("a".to_owned(), doc("1", 1, "x2")), ("b".to_owned(), doc("1", 0, "y2"))];
        assert!(!documents.write("t", one_stale).await.unwrap());
        assert_eq!(documents.get("t", "a", "1").await.unwrap(), Some(doc("1", 1, "x")));
        assert_eq!(documents.get("other", "a", "1").await.unwrap(), None);
    }

    #[tokio::test]
    async fn lists_one_collection_in_key_order() {
        let documents = MemoryDocuments::new();
        for key in ["3", "1", "2"] {
            documents.write("t", vec![("a".into(), doc(key, 0, key))]).await.unwrap();
            documents.write("t", vec![("b".into(), doc(key, 0, key))]).await.unwrap();
        }
        let keys = |documents: Vec<Document>| documents.into_iter().map(|d| d.key).collect::<Vec<_>>();
        assert_eq!(keys(documents.list("t", "a", None, 2).await.unwrap()), ["1", "2"]);
        assert_eq!(keys(documents.list("t", "a", Some("2"), 9).await.unwrap()), ["3"]);
        assert!(documents.list("u", "a", None, 9).await.unwrap().is_empty());
    }
}
