//! Sessions that began, for the list of them. Whether a session counts is said by its cookie and by `ended.rs`, never by this
//! list: it is what a person and an administrator look at to end one.

use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_store::{Document, Store, StoreError};

/// Collection of the sessions, whose keys begin with their end: those that are over come first and are not read.
const COLLECTION: &str = "web.sessions";
/// Documents read at a time.
const BATCH: u32 = 1_000;
/// Characters of what a browser says of itself.
const LONGEST: usize = 200;

/// Session that began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begun {
    pub(crate) id: String,
    pub(crate) user: String,
    /// Way in which the person signed in: `link`, `token` or `openid`.
    pub(crate) by: String,
    /// Browser, as it names itself.
    pub(crate) agent: String,
    pub(crate) began: Timestamp,
    pub(crate) ends: Timestamp,
    /// Time at which it was last seen, as far as the list was told.
    #[serde(default)]
    pub(crate) seen: Option<Timestamp>,
}

/// Returns what a browser says of itself, in short.
pub(super) fn agent(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// Records that a session began.
pub(super) async fn record(store: &dyn Store, tenant: &str, begun: &Begun) -> Result<(), StoreError> {
    let body = serde_json::to_string(begun).unwrap_or_default();
    let document = Document::new(key(begun.ends, &begun.id), 0, body).about([&begun.user]);
    store.write_documents(tenant, vec![(COLLECTION.into(), document)], None).await.map(drop)
}

/// Tells the list that a session was seen. What changes it meanwhile says no less.
pub(super) async fn tell(
    store: &dyn Store,
    tenant: &str,
    (id, ends): (&str, Timestamp),
    at: Timestamp,
) -> Result<(), StoreError> {
    let key = key(ends, id);
    let Some(document) = store.document(tenant, COLLECTION, &key).await? else { return Ok(()) };
    let Ok(begun) = serde_json::from_str::<Begun>(&document.body) else { return Ok(()) };
    let begun = Begun { seen: Some(at).max(begun.seen), ..begun };
    let body = serde_json::to_string(&begun).unwrap_or_default();
    let document = Document::new(key, document.version, body).about([&begun.user]);
    store.write_documents(tenant, vec![(COLLECTION.into(), document)], None).await.map(drop)
}

/// Returns the sessions of a tenant whose time is not over, those that began last first.
pub(super) async fn list(store: &dyn Store, tenant: &str) -> Result<Vec<Begun>, StoreError> {
    let mut after = Some(key(store.now(), ""));
    let mut found: Vec<Begun> = Vec::new();
    loop {
        let read = store.documents(tenant, COLLECTION, after.as_deref(), BATCH).await?;
        after = read.last().map(|document| document.key.clone());
        found.extend(read.iter().filter_map(|document| serde_json::from_str::<Begun>(&document.body).ok()));
        if after.is_none() {
            found.sort_by(|one, other| (other.began, &other.id).cmp(&(one.began, &one.id)));
            return Ok(found);
        }
    }
}

fn key(ends: Timestamp, id: &str) -> String {
    format!("{:015}.{id}", ends.0)
}
