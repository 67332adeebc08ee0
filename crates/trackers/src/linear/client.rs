//! Sends requests to one Linear: a few at once, and none while Linear asks us to wait.
//!
//! One call is one request. No retry, no redirect (`docs/design/0031-effects-and-retries.md`). Linear counts all requests of
//! an account together, so a wait is for all of them; it does not count writes apart.

use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use throughline_net::{Address, Key};

use super::answer::{Answer, classify};
use super::config::LinearConfig;
use super::queries::Query;
use crate::remote::Gate;

/// The time to connect, TLS included.
const CONNECT: Duration = Duration::from_secs(3);
/// The time of a call.
const CALL: Duration = Duration::from_secs(30);
/// The beginning of a personal API key, which is sent bare.
const PERSONAL: &str = "lin_api_";

/// A client of one Linear.
pub(super) struct Client {
    http: reqwest::Client,
    address: String,
    token: HeaderValue,
    gate: Gate,
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    /// The address or the token cannot be used; the text is for people.
    pub(super) fn new(config: &LinearConfig) -> Result<Self, String> {
        let base = Address::parse(&config.base_url, config.allow_loopback)?;
        let http = throughline_net::client(base.reach(), CONNECT)?;
        let token =
            config.token.header(scheme(&config.token)).ok_or("the token cannot be part of a header")?;
        Ok(Self { http, address: base.join("graphql"), token, gate: Gate::new(config.at_once) })
    }

    /// Sends a request. What is done is an object with an answer to each thing that was asked for.
    pub(super) async fn ask(&self, query: &Query, variables: Value) -> Answer {
        let _place = match self.gate.enter().await {
            Ok(place) => place,
            Err(hint) => return Answer::TooMany { hint },
        };
        let body = json!({"operationName": query.name, "query": query.text, "variables": variables});
        let request = self.http.post(&self.address).timeout(CALL);
        let request = request.header(AUTHORIZATION, self.token.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        let sent = throughline_net::send(request, query.name).await;
        if let Err(error) = &sent {
            tracing::warn!(?error, "a request to Linear has no answer");
        }
        let answer = classify(sent, now());
        if let Answer::TooMany { hint: Some(hint) } = answer {
            self.gate.close(hint);
        }
        answer
    }
}

/// The text before a token in its header: none for a personal API key.
fn scheme(token: &Key) -> &'static str {
    if token.as_str().starts_with(PERSONAL) { "" } else { "Bearer " }
}

/// The time of this machine, against which Linear's times are measured.
#[expect(clippy::disallowed_methods, reason = "it decides how long to wait, and nothing that is replayed")]
fn now() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_personal_key_is_sent_bare() {
        for (token, expected) in [("lin_api_x", "lin_api_x"), ("lin_oauth_x", "Bearer lin_oauth_x")] {
            let token = Key::parse(token).unwrap();
            assert_eq!(token.header(scheme(&token)).unwrap().to_str().unwrap(), expected);
        }
    }
}
