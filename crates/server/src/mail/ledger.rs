//! State of mail in the store: how far the turns were read, the mails that wait, and what became of each. Documents hold ids
//! and what the mail server said; a mail is written when it is sent. Notifications of browsers are kept in the same way, under
//! a name of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use throughline_engine::{CardId, LaneId, Timestamp};
use throughline_store::{Document, DocumentSubjects, Store, StoreError, TurnSeq};

/// Name of mail, with which its collections begin.
const MAIL: &str = "mail";
/// Collection of how far it is.
const HOW_FAR: &str = "";
/// Key of that document.
const PROGRESS: &str = "progress";
/// Collection of the mails that wait, in the order in which they came to wait.
const WAITING: &str = ".waiting";
/// Collection of what became of each, by approval and person.
const TOLD: &str = ".told";
/// Documents read at a time.
const PAGE: u32 = 200;

/// Progress of a tenant's mail.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Position up to which turns were read.
    pub(crate) position: TurnSeq,
    /// Position up to which no mail waits: what began to wait before is never looked at again.
    pub(crate) settled: TurnSeq,
}

/// Mail that waits.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) approval: CardId,
    pub(crate) lane: LaneId,
    pub(crate) person: String,
    /// Device of theirs, for what is sent to each of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) device: Option<String>,
    /// Position of the turn since which it waits.
    pub(crate) since: TurnSeq,
    /// Attempts so far that the server put off.
    #[serde(default)]
    pub(crate) attempts: u32,
    /// Time of the next attempt.
    pub(crate) not_before: Timestamp,
}

/// Mail to a person about an approval, as it stands.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) state: Standing,
    pub(crate) at: Timestamp,
    /// Failure of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// State of a mail.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    /// It is to be sent.
    Waiting,
    /// The server took it.
    Sent,
    /// The server refused it for good, or too often.
    Refused,
    /// The approval was decided or ended before, or the person may decide it no more.
    Unneeded,
}

/// Value that is kept, with the version of its document.
#[derive(Clone, Debug)]
pub(crate) struct Kept<T> {
    pub(crate) version: u64,
    pub(crate) value: T,
}

/// Store of one tenant's mail.
#[derive(Clone)]
pub(crate) struct Ledger {
    store: Arc<dyn Store>,
    tenant: String,
    name: &'static str,
}

