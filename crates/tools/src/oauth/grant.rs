//! A grant as it is kept: in one place for every process that uses it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_net::Key;

/// Tokens for one server, and whom they were given to.
#[derive(Clone)]
pub struct Grant {
    /// Address of the server that they are for.
    pub server: String,
    /// Issuer that gave them, if it names itself.
    pub issuer: Option<String>,
    /// Id under which the issuer knows us.
    pub client_id: String,
    /// Secret that belongs to it.
    pub client_secret: Option<Key>,
    /// The token of requests.
    pub access: Key,
    /// The token that the next ones are got with.
    pub refresh: Option<Key>,
    /// The time at which these tokens were got.
    pub since: Timestamp,
    /// The end of the token of requests, if the issuer told it.
    pub ends_at: Option<Timestamp>,
    /// Scopes that were asked for.
    pub scopes: Vec<String>,
    /// Scopes that the server has wanted beyond these since.
    pub wanted: Vec<String>,
}

/// State of a grant.
#[derive(Clone)]
pub enum HeldGrant {
    /// Nobody granted anything, or what was granted has ended.
    Nothing,
    /// A grant.
    Ready(Box<Grant>),
    /// A grant that a process renews. After `until` another one may: the first is gone.
    Renewing {
        /// The grant until then.
        grant: Box<Grant>,
        /// The end of that process's turn.
        until: Timestamp,
    },
}

/// State of a grant with its version.
#[derive(Clone)]
pub struct KeptGrant {
    /// Rises by one with every write; 0 before the first.
    pub version: u64,
    /// State.
    pub held: HeldGrant,
}

/// The place in which grants are kept, by the server's name. Errors are sentences for people.
#[async_trait]
pub trait Grants: Send + Sync {
    /// Reads a grant.
    async fn load(&self, server: &str) -> Result<KeptGrant, String>;

    /// Writes a grant if it still has this version, and with it who connected it, if somebody did. Returns false, with
    /// nothing written, if it has another version.
    async fn swap(
        &self,
        server: &str,
        version: u64,
        held: &HeldGrant,
        by: Option<&str>,
    ) -> Result<bool, String>;
}

/// A grant as one text, which is secret as a whole.
#[derive(Serialize, Deserialize)]
struct Written {
    server: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    access: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh: Option<String>,
    since: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ends_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wanted: Vec<String>,
}

impl Grant {
    /// Writes it as one text, to be sealed as a whole.
    #[must_use]
    pub fn to_secret(&self) -> String {
        let text = |key: &Key| key.as_str().to_owned();
        let written = Written {
            server: self.server.clone(),
            issuer: self.issuer.clone(),
            client_id: self.client_id.clone(),
            client_secret: self.client_secret.as_ref().map(text),
            access: text(&self.access),
            refresh: self.refresh.as_ref().map(text),
            since: self.since.0,
            ends_at: self.ends_at.map(|at| at.0),
            scopes: self.scopes.clone(),
            wanted: self.wanted.clone(),
        };
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Reads what [`Self::to_secret`] wrote; `None` for any other text.
    #[must_use]
    pub fn from_secret(text: &str) -> Option<Self> {
        let written: Written = serde_json::from_str(text).ok()?;
        let key = |text: Option<String>| match text {
            Some(text) => Key::token(&text).map(Some),
            None => Some(None),
        };
        Some(Self {
            server: written.server,
            issuer: written.issuer,
            client_id: written.client_id,
            client_secret: key(written.client_secret)?,
            access: Key::token(&written.access)?,
            refresh: key(written.refresh)?,
            since: Timestamp(written.since),
            ends_at: written.ends_at.map(Timestamp),
            scopes: written.scopes,
            wanted: written.wanted,
        })
    }
}

/// Grants in memory, for tests.
#[derive(Default)]
pub struct MemoryGrants(Mutex<BTreeMap<String, KeptGrant>>);

#[async_trait]
impl Grants for MemoryGrants {
    async fn load(&self, server: &str) -> Result<KeptGrant, String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(server).cloned().unwrap_or(KeptGrant { version: 0, held: HeldGrant::Nothing }))
    }

    async fn swap(
        &self,
        server: &str,
        version: u64,
        held: &HeldGrant,
        _by: Option<&str>,
    ) -> Result<bool, String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.get(server).map_or(0, |kept| kept.version);
        if before == version {
            kept.insert(server.to_owned(), KeptGrant { version: version + 1, held: held.clone() });
        }
        Ok(before == version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_read_as_it_was_written_and_nothing_else_is_one() {
        let key = |text: &str| Key::token(text).unwrap();
        let grant = Grant {
            server: "https://crm.example.com/mcp".into(),
            issuer: Some("https://login.example.com".into()),
            client_id: "us".into(),
            client_secret: Some(key("hush")),
            access: key(&"a".repeat(4_000)),
            refresh: Some(key("r")),
            since: Timestamp(1),
            ends_at: Some(Timestamp(2)),
            scopes: vec!["read".into()],
            wanted: vec!["write".into()],
        };
        for grant in [
            Grant { issuer: None, client_secret: None, refresh: None, ends_at: None, ..grant.clone() },
            Grant { scopes: Vec::new(), wanted: Vec::new(), ..grant.clone() },
            grant,
        ] {
            let text = grant.to_secret();
            assert_eq!(Grant::from_secret(&text).unwrap().to_secret(), text);
            assert!(Grant::from_secret(&text.replace("access", "other")).is_none());
            assert!(Grant::from_secret(&text[1..]).is_none());
        }
    }
}
