//! Apps of Jira sites, and the grants that people gave them: sealed in the store, where every process finds them.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::jcs;
use throughline_net::Key;
use throughline_store::{Document, Store, StoreError};
use throughline_trackers::jira::{Grant, Grants, Held, Kept, OAuth, OAuthApp};

use super::{cannot, secret};
use crate::config::{Config, JiraAccount};
use crate::sealed::Seal;
use crate::start_error::StartError;

/// Grants, by the name of their tracker.
const COLLECTION: &str = "jira.grants";

/// App of a site.
pub(crate) struct JiraApp {
    /// Tenant whose tickets go there.
    pub(crate) tenant: String,
    /// The app with its grant.
    pub(crate) oauth: Arc<OAuth>,
}

/// Opens the configured apps, by the name of their tracker. No request is sent.
///
/// # Errors
/// A secret or an address cannot be used.
pub(crate) fn open(
    config: &Config,
    store: &Arc<dyn Store>,
    key: &[u8; 32],
) -> Result<BTreeMap<String, JiraApp>, StartError> {
    let mut apps = BTreeMap::new();
    for (name, site) in &config.jira {
        let JiraAccount::App { client_id, client_secret_file, auth_url, api_url } = &site.account else {
            continue;
        };
        let app = OAuthApp {
            client_id: client_id.clone(),
            client_secret: secret(name, client_secret_file, "a client secret")?,
            auth_url: auth_url.clone(),
            api_url: api_url.clone(),
            site: site.base_url.clone(),
            allow_loopback: site.allow_loopback,
        };
        let grants = StoredGrant {
            store: store.clone(),
            tenant: site.tenant.clone(),
            tracker: name.clone(),
            seal: Seal::new(key, COLLECTION),
        };
        let oauth = Arc::new(OAuth::new(app, Box::new(grants)).map_err(cannot(name))?);
        apps.insert(name.clone(), JiraApp { tenant: site.tenant.clone(), oauth });
    }
    Ok(apps)
}

/// Grant of one tracker in the store.
struct StoredGrant {
    store: Arc<dyn Store>,
    tenant: String,
    tracker: String,
    seal: Seal,
}

/// Grant, as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    cloud: String,
    /// Sealed token.
    access: String,
    /// Sealed refresh token.
    refresh: String,
    since: i64,
    ends_at: i64,
    /// End of the turn of the process that renews it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renewing_until: Option<i64>,
}

impl StoredGrant {
    fn stored(&self, held: &Held) -> Result<String, getrandom::Error> {
        let (grant, renewing_until) = match held {
            Held::Nothing => return Ok(String::new()),
            Held::Ready(grant) => (grant, None),
            Held::Renewing { grant, until } => (grant, Some(until.0)),
        };
        let sealed = |secret: &Key| self.seal.close(&self.tracker, secret.as_str());
        let stored = Stored {
            cloud: grant.cloud.clone(),
            access: sealed(&grant.access)?,
            refresh: sealed(&grant.refresh)?,
            since: grant.since.0,
            ends_at: grant.ends_at.0,
            renewing_until,
        };
        Ok(serde_json::to_string(&stored).unwrap_or_default())
    }

    /// Reads a grant; nothing if it was sealed with another instance key.
    fn held(&self, body: &str) -> Held {
        let opened = |sealed: &str| Key::parse(&self.seal.open(&self.tracker, sealed)?);
        let read = || {
            let stored: Stored = serde_json::from_str(body).ok()?;
            let (access, refresh) = (opened(&stored.access)?, opened(&stored.refresh)?);
            let (since, ends_at) = (Timestamp(stored.since), Timestamp(stored.ends_at));
            let grant = Grant { cloud: stored.cloud, access, refresh, since, ends_at };
            Some(match stored.renewing_until {
                Some(until) => Held::Renewing { grant, until: Timestamp(until) },
                None => Held::Ready(grant),
            })
        };
        if body.is_empty() {
            return Held::Nothing;
        }
        read().unwrap_or_else(|| {
            let tracker = &self.tracker;
            tracing::error!(
                code = "TL-5203",
                tracker,
                "its grant cannot be read with this instance key; connect it again"
            );
            Held::Nothing
        })
    }
}

#[async_trait]
impl Grants for StoredGrant {
    async fn load(&self) -> Result<Kept, String> {
        let found = self.store.document(&self.tenant, COLLECTION, &self.tracker).await.map_err(why)?;
        let found = found.map(|found| Kept { version: found.version, held: self.held(&found.body) });
        Ok(found.unwrap_or(Kept { version: 0, held: Held::Nothing }))
    }

    async fn swap(&self, version: u64, held: &Held, by: Option<&str>) -> Result<bool, String> {
        let body = self.stored(held).map_err(|error| error.to_string())?;
        let writes = vec![(COLLECTION.to_owned(), Document::new(&self.tracker, version, body))];
        let (target, at) = (&self.tracker, self.store.now());
        let audit = by.map(|by| jcs(&json!({"what": "connected", "target": target, "by": by, "at": at})));
        self.store.write_documents(&self.tenant, writes, audit.as_deref()).await.map_err(why)
    }
}

fn why(error: StoreError) -> String {
    error.to_string()
}
