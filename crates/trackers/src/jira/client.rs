//! Sends requests to one Jira site: a few at once, writes to one issue at intervals, and none while Jira asks us to wait.
//!
//! One call is one request, sent again only where it was refused for a token that had ended. No other retry, no redirect
//! (`docs/design/0031-effects-and-retries.md`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde_json::Value;
use throughline_net::{Address, Key, Response};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::answer::{Answer, classify};
use super::config::{Credentials, Edition, JiraConfig};
use super::oauth::{Access, OAuth};
use crate::remote::Limits;

/// The time to connect, TLS included.
pub(super) const CONNECT: Duration = Duration::from_secs(3);
/// The time of a call.
const CALL: Duration = Duration::from_secs(30);
/// Headers of limits that we know; others are logged by their name.
const KNOWN_LIMITS: [&str; 6] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-ratelimit-nearlimit",
    "x-ratelimit-interval-seconds",
    "x-ratelimit-fillrate",
];

/// Requests that Jira limits together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bucket {
    /// Creating issues.
    Create,
    /// Changing issues.
    Change,
    /// Searching.
    Search,
    /// Reading anything else.
    Read,
}

/// A client of one site.
pub(super) struct Client {
    http: reqwest::Client,
    base: Address,
    edition: Edition,
    credentials: Proof,
    places: Semaphore,
    between_writes: Duration,
    pace: Mutex<Pace>,
}

/// Proof of who we are, as requests carry it.
enum Proof {
    /// A header, in each alike.
    Header(HeaderValue),
    /// A token that is renewed.
    Granted(Arc<OAuth>),
}

/// The times at which requests may go out.
#[derive(Default)]
struct Pace {
    /// The end of the wait that Jira asked for.
    waits: HashMap<Bucket, Instant>,
    /// The issues that were written to lately, each with the end of its last write. Whoever writes holds it.
    writes: HashMap<String, Arc<tokio::sync::Mutex<Option<Instant>>>>,
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    /// The address or the credentials cannot be used; the text is for people.
    pub(super) fn new(config: &JiraConfig) -> Result<Self, String> {
        let base = Address::parse(&config.base_url, config.allow_loopback)?;
        let http = throughline_net::client(base.reach(), CONNECT)?;
        let credentials = proof(&config.credentials).ok_or("the credentials cannot be part of a header")?;
        let Limits { at_once, between_writes } = config.limits;
        let (places, pace) = (Semaphore::new(at_once.max(1)), Mutex::default());
        Ok(Self { http, base, edition: config.edition, credentials, places, between_writes, pace })
    }

    /// The address of an issue for people.
    pub(super) fn browse(&self, key: &str) -> String {
        format!("{}/browse/{key}", self.base.base())
    }

    /// Reads from a path below the API's root, which holds its query.
    pub(super) async fn read(&self, path: &str) -> Answer {
        self.call(Bucket::Read, Method::GET, path, None).await
    }

    /// Searches by JQL for these fields.
    pub(super) async fn search(&self, body: &Value) -> Answer {
        self.call(Bucket::Search, Method::POST, self.edition.search(), Some(body)).await
    }

    /// Creates an issue.
    pub(super) async fn create(&self, body: &Value) -> Answer {
        self.call(Bucket::Create, Method::POST, "issue", Some(body)).await
    }

    /// Creates several issues.
    pub(super) async fn create_several(&self, body: &Value) -> Answer {
        self.call(Bucket::Create, Method::POST, "issue/bulk", Some(body)).await
    }

    /// Writes to an issue, once its last write is long enough ago.
    pub(super) async fn write(&self, method: Method, path: &str, issue: &str, body: &Value) -> Answer {
        let turn = self.pace(|pace, now| {
            let rests = |last: &Option<Instant>| last.is_some_and(|last| last + self.between_writes > now);
            // Another's turn is kept, however long it takes.
            pace.writes.retain(|_, turn| {
                Arc::strong_count(turn) > 1 || turn.try_lock().is_ok_and(|last| rests(&last))
            });
            pace.writes.entry(issue.to_owned()).or_default().clone()
        });
        let mut last = turn.lock().await;
        if let Some(last) = *last {
            tokio::time::sleep_until(last + self.between_writes).await;
        }
        let answer = self.call(Bucket::Change, method, path, Some(body)).await;
        *last = Some(Instant::now());
        answer
    }

