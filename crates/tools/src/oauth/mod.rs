//! OAuth 2.1 of MCP servers: how we come to a token of a server, keep it, and renew it
//! (`docs/design/0078-authorization-of-tool-servers.md`).
//!
//! The protocol (discovery, registration, PKCE, exchange) is `rmcp`'s. `network.rs` holds its requests to the rules for
//! addresses; `grant.rs` is what is kept and where; `tokens.rs` renews, one process at a time. This file is the way to a
//! grant.

mod grant;
mod network;
mod tokens;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, AuthorizationMetadata, OAuthClientConfig,
    OAuthTokenResponse,
};
use serde_json::Value;
use throughline_engine::Timestamp;
use throughline_net::{Address, Key};
use tokio::sync::Mutex;

pub use grant::{Grant, Grants, HeldGrant, KeptGrant, MemoryGrants};

use network::Network;

/// Name that we register ourselves by.
const CLIENT_NAME: &str = "Throughline";
/// Most scopes that are asked for, however many a server wants.
const MAX_SCOPES: usize = 64;

/// Way to a token of a server.
#[derive(Clone)]
pub struct OAuthSetting {
    /// Owner of its rights.
    pub of: GrantOf,
    /// Scopes to ask for; those that the server names if there are none.
    pub scopes: Vec<String>,
}

/// Owner of the rights that a token has.
#[derive(Clone)]
pub enum GrantOf {
    /// A person's, who agrees once.
    Person(KnownAs),
    /// The client's own, which it proves by a secret.
    Secret {
        /// Id under which the authorization server knows it.
        client_id: String,
        /// The secret.
        secret: Key,
    },
    /// The client's own, which it proves by signing.
    SigningKey {
        /// Id under which the authorization server knows it.
        client_id: String,
        /// The private key, as PEM.
        pem: Arc<str>,
        /// The algorithm.
        algorithm: SigningAlgorithm,
    },
}

/// Algorithm of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningAlgorithm {
    /// RSA with SHA-256.
    Rs256,
    /// P-256 with SHA-256.
    Es256,
    /// P-384 with SHA-384.
    Es384,
}

/// Name by which the authorization server of a person's grant knows the client.
#[derive(Clone)]
pub enum KnownAs {
    /// It registers itself.
    Nobody,
    /// An id that somebody registered there.
    Registered {
        /// The id.
        client_id: String,
        /// Its secret, if it has one.
        secret: Option<Key>,
    },
    /// The address of a document that describes it; it registers itself where that is not taken.
    Document {
        /// The address.
        url: String,
    },
}

/// The way of one server to its tokens.
pub(crate) struct Authorization {
    /// The server's name in the configuration.
    name: String,
    address: Address,
    setting: OAuthSetting,
    network: Arc<Network>,
    grants: Arc<dyn Grants>,
    /// The grant as it was last seen. Whoever renews holds it.
    seen: Mutex<Option<Grant>>,
}

/// A consent that a person has been asked for.
pub struct Consent {
    /// Address of the page on which they give it.
    pub url: String,
    manager: AuthorizationManager,
    client: OAuthClientConfig,
    issuer: Option<String>,
}

/// Endpoints of a server's tokens.
struct Discovered {
    manager: AuthorizationManager,
    metadata: AuthorizationMetadata,
    /// True if somebody published them, and they are not guessed as servers of 2025-03-26 want it.
    published: bool,
}

impl Authorization {
    /// # Errors
    /// It cannot be used as configured; the text is for people.
    pub(crate) fn new(
        name: &str,
        address: Address,
        setting: OAuthSetting,
        connect: Duration,
        grants: Arc<dyn Grants>,
    ) -> Result<Arc<Self>, String> {
        let network = Arc::new(Network::new(&address, connect)?);
        Ok(Arc::new(Self {
            name: name.to_owned(),
            address,
            setting,
            network,
            grants,
            seen: Mutex::default(),
        }))
    }

    /// Finds the endpoints, beginning with what the server said when it refused a request.
    async fn discovered(&self, challenge: Option<&str>) -> Result<Discovered, AuthError> {
        let network = self.network.clone();
        let mut manager =
            AuthorizationManager::new_with_oauth_http_client(self.address.endpoint(), network).await?;
        let found = manager.resolve_metadata_from_challenge(challenge).await?;
        let published = found.source.is_discovered();
        manager.set_metadata(found.metadata.clone());
        Ok(Discovered { manager, metadata: found.metadata, published })
    }

