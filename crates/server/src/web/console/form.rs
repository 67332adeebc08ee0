//! Forms of the console: sent from our own pages, with a key that makes repetition harmless.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_engine::data::canonical_json::hex;

use super::operator::Operator;
use crate::app::App;
use crate::codes;
use crate::idempotency::KeyedRequest;
use crate::middleware::same_origin;
use crate::problem::Problem;
use crate::request::read_form;

/// Form with its sender.
pub(super) struct SentForm {
    pub(super) operator: Operator,
    fields: BTreeMap<String, String>,
}

impl FromRequest<Arc<App>> for SentForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let operator = Operator::from_request_parts(&mut parts, app).await?;
        let read = async {
            from_here(&parts.headers)?;
            let fields = read_form(&parts.headers, body).await?;
            operator.sent_from_here(fields.get("csrf").map_or("", String::as_str))?;
            Ok(fields)
        };
        match read.await {
            Ok(fields) => Ok(Self { operator, fields }),
            Err(problem) => Err(Problem::into_response(problem)),
        }
    }
}

impl SentForm {
    /// Returns a field; `None` if it is missing.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        // Browsers send line ends as CR LF.
        self.fields.get(name).map(|text| text.replace("\r\n", "\n"))
    }

    /// Returns a field that may be empty.
    pub(super) fn optional(&self, name: &str) -> Option<String> {
        self.field(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns a required field.
    pub(super) fn required(&self, name: &str) -> Result<String, Problem> {
        self.field(name).ok_or_else(|| not_whole(name))
    }

    /// Parses a field as a name of an enum's variant.
    pub(super) fn choice<T: DeserializeOwned>(&self, name: &str) -> Result<T, Problem> {
        serde_json::from_value(Value::String(self.required(name)?)).map_err(|_| not_whole(name))
    }

    /// Parses a number or a boolean.
    pub(super) fn parsed<T: FromStr>(&self, name: &str) -> Result<T, Problem> {
        self.required(name)?.parse().map_err(|_| not_whole(name))
    }

    /// Returns what was ticked: the rest of the names of fields that begin so.
    pub(super) fn ticked(&self, prefix: &str) -> Vec<String> {
        self.fields.keys().filter_map(|name| name.strip_prefix(prefix)).map(str::to_owned).collect()
    }

    /// Converts the form to the API's request for a route, with the form's key.
    pub(super) fn keyed<T: Serialize>(
        &self,
        method: &Method,
        route: &str,
        body: &T,
    ) -> Result<KeyedRequest, Problem> {
        self.keyed_as("", method, route, body)
    }

    /// Converts the form to one of several requests of the API; `part` tells them apart.
    pub(super) fn keyed_as<T: Serialize>(
        &self,
        part: &str,
        method: &Method,
        route: &str,
        body: &T,
    ) -> Result<KeyedRequest, Problem> {
        let key = format!("{}{part}", self.required("key")?);
        let visible = (1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        if !visible {
            return Err(not_whole("key"));
        }
        let body = serde_json::to_value(body).unwrap_or_default();
        Ok(KeyedRequest::new(&self.operator.caller, method, route, &key, &body))
    }
}

fn not_whole(field: &str) -> Problem {
    let text =
        format!("the form's field {field:?} is missing or is not what it should be; open the page again");
    Problem::new(&codes::BAD_REQUEST, text)
}

/// Checks that a form comes from our own pages. The browser sets the header, and no page can change it.
fn from_here(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = |origin: &str| origin.split_once("://").map(|(_, host)| host.to_owned());
    let ours = match text(ORIGIN.as_str()) {
        _ if headers.contains_key("sec-fetch-site") => same_origin(headers),
        // Neither header: this is no browser, or so old a one that `SameSite=Strict` withholds the cookie anyway.
        None => true,
        Some(origin) => host(origin).is_some_and(|host| Some(host.as_str()) == text(HOST.as_str())),
    };
    if ours {
        return Ok(());
    }
    Err(Problem::new(
        &codes::ORIGIN_REFUSED,
        "a form of another site's page is not taken; send it from the console",
    ))
}

/// Returns a new key for one form of one page: sent twice, it is one request.
pub(super) fn fresh_key() -> String {
    let mut random = [0; 12];
    // A key is not a secret. Without random bytes forms would share one key, and the second would be refused.
    let _ = getrandom::fill(&mut random);
    format!("console-{}", hex(&random))
}

/// Returns the turn of an answer of the API; `None` if there is none yet. A refusal is returned as the error.
pub(super) async fn turn_of(response: Response) -> Result<Option<String>, Response> {
    if !response.status().is_success() {
        return Err(response);
    }
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(answer["turn"].as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn taken(headers: &[(&'static str, &'static str)]) -> bool {
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        from_here(&pairs.collect()).is_ok()
    }

    #[test]
    fn forms_of_other_sites_are_not_taken() {
        assert!(taken(&[]));
        assert!(taken(&[("sec-fetch-site", "same-origin")]));
        assert!(taken(&[("sec-fetch-site", "same-origin"), ("origin", "null")]));
        assert!(!taken(&[("sec-fetch-site", "none")]));
        assert!(!taken(&[("sec-fetch-site", "cross-site")]));
        assert!(!taken(&[("sec-fetch-site", "same-site")]));
        assert!(taken(&[("host", "bot.example:8080"), ("origin", "https://bot.example:8080")]));
        assert!(!taken(&[("host", "bot.example"), ("origin", "https://evil.example")]));
        assert!(!taken(&[("host", "bot.example"), ("origin", "null")]));
        assert!(!taken(&[("origin", "https://bot.example")]));
    }
}