    async fn call(&self, bucket: Bucket, method: Method, path: &str, body: Option<&Value>) -> Answer {
        // The semaphore is never closed.
        let _place = self.places.acquire().await;
        let waits = self.pace(|pace, now| pace.waits.get(&bucket).map(|until| until.duration_since(now)));
        if let Some(left) = waits.filter(|left| !left.is_zero()) {
            return Answer::TooMany { hint: i64::try_from(left.as_millis()).ok() };
        }
        let mut refused = None;
        let answer = loop {
            let access = match self.access(refused.as_ref()).await {
                Ok(access) => access,
                Err(answer) => return answer,
            };
            let answer = self.send(&access, method.clone(), path, body).await;
            if answer != Answer::Credentials || refused.is_some() {
                break answer;
            }
            // Nothing was done, so it may be sent once more with a newer token, where there is one.
            refused = Some(access.header);
        };
        if let Answer::TooMany { hint: Some(hint) } = answer {
            let wait = Duration::from_millis(hint.unsigned_abs());
            self.pace(|pace, now| pace.waits.insert(bucket, now + wait));
        }
        answer
    }

    /// The way to the site, with another proof than `refused`; where there is none, the answer of the request that is not sent.
    async fn access(&self, refused: Option<&HeaderValue>) -> Result<Access, Answer> {
        match (&self.credentials, refused) {
            (Proof::Granted(oauth), _) => oauth.access(refused).await,
            (Proof::Header(header), None) => {
                Ok(Access { base: self.base.base().to_owned(), header: header.clone() })
            }
            (Proof::Header(_), Some(_)) => Err(Answer::Credentials),
        }
    }

    async fn send(&self, access: &Access, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let act = format!("{method} {}", path.split('?').next().unwrap_or_default());
        let url = format!("{}/{}/{path}", access.base, self.edition.root());
        let mut request = self.http.request(method, url).timeout(CALL);
        request = request.header(AUTHORIZATION, access.header.clone()).header("accept", "application/json");
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let sent = throughline_net::send(request, &act).await;
        match &sent {
            Ok(response) => tell_unknown_limits(response),
            Err(error) => tracing::warn!(?error, "a request to Jira has no answer"),
        }
        classify(sent, now())
    }

    fn pace<T>(&self, change: impl FnOnce(&mut Pace, Instant) -> T) -> T {
        change(&mut self.pace.lock().unwrap_or_else(PoisonError::into_inner), Instant::now())
    }
}

/// The time of this machine, from which a date in `Retry-After` is counted.
#[expect(clippy::disallowed_methods, reason = "it decides how long to wait, and nothing that is replayed")]
pub(super) fn now() -> SystemTime {
    SystemTime::now()
}

fn proof(credentials: &Credentials) -> Option<Proof> {
    let header = match credentials {
        Credentials::ApiToken { email, token } => {
            Key::parse(&STANDARD.encode(format!("{email}:{}", token.as_str())))?.header("Basic ")?
        }
        Credentials::Bearer(token) => token.header("Bearer ")?,
        Credentials::OAuth(oauth) => return Some(Proof::Granted(oauth.clone())),
    };
    Some(Proof::Header(header))
}

fn tell_unknown_limits(response: &Response) {
    let named = response.headers.keys().map(|name| name.as_str());
    for name in named.filter(|name| name.contains("ratelimit") && !KNOWN_LIMITS.contains(name)) {
        tracing::debug!(name, "Jira has a limit that is not known here");
    }
}

/// A part of a path or a query, encoded.
pub(super) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