    /// Begins to connect: `back` is where the person comes back to, and `challenge` what the server said when it refused.
    ///
    /// # Errors
    /// There is nothing to agree to; the text is for people.
    pub(crate) async fn begin(&self, back: &str, challenge: Option<&str>) -> Result<Consent, String> {
        let GrantOf::Person(known_as) = &self.setting.of else {
            return Err("it has a secret or a key of its own, so nobody connects it".into());
        };
        let Discovered { mut manager, metadata, published } =
            self.discovered(challenge).await.map_err(|error| because(&error))?;
        if published && metadata.code_challenge_methods_supported.is_none() {
            return Err("its authorization server does not say that it supports PKCE (S256)".into());
        }
        let scopes = self.scopes(&manager).await;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let client = match known_as.client(&metadata, back) {
            Some(client) => client,
            None => {
                manager.register_client(CLIENT_NAME, back, &scopes).await.map_err(|error| because(&error))?
            }
        };
        let client = client.with_scopes(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        manager.configure_client(client.clone()).map_err(|error| because(&error))?;
        let url = manager.get_authorization_url(&scopes).await.map_err(|error| because(&error))?;
        // Whoever connects opens it in their browser, so it has to be a page and of the web.
        self.network.may_be_opened(&url)?;
        Ok(Consent { url, manager, client, issuer: metadata.issuer })
    }

    /// Scopes to ask for: what is set, or what the server names; and what it wanted of an earlier grant.
    async fn scopes(&self, manager: &AuthorizationManager) -> Vec<String> {
        let mut scopes = match &*self.setting.scopes {
            [] => manager.select_initial_scopes(&[]).await,
            set => set.to_vec(),
        };
        if let Ok(KeptGrant { held: HeldGrant::Ready(grant) | HeldGrant::Renewing { grant, .. }, .. }) =
            self.grants.load(&self.name).await
            && self.is_for_us(&grant)
            && !grant.wanted.is_empty()
        {
            let more = grant.scopes.iter().chain(&grant.wanted);
            let more: Vec<String> = more.filter(|scope| !scopes.contains(scope)).cloned().collect();
            scopes.extend(more);
        }
        scopes.truncate(MAX_SCOPES);
        scopes
    }

    /// Ends what [`Self::begin`] began, with the address that the person came back by, and keeps the grant and who they
    /// are, in the place of an earlier one.
    ///
    /// # Errors
    /// There is no grant, or it was not kept. An earlier one stays. The text is for people.
    pub(crate) async fn finish(&self, consent: &Consent, back: &str, by: &str) -> Result<(), String> {
        let refused = Url::parse(back).ok().and_then(|url| {
            let said = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
            let error = said("error")?.into_owned();
            Some(match said("error_description") {
                Some(description) => format!("{error}: {description}"),
                None => error,
            })
        });
        if let Some(refused) = refused {
            return Err(format!("its authorization server says: {}", shown(&refused)));
        }
        let back = AuthorizationCallback::from_redirect_url(back).map_err(|error| because(&error))?;
        let issuer = back.issuer.as_deref();
        let got = consent
            .manager
            .exchange_code_for_token_with_issuer(&back.code, &back.csrf_token, issuer)
            .await
            .map_err(|error| because(&error))?;
        let grant = self.grant(&got, &consent.client, consent.issuer.clone());
        let grant = grant.ok_or("its authorization server gave a token that cannot be part of a header")?;
        let mut seen = self.seen.lock().await;
        loop {
            let KeptGrant { version, .. } = self.grants.load(&self.name).await?;
            let ready = HeldGrant::Ready(Box::new(grant.clone()));
            if self.grants.swap(&self.name, version, &ready, Some(by)).await? {
                *seen = Some(grant);
                return Ok(());
            }
        }
    }

    /// Makes a grant of what an authorization server answered; `None` if it cannot be sent in a header.
    fn grant(
        &self,
        got: &OAuthTokenResponse,
        client: &OAuthClientConfig,
        issuer: Option<String>,
    ) -> Option<Grant> {
        let got = serde_json::to_value(got).ok()?;
        let token = |name: &str| got[name].as_str().and_then(Key::token);
        let since = moment();
        let lasts = got["expires_in"].as_i64();
        Some(Grant {
            server: self.address.endpoint().to_owned(),
            issuer,
            client_id: client.client_id.clone(),
            client_secret: client.client_secret.as_deref().and_then(Key::token),
            access: token("access_token")?,
            refresh: token("refresh_token"),
            since,
            ends_at: lasts.map(|s| since.plus(s.max(0).saturating_mul(Timestamp::SECOND))),
            scopes: client.scopes.clone(),
            wanted: Vec::new(),
        })
    }

    /// True for a grant for this address and, if an id is set, of that id.
    fn is_for_us(&self, grant: &Grant) -> bool {
        let same_client = match &self.setting.of {
            GrantOf::Person(KnownAs::Registered { client_id, .. }) => *client_id == grant.client_id,
            _ => true,
        };
        same_client && grant.server == self.address.endpoint()
    }
}

impl KnownAs {
    /// Returns the client that is known already, if one is.
    fn client(&self, metadata: &AuthorizationMetadata, back: &str) -> Option<OAuthClientConfig> {
        let takes_documents = metadata.additional_fields.get("client_id_metadata_document_supported")
            == Some(&Value::Bool(true));
        match self {
            Self::Registered { client_id, secret } => {
                let client = OAuthClientConfig::new(client_id, back);
                Some(match secret {
                    Some(secret) => client.with_client_secret(secret.as_str()),
                    None => client,
                })
            }
            Self::Document { url } if takes_documents => Some(OAuthClientConfig::new(url, back)),
            Self::Document { .. } | Self::Nobody => None,
        }
    }
}

/// The time of this machine, with which the end of a token is compared.
fn moment() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Returns an error with its causes, for people.
fn because(error: &AuthError) -> String {
    shown(&crate::transport_fault::chain(error))
}

/// Text of another server, on one line.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(240).collect()
}
