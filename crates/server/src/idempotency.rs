//! `Idempotency-Key`: a request has one outcome, however often it is sent. For a request that delivers an event, the
//! row of the key *is* the inbox row; for others it is a row of its own (`docs/design/0029-durable-intake.md`).

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_engine::data::canonical_json::{hex, jcs, sha256};
use throughline_runtime::Keys;
use throughline_store::StoredResponse;

use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::middleware::TURN_HEADER;
use crate::problem::{PROBLEM_JSON, Problem};
use crate::request::malformed;
use crate::stored_tokens;

const KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Maximum length of a key.
pub(crate) const MAX_KEY: usize = 255;

/// Characters escaped in a segment of a path: all but the unreserved ones of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Request identified by its key.
pub(crate) struct KeyedRequest {
    /// Tenant the key belongs to.
    pub(crate) tenant: String,
    /// Key as the client sent it.
    pub(crate) client: String,
    /// Key in the store: `http:{token}:{route}:{key}`.
    pub(crate) key: String,
    /// SHA-256 of method, route and canonical body.
    pub(crate) hash: String,
    /// That hash with the actor, for an event that has an id of its host: a body may leave the actor to the token, and
    /// the host's id comes from several tokens.
    pub(crate) event_hash: Option<String>,
}

impl KeyedRequest {
    /// Reads the key of a request to `route`, which is its path.
    pub(crate) fn of(
        caller: &Caller,
        method: &Method,
        route: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Self, Problem> {
        let mut given = headers.get_all(KEY_HEADER).iter();
        let client = given.next().and_then(|key| key.to_str().ok()).filter(|_| given.next().is_none());
        let visible = |key: &&str| {
            (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
        };
        let Some(client) = client.filter(visible) else {
            let text = "send one Idempotency-Key header of 1 to 255 visible ASCII characters";
            return Err(Problem::new(&codes::KEY_REQUIRED, text));
        };
        let body: Value = serde_json::from_slice(body).map_err(|error| malformed(&error.to_string()))?;
        Ok(Self::new(caller, method, route, client, &body))
    }

    /// Makes the key from a body that is already parsed.
    pub(crate) fn new(caller: &Caller, method: &Method, route: &str, client: &str, body: &Value) -> Self {
        let hash =
            hex(&sha256(&[method.as_str().as_bytes(), b"\n", route.as_bytes(), b"\n", jcs(body).as_bytes()]));
        Self {
            tenant: caller.tenant.clone(),
            client: client.into(),
            key: delivery_key(caller, route, client),
            hash,
            event_hash: None,
        }
    }

    /// Makes the request one about an event that its host gave an id, and that this person caused.
    pub(crate) fn about_event_of(mut self, actor: &str) -> Self {
        self.event_hash = Some(hex(&sha256(&[self.hash.as_bytes(), b"\n", actor.as_bytes()])));
        self
    }

    /// Returns the hash that is stored, and compared when the request comes again.
    pub(crate) fn stored_hash(&self) -> &str {
        self.event_hash.as_deref().unwrap_or(&self.hash)
    }

    /// Returns true if a row of this key is of the same request. One that a version before 0.2 stored has no actor in
    /// its hash; the key belongs to one token, so the actor is the same.
    pub(crate) fn is_repeated_by(&self, stored: Option<&str>) -> bool {
        stored.is_some_and(|stored| stored == self.stored_hash() || stored == self.hash)
    }

    /// Returns the path where the turn of the event can be read.
    pub(crate) fn turn_href(&self) -> String {
        turn_href(&self.client)
    }

    /// Problem: the key was used for another request.
    pub(crate) fn reused(&self) -> Problem {
        let text =
            format!("the Idempotency-Key {:?} was used for another request of this route", self.client);
        Problem::new(&codes::KEY_REUSED, text)
    }

    /// Problem: the host's id of the event was used for another event.
    pub(crate) fn event_reused() -> Problem {
        let text =
            "the event_id was used for an event with another body, another user or another conversation";
        Problem::new(&codes::EVENT_REUSED, text)
    }

    /// Problem: the first request with this key is still being handled.
    pub(crate) fn in_progress(&self) -> Problem {
        let text = format!("the request with the Idempotency-Key {:?} is still being handled", self.client);
        Problem::new(&codes::IN_PROGRESS, text).retry_after(1)
    }
}

/// Returns the delivery key of a request.
pub(crate) fn delivery_key(caller: &Caller, route: &str, client: &str) -> String {
    format!("http:{}:{route}:{client}", caller.token)
}

/// Returns the path where the turn of an event can be read, given the client's key.
pub(crate) fn turn_href(client: &str) -> String {
    format!("/v1/turns/key:{}", utf8_percent_encode(client, SEGMENT))
}

/// Runs work that delivers no event: once for each key. Repeated requests get the stored answer.
pub(crate) async fn run_once<F, T>(app: &Arc<App>, keyed: KeyedRequest, work: F) -> Result<Response, Problem>
where
    F: Future<Output = Result<T, Problem>>,
    T: Serialize,
{
    let counted = format!("{}\n{}", keyed.tenant, keyed.key);
    let _running = app.enter(counted.clone());
    let store = app.store();
    if let Some((hash, answer)) = store.begin_request(&keyed.tenant, &keyed.key, &keyed.hash).await? {
        if hash != keyed.hash {
            return Err(keyed.reused());
        }
        if let Some(answer) = answer {
            return Ok(replayed_response(app.runtime().keys(), &keyed.tenant, answer));
        }
        if app.count(&counted) > 1 {
            return Err(keyed.in_progress());
        }
        // A process that has ended began this request and never answered it. The work may be repeated.
    }
    let answer = match work.await {
        Ok(done) => StoredResponse { status: 200, body: to_json(&done) },
        // What may be otherwise a moment later is no outcome, so the key stays free for the same request.
        Err(problem) if passes(problem.status()) => return Err(problem),
        Err(problem) => problem.stored(),
    };
    store.store_response(&keyed.tenant, &keyed.key, to_store(&answer)).await?;
    Ok(stored_response(answer))
}

/// True of an answer that says nothing about the request itself.
fn passes(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

/// Returns an answer as it is stored.
pub(crate) fn to_store(answer: &StoredResponse) -> StoredResponse {
    StoredResponse { status: answer.status, body: stored_tokens::hidden(&answer.body) }
}

/// The turn that an answer names. The rest of the answer, which may be long, is only passed over.
#[derive(Default, Deserialize)]
struct NamedTurn<'a> {
    #[serde(borrow, default)]
    turn: Option<Cow<'a, str>>,
}

/// Response with a stored answer, which was given before.
pub(crate) fn replayed_response(keys: &Keys, tenant: &str, stored: StoredResponse) -> Response {
    let body = stored_tokens::shown(keys, tenant, &stored.body);
    let mut response = stored_response(StoredResponse { body, ..stored });
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// Response with an answer and the headers that belong to it.
pub(crate) fn stored_response(stored: StoredResponse) -> Response {
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let content = if stored.status >= 400 { PROBLEM_JSON } else { "application/json" };
    let named: NamedTurn<'_> = serde_json::from_str(&stored.body).unwrap_or_default();
    let turn = named.turn.and_then(|turn| HeaderValue::from_str(&turn).ok());
    let retry = (stored.status == 429).then(|| HeaderValue::from_static("5"));
    let mut response = (status, stored.body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content));
    if let Some(turn) = turn {
        headers.insert(TURN_HEADER, turn);
    }
    if let Some(retry) = retry {
        headers.insert(axum::http::header::RETRY_AFTER, retry);
    }
    response
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}
