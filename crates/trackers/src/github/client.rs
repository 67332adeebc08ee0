//! Sends requests to one GitHub: a few at once, writes at intervals, and none while GitHub asks us to wait.
//!
//! One call is one request. No retry, no redirect (`docs/design/0031-effects-and-retries.md`). GitHub counts all requests of
//! an account together, so a wait is for all of them.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_engine::data::effect::Attempt;
use throughline_net::Address;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::answer::{Answer, classify};
use super::config::GithubConfig;
use crate::remote::{Limits, read};

/// The time to connect, TLS included.
const CONNECT: Duration = Duration::from_secs(3);
/// The time of a call.
const CALL: Duration = Duration::from_secs(30);
/// The longest time that a write waits for its turn. One that would wait longer is tried again later.
const TURN: Duration = Duration::from_secs(10);
/// Items of a page, as many as GitHub gives at most.
const PAGE: usize = 100;
/// The version of the API.
const VERSION: &str = "2022-11-28";

/// A client of one GitHub.
pub(super) struct Client {
    http: reqwest::Client,
    base: Address,
    token: HeaderValue,
    places: Semaphore,
    between_writes: Duration,
    pace: Mutex<Pace>,
}

/// The times at which requests may go out.
#[derive(Default)]
struct Pace {
    /// The end of the wait that GitHub asked for.
    wait: Option<Instant>,
    /// The time of the next write.
    write: Option<Instant>,
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    /// The address or the token cannot be used; the text is for people.
    pub(super) fn new(config: &GithubConfig) -> Result<Self, String> {
        let base = Address::parse(&config.base_url, config.allow_loopback)?;
        let http = throughline_net::client(base.reach(), CONNECT)?;
        let token = config.token.header("Bearer ").ok_or("the token cannot be part of a header")?;
        let Limits { at_once, between_writes } = config.limits;
        let (places, pace) = (Semaphore::new(at_once.max(1)), Mutex::default());
        Ok(Self { http, base, token, places, between_writes, pace })
    }

    /// The address for people, without a slash at its end.
    pub(super) fn web(&self) -> String {
        web(self.base.base())
    }

    /// Reads from a path, which holds its query.
    pub(super) async fn read(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    /// Reads pages of a list, until `is_enough` says so of one, or there are no more.
    ///
    /// # Errors
    /// The outcome of the attempt that got another answer.
    pub(super) async fn pages<T: DeserializeOwned, U>(
        &self,
        path: &str,
        most: usize,
        mut is_enough: impl FnMut(Vec<T>) -> bool,
    ) -> Result<(), Attempt<U>> {
        let and = if path.contains('?') { '&' } else { '?' };
        for page in 1..=most {
            let answer = self.read(&format!("{path}{and}per_page={PAGE}&page={page}")).await;
            let items: Vec<T> = read(answer.done()?)?;
            let last = items.len() < PAGE;
            if is_enough(items) || last {
                break;
            }
        }
        Ok(())
    }

    /// Writes, once the last write is long enough ago.
    pub(super) async fn write(&self, method: Method, path: &str, body: &Value) -> Answer {
        let turn = self.pace(|pace, now| {
            let turn = pace.write.map_or(now, |write| write.max(now));
            let wait = turn.duration_since(now);
            if wait > TURN {
                return Err(wait);
            }
            pace.write = Some(turn + self.between_writes);
            Ok(turn)
        });
        match turn {
            Ok(turn) => tokio::time::sleep_until(turn).await,
            Err(wait) => return too_many(wait),
        }
        self.call(method, path, Some(body)).await
    }

    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        // The semaphore is never closed.
        let _place = self.places.acquire().await;
        let wait = self.pace(|pace, now| pace.wait.map(|until| until.duration_since(now)));
        if let Some(left) = wait.filter(|left| !left.is_zero()) {
            return too_many(left);
        }
        let act = format!("{method} {}", path.split('?').next().unwrap_or_default());
        let mut request = self.http.request(method, self.base.join(path)).timeout(CALL);
        request = request.header(AUTHORIZATION, self.token.clone());
        request = request.header("accept", "application/vnd.github+json");
        request = request.header("x-github-api-version", VERSION);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let sent = throughline_net::send(request, &act).await;
        if let Err(error) = &sent {
            tracing::warn!(?error, "a request to GitHub has no answer");
        }
        let answer = classify(sent, now());
        if let Answer::TooMany { hint: Some(hint) } = answer {
            let wait = Duration::from_millis(hint.unsigned_abs());
            self.pace(|pace, now| pace.wait = Some(now + wait));
        }
        answer
    }

    fn pace<T>(&self, change: impl FnOnce(&mut Pace, Instant) -> T) -> T {
        change(&mut self.pace.lock().unwrap_or_else(PoisonError::into_inner), Instant::now())
    }
}

/// The time of this machine, against which GitHub's times are measured.
#[expect(clippy::disallowed_methods, reason = "it decides how long to wait, and nothing that is replayed")]
fn now() -> SystemTime {
    SystemTime::now()
}

/// The answer to a request that is not sent yet.
fn too_many(wait: Duration) -> Answer {
    Answer::TooMany { hint: i64::try_from(wait.as_millis()).ok() }
}

/// The address for people that belongs to one of the API.
fn web(api: &str) -> String {
    let api = api.strip_suffix("/api/v3").unwrap_or(api);
    match api.split_once("://api.") {
        Some((scheme, host)) => format!("{scheme}://{host}"),
        None => api.to_owned(),
    }
}

/// A part of a path or a query, encoded.
pub(super) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_have_an_address_of_their_own() {
        for (api, expected) in [
            ("https://api.github.com", "https://github.com"),
            ("https://api.acme.ghe.com", "https://acme.ghe.com"),
            ("https://git.acme.example/api/v3", "https://git.acme.example"),
            ("http://127.0.0.1:4711", "http://127.0.0.1:4711"),
        ] {
            assert_eq!(web(api), expected);
        }
    }
}
