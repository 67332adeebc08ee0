//! Devices that people want to be notified on: where a browser's push service takes what is for it, and its keys. Both are
//! sealed, since whoever has the address may send there. A device is one person's, whoever switched it on last.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_store::{Document, Store, StoreError};

use super::Push;
use super::encrypt::BrowserKeys;
use crate::problem::Problem;

/// Collection of the devices.
const COLLECTION: &str = "push.devices";
/// Documents read at a time.
const PAGE: u32 = 200;
/// Most devices of a person: another one ends the oldest.
const MOST: usize = 20;

/// Subscription of a browser, as it tells it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Subscription {
    pub(crate) endpoint: String,
    pub(crate) keys: BrowserKeys,
}

/// Device of a person.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Device {
    pub(crate) person: String,
    /// Session in which it was last seen: signing out there ends it.
    pub(crate) session: String,
    pub(crate) since: Timestamp,
    sealed: String,
}

/// Devices of a tenant's people.
pub(crate) struct Devices {
    store: Arc<dyn Store>,
    tenant: String,
}

/// Returns the id of the device at an address.
pub(crate) fn id_of(endpoint: &str) -> String {
    hex(&sha256(&[b"throughline/push-device/1", endpoint.as_bytes()]))[..32].to_owned()
}

impl Device {
    /// Returns where it is reached; `None` if that was sealed with another instance key.
    pub(super) fn subscription(&self, push: &Push, id: &str) -> Option<Subscription> {
        serde_json::from_str(&push.seal.open(id, &self.sealed)?).ok()
    }
}

impl Devices {
    pub(crate) fn new(store: Arc<dyn Store>, tenant: &str) -> Self {
        Self { store, tenant: tenant.into() }
    }

    /// Returns the devices with their ids.
    pub(crate) async fn list(&self) -> Result<Vec<(String, Device)>, StoreError> {
        let (mut all, mut after) = (Vec::new(), None::<String>);
        loop {
            let page = self.store.documents(&self.tenant, COLLECTION, after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(all) };
            after = Some(last.key.clone());
            all.extend(page.iter().filter_map(|document| Some((document.key.clone(), read(document)?))));
        }
    }

    pub(crate) async fn get(&self, id: &str) -> Result<Option<Device>, StoreError> {
        Ok(self.store.document(&self.tenant, COLLECTION, id).await?.as_ref().and_then(read))
    }

    /// Keeps a subscription as a device of a person.
    pub(crate) async fn keep(
        &self,
        push: &Push,
        subscription: &Subscription,
        (person, session): (&str, &str),
    ) -> Result<(), Problem> {
        let id = id_of(&subscription.endpoint);
        let said = serde_json::to_string(subscription).unwrap_or_default();
        let sealed = push.seal.close(&id, &said)?;
        let since = self.store.now();
        let device = Device { person: person.into(), session: session.into(), since, sealed };
        self.change(&id, |_| Some(device.clone())).await?;
        let mut theirs = self.list().await?;
        theirs.retain(|(other, device)| device.person == person && *other != id);
        theirs.sort_by_key(|(_, device)| device.since);
        let most = theirs.len().saturating_sub(MOST - 1);
        for (id, _) in theirs.into_iter().take(most) {
            self.end(&id).await?;
        }
        Ok(())
    }

    /// Notes the session in which a person uses their device. Returns false if it is not theirs.
    pub(crate) async fn seen(&self, id: &str, person: &str, session: &str) -> Result<bool, StoreError> {
        let Some(device) = self.get(id).await?.filter(|device| device.person == person) else {
            return Ok(false);
        };
        if device.session != session {
            let seen = |device: Device| Device { session: session.into(), ..device };
            self.change(id, |now| now.map(|now| if now.person == person { seen(now) } else { now })).await?;
        }
        Ok(true)
    }

    pub(crate) async fn end(&self, id: &str) -> Result<(), StoreError> {
        self.change(id, |_| None).await
    }

    /// Ends all that a condition is true of.
    pub(crate) async fn end_where(&self, ends: impl Fn(&Device) -> bool) -> Result<(), StoreError> {
        for (id, _) in self.list().await?.into_iter().filter(|(_, device)| ends(device)) {
            self.change(&id, |now| now.filter(|now| !ends(now))).await?;
        }
        Ok(())
    }

    /// Changes what is kept of a device, again if somebody else wrote meanwhile. One that ended leaves an empty document.
    async fn change(
        &self,
        id: &str,
        change: impl Fn(Option<Device>) -> Option<Device>,
    ) -> Result<(), StoreError> {
        loop {
            let found = self.store.document(&self.tenant, COLLECTION, id).await?;
            let before = found.as_ref().and_then(read);
            let after = change(before.clone());
            if after == before {
                return Ok(());
            }
            let body = after.as_ref().map(|device| serde_json::to_string(device).unwrap_or_default());
            let document =
                Document::new(id, found.map_or(0, |found| found.version), body.unwrap_or_default());
            let document = document.about(after.map(|device| device.person));
            if self.store.write_documents(&self.tenant, vec![(COLLECTION.into(), document)], None).await? {
                return Ok(());
            }
        }
    }
}

fn read(document: &Document) -> Option<Device> {
    serde_json::from_str(&document.body).ok()
}
