//! The token of a request: one that lasts, renewed by one process at a time.
//!
//! Whoever renews first writes that it does, by compare-and-swap; who comes second waits for what that one got. A process
//! that ends in between loses its turn after [`TURN`]. Nothing of it can be cut off half-way by a request that is given up.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, ClientCredentialsConfig, CredentialStore as _, InMemoryCredentialStore,
    JwtSigningAlgorithm, OAuthClientConfig, StoredCredentials,
};
use serde_json::json;
use throughline_engine::{Millis, Timestamp};
use tokio::time::Instant;

use super::grant::{Grant, HeldGrant, KeptGrant};
use super::{Authorization, Discovered, GrantOf, MAX_SCOPES, SigningAlgorithm, because, moment};

/// The time before its end in which a token is renewed.
const EARLY: Millis = 30 * Timestamp::SECOND;
/// The age below which a token that is refused is not renewed: a newer one would be refused, too.
const NEW: Millis = 10 * Timestamp::SECOND;
/// The turn of a process that renews.
const TURN: Millis = 60 * Timestamp::SECOND;
/// The longest that renewing takes, well within the turn.
const RENEWAL: Duration = Duration::from_secs(40);
/// The time between two looks at what another process got.
const LOOK: Duration = Duration::from_millis(200);
/// The longest wait for another process.
const WAIT: Duration = Duration::from_secs(65);
/// Attempts to keep what was got, a second apart. The earlier refresh token may be taken no more by then.
const KEEPS: u32 = 20;

/// Reason why there is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAccess {
    /// Somebody has to connect first, or again.
    Unconnected,
    /// A token that was got just now is refused.
    Refused,
    /// None could be got; the details, for operators.
    Failed(String),
}

/// Outcome of a renewal that brought no tokens.
enum NotRenewed {
    /// The grant has ended; the details, for operators.
    Ended(String),
    /// It may work later; the details, for operators.
    Failed(String),
}

impl From<AuthError> for NotRenewed {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::TokenRefreshRejected(_) => Self::Ended(because(&error)),
            _ => Self::Failed(because(&error)),
        }
    }
}

impl From<NoAccess> for AuthError {
    fn from(none: NoAccess) -> Self {
        match none {
            NoAccess::Unconnected => Self::AuthorizationRequired,
            NoAccess::Refused => Self::TokenExpired,
            NoAccess::Failed(why) => Self::TokenRefreshFailed(why),
        }
    }
}

impl Authorization {
    /// Returns a token that lasts for a request, and is another one than `refused`.
    ///
    /// # Errors
    /// There is none. Nothing was sent to the server.
    pub(crate) async fn access(self: &Arc<Self>, refused: Option<&str>) -> Result<String, NoAccess> {
        let seen = self.seen.lock().await.clone();
        if let Some(grant) = seen.filter(|grant| grant.serves(refused)) {
            return Ok(grant.access.as_str().to_owned());
        }
        let (this, refused) = (self.clone(), refused.map(str::to_owned));
        let got = tokio::spawn(async move {
            match &this.setting.of {
                GrantOf::Person(_) => this.of_person(refused.as_deref()).await,
                GrantOf::Secret { .. } | GrantOf::SigningKey { .. } => {
                    this.of_client(refused.as_deref()).await
                }
            }
        });
        let gone = |_| Err(NoAccess::Failed("whoever fetched it is gone".into()));
        got.await.unwrap_or_else(gone).map(|grant| grant.access.as_str().to_owned())
    }

    async fn of_person(&self, refused: Option<&str>) -> Result<Grant, NoAccess> {
        // Whoever comes meanwhile waits here, and then finds what was got.
        let mut seen = self.seen.lock().await;
        let began = Instant::now();
        loop {
            if let Some(grant) = seen.as_ref().filter(|grant| grant.serves(refused)) {
                return Ok(grant.clone());
            }
            let KeptGrant { version, held } = self.grants.load(&self.name).await.map_err(NoAccess::Failed)?;
            match held {
                HeldGrant::Ready(grant) | HeldGrant::Renewing { grant, .. } if !self.is_for_us(&grant) => {
                    return Err(NoAccess::Unconnected);
                }
                HeldGrant::Nothing => return Err(NoAccess::Unconnected),
                HeldGrant::Ready(grant) | HeldGrant::Renewing { grant, .. } if grant.serves(refused) => {
                    *seen = Some(*grant);
                }
                HeldGrant::Renewing { until, .. } if moment() < until => {
                    if began.elapsed() > WAIT {
                        return Err(NoAccess::Failed("another process is renewing it".into()));
                    }
                    tokio::time::sleep(LOOK).await;
                }
                HeldGrant::Ready(grant) | HeldGrant::Renewing { grant, .. }
                    if grant.is_refused(refused) && grant.is_new() =>
                {
                    return Err(NoAccess::Refused);
                }
                HeldGrant::Ready(grant) | HeldGrant::Renewing { grant, .. } => {
                    if let Some(grant) = self.renew(version, grant).await? {
                        *seen = Some(grant.clone());
                        return Ok(grant);
                    }
                }
            }
        }
    }

