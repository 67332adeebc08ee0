//! The only place that sends: one endpoint of a provider, its client, its pool of calls, and what it takes.
//!
//! No retry and no redirect in the library, HTTP/1.1, a connection within 3 s, a first byte within 15 s, and the rest of
//! the ask's time for the answer (`spec 07 §7`). What is read of an answer is bounded while it comes in.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response};
use serde_json::Value;
use throughline_net::{Address, retry_after, told};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use crate::ApiKey;
use crate::vendor::{Kind, Reading, Request, Takes, Verdict};

/// Calls at once to one provider.
const POOL: usize = 8;
/// The most of a refusal that is read: enough to see which field it is about.
const REFUSAL: usize = 16 * 1024;

/// How long a part of a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection, TLS included.
    pub connect: Duration,
    /// Until the first byte of the answer.
    pub first_byte: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(3), first_byte: Duration::from_secs(15) }
    }
}

/// Where a provider is and how it is spoken to.
pub(crate) struct Endpoint {
    kind: Kind,
    url: String,
    base: String,
    http: Client,
    headers: HeaderMap,
    timeouts: Timeouts,
    pool: Semaphore,
    native: bool,
    /// What each model there takes, where it is not everything.
    takes: Mutex<BTreeMap<String, Takes>>,
}

/// The bytes of a call, or why there are none.
enum Sent {
    Answer(Response),
    Ended(Verdict),
}

impl Endpoint {
    /// # Errors
    /// The address may not be used, or the key cannot be sent; for a person to read.
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
            url: address.at(kind.path()),
            base: address.base().into(),
            http,
            headers,
            timeouts,
            pool: Semaphore::new(POOL),
            native,
            takes: Mutex::default(),
        })
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Asks once, within `budget`, the wait for a place in the pool included.
    ///
    /// A refusal that names a field this endpoint does not know (`response_format`, `temperature`, …) was no attempt:
    /// the same question goes out without it, and that is remembered.
    pub(crate) async fn ask(&self, request: &Request<'_>, budget: Duration) -> Verdict {
        let until = Instant::now() + budget;
        let asked = async {
            let Ok(_place) = self.pool.acquire().await else { return Verdict::nothing("off") };
            let mut takes = self.takes(request.model);
            loop {
                let body = self.kind.body(request, takes);
                match self.once(&body, until).await {
                    Ok(verdict) => {
                        self.remember(request.model, takes);
                        return verdict;
                    }
                    Err(Refusal { status, text }) => match takes.without(&text, self.kind) {
                        Some(less) => takes = less,
                        None => return Verdict::Nothing(format!("status_{status}")),
                    },
                }
            }
        };
        timeout_at(until, asked).await.unwrap_or_else(|_| Verdict::nothing("timeout"))
    }

    /// Whether two are one provider: the same address, spoken to in the same way, with the same key.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.url == other.url && self.headers == other.headers && self.native == other.native
    }

    fn takes(&self, model: &str) -> Takes {
        let known = self.takes.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(model).copied().unwrap_or(Takes::everything(self.native))
    }

    fn remember(&self, model: &str, takes: Takes) {
        if takes != self.takes(model) {
            self.takes.lock().unwrap_or_else(PoisonError::into_inner).insert(model.into(), takes);
        }
    }

    /// One request. Refused for what it says, 400 or 422, it may be put otherwise.
    async fn once(&self, body: &Value, until: Instant) -> Result<Verdict, Refusal> {
        let mut answer = match self.send(body).await {
            Sent::Answer(answer) => answer,
            Sent::Ended(verdict) => return Ok(verdict),
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
        let mut reading = Reading::new(self.kind, kind);
        loop {
            match timeout_at(until, answer.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    if !reading.more(&chunk) {
                        return Ok(Reading::too_long());
                    }
                }
                Ok(Ok(None)) => return Ok(reading.end()),
                Ok(Err(error)) => return Ok(Verdict::Unknown(told("the model did not answer", error))),
                Err(_) => return Ok(Verdict::nothing("timeout")),
            }
        }
    }

    async fn send(&self, body: &Value) -> Sent {
        let request = self.http.post(&self.url).headers(self.headers.clone()).body(body.to_string());
        match timeout(self.timeouts.first_byte, request.send()).await {
            Ok(Ok(answer)) => Sent::Answer(answer),
            // Only a connection that never came about is proof that nothing was sent.
            Ok(Err(error)) if error.is_connect() || error.is_builder() => {
                Sent::Ended(Verdict::NotApplied(told("the model was not asked", error)))
            }
            Ok(Err(error)) => Sent::Ended(Verdict::Unknown(told("the model did not answer", error))),
            Err(_) => Sent::Ended(Verdict::Unknown("the model did not answer: no first byte in time".into())),
        }
    }
}

/// What a vendor says against a request.
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

/// What a status that is no success proves (`spec 06 §4.3`, `spec 07 §7`).
fn of_status(status: u16, answer: &Response) -> Verdict {
    match status {
        429 => {
            let hint = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
            Verdict::Limited { hint_ms: hint.and_then(retry_after) }
        }
        408 | 500.. => Verdict::Unknown(format!("the model did not answer: status {status}")),
        status => Verdict::Nothing(format!("status_{status}")),
    }
}
