//! Grants of tool servers: sealed in the store, where every process finds them.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::jcs;
use throughline_store::{Document, Store, StoreError};
use throughline_tools::{Grant, Grants, HeldGrant, KeptGrant};

use crate::sealed::Seal;

/// Grants, by the name of their server.
const COLLECTION: &str = "tools.grants";

/// Grants of a tenant in the store.
pub(super) struct StoredGrants {
    store: Arc<dyn Store>,
    tenant: String,
    seal: Seal,
}

/// Grant, as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// The whole grant, sealed.
    grant: String,
    /// End of the turn of the process that renews it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renewing_until: Option<i64>,
}

impl StoredGrants {
    pub(super) fn new(store: Arc<dyn Store>, tenant: &str, key: &[u8; 32]) -> Self {
        Self { store, tenant: tenant.to_owned(), seal: Seal::new(key, COLLECTION) }
    }

    fn stored(&self, server: &str, held: &HeldGrant) -> Result<String, getrandom::Error> {
        let (grant, renewing_until) = match held {
            HeldGrant::Nothing => return Ok(String::new()),
            HeldGrant::Ready(grant) => (grant, None),
            HeldGrant::Renewing { grant, until } => (grant, Some(until.0)),
        };
        let grant = self.seal.close(server, &grant.to_secret())?;
        Ok(serde_json::to_string(&Stored { grant, renewing_until }).unwrap_or_default())
    }

    /// Reads a grant; nothing if it was sealed with another instance key.
    fn held(&self, server: &str, body: &str) -> HeldGrant {
        if body.is_empty() {
            return HeldGrant::Nothing;
        }
        let read = || {
            let stored: Stored = serde_json::from_str(body).ok()?;
            let grant = Box::new(Grant::from_secret(&self.seal.open(server, &stored.grant)?)?);
            Some(match stored.renewing_until {
                Some(until) => HeldGrant::Renewing { grant, until: Timestamp(until) },
                None => HeldGrant::Ready(grant),
            })
        };
        read().unwrap_or_else(|| {
            let why = "its grant cannot be read with this instance key; connect it again";
            tracing::error!(code = "TL-5303", server, why);
            HeldGrant::Nothing
        })
    }
}

#[async_trait]
impl Grants for StoredGrants {
    async fn load(&self, server: &str) -> Result<KeptGrant, String> {
        let found = self.store.document(&self.tenant, COLLECTION, server).await.map_err(why)?;
        let found =
            found.map(|found| KeptGrant { version: found.version, held: self.held(server, &found.body) });
        Ok(found.unwrap_or(KeptGrant { version: 0, held: HeldGrant::Nothing }))
    }

    async fn swap(
        &self,
        server: &str,
        version: u64,
        held: &HeldGrant,
        by: Option<&str>,
    ) -> Result<bool, String> {
        let body = self.stored(server, held).map_err(|error| error.to_string())?;
        let writes = vec![(COLLECTION.to_owned(), Document::new(server, version, body))];
        let (target, at) = (format!("mcp.{server}"), self.store.now());
        let audit = by.map(|by| jcs(&json!({"what": "connected", "target": target, "by": by, "at": at})));
        self.store.write_documents(&self.tenant, writes, audit.as_deref()).await.map_err(why)
    }
}

fn why(error: StoreError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use throughline_store::{MemoryStore, SystemClock};
    use throughline_tools::Key;

    use super::*;

    fn grant() -> Box<Grant> {
        Box::new(Grant {
            server: "https://crm.example.com/mcp".into(),
            issuer: None,
            client_id: "us".into(),
            client_secret: None,
            access: Key::token("sesame").unwrap(),
            refresh: Key::token("again"),
            since: Timestamp(1),
            ends_at: None,
            scopes: Vec::new(),
            wanted: Vec::new(),
        })
    }

    #[tokio::test]
    async fn a_grant_is_sealed_for_its_server_and_written_by_one_process() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(SystemClock::default())));
        let grants = StoredGrants::new(store.clone(), "acme", &[7; 32]);
        let until = Timestamp(9);
        for (version, held) in
            [HeldGrant::Ready(grant()), HeldGrant::Renewing { grant: grant(), until }].into_iter().enumerate()
        {
            let version = version as u64;
            assert!(grants.swap("crm", version, &held, Some("ana")).await.unwrap());
            assert!(!grants.swap("crm", version, &HeldGrant::Nothing, None).await.unwrap(), "{version}");
        }
        let kept = grants.load("crm").await.unwrap();
        assert!(matches!(&kept.held, HeldGrant::Renewing { grant, until: Timestamp(9) }
            if grant.to_secret() == self::grant().to_secret()));
        let body = store.document("acme", COLLECTION, "crm").await.unwrap().unwrap().body;
        assert!(!body.contains("sesame") && !body.contains("again") && !body.contains("crm.example.com"));

        let moved = vec![(COLLECTION.to_owned(), Document::new("other", 0, body))];
        assert!(store.write_documents("acme", moved, None).await.unwrap());
        assert!(matches!(grants.load("other").await.unwrap().held, HeldGrant::Nothing), "of another server");
        let other_key = StoredGrants::new(store.clone(), "acme", &[8; 32]);
        assert!(matches!(other_key.load("crm").await.unwrap().held, HeldGrant::Nothing), "of another key");
        assert!(grants.swap("crm", 2, &HeldGrant::Nothing, None).await.unwrap());
        assert!(matches!(grants.load("crm").await.unwrap().held, HeldGrant::Nothing));
    }
}