/// Changes that are written together.
#[derive(Default)]
pub(crate) struct Writes(Vec<(&'static str, Document)>);

impl Waiting {
    /// Returns the key of its document: those that came to wait later are behind it.
    pub(crate) fn key(&self) -> String {
        format!("{}{}", behind(self.since.saturating_sub(1)), self.told_key())
    }

    fn told_key(&self) -> String {
        told_key(&self.approval, &self.person, self.device.as_deref())
    }

    fn subjects(&self) -> DocumentSubjects {
        DocumentSubjects { people: vec![self.person.clone()], lane: Some(self.lane.clone()), words: false }
    }
}

/// Returns the beginning of keys behind all that wait since that position or longer.
fn behind(position: TurnSeq) -> String {
    format!("{:020}.", position.saturating_add(1))
}

fn told_key(approval: &CardId, person: &str, device: Option<&str>) -> String {
    match device {
        Some(device) => format!("{approval}.{person}.{device}"),
        None => format!("{approval}.{person}"),
    }
}

impl Ledger {
    pub(crate) fn new(store: Arc<dyn Store>, tenant: &str) -> Self {
        Self::named(MAIL, store, tenant)
    }

    /// Returns the store of what is sent in another way, under its name.
    pub(crate) fn named(name: &'static str, store: Arc<dyn Store>, tenant: &str) -> Self {
        Self { store, tenant: tenant.into(), name }
    }

    fn collection(&self, part: &str) -> String {
        format!("{}{part}", self.name)
    }

    /// Returns the progress. Mail that is new begins with what happens from now on, which is durable then.
    pub(crate) async fn progress(&self) -> Result<Kept<Progress>, StoreError> {
        loop {
            let found = self.store.document(&self.tenant, self.name, PROGRESS).await?;
            if let Some(kept) = found.and_then(read) {
                return Ok(kept);
            }
            let position = self.store.turns_end(&self.tenant).await?;
            let mut writes = Writes::default();
            writes.progress(&Kept { version: 0, value: Progress { position, settled: position } });
            self.write(writes).await?;
        }
    }

    /// Returns the mails that wait, by their keys.
    pub(crate) async fn waiting(
        &self,
        settled: TurnSeq,
    ) -> Result<BTreeMap<String, Kept<Waiting>>, StoreError> {
        let (mut all, mut after) = (BTreeMap::new(), behind(settled));
        let collection = self.collection(WAITING);
        loop {
            let page = self.store.documents(&self.tenant, &collection, Some(&after), PAGE).await?;
            let Some(last) = page.last() else { return Ok(all) };
            after.clone_from(&last.key);
            all.extend(page.into_iter().filter_map(|document| Some((document.key.clone(), read(document)?))));
        }
    }

    /// Returns how the mail to a person about an approval stands; `None` if there is none.
    pub(crate) async fn told(
        &self,
        approval: &CardId,
        person: &str,
    ) -> Result<Option<Kept<Told>>, StoreError> {
        self.told_at(&told_key(approval, person, None)).await
    }

    /// Returns how one that waits stands; `None` if nothing is noted of it.
    pub(crate) async fn told_of(&self, waiting: &Waiting) -> Result<Option<Kept<Told>>, StoreError> {
        self.told_at(&waiting.told_key()).await
    }

    async fn told_at(&self, key: &str) -> Result<Option<Kept<Told>>, StoreError> {
        Ok(self.store.document(&self.tenant, &self.collection(TOLD), key).await?.and_then(read))
    }

    /// Writes changes together. Returns false, with nothing written, if somebody else wrote meanwhile.
    pub(crate) async fn write(&self, writes: Writes) -> Result<bool, StoreError> {
        let documents = writes.0.into_iter().map(|(part, document)| (self.collection(part), document));
        self.store.write_documents(&self.tenant, documents.collect(), None).await
    }
}

impl Writes {
    pub(crate) fn progress(&mut self, kept: &Kept<Progress>) {
        self.push(HOW_FAR, PROGRESS, kept.version, Some(&kept.value), DocumentSubjects::default());
    }

    /// Sets a mail that waits, or ends its wait.
    pub(crate) fn waiting(&mut self, mail: &Waiting, version: u64, waits: bool) {
        self.push(WAITING, &mail.key(), version, waits.then_some(mail), mail.subjects());
    }

    /// Sets how a mail stands.
    pub(crate) fn told(&mut self, mail: &Waiting, version: u64, told: &Told) {
        self.push(TOLD, &mail.told_key(), version, Some(told), mail.subjects());
    }

    /// Adds a document; an empty one stands for what ended.
    fn push<T: Serialize>(
        &mut self,
        part: &'static str,
        key: &str,
        version: u64,
        value: Option<&T>,
        about: DocumentSubjects,
    ) {
        let body = value.map(|value| serde_json::to_string(value).unwrap_or_default()).unwrap_or_default();
        self.0.push((part, Document { about, ..Document::new(key, version, body) }));
    }
}

/// Returns what a document holds; `None` for one that ended.
fn read<T: DeserializeOwned>(document: Document) -> Option<Kept<T>> {
    let value = serde_json::from_str(&document.body).ok()?;
    Some(Kept { version: document.version, value })
}

#[cfg(test)]
mod tests {
    use throughline_store::{ManualClock, MemoryStore};

    use super::*;

    fn mail(since: TurnSeq, person: &str) -> Waiting {
        let not_before = Timestamp(0);
        Waiting {
            approval: "ap_1".into(),
            lane: "ln_1".into(),
            person: person.into(),
            device: None,
            since,
            attempts: 0,
            not_before,
        }
    }

    #[tokio::test]
    async fn only_what_is_not_settled_is_read_again() {
        let ledger = Ledger::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::at(Timestamp(0))))), "acme");
        assert_eq!(ledger.progress().await.unwrap().value, Progress::default());
        let mut writes = Writes::default();
        for (since, person) in [(7, "ana"), (7, "bob"), (10, "ana"), (123_456_789, "cy")] {
            writes.waiting(&mail(since, person), 0, true);
        }
        assert!(ledger.write(writes).await.unwrap());
        let mut writes = Writes::default();
        writes.waiting(&mail(7, "ana"), 1, false);
        assert!(ledger.write(writes).await.unwrap());
        for (settled, left) in [(0, 3), (6, 3), (7, 2), (9, 2), (10, 1), (200_000_000, 0)] {
            assert_eq!(ledger.waiting(settled).await.unwrap().len(), left, "{settled}");
        }
        let mut stale = Writes::default();
        stale.waiting(&mail(7, "bob"), 0, true);
        assert!(!ledger.write(stale).await.unwrap(), "somebody wrote it meanwhile");
    }
}
