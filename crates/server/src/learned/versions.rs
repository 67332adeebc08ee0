//! Versions of what a tenant learned: every one that was approved is kept, so that each can be gone back to.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throughline_engine::data::canonical_json::jcs;
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::{Document, News, Store, StoreError};

use super::Learned;

const COLLECTION: &str = "learned";
/// Key of the document that names the version in force.
const CURRENT: &str = "current";

/// A version that was approved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    /// Number, from 1; 0 is the configuration alone.
    pub(crate) number: u64,
    /// Effect whose approval released it; empty for 0.
    #[serde(default)]
    pub(crate) effect: String,
    /// Its content.
    pub(crate) learned: Learned,
}

/// Returns the version in force, and the store's version of that document.
pub(crate) async fn current(store: &dyn Store, tenant: &str) -> Result<(Version, u64), StoreError> {
    let found = store.document(tenant, COLLECTION, CURRENT).await?;
    Ok(found.map_or_else(Default::default, |document| (read(&document), document.version)))
}

/// Returns a version by its number.
pub(crate) async fn version(
    store: &dyn Store,
    tenant: &str,
    number: u64,
) -> Result<Option<Version>, StoreError> {
    if number == 0 {
        return Ok(Some(Version::default()));
    }
    let found = store.document(tenant, COLLECTION, &key(number)).await?;
    Ok(found.as_ref().map(read))
}

/// Returns the newest versions, newest first.
pub(crate) async fn history(store: &dyn Store, tenant: &str, limit: u64) -> Result<Vec<Version>, StoreError> {
    let (newest, _) = current(store, tenant).await?;
    let mut all = Vec::new();
    for number in (1..=newest.number).rev().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        all.extend(version(store, tenant, number).await?);
    }
    Ok(all)
}

/// Puts a version in force behind `before`. Returns false, with nothing written, if another came between.
pub(crate) async fn write(
    store: &dyn Store,
    tenant: &str,
    version: &Version,
    before: u64,
) -> Result<bool, StoreError> {
    let body = jcs(version);
    let documents = vec![
        (COLLECTION.to_owned(), Document::new(CURRENT, before, body.clone())),
        (COLLECTION.to_owned(), Document::new(key(version.number), 0, body)),
    ];
    let written = store.write_documents(tenant, documents, None).await?;
    if written {
        store.announce(News::Changed);
    }
    Ok(written)
}

/// Puts the version that is stored in force in this process.
pub(crate) async fn take_over(runtime: &Arc<Runtime>, tenant: &str) -> Result<(), RuntimeError> {
    let (version, _) = current(runtime.store().as_ref(), tenant).await?;
    runtime.put_in_force(tenant, version.learned.onto(runtime.policy())).await
}

fn key(number: u64) -> String {
    format!("{number:08}")
}

/// Reads a version. What another version of the program wrote and this one does not know counts as nothing learned: messages are
/// then read as the configuration says.
fn read(document: &Document) -> Version {
    serde_json::from_str(&document.body).unwrap_or_else(|error| {
        tracing::error!(key = document.key, %error, "what was learned cannot be read; the configuration alone counts");
        Version { number: document.version, ..Version::default() }
    })
}
