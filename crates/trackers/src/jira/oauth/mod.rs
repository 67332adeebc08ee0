//! OAuth 2.0 (3LO) of Jira Cloud: a person lets an app act as them, and the app's tokens are renewed as they end.
//!
//! A refresh token is used once and answered by the next one, so two processes that renew at a time would cost the grant.
//! `grant.rs` is what is kept of it and where; `tokens.rs` renews, one process at a time; `exchange.rs` are the calls of
//! Atlassian's authorization server. This file is the way to a grant (`docs/design/0064-grants-of-jira.md`).

mod exchange;
mod grant;
mod tokens;

#[cfg(test)]
mod tests;

use std::time::UNIX_EPOCH;

use reqwest::Url;
use serde::Deserialize;
use throughline_engine::Timestamp;
use throughline_net::{Address, Key};
use tokio::sync::Mutex;

pub use grant::{Grant, Grants, Held, Kept};
pub(super) use tokens::Access;

use super::client::{CONNECT, now};
use exchange::Exchanged;

/// Scopes that the app asks a person for: to read and write issues, to find people, and to go on without them.
const SCOPES: &str = "read:jira-work write:jira-work read:jira-user offline_access";

/// An app of Jira Cloud, as its developer console shows it.
#[derive(Clone)]
pub struct OAuthApp {
    /// The client id.
    pub client_id: String,
    /// The client secret.
    pub client_secret: Key,
    /// Address of the authorization server.
    pub auth_url: String,
    /// Address of the gateway to every site.
    pub api_url: String,
    /// Address of the site that it is used for.
    pub site: String,
    /// Allows addresses on this machine.
    pub allow_loopback: bool,
}

/// The app with what a person granted it.
pub struct OAuth {
    app: OAuthApp,
    auth: Address,
    api: Address,
    http: reqwest::Client,
    grants: Box<dyn Grants>,
    /// The grant as it was last seen. Whoever renews holds it.
    seen: Mutex<Option<Grant>>,
}

/// Reason why an app has no grant, for the person who tried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotConnected {
    /// The code was not exchanged.
    #[error("Atlassian gave no token: {0}")]
    Refused(String),
    /// The grant is for other sites.
    #[error("it was granted for {}, and not for {site}; choose that site where Atlassian asks for one", listed(.granted))]
    OtherSite {
        /// The site that was wanted.
        site: String,
        /// The sites of the grant.
        granted: Vec<String>,
    },
    /// The grant was not kept.
    #[error("the grant was not kept: {0}")]
    NotKept(String),
}

fn listed(sites: &[String]) -> String {
    if sites.is_empty() { "no site".into() } else { sites.join(", ") }
}

/// A site that a grant is for.
#[derive(Deserialize)]
struct Resource {
    id: String,
    url: String,
}

impl OAuth {
    /// Creates the app's side of it. No request is sent.
    ///
    /// # Errors
    /// An address that cannot be used; the text is for people.
    pub fn new(app: OAuthApp, grants: Box<dyn Grants>) -> Result<Self, String> {
        let [auth, api, site] = [&app.auth_url, &app.api_url, &app.site];
        let checked = |url: &str| Address::parse(url, app.allow_loopback);
        let (auth, api, site) = (checked(auth)?, checked(api)?, checked(site)?);
        // A client reaches this machine, or the world.
        if auth.reach() != api.reach() || site.reach() != api.reach() {
            return Err(format!(
                "of {}, {} and {}, some are on this machine",
                app.site, app.auth_url, app.api_url
            ));
        }
        let http = throughline_net::client(api.reach(), CONNECT)?;
        Ok(Self { app, auth, api, http, grants, seen: Mutex::default() })
    }

    /// The address at which a person agrees. They are sent to `back` then, with `state` and a code.
    #[must_use]
    pub fn authorize_url(&self, state: &str, back: &str) -> String {
        let query = [
            ("audience", "api.atlassian.com"),
            ("client_id", &self.app.client_id),
            ("scope", SCOPES),
            ("redirect_uri", back),
            ("state", state),
            ("response_type", "code"),
            ("prompt", "consent"),
        ];
        Url::parse_with_params(&self.auth.join("authorize"), query).map(Into::into).unwrap_or_default()
    }

    /// Exchanges the code that a person came back with, and keeps the grant and who they are, in the place of an earlier one.
    ///
    /// # Errors
    /// There is no grant for the site, or it was not kept. An earlier one stays.
    pub async fn connect(&self, by: &str, code: &str, back: &str) -> Result<(), NotConnected> {
        let mut seen = self.seen.lock().await;
        let exchanged = self.exchange_code(code, back).await.map_err(NotConnected::Refused)?;
        let cloud = self.cloud(&exchanged).await?;
        let grant = exchanged.grant(cloud, moment());
        let not_kept = NotConnected::NotKept;
        loop {
            let Kept { version, .. } = self.grants.load().await.map_err(not_kept)?;
            if self.grants.swap(version, &Held::Ready(grant.clone()), Some(by)).await.map_err(not_kept)? {
                *seen = Some(grant);
                return Ok(());
            }
        }
    }

    /// The id of the site at the gateway.
    async fn cloud(&self, exchanged: &Exchanged) -> Result<String, NotConnected> {
        let resources = self.resources(&exchanged.access).await.map_err(NotConnected::Refused)?;
        let bare = |url: &str| url.trim_end_matches('/').to_ascii_lowercase();
        let site = bare(&self.app.site);
        if let Some(found) = resources.iter().find(|one| bare(&one.url) == site) {
            return Ok(found.id.clone());
        }
        let granted = resources.into_iter().map(|one| one.url).collect();
        Err(NotConnected::OtherSite { site: self.app.site.clone(), granted })
    }
}

/// The time of this machine, with which the end of a token is compared.
fn moment() -> Timestamp {
    let since = now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
