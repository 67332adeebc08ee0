//! Lead: of the processes that share a store, one at a time does what only one should. The lease is a document; whoever
//! holds it renews it, and the next one leads when it is over.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use throughline_engine::Millis;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_store::{Document, Store, StoreError};
use tokio::sync::watch;
use tokio::time::sleep;

/// Collection of the leases.
const COLLECTION: &str = "leads";

/// Pause between two looks at a lease, by whoever holds it and by whoever waits for it.
const LOOK: Duration = Duration::from_secs(2);

/// Pause after an error, before what a process leads begins again.
const PAUSE: Duration = Duration::from_secs(2);

/// Reason for which what is known is read again.
pub(crate) struct Again(pub(crate) String);

impl From<StoreError> for Again {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

/// Lease of one thing to do.
pub(crate) struct Lead {
    store: Arc<dyn Store>,
    tenant: String,
    what: String,
    owner: String,
    /// Duration of the lease, in milliseconds: longer than what is done under it without another look.
    lease: Millis,
}

/// Returns a name for this process that no other one has.
pub(crate) fn process() -> String {
    let mut bytes = [0; 8];
    // Without random bytes the number of the process has to do, which differs on one machine.
    if getrandom::fill(&mut bytes).is_err() {
        return std::process::id().to_string();
    }
    hex(&sha256(&[&bytes]))[..16].to_owned()
}

#[derive(Default, Deserialize, Serialize)]
struct Lease {
    owner: String,
    until: i64,
}

impl Lead {
    pub(crate) fn new(store: Arc<dyn Store>, tenant: &str, what: &str, owner: &str, lease: Millis) -> Self {
        Self { store, tenant: tenant.into(), what: what.into(), owner: owner.into(), lease }
    }

    /// Waits until this process leads. One that shares its store with nobody does at once.
    pub(crate) async fn won(&self) {
        while !self.leads().await {
            sleep(LOOK).await;
        }
    }

    /// Renews the lease, and completes when another process has it, or none can be had.
    pub(crate) async fn lost(&self) {
        if !self.store.is_shared() {
            return std::future::pending().await;
        }
        loop {
            sleep(LOOK).await;
            if !self.leads().await {
                return;
            }
        }
    }

    /// Does something whenever this process leads, until told to stop. What ends, by an error, begins again after a pause.
    pub(crate) async fn doing<F>(self, mut act: impl FnMut() -> F, mut stop: watch::Receiver<bool>)
    where
        F: Future<Output = Again>,
    {
        let acting = async {
            loop {
                self.won().await;
                tokio::select! {
                    Again(why) = act() => {
                        tracing::warn!(what = self.what, why, "it begins again");
                        sleep(PAUSE).await;
                    }
                    () = self.lost() => {}
                }
            }
        };
        tokio::select! {
            () = acting => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        self.resign().await;
    }

    /// Takes or renews the lease. Returns true if this process leads until it is over.
    pub(crate) async fn leads(&self) -> bool {
        self.take().await.unwrap_or_else(|error| {
            tracing::warn!(%error, what = self.what, "cannot tell who leads; this process does not");
            false
        })
    }

    async fn take(&self) -> Result<bool, StoreError> {
        if !self.store.is_shared() {
            return Ok(true);
        }
        let now = self.store.now();
        let found = self.store.document(&self.tenant, COLLECTION, &self.what).await?;
        let version = found.as_ref().map_or(0, |found| found.version);
        let lease: Lease = found.and_then(|found| serde_json::from_str(&found.body).ok()).unwrap_or_default();
        // One that ends later than one that begins now was taken before the clock was set back.
        let held = (now.0 + 1..=now.0 + self.lease).contains(&lease.until);
        if held && lease.owner != self.owner {
            return Ok(false);
        }
        self.write(version, &Lease { owner: self.owner.clone(), until: now.plus(self.lease).0 }).await
    }

    /// Gives the lease up, so that another process leads at once.
    pub(crate) async fn resign(&self) {
        let Ok(Some(found)) = self.store.document(&self.tenant, COLLECTION, &self.what).await else { return };
        if serde_json::from_str::<Lease>(&found.body).is_ok_and(|lease| lease.owner == self.owner)
            && let Err(error) = self.write(found.version, &Lease::default()).await
        {
            tracing::debug!(%error, what = self.what, "a lead was not given up; it runs out by itself");
        }
    }

    async fn write(&self, version: u64, lease: &Lease) -> Result<bool, StoreError> {
        let body = serde_json::to_string(lease).unwrap_or_default();
        let write = vec![(COLLECTION.to_owned(), Document::new(self.what.as_str(), version, body))];
        self.store.write_documents(&self.tenant, write, None).await
    }
}
