//! A provider of sign-ins for tests: it issues codes and ID tokens as it is told, wrong ones too. Its pages are never visited.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use aws_lc_rs::digest;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use axum::extract::{RawForm, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Id of the client, and its secret.
pub(crate) const CLIENT: &str = "throughline";
pub(crate) const SECRET: &str = "s3cret-of-the-client";

/// Fault of the next ID token or of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    OtherNonce,
    OtherAudience,
    OtherIssuer,
    Expired,
    OtherKey,
    Unsigned,
    OtherAccessToken,
    NoIdToken,
    NoToken,
    NoDescription,
    OtherDescription,
}

/// Every fault.
pub(crate) const FAULTS: [Fault; 11] = [
    Fault::OtherNonce,
    Fault::OtherAudience,
    Fault::OtherIssuer,
    Fault::Expired,
    Fault::OtherKey,
    Fault::Unsigned,
    Fault::OtherAccessToken,
    Fault::NoIdToken,
    Fault::NoToken,
    Fault::NoDescription,
    Fault::OtherDescription,
];

/// Running provider.
pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    issuer: String,
    key: EcdsaKeyPair,
    fault: Option<Fault>,
    /// Answer of the page about the person.
    about: Value,
    /// Subject of whoever came last.
    subject: Value,
    codes: HashMap<String, Code>,
    discoveries: usize,
}

struct Code {
    claims: Value,
    nonce: String,
    challenge: String,
}

type Shared = State<Arc<Mutex<Inner>>>;

fn key() -> EcdsaKeyPair {
    let bytes = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes.as_ref()).unwrap()
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Mutex::new(Inner {
            issuer: format!("http://{address}"),
            key: key(),
            fault: None,
            about: Value::Null,
            subject: Value::Null,
            codes: HashMap::new(),
            discoveries: 0,
        }));
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/about", get(about))
            .with_state(inner.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, inner }
    }

    /// Returns the settings that name this provider.
    pub(crate) fn settings(&self, secret_file: &std::path::Path, more: &str) -> String {
        format!(
            "[openid]\nissuer = \"http://{}\"\nallow_loopback = true\nname = \"Office\"\nclient_id = \"{CLIENT}\"\n\
             client_secret_file = {:?}\n{more}\n",
            self.address, secret_file
        )
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    pub(crate) fn fails(&self, fault: Option<Fault>) {
        self.inner().fault = fault;
    }

    /// Says what its page tells about the person.
    pub(crate) fn tells(&self, about: Value) {
        self.inner().about = about;
    }

    /// Signs with another key from now on.
    pub(crate) fn rotates(&self) {
        self.inner().key = key();
    }

    pub(crate) fn discoveries(&self) -> usize {
        self.inner().discoveries
    }

    /// Lets somebody in who came with that address. Returns the path with which they go back.
    pub(crate) fn lets_in(&self, address: &str, claims: Value) -> String {
        let (page, query) = address.split_once('?').unwrap();
        assert_eq!(page, format!("http://{}/authorize", self.address));
        let query: HashMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        assert_eq!((query["response_type"].as_str(), query["client_id"].as_str()), ("code", CLIENT));
        assert_eq!(query["code_challenge_method"], "S256");
        assert!(query["scope"].split(' ').any(|scope| scope == "openid"));
        let mut inner = self.inner();
        let code = format!("code {}", inner.codes.len());
        let (nonce, challenge) = (query["nonce"].clone(), query["code_challenge"].clone());
        inner.subject = claims["sub"].clone();
        inner.codes.insert(code.clone(), Code { claims, nonce, challenge });
        let back = query["redirect_uri"].splitn(4, '/').nth(3).unwrap();
        let mut carried = form_urlencoded::Serializer::new(String::new());
        carried.append_pair("code", &code).append_pair("state", &query["state"]);
        format!("/{back}?{}", carried.finish())
    }
}

