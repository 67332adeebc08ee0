//! Sessions that ended before their time, because somebody signed out. They are kept in the store, so that a copy of
//! the cookie counts no more after a restart either, and in memory, where every request looks.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::Timestamp;
use throughline_store::{Document, News, Store, StoreError};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Tenant of what belongs to the installation itself. No tenant has this name, so erasing one brings no session back.
const INSTALLATION: &str = "";
/// Collection of the ids. A document's body is the time at which its cookie ends by itself.
const COLLECTION: &str = "web.sessions.ended";
/// Documents read at a time.
const BATCH: u32 = 1_000;

/// Sessions that somebody signed out of.
#[derive(Default)]
pub(crate) struct EndedSessions {
    ids: Mutex<BTreeSet<String>>,
    more: Notify,
}

impl EndedSessions {
    /// Loads the sessions whose cookie would still count.
    pub(crate) async fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let ids = Mutex::new(Self::read(store).await?);
        Ok(Self { ids, more: Notify::new() })
    }

    /// Reads again what is stored: another process that shares the store may have ended a session.
    pub(crate) async fn reload(&self, store: &dyn Store) -> Result<(), StoreError> {
        let read = Self::read(store).await?;
        self.ids().extend(read);
        self.more.notify_waiters();
        Ok(())
    }

    async fn read(store: &dyn Store) -> Result<BTreeSet<String>, StoreError> {
        let now = store.now();
        let mut ids = BTreeSet::new();
        let mut after: Option<String> = None;
        loop {
            let read = store.documents(INSTALLATION, COLLECTION, after.as_deref(), BATCH).await?;
            after = read.last().map(|document| document.key.clone());
            let counts = |document: &Document| Timestamp::parse(&document.body).is_none_or(|ends| ends > now);
            ids.extend(read.into_iter().filter(counts).map(|document| document.key));
            if after.is_none() {
                return Ok(ids);
            }
        }
    }

    /// Ends a session at once, for good. `ends` is when its cookie would end by itself.
    ///
    /// # Errors
    ///
    /// The store did not answer: the session is over until this process ends.
    pub(crate) async fn end(&self, store: &dyn Store, id: &str, ends: Timestamp) -> Result<(), StoreError> {
        self.ids().insert(id.to_owned());
        self.more.notify_waiters();
        let document = Document::new(id, 0, ends.rfc3339());
        // Another tab may have signed out before: then it is written already.
        store.write_documents(INSTALLATION, vec![(COLLECTION.into(), document)], None).await?;
        store.announce(News::Changed);
        Ok(())
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.ids().contains(id)
    }

    /// Completes when a further session has ended.
    pub(crate) fn more(&self) -> Notified<'_> {
        self.more.notified()
    }

    fn ids(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
