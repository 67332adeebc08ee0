//! A grant as it is kept: in one place for every process that uses it.

use async_trait::async_trait;
use throughline_engine::Timestamp;
use throughline_net::Key;

/// Tokens of an app for one site.
#[derive(Clone)]
pub struct Grant {
    /// The id of the site at Atlassian's gateway.
    pub cloud: String,
    /// The token of requests.
    pub access: Key,
    /// The token that the next ones are got with, once.
    pub refresh: Key,
    /// The time at which these tokens were got.
    pub since: Timestamp,
    /// The end of the token of requests.
    pub ends_at: Timestamp,
}

/// State of a grant.
#[derive(Clone)]
pub enum Held {
    /// Nobody granted anything, or Atlassian takes it no more.
    Nothing,
    /// A grant.
    Ready(Grant),
    /// A grant that a process renews. After `until` another one may: the first is gone.
    Renewing {
        /// The grant until then.
        grant: Grant,
        /// The end of that process's turn.
        until: Timestamp,
    },
}

/// State of a grant with its version.
#[derive(Clone)]
pub struct Kept {
    /// Rises by one with every write; 0 before the first.
    pub version: u64,
    /// State.
    pub held: Held,
}

/// The place in which the grant of one app is kept. `server` implements it over the store; errors are sentences for people.
#[async_trait]
pub trait Grants: Send + Sync {
    /// Reads the grant.
    async fn load(&self) -> Result<Kept, String>;

    /// Writes the grant if it still has this version, and with it who connected it, if somebody did. Returns false, with
    /// nothing written, if it has another version.
    async fn swap(&self, version: u64, held: &Held, by: Option<&str>) -> Result<bool, String>;
}
