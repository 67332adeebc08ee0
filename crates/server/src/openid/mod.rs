//! Sign-in by OpenID Connect: the way to the provider and back, by the code flow with PKCE (OpenID Connect Core 1.0,
//! RFC 7636). The protocol is `openidconnect`'s; `claims.rs` says whom the claims of a provider mean here.
//!
//! What has to be remembered until a person comes back is sealed in the `state` that they bring along, so every process of
//! an installation can finish what another one began.

mod claims;

use std::pin::Pin;
use std::time::{Duration, Instant};

use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreErrorResponseType, CoreGenderClaim,
    CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata,
    CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AccessTokenHash, AsyncHttpClient, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse,
    IdTokenFields, IssuerUrl, Nonce, OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, Scope, StandardErrorResponse, StandardTokenResponse, TokenResponse as _, UserInfoClaims,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throughline_engine::Timestamp;
use throughline_net::{Address, Key, LedClient};
use tokio::sync::Mutex;

use crate::config::{Config, OpenIdConfig};
use crate::finding::{Finding, State, finding};
use crate::problem::Problem;
use crate::sealed::Seal;
use crate::start_error::StartError;
use crate::{codes, random};

pub(crate) use claims::Account;
use claims::Claims;

/// Path to which people come back.
pub(crate) const BACK: &str = "/sign-in/openid/back";
/// Time that a person has at the provider, in milliseconds.
const LASTS: i64 = 10 * Timestamp::MINUTE;
/// Time that the provider's description and its keys are believed.
const BELIEVED: Duration = Duration::from_secs(3_600);
/// Time to connect, and of a request.
const CONNECT: Duration = Duration::from_secs(3);
const REQUEST: Duration = Duration::from_secs(5);
/// Name under which the state is sealed.
const SEALED: &str = "state";

type Fields = IdTokenFields<
    Claims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

/// Client of the protocol, with every claim of a provider.
type Client = openidconnect::Client<
    Claims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<Fields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Provider at which people sign in.
pub(crate) struct Provider {
    pub(crate) config: OpenIdConfig,
    secret: Option<Key>,
    network: Network,
    seal: Seal,
    known: Mutex<Option<Known>>,
}

/// Client of a provider, under the rules for addresses that others name.
struct Network(LedClient);

/// Description of a provider, with its keys.
#[derive(Clone)]
struct Known {
    metadata: CoreProviderMetadata,
    since: Instant,
}

/// Content of a state: what a person left with.
#[derive(Serialize, Deserialize)]
struct Left {
    nonce: String,
    verifier: String,
    /// Page to go to afterwards.
    to: String,
    ends: Timestamp,
}

/// Reason that nothing came of a request to the provider.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unanswered(String);

/// Person who came back.
pub(crate) struct Arrived {
    pub(crate) account: Account,
    /// Page to go to.
    pub(crate) to: String,
}