async fn describe(State(inner): Shared) -> Response {
    let mut inner = inner.lock().unwrap();
    inner.discoveries += 1;
    let issuer = match inner.fault {
        Some(Fault::NoDescription) => return StatusCode::NOT_FOUND.into_response(),
        Some(Fault::OtherDescription) => "https://login.example.org".to_owned(),
        _ => inner.issuer.clone(),
    };
    let at = |path: &str| format!("{}/{path}", inner.issuer);
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": at("authorize"),
        "token_endpoint": at("token"),
        "userinfo_endpoint": at("about"),
        "jwks_uri": at("keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }))
    .into_response()
}

async fn keys(State(inner): Shared) -> Json<Value> {
    let inner = inner.lock().unwrap();
    let point = inner.key.public_key().as_ref();
    let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let (x, y) = (part(&point[1..33]), part(&point[33..]));
    Json(
        json!({"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": kid(&inner.key), "x": x, "y": y}]}),
    )
}

fn kid(key: &EcdsaKeyPair) -> String {
    URL_SAFE_NO_PAD.encode(&key.public_key().as_ref()[1..9])
}

async fn about(State(inner): Shared) -> Response {
    let inner = inner.lock().unwrap();
    let nothing = json!({ "sub": inner.subject });
    Json(if inner.about.is_null() { nothing } else { inner.about.clone() }).into_response()
}

async fn token(State(inner): Shared, headers: HeaderMap, RawForm(form): RawForm) -> Response {
    let inner = &mut *inner.lock().unwrap();
    let form: HashMap<String, String> = form_urlencoded::parse(&form).into_owned().collect();
    let wrong = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response();
    let basic = STANDARD.encode(format!("{CLIENT}:{SECRET}"));
    if headers.get("authorization").is_none_or(|given| given != format!("Basic {basic}").as_str()) {
        return wrong("invalid_client");
    }
    let Some(Code { claims, nonce, challenge }) = form.get("code").and_then(|code| inner.codes.remove(code))
    else {
        return wrong("invalid_grant");
    };
    let verifier = form.get("code_verifier").map(String::as_str).unwrap_or_default();
    let proved = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()));
    if proved != challenge {
        return wrong("invalid_grant");
    }
    let access = "an access token";
    let mut answer = json!({"access_token": access, "token_type": "Bearer", "expires_in": 60});
    match inner.fault {
        Some(Fault::NoToken) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Some(Fault::NoIdToken) => {}
        fault => answer["id_token"] = id_token(inner, claims, &nonce, access, fault).into(),
    }
    Json(answer).into_response()
}

fn id_token(inner: &Inner, mut claims: Value, nonce: &str, access: &str, fault: Option<Fault>) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let is = |one: Fault| fault == Some(one);
    let of_access = if is(Fault::OtherAccessToken) { "another" } else { access };
    let hash = digest::digest(&digest::SHA256, of_access.as_bytes());
    claims["iss"] = if is(Fault::OtherIssuer) { "https://login.example.org" } else { &inner.issuer }.into();
    claims["aud"] = json!([if is(Fault::OtherAudience) { "another" } else { CLIENT }]);
    claims["nonce"] = if is(Fault::OtherNonce) { "another" } else { nonce }.into();
    claims["iat"] = (now - 600).into();
    claims["exp"] = if is(Fault::Expired) { now - 300 } else { now + 300 }.into();
    claims["at_hash"] = URL_SAFE_NO_PAD.encode(&hash.as_ref()[..16]).into();
    let algorithm = if is(Fault::Unsigned) { "none" } else { "ES256" };
    let head = json!({"alg": algorithm, "typ": "JWT", "kid": kid(&inner.key)});
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&head), part(&claims));
    if is(Fault::Unsigned) {
        return format!("{signed}.");
    }
    let other = key();
    let key = if is(Fault::OtherKey) { &other } else { &inner.key };
    let signature = key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
}
