//! Sends requests to one Redmine, a few at once.
//!
//! One call is one request. No retry, no redirect (`docs/design/0031-effects-and-retries.md`). Redmine itself has no limits;
//! a proxy before it may have some, and then asks us to wait.

use std::time::{Duration, SystemTime};

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use throughline_net::Address;

use super::answer::{Answer, classify};
use super::config::RedmineConfig;
use crate::remote::Gate;

/// The time to connect, TLS included.
const CONNECT: Duration = Duration::from_secs(3);
/// The time of a call.
const CALL: Duration = Duration::from_secs(30);
/// The header of an API key.
const KEY: &str = "x-redmine-api-key";

/// A client of one Redmine.
pub(super) struct Client {
    http: reqwest::Client,
    base: Address,
    key: HeaderValue,
    gate: Gate,
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    /// The address or the key cannot be used; the text is for people.
    pub(super) fn new(config: &RedmineConfig) -> Result<Self, String> {
        let base = Address::parse(&config.base_url, config.allow_loopback)?;
        let http = throughline_net::client(base.reach(), CONNECT)?;
        let key = config.key.header("").ok_or("the key cannot be part of a header")?;
        Ok(Self { http, base, key, gate: Gate::new(config.at_once) })
    }

    /// The address for people, without a slash at its end.
    pub(super) fn web(&self) -> &str {
        self.base.base().trim_end_matches('/')
    }

    /// Reads from a path, which holds its query.
    pub(super) async fn read(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    /// Creates something.
    pub(super) async fn create(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Changes something.
    pub(super) async fn change(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::PUT, path, Some(body)).await
    }

    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let _place = match self.gate.enter().await {
            Ok(place) => place,
            Err(hint) => return Answer::TooMany { hint },
        };
        let act = format!("{method} {}", path.split('?').next().unwrap_or_default());
        let mut request = self.http.request(method, self.base.join(path)).timeout(CALL);
        request = request.header(KEY, self.key.clone());
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let sent = throughline_net::send(request, &act).await;
        if let Err(error) = &sent {
            tracing::warn!(?error, "a request to Redmine has no answer");
        }
        let answer = classify(sent, now());
        if let Answer::TooMany { hint: Some(hint) } = answer {
            self.gate.close(hint);
        }
        answer
    }
}

/// The time of this machine, against which the times of waits are measured.
#[expect(clippy::disallowed_methods, reason = "it decides how long to wait, and nothing that is replayed")]
fn now() -> SystemTime {
    SystemTime::now()
}