    /// Renews a grant; nothing if another process was first.
    async fn renew(&self, version: u64, grant: Box<Grant>) -> Result<Option<Grant>, NoAccess> {
        let turn = HeldGrant::Renewing { grant: grant.clone(), until: moment().plus(TURN) };
        if !self.grants.swap(&self.name, version, &turn, None).await.map_err(NoAccess::Failed)? {
            return Ok(None);
        }
        let renewed = tokio::time::timeout(RENEWAL, self.renewed(&grant)).await;
        let late = |_| Err(NotRenewed::Failed("its authorization server did not answer in time".into()));
        match renewed.unwrap_or_else(late) {
            Ok(next) => {
                self.keep(version + 1, &HeldGrant::Ready(Box::new(next.clone()))).await;
                Ok(Some(next))
            }
            Err(NotRenewed::Ended(why)) => {
                let server = &self.name;
                tracing::error!(
                    code = "TL-5303",
                    server,
                    why,
                    "a grant has ended; somebody has to connect again"
                );
                self.keep(version + 1, &HeldGrant::Nothing).await;
                Err(NoAccess::Unconnected)
            }
            Err(NotRenewed::Failed(why)) => {
                tracing::warn!(server = self.name, why, "a token was not renewed");
                self.keep(version + 1, &HeldGrant::Ready(grant)).await;
                Err(NoAccess::Failed(why))
            }
        }
    }

    async fn renewed(&self, grant: &Grant) -> Result<Grant, NotRenewed> {
        let Some(refresh) = &grant.refresh else {
            return Err(NotRenewed::Ended("its token has ended, and there is none to renew it with".into()));
        };
        let Discovered { mut manager, metadata, .. } = self.discovered(None).await?;
        if metadata.issuer != grant.issuer {
            return Err(NotRenewed::Ended("its authorization server is another one now".into()));
        }
        let mut client = OAuthClientConfig::new(&grant.client_id, self.address.endpoint());
        if let Some(secret) = &grant.client_secret {
            client = client.with_client_secret(secret.as_str());
        }
        manager.configure_client(client.clone())?;
        let before = json!({
            "access_token": grant.access.as_str(), "token_type": "bearer", "refresh_token": refresh.as_str(),
        });
        let before = serde_json::from_value(before).map_err(|e| NotRenewed::Failed(e.to_string()))?;
        // Without scopes, what was granted is renewed as it is.
        let stored = StoredCredentials::new(grant.client_id.clone(), Some(before), Vec::new(), None);
        let store = InMemoryCredentialStore::new();
        store.save(stored.with_issuer(metadata.issuer.clone())).await?;
        manager.set_credential_store(store);
        let got = manager.refresh_token().await?;
        let next = self.grant(&got, &client, metadata.issuer);
        let next = next.ok_or_else(|| NotRenewed::Failed("its token cannot be part of a header".into()))?;
        Ok(Grant { scopes: grant.scopes.clone(), wanted: grant.wanted.clone(), ..next })
    }

