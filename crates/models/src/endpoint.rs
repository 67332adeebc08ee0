//! Sends requests: one endpoint of a provider, with its client, its pool of calls and the features it supports.
//!
//! No retries and no redirects in the HTTP library, HTTP/1.1, a connection within 3 s, a first byte within 15 s, and
//! the rest of the ask's time for the answer (`docs/design/0037-models-and-tools.md`). The length of an answer is
//! bounded while it is read.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response};
use serde_json::Value;
use throughline_net::{Address, describe_error, retry_after};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use crate::ApiKey;
use crate::readable::{Telling, Told};
use crate::vendor::{CallOutcome, Features, Kind, ReplyReader, Request};

/// The most concurrent calls to one provider.
const POOL: usize = 8;
/// The longest refusal that is read: enough to see which field it is about.
const REFUSAL: usize = 16 * 1024;

/// The time limits of a call's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time to connect, TLS included.
    pub connect: Duration,
    /// The time to the first byte of the answer.
    pub first_byte: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(3), first_byte: Duration::from_secs(15) }
    }
}

/// A provider's address and wire format.
pub(crate) struct Endpoint {
    kind: Kind,
    url: String,
    base: String,
    http: Client,
    headers: HeaderMap,
    timeouts: Timeouts,
    pool: Semaphore,
    native: bool,
    /// The features each model supports, where not all.
    features: Mutex<BTreeMap<String, Features>>,
}

/// The response of a call, or its early end.
enum Sent {
    Answer(Response),
    Ended(CallOutcome),
}

impl Endpoint {
    /// # Errors
    /// The address may not be used, or the key cannot be sent; the text is for people.
    pub(crate) fn new(
        kind: Kind,
        address: &Address,
        key: Option<&ApiKey>,
        native: bool,
        timeouts: Timeouts,
    ) -> Result<Self, String> {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        for (name, value) in kind.headers() {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = key {
            let (name, scheme) = kind.key_header();
            let value = key.header(scheme).ok_or("the key cannot stand in a header")?;
            headers.insert(HeaderName::from_static(name), value);
        }
        let http = throughline_net::client(address.reach(), timeouts.connect)?;
        Ok(Self {
            kind,
            url: address.join(kind.path()),
            base: address.base().into(),
            http,
            headers,
            timeouts,
            pool: Semaphore::new(POOL),
            native,
            features: Mutex::default(),
        })
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Asks once, within `budget`, which includes the wait for a place in the pool.
    ///
    /// A refusal that names a field this endpoint does not know (`response_format`, `temperature`, …) was no attempt:
    /// the question is sent again without that field, and this is remembered. An onlooker sees what is written meanwhile.
    pub(crate) async fn ask(
        &self,
        request: &Request<'_>,
        budget: Duration,
        telling: Option<Telling<'_>>,
    ) -> CallOutcome {
        let until = Instant::now() + budget;
        let asked = async {
            let Ok(_place) = self.pool.acquire().await else { return CallOutcome::no_answer("off") };
            let mut features = self.features(request.model);
            loop {
                let body = self.kind.body(request, features);
                match self.send_once(&body, until, telling).await {
                    Ok(outcome) => {
                        self.remember(request.model, features);
                        return outcome;
                    }
                    Err(Refusal { status, text }) => match features.without(&text, self.kind) {
                        Some(less) => features = less,
                        None => return CallOutcome::NoAnswer(format!("status_{status}")),
                    },
                }
            }
        };
        timeout_at(until, asked).await.unwrap_or_else(|_| CallOutcome::no_answer("timeout"))
    }

    /// Returns true if both are one provider: the same address, format and key.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.url == other.url && self.headers == other.headers && self.native == other.native
    }

    fn features(&self, model: &str) -> Features {
        let known = self.features.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(model).copied().unwrap_or(Features::everything(self.native))
    }

    fn remember(&self, model: &str, features: Features) {
        if features != self.features(model) {
            self.features.lock().unwrap_or_else(PoisonError::into_inner).insert(model.into(), features);
        }
    }

    /// Sends one request. One that is refused for its content, with 400 or 422, may be sent in another form.
    async fn send_once(
        &self,
        body: &Value,
        until: Instant,
        telling: Option<Telling<'_>>,
    ) -> Result<CallOutcome, Refusal> {
        let mut answer = match self.send(body).await {
            Sent::Answer(answer) => answer,
            Sent::Ended(outcome) => return Ok(outcome),
        };
        let status = answer.status().as_u16();
        if matches!(status, 400 | 422) {
            return Err(Refusal { status, text: refusal(answer).await });
        }
        if status != 200 {
            return Ok(of_status(status, &answer));
        }
        let kind =
            answer.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut reader = ReplyReader::new(self.kind, kind);
        let mut told = telling.map(Told::new);
        loop {
            match timeout_at(until, answer.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    if !reader.push(&chunk) {
                        return Ok(ReplyReader::too_long());
                    }
                    if let Some(told) = &mut told {
                        told.tell(reader.so_far());
                    }
                }
                Ok(Ok(None)) => return Ok(reader.finish()),
                Ok(Err(error)) => {
                    return Ok(CallOutcome::Unknown(describe_error("the model did not answer", error)));
                }
                Err(_) => return Ok(CallOutcome::no_answer("timeout")),
            }
        }
    }

    async fn send(&self, body: &Value) -> Sent {
        let request = self.http.post(&self.url).headers(self.headers.clone()).body(body.to_string());
        match timeout(self.timeouts.first_byte, request.send()).await {
            Ok(Ok(answer)) => Sent::Answer(answer),
            // Only a connection that was never made proves that nothing was sent.
            Ok(Err(error)) if error.is_connect() || error.is_builder() => {
                Sent::Ended(CallOutcome::NotApplied(describe_error("the model was not asked", error)))
            }
            Ok(Err(error)) => {
                Sent::Ended(CallOutcome::Unknown(describe_error("the model did not answer", error)))
            }
            Err(_) => {
                Sent::Ended(CallOutcome::Unknown("the model did not answer: no first byte in time".into()))
            }
        }
    }
}

/// A vendor's refusal of a request.
struct Refusal {
    status: u16,
    text: String,
}

async fn refusal(mut answer: Response) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > REFUSAL {
            break;
        }
    }
    bytes.truncate(REFUSAL);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Interprets a status that is not a success.
fn of_status(status: u16, answer: &Response) -> CallOutcome {
    match status {
        429 => {
            let hint = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
            CallOutcome::Limited { hint_ms: hint.and_then(retry_after) }
        }
        408 | 500.. => CallOutcome::Unknown(format!("the model did not answer: status {status}")),
        status => CallOutcome::NoAnswer(format!("status_{status}")),
    }
}