impl Provider {
    /// Returns the configured provider, if there is one. It is asked for nothing yet.
    ///
    /// # Errors
    /// The secret cannot be read, or TLS cannot be set up.
    pub(crate) fn open(config: &Config, instance_key: &[u8; 32]) -> Result<Option<Self>, StartError> {
        let cannot = |why: String| StartError::OpenId { why };
        let Some(config) = config.openid.clone() else { return Ok(None) };
        let secret = config.secret_file.as_deref().map(|file| {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|error| cannot(format!("{} cannot be read: {error}", file.display())))?;
            Key::parse(&text)
                .ok_or_else(|| cannot(format!("{} holds no secret, which is one word", file.display())))
        });
        let address = Address::parse(&config.issuer, config.allow_loopback).map_err(cannot)?;
        let network = Network(LedClient::new(&address, CONNECT, REQUEST).map_err(cannot)?);
        let seal = Seal::new(instance_key, "openid");
        Ok(Some(Self { secret: secret.transpose()?, network, seal, known: Mutex::default(), config }))
    }

    /// Begins a sign-in. Returns the page of the provider, and the state with which the person comes back.
    pub(crate) async fn begin(
        &self,
        base: &str,
        to: &str,
        now: Timestamp,
    ) -> Result<(String, String), Problem> {
        let client = self.client(base, BELIEVED).await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let left = Left {
            nonce: random::id()?,
            verifier: verifier.into_secret(),
            to: to.into(),
            ends: now.plus(LASTS),
        };
        let state = self.seal.close(SEALED, &serde_json::to_string(&left).unwrap_or_default())?;
        let nonce = Nonce::new(left.nonce);
        let given = state.clone();
        let asked = client.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            move || CsrfToken::new(given),
            move || nonce,
        );
        let scopes = self.config.scopes.iter().cloned().map(Scope::new);
        let (url, ..) = asked.add_scopes(scopes).set_pkce_challenge(challenge).url();
        self.network.0.may_be_opened(url.as_str()).map_err(unavailable)?;
        Ok((url.into(), state))
    }

    /// Finishes a sign-in with the code that the person brings, and returns who the provider says they are.
    pub(crate) async fn finish(
        &self,
        base: &str,
        state: &str,
        code: String,
        now: Timestamp,
    ) -> Result<Arrived, Problem> {
        let left = self.seal.open(SEALED, state).and_then(|left| serde_json::from_str::<Left>(&left).ok());
        let left = left.filter(|left| left.ends >= now);
        let left = left.ok_or_else(|| unavailable("it took too long; sign in again".into()))?;
        let client = self.client(base, BELIEVED).await?;
        let asked = client
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|error| unavailable(error.to_string()))?;
        let asked = asked.set_pkce_verifier(PkceCodeVerifier::new(left.verifier));
        let tokens = asked.request_async(&self.network).await;
        let tokens = tokens.map_err(|error| unavailable(format!("it gave no token: {}", chain(&error))))?;
        let claims = self.verified(base, client, &tokens, &Nonce::new(left.nonce)).await?;
        let account = claims::account(&self.config, &claims).map_err(refused)?;
        Ok(Arrived { account, to: left.to })
    }

    /// Returns the claims of the ID token, and those of the provider's page about the person that it lacks.
    async fn verified(
        &self,
        base: &str,
        mut client: Client,
        tokens: &StandardTokenResponse<Fields, CoreTokenType>,
        nonce: &Nonce,
    ) -> Result<Map<String, Value>, Problem> {
        let token = tokens.id_token().ok_or_else(|| unavailable("it gave no ID token".into()))?;
        // Keys change; a token that was signed with a newer one is no forgery.
        if token.claims(&client.id_token_verifier(), nonce).is_err() {
            client = self.client(base, Duration::ZERO).await?;
        }
        let wrong = |why: String| unavailable(format!("its ID token is not valid: {why}"));
        let verifier = client.id_token_verifier();
        let claims = token.claims(&verifier, nonce).map_err(|error| wrong(chain(&error)))?;
        if let Some(expected) = claims.access_token_hash() {
            let algorithm = token.signing_alg().map_err(|error| wrong(error.to_string()))?;
            let key = token.signing_key(&verifier).map_err(|error| wrong(error.to_string()))?;
            let hash = AccessTokenHash::from_token(tokens.access_token(), algorithm, key);
            if hash.map_err(|error| wrong(error.to_string()))? != *expected {
                return Err(wrong("it belongs to another access token".into()));
            }
        }
        let mut all = members(claims);
        let lacks = |claim: &String| !all.contains_key(claim);
        let wanted = [Some(&self.config.user_claim), self.config.roles_claim.as_ref()];
        let subject = Some(claims.subject().clone());
        if wanted.into_iter().flatten().any(lacks)
            && let Ok(asked) = client.user_info(tokens.access_token().clone(), subject)
        {
            let told: Result<UserInfoClaims<Claims, CoreGenderClaim>, _> =
                asked.request_async(&self.network).await;
            let told = told.map_err(|error| {
                unavailable(format!("it tells nothing about the person: {}", chain(&error)))
            })?;
            for (name, value) in members(&told) {
                all.entry(name).or_insert(value);
            }
        }
        Ok(all)
    }

    async fn client(&self, base: &str, believed: Duration) -> Result<Client, Problem> {
        let metadata = self.discovered(believed).await.map_err(unavailable)?;
        let back =
            RedirectUrl::new(format!("{base}{BACK}")).map_err(|error| unavailable(error.to_string()))?;
        let secret = self.secret.as_ref().map(|secret| ClientSecret::new(secret.as_str().to_owned()));
        let id = ClientId::new(self.config.client_id.clone());
        Ok(Client::from_provider_metadata(metadata, id, secret).set_redirect_uri(back))
    }

    /// Returns the provider's description with its keys, as it was at most so long ago.
    async fn discovered(&self, believed: Duration) -> Result<CoreProviderMetadata, String> {
        let mut known = self.known.lock().await;
        if let Some(known) = known.as_ref().filter(|known| known.since.elapsed() < believed) {
            return Ok(known.metadata.clone());
        }
        let issuer = IssuerUrl::new(self.config.issuer.clone()).map_err(|error| error.to_string())?;
        let found = CoreProviderMetadata::discover_async(issuer, &self.network).await;
        let metadata = found.map_err(|error| format!("it does not describe itself: {}", chain(&error)))?;
        *known = Some(Known { metadata: metadata.clone(), since: Instant::now() });
        Ok(metadata)
    }
}

impl<'c> AsyncHttpClient<'c> for Network {
    type Error = Unanswered;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Unanswered>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move { self.0.send(request).await.map_err(Unanswered) })
    }
}

/// Asks the provider for its description and its keys; `None` if there is no provider.
pub async fn examine(config: &Config) -> Option<Finding> {
    const WHAT: &str = "sign-in";
    let issuer = &config.openid.as_ref()?.issuer;
    // What is sealed with this key is never opened.
    let found = match Provider::open(config, &[0; 32]) {
        Ok(Some(provider)) => provider.discovered(Duration::ZERO).await.map(drop),
        Ok(None) => return None,
        Err(error) => Err(error.to_string()),
    };
    let back = config.server.public_url.as_deref().unwrap_or_default().trim_end_matches('/');
    Some(match found {
        Err(why) => {
            let fix = "check openid.issuer, and that this machine reaches it; docs/sign-in.md shows what it needs (TL-2110)";
            finding(WHAT, State::Broken, format!("{issuer}: {why}"), Some(fix))
        }
        Ok(()) if back.is_empty() => {
            let fix = "set server.public_url: people come back from the provider to it";
            finding(WHAT, State::Warning, format!("{issuer} answers"), Some(fix))
        }
        Ok(()) => {
            finding(WHAT, State::Ok, format!("{issuer} answers; people come back to {back}{BACK}"), None)
        }
    })
}

/// Returns claims as members of JSON.
fn members(claims: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(claims) {
        Ok(Value::Object(members)) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}

fn unavailable(why: String) -> Problem {
    Problem::new(&codes::OPENID_UNAVAILABLE, format!("the provider of sign-ins: {why}"))
}

/// Makes the problem of an account that is nobody's here.
pub(crate) fn refused(why: String) -> Problem {
    Problem::new(&codes::OPENID_REFUSED, why)
}

/// Returns an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
