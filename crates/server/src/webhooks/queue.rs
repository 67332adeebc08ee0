//! State of a webhook in the store: how far events were sent, which conversations wait after a failure, and which events
//! were given up. Documents hold ids and no words; an event is made anew whenever it is sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use throughline_engine::{Millis, Timestamp};
use throughline_store::{Document, Store, StoreError, TurnSeq};

/// Collection of how far each webhook is.
const WEBHOOKS: &str = "webhooks";
/// Documents read at a time.
const PAGE: u32 = 200;

/// Waits between attempts at one event. When they are over, it is given up.
pub(crate) const WAITS: [Millis; 9] = [
    5 * Timestamp::SECOND,
    5 * Timestamp::MINUTE,
    30 * Timestamp::MINUTE,
    2 * Timestamp::HOUR,
    5 * Timestamp::HOUR,
    10 * Timestamp::HOUR,
    14 * Timestamp::HOUR,
    20 * Timestamp::HOUR,
    24 * Timestamp::HOUR,
];

/// Progress of a webhook.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Position up to which turns were sent, or are left to conversations that wait.
    pub(crate) position: TurnSeq,
    /// Reason and time for which nothing is sent any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) disabled: Option<Disabled>,
}

/// End of a webhook, until somebody enables it.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Disabled {
    pub(crate) at: Timestamp,
    pub(crate) why: String,
}

/// Conversation whose next event could not be sent, by the id of its lane.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Held {
    /// Revision whose turn was sent whole.
    pub(crate) revision: u64,
    /// First slot of the turn after it that was not sent.
    pub(crate) slot: usize,
    /// Attempts at that event so far.
    pub(crate) attempts: u32,
    /// Time of the next attempt.
    pub(crate) not_before: Timestamp,
    /// Failure of the last attempt.
    pub(crate) why: String,
}

/// Event that was given up, by its id.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Dead {
    pub(crate) lane: String,
    pub(crate) turn: String,
    pub(crate) revision: u64,
    pub(crate) slot: usize,
    pub(crate) kind: String,
    pub(crate) attempts: u32,
    pub(crate) at: Timestamp,
    pub(crate) why: String,
}

/// Value that is kept, with the version of its document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept<T> {
    pub(crate) version: u64,
    pub(crate) value: T,
}

/// Store of one webhook's state.
#[derive(Clone)]
pub(crate) struct Queue {
    store: Arc<dyn Store>,
    tenant: String,
    name: String,
}

/// Changes that are written together.
#[derive(Default)]
pub(crate) struct Writes(Vec<(String, Document)>);

impl Queue {
    pub(crate) fn new(store: Arc<dyn Store>, tenant: &str, name: &str) -> Self {
        Self { store, tenant: tenant.into(), name: name.into() }
    }

    /// Returns the progress. A webhook that is new begins with what happens from now on, which is durable then.
    pub(crate) async fn progress(&self) -> Result<Kept<Progress>, StoreError> {
        loop {
            let found = self.store.document(&self.tenant, WEBHOOKS, &self.name).await?;
            if let Some(kept) = found.and_then(read) {
                return Ok(kept);
            }
            let position = self.store.turns_end(&self.tenant).await?;
            let first = Kept { version: 0, value: Progress { position, disabled: None } };
            let mut writes = Writes::default();
            self.set_progress(&mut writes, &first);
            self.write(writes, None).await?;
        }
    }

    /// Returns how far a webhook is, if it ever ran.
    pub(crate) async fn known(&self) -> Result<Option<Kept<Progress>>, StoreError> {
        Ok(self.store.document(&self.tenant, WEBHOOKS, &self.name).await?.and_then(read))
    }

    pub(crate) fn set_progress(&self, writes: &mut Writes, kept: &Kept<Progress>) {
        writes.0.push((WEBHOOKS.into(), document(&self.name, kept.version, Some(&kept.value))));
    }

    /// Returns the conversations that wait, with the versions of those that waited before.
    pub(crate) async fn held(&self) -> Result<BTreeMap<String, Kept<Option<Held>>>, StoreError> {
        let (mut all, collection) = (BTreeMap::new(), self.collection("held"));
        let mut after: Option<String> = None;
        loop {
            let page = self.store.documents(&self.tenant, &collection, after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(all) };
            after = Some(last.key.clone());
            for document in page {
                let value = serde_json::from_str(&document.body).ok();
                all.insert(document.key, Kept { version: document.version, value });
            }
        }
    }

    /// Sets or ends the wait of a conversation.
    pub(crate) fn set_held(&self, writes: &mut Writes, lane: &str, version: u64, held: Option<&Held>) {
        writes.0.push((self.collection("held"), document(lane, version, held)));
    }

    /// Adds an event that was given up.
    pub(crate) fn set_dead(&self, writes: &mut Writes, id: &str, version: u64, dead: Option<&Dead>) {
        writes.0.push((self.collection("dead"), document(id, version, dead)));
    }

    /// Returns one event that was given up.
    pub(crate) async fn dead_one(&self, id: &str) -> Result<Option<Kept<Dead>>, StoreError> {
        Ok(self.store.document(&self.tenant, &self.collection("dead"), id).await?.and_then(read))
    }

    /// Returns the version of an event that was given up before; 0 if it never was.
    pub(crate) async fn version_of_dead(&self, id: &str) -> Result<u64, StoreError> {
        let found = self.store.document(&self.tenant, &self.collection("dead"), id).await?;
        Ok(found.map_or(0, |found| found.version))
    }

    /// Returns up to `limit` events that were given up, in the order of their ids.
    pub(crate) async fn dead(
        &self,
        mut after: Option<String>,
        limit: usize,
    ) -> Result<Vec<(String, Kept<Dead>)>, StoreError> {
        let (mut all, collection) = (Vec::new(), self.collection("dead"));
        loop {
            let page = self.store.documents(&self.tenant, &collection, after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(all) };
            after = Some(last.key.clone());
            all.extend(page.into_iter().filter_map(|document| Some((document.key.clone(), read(document)?))));
            if all.len() >= limit {
                all.truncate(limit);
                return Ok(all);
            }
        }
    }

    /// Writes changes together. Returns false, with nothing written, if somebody else wrote meanwhile.
    pub(crate) async fn write(&self, writes: Writes, audit: Option<&str>) -> Result<bool, StoreError> {
        if writes.0.is_empty() && audit.is_none() {
            return Ok(true);
        }
        self.store.write_documents(&self.tenant, writes.0, audit).await
    }

    fn collection(&self, of: &str) -> String {
        format!("{WEBHOOKS}.{}.{of}", self.name)
    }
}

/// Returns what a document holds; `None` for one that ended.
fn read<T: DeserializeOwned>(document: Document) -> Option<Kept<T>> {
    let value = serde_json::from_str(&document.body).ok()?;
    Some(Kept { version: document.version, value })
}

/// Returns a document; an empty one stands for what ended.
fn document<T: Serialize>(key: &str, version: u64, value: Option<&T>) -> Document {
    let body = value.map(|value| serde_json::to_string(value).unwrap_or_default());
    Document::new(key, version, body.unwrap_or_default())
}
