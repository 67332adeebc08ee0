//! Calls of Atlassian's authorization server.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::Timestamp;
use throughline_net::{Key, Response, TransportError};

use super::grant::Grant;
use super::{OAuth, Resource};
use crate::jira::answer::Answer;
use crate::jira::client::now;

/// The time of a call. It is shorter than the turn of a process that renews.
pub(super) const CALL: Duration = Duration::from_secs(10);

/// Tokens as they come.
pub(super) struct Exchanged {
    pub(super) access: Key,
    refresh: Key,
    /// Seconds until the end of the first one.
    lasts_s: i64,
}

#[derive(Deserialize)]
struct Told {
    access_token: String,
    refresh_token: String,
    expires_in: i64,
}

/// Outcome of a renewal that brought no tokens.
#[derive(Debug, PartialEq)]
pub(super) enum NotRenewed {
    /// The refresh token is taken no more.
    Ended,
    /// Anything else, as the request that needed a token is answered by it.
    Failed(Answer),
}

impl Exchanged {
    pub(super) fn grant(self, cloud: String, now: Timestamp) -> Grant {
        let ends_at = now.plus(self.lasts_s.max(0).saturating_mul(Timestamp::SECOND));
        Grant { cloud, access: self.access, refresh: self.refresh, since: now, ends_at }
    }

    fn read(response: &Response) -> Option<Self> {
        let told: Told = serde_json::from_slice(&response.body).ok()?;
        let (access, refresh) = (Key::parse(&told.access_token)?, Key::parse(&told.refresh_token)?);
        Some(Self { access, refresh, lasts_s: told.expires_in })
    }
}

impl OAuth {
    /// Exchanges a code; the error is a sentence for a person.
    pub(super) async fn exchange_code(&self, code: &str, back: &str) -> Result<Exchanged, String> {
        let given = json!({"grant_type": "authorization_code", "code": code, "redirect_uri": back});
        let response = self.token(given).await.map_err(why)?;
        if response.status != 200 {
            return Err(refusal(&response));
        }
        let lacks = "it answered without a refresh token; the app lacks the scope offline_access";
        Exchanged::read(&response).ok_or_else(|| lacks.to_owned())
    }

    /// Renews a grant.
    pub(super) async fn renewed(&self, refresh: &Key) -> Result<Exchanged, NotRenewed> {
        let given = json!({"grant_type": "refresh_token", "refresh_token": refresh.as_str()});
        let not_sent = Err(NotRenewed::Failed(Answer::NotSent));
        let response = match self.token(given).await {
            Ok(response) => response,
            Err(error) => {
                tracing::warn!(error = why(error), "a token of Jira was not renewed");
                return not_sent;
            }
        };
        match response.status {
            200 => Exchanged::read(&response).map_or(not_sent, Ok),
            429 => Err(NotRenewed::Failed(Answer::TooMany { hint: wait(&response.headers) })),
            400..500 if error_of(&response) == "invalid_grant" => Err(NotRenewed::Ended),
            400 | 401 | 403 => {
                tracing::error!(
                    code = "TL-5203",
                    why = refusal(&response),
                    "a token of Jira was not renewed"
                );
                Err(NotRenewed::Failed(Answer::Credentials))
            }
            _ => {
                tracing::warn!(why = refusal(&response), "a token of Jira was not renewed");
                not_sent
            }
        }
    }

    /// The sites that a token is for; the error is a sentence for a person.
    pub(super) async fn resources(&self, access: &Key) -> Result<Vec<Resource>, String> {
        let path = "oauth/token/accessible-resources";
        let header = access.header("Bearer ").ok_or("the token cannot be part of a header")?;
        let request = self.http.get(self.api.join(path)).timeout(CALL).header("authorization", header);
        let response = throughline_net::send(request, "GET accessible-resources").await.map_err(why)?;
        serde_json::from_slice(&response.body).map_err(|_| refusal(&response))
    }

    async fn token(&self, mut given: Value) -> Result<Response, TransportError> {
        given["client_id"] = Value::from(self.app.client_id.as_str());
        given["client_secret"] = Value::from(self.app.client_secret.as_str());
        let request = self.http.post(self.auth.join("oauth/token")).timeout(CALL);
        let request = request.header("content-type", "application/json").body(given.to_string());
        throughline_net::send(request, "POST oauth/token").await
    }
}

fn why(error: TransportError) -> String {
    match error {
        TransportError::NotSent(why) | TransportError::Lost(why) => why,
    }
}

fn wait(headers: &HeaderMap) -> Option<i64> {
    throughline_net::retry_after_at(headers.get("retry-after")?.to_str().ok()?, now())
}

fn error_of(response: &Response) -> String {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    body["error"].as_str().unwrap_or_default().to_owned()
}

/// A refusal for people: `invalid_grant: Unknown or invalid refresh token.`, without anything that was sent.
fn refusal(response: &Response) -> String {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let said = [&body["error"], &body["error_description"]].map(|one| one.as_str().unwrap_or_default());
    match said {
        ["", ""] => format!("it answered with status {}", response.status),
        [error, ""] | ["", error] => error.to_owned(),
        [error, description] => format!("{error}: {description}"),
    }
}