    /// Writes the end of a renewal. If somebody connected again meanwhile, theirs stays.
    async fn keep(&self, version: u64, held: &HeldGrant) {
        for _ in 0..KEEPS {
            match self.grants.swap(&self.name, version, held, None).await {
                Ok(_) => return,
                Err(why) => tracing::warn!(server = self.name, why, "a grant is not kept yet"),
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        tracing::error!(code = "TL-5303", server = self.name, "a renewed grant was not kept");
    }

    /// Gets a token of the client's own. It is kept in memory: another one is got whenever it is needed.
    async fn of_client(&self, refused: Option<&str>) -> Result<Grant, NoAccess> {
        let mut seen = self.seen.lock().await;
        if let Some(grant) = &*seen {
            if grant.serves(refused) {
                return Ok(grant.clone());
            }
            if grant.is_refused(refused) && grant.is_new() {
                return Err(NoAccess::Refused);
            }
        }
        let failed = |error: AuthError| NoAccess::Failed(because(&error));
        let Discovered { mut manager, metadata, .. } = self.discovered(None).await.map_err(failed)?;
        let mut scopes = match &*self.setting.scopes {
            [] => manager.select_initial_scopes(&[]).await,
            set => set.to_vec(),
        };
        scopes.truncate(MAX_SCOPES);
        let resource = self.resource(&mut manager).await;
        let Some(proof) = self.setting.of.proof(scopes.clone(), resource) else {
            return Err(NoAccess::Unconnected);
        };
        manager.validate_client_credentials_metadata(&proof).map_err(failed)?;
        manager.configure_client_credentials(&proof).map_err(failed)?;
        // Of this one act, `rmcp`'s future cannot move between threads.
        let runtime = tokio::runtime::Handle::current();
        let exchange = move || runtime.block_on(manager.exchange_client_credentials(&proof));
        let got = tokio::task::spawn_blocking(exchange).await;
        let got = got.map_err(|_| NoAccess::Failed("whoever fetched it is gone".into()))?.map_err(failed)?;
        let client = OAuthClientConfig::new("", self.address.endpoint()).with_scopes(scopes);
        let grant = self.grant(&got, &client, metadata.issuer);
        let grant = grant.ok_or_else(|| NoAccess::Failed("its token cannot be part of a header".into()))?;
        *seen = Some(grant.clone());
        Ok(grant)
    }

    /// Name of what a token is for: as the server publishes it, or its address. It is told in addresses of consent.
    async fn resource(&self, manager: &mut AuthorizationManager) -> String {
        let address = self.address.endpoint();
        let client = OAuthClientConfig::new("client", address);
        let page = match manager.configure_client(client) {
            Ok(()) => manager.get_authorization_url(&[]).await.ok(),
            Err(_) => None,
        };
        let told = page.and_then(|page| {
            let page = Url::parse(&page).ok()?;
            page.query_pairs().find(|(name, _)| name == "resource").map(|(_, value)| value.into_owned())
        });
        told.unwrap_or_else(|| address.to_owned())
    }

    /// Notes scopes that the server wants for a request that it refused. Returns false if they were asked for already: to
    /// ask for them again would bring nothing.
    pub(crate) async fn wants(&self, scopes: &str) -> bool {
        if !matches!(self.setting.of, GrantOf::Person(_)) {
            return false;
        }
        let Ok(KeptGrant { version, held: HeldGrant::Ready(mut grant) }) = self.grants.load(&self.name).await
        else {
            return false;
        };
        let more: Vec<&str> = scopes.split_whitespace().filter(|one| !grant.has(one)).collect();
        if more.is_empty() || grant.scopes.len() + more.len() > MAX_SCOPES {
            return false;
        }
        let new = more.iter().filter(|one| !grant.wanted.iter().any(|wanted| wanted == *one));
        let new: Vec<String> = new.map(|one| (*one).to_owned()).collect();
        if !new.is_empty() {
            grant.wanted.extend(new);
            // Whoever is faster notes the same, or has connected anew.
            if let Err(why) = self.grants.swap(&self.name, version, &HeldGrant::Ready(grant), None).await {
                tracing::warn!(server = self.name, why, "it is not noted which rights are wanted");
            }
        }
        true
    }
}

impl Grant {
    /// True for a token that lasts, and that was not refused.
    fn serves(&self, refused: Option<&str>) -> bool {
        self.ends_at.is_none_or(|ends_at| moment().plus(EARLY) < ends_at) && !self.is_refused(refused)
    }

    fn is_refused(&self, refused: Option<&str>) -> bool {
        refused == Some(self.access.as_str())
    }

    fn is_new(&self) -> bool {
        moment() < self.since.plus(NEW)
    }

    fn has(&self, scope: &str) -> bool {
        self.scopes.iter().any(|one| one == scope)
    }
}

impl GrantOf {
    /// Returns what a client proves itself with; nothing for a person's grant.
    fn proof(&self, scopes: Vec<String>, resource: String) -> Option<ClientCredentialsConfig> {
        let resource = Some(resource);
        Some(match self {
            Self::Person(_) => return None,
            Self::Secret { client_id, secret } => ClientCredentialsConfig::ClientSecret {
                client_id: client_id.clone(),
                client_secret: secret.as_str().to_owned(),
                scopes,
                resource,
            },
            Self::SigningKey { client_id, pem, algorithm } => ClientCredentialsConfig::PrivateKeyJwt {
                client_id: client_id.clone(),
                signing_key: pem.as_bytes().to_vec(),
                signing_algorithm: match algorithm {
                    SigningAlgorithm::Rs256 => JwtSigningAlgorithm::RS256,
                    SigningAlgorithm::Es256 => JwtSigningAlgorithm::ES256,
                    SigningAlgorithm::Es384 => JwtSigningAlgorithm::ES384,
                },
                token_endpoint_audience: None,
                scopes,
                resource,
            },
        })
    }
}
