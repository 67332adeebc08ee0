//! Reading requests within limits: caller, body, query. Every failure becomes a problem document
//! (`docs/design/0033-access-and-limits.md`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::auth::{Caller, Scope, Token};
use crate::codes;
use crate::local_token;
use crate::problem::{Pointed, Problem};
use crate::session;

/// Maximum size of a body.
const MAX_BODY: usize = 256 * 1024;
/// Maximum nesting of a JSON body.
const MAX_DEPTH: usize = 64;
/// Maximum time in which a body has to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// Maximum time in which a file has to arrive.
const FILE_TIME: Duration = Duration::from_secs(120);
/// Maximum of `Prefer: wait`, in seconds.
pub(crate) const MAX_WAIT: u64 = 30;
/// Maximum length of a page.
pub(crate) const MAX_LIMIT: u32 = 200;

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        caller(app, parts)
    }
}

/// Returns the caller: by the bearer token, else by the session cookie, else the demo's user in a demo.
pub(crate) fn caller(app: &App, parts: &Parts) -> Result<Caller, Problem> {
    let has_token = parts.headers.contains_key(AUTHORIZATION);
    let session = if has_token { None } else { session::of_request(app, parts)? };
    let caller = session.map_or_else(|| bearer(app, &parts.headers), Ok)?;
    caller.in_time(app)?;
    Ok(caller)
}

/// Returns the caller by the bearer token alone; in a demo without one, the demo's user.
pub(crate) fn bearer(app: &App, headers: &HeaderMap) -> Result<Caller, Problem> {
    let challenge = |problem: Problem| problem.header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    let config = app.config();
    let Some(given) = headers.get(AUTHORIZATION) else {
        if config.server.demo {
            return Ok(Caller::demo(&config.tenant, &config.app));
        }
        let text = "send the header Authorization: Bearer tlk_…";
        return Err(challenge(Problem::new(&codes::NO_TOKEN, text)));
    };
    let bearer = given.to_str().ok().and_then(|given| {
        let (scheme, token) = given.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let found = |bearer| {
        config
            .bearer(bearer)
            .map(Token::caller)
            .or_else(|| local_token::caller(config, app.runtime().keys(), app.store().now(), bearer))
    };
    bearer.and_then(found).ok_or_else(|| {
        ::metrics::counter!("throughline_signature_failures_total", "channel" => "api", "why" => "token")
            .increment(1);
        challenge(Problem::new(&codes::BAD_TOKEN, "the bearer token is not one of this installation"))
    })
}

impl Caller {
    /// Checks that the caller has a scope.
    pub(crate) fn need(&self, scope: Scope) -> Result<(), Problem> {
        if self.may(scope) {
            return Ok(());
        }
        let text = format!("{} lacks the scope {}", self.label(), scope.as_str());
        Err(Problem::new(&codes::SCOPE, text))
    }

    /// Returns the actor of a request: the token's own principal, or another one if the caller may act for them. Then the
    /// request counts for that person's rate.
    pub(crate) fn actor(&self, app: &App, named: Option<&str>) -> Result<String, Problem> {
        let actor = self.may_name(named)?;
        if self.may(Scope::ActAs) {
            self.count(app, actor)?;
        }
        Ok(actor.into())
    }

    /// Checks that the caller may act for the person that a request names, if it does.
    pub(crate) fn may_name<'a>(&'a self, named: Option<&'a str>) -> Result<&'a str, Problem> {
        match named {
            Some(other) if other != self.principal && !self.may(Scope::ActAs) => {
                let text =
                    format!("{} acts as {} and may not act as {other:?}", self.label(), self.principal);
                Err(Problem::new(&codes::ACT_AS, text))
            }
            named => Ok(named.unwrap_or(&self.principal)),
        }
    }

    /// Counts a request for the caller's rate. A host speaks for many: what it sends counts for each of them, in
    /// [`Self::actor`].
    pub(crate) fn in_time(&self, app: &App) -> Result<(), Problem> {
        if self.may(Scope::ActAs) { Ok(()) } else { self.count(app, &self.principal) }
    }

    fn count(&self, app: &App, person: &str) -> Result<(), Problem> {
        let early = app.rates.person(&self.tenant, person);
        early.map_err(|early| Problem::too_fast(&format!("the user {person:?}"), early))
    }
}

/// Path parameter.
pub(crate) struct PathParam(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathParam {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(name)| Self(name))
            .map_err(|error| Problem::new(&codes::BAD_REQUEST, error.body_text()))
    }
}

/// Query parameters.
pub(crate) struct QueryParams<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|Query(asked)| Self(asked))
            .map_err(|error| Problem::new(&codes::BAD_REQUEST, error.body_text()))
    }
}

/// Returns the length of a page: as asked, at most [`MAX_LIMIT`].
pub(crate) fn limit(asked: Option<u32>) -> Result<u32, Problem> {
    match asked {
        None => Ok(50),
        Some(0) => Err(Problem::new(&codes::BAD_REQUEST, "limit is a number from 1 to 200")),
        Some(limit) => Ok(limit.min(MAX_LIMIT)),
    }
}

/// Reads a JSON body and checks type, size, time and nesting.
pub(crate) async fn read_json(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    read_json_within(headers, body, MAX_BODY).await
}

/// Reads a JSON body of at most `most` bytes.
pub(crate) async fn read_json_within(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    typed(headers, "application/json", "JSON")?;
    let bytes = read_raw(headers, body, most).await?;
    check_depth(&bytes)?;
    Ok(bytes)
}

/// Checks the nesting of a JSON text.
pub(crate) fn check_depth(text: &[u8]) -> Result<(), Problem> {
    if too_deep(text) {
        return Err(Problem::new(&codes::TOO_DEEP, format!("the body is nested more than {MAX_DEPTH} deep")));
    }
    Ok(())
}

/// Reads the form of a page. Of a field that occurs twice, the last one counts.
pub(crate) async fn read_form(headers: &HeaderMap, body: Body) -> Result<BTreeMap<String, String>, Problem> {
    typed(headers, "application/x-www-form-urlencoded", "a form")?;
    let bytes = read_raw(headers, body, MAX_BODY).await?;
    Ok(form_urlencoded::parse(&bytes).into_owned().collect())
}

/// Reads a body within its size and time limits, whatever it is.
pub(crate) async fn read_raw(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    small_enough(headers, most)?;
    in_time(body, most, BODY_TIME).await
}

/// Reads a file within its size and time limits.
pub(crate) async fn read_file(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    small_enough(headers, most)?;
    in_time(body, most, FILE_TIME).await
}

fn small_enough(headers: &HeaderMap, most: usize) -> Result<(), Problem> {
    let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > most) { Err(too_large(most)) } else { Ok(()) }
}

async fn in_time(body: Body, most: usize, time: Duration) -> Result<Bytes, Problem> {
    tokio::time::timeout(time, collect(body, most)).await.map_err(|_| {
        Problem::new(&codes::TIMEOUT, format!("the body did not arrive within {} seconds", time.as_secs()))
    })?
}

/// Returns the value of a header that occurs once.
pub(crate) fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

fn typed(headers: &HeaderMap, wanted: &str, called: &str) -> Result<(), Problem> {
    let given = headers.get(CONTENT_TYPE).and_then(|given| given.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    let text = if given.is_empty() {
        "the body has no Content-Type".into()
    } else {
        format!("{given:?} is not {called}")
    };
    Err(Problem::new(&codes::MEDIA_TYPE, format!("{text}; send Content-Type: {wanted}")))
}

fn too_large(most: usize) -> Problem {
    Problem::new(&codes::TOO_LARGE, format!("the body is larger than {most} bytes"))
}

/// Reads up to the limit, whatever length was declared.
async fn collect(body: Body, most: usize) -> Result<Bytes, Problem> {
    let mut stream = body.into_data_stream();
    let mut all = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| {
            Problem::new(&codes::BAD_REQUEST, format!("the body could not be read to its end: {error}"))
        })?;
        if all.len() + chunk.len() > most {
            return Err(too_large(most));
        }
        all.extend_from_slice(&chunk);
    }
    Ok(all.freeze())
}

/// Returns true if brackets nest deeper than allowed. Brackets in strings do not count; invalid JSON is left to the
/// parser.
fn too_deep(bytes: &[u8]) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for &byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Problem: the body is not JSON.
pub(crate) fn malformed(why: &str) -> Problem {
    let mut problem = Problem::new(&codes::MALFORMED_JSON, format!("the body is not JSON: {why}"));
    problem.push_error(Pointed { pointer: String::new(), text: why.into() });
    problem
}

/// Parses a body into its type.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| malformed(&error.to_string()))?;
    if !value.is_object() {
        return Err(Problem::schema(vec![Pointed {
            pointer: String::new(),
            text: "the body is a JSON object".into(),
        }]));
    }
    // Parse the text again: unlike the value, it shows duplicate members and positions of errors.
    serde_json::from_slice(bytes)
        .map_err(|error| Problem::schema(vec![Pointed { pointer: String::new(), text: error.to_string() }]))
}

/// Returns a parser's message without the names of our types: `struct Decide` becomes `an object`.
pub(crate) fn without_types(message: &str) -> String {
    let kind = |word: &str| match word {
        "struct" => Some("an object"),
        "enum" | "variant" => Some("one of the values that are documented"),
        _ => None,
    };
    let named = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let adjectives = ["internally", "adjacently", "tagged", "untagged", "unit", "tuple", "newtype"];
    let words: Vec<&str> = message.split(' ').collect();
    let mut out: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match (kind(words[at]), words.get(at + 1)) {
            (Some(instead), Some(name)) if named(name) => {
                while out.last().is_some_and(|word| adjectives.contains(word)) {
                    out.pop();
                }
                out.push(instead);
                at += 2;
            }
            _ => {
                out.push(words[at]);
                at += 1;
            }
        }
    }
    out.join(" ")
}

/// Returns the time of `Prefer: wait=N` (RFC 7240), at most 30 seconds. A preference that cannot be parsed is
/// ignored.
pub(crate) fn wait(headers: &HeaderMap) -> Option<Duration> {
    let preferences = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let mut waits = preferences.flat_map(|value| value.split(',')).filter_map(|preference| {
        let (name, value) = preference.split(';').next()?.split_once('=')?;
        let seconds: u64 = value.trim().trim_matches('"').parse().ok()?;
        name.trim().eq_ignore_ascii_case("wait").then(|| Duration::from_secs(seconds.min(MAX_WAIT)))
    });
    waits.next().filter(|wait| !wait.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_of_text() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n)).into_bytes();
        assert!(!too_deep(&nested(MAX_DEPTH)));
        assert!(too_deep(&nested(MAX_DEPTH + 1)));
        assert!(too_deep("{\"a\":".repeat(65).as_bytes()));
        let text = format!("[\"{}\\\"{}\"]", "[".repeat(200), "{".repeat(200));
        assert!(!too_deep(text.as_bytes()));
        assert!(!too_deep(&[0xff, b'"', b'\\']));
    }

    #[test]
    fn a_message_names_no_type_of_ours() {
        for (message, told) in [
            (
                "invalid type: sequence, expected struct Decide at line 1 column 0",
                "invalid type: sequence, expected an object at line 1 column 0",
            ),
            (
                "invalid type: map, expected internally tagged enum EventKind",
                "invalid type: map, expected one of the values that are documented",
            ),
            (
                "data did not match any variant of untagged enum Lane at line 2 column 1",
                "data did not match any variant of one of the values that are documented at line 2 column 1",
            ),
            (
                "unknown field `Lane`, expected one of `a`, `b`",
                "unknown field `Lane`, expected one of `a`, `b`",
            ),
            ("missing field `version`", "missing field `version`"),
        ] {
            assert_eq!(without_types(message), told);
        }
        #[derive(Debug, serde::Deserialize)]
        #[expect(dead_code, reason = "it is never read")]
        struct Secretive {
            a: u32,
        }
        let error = serde_json::from_str::<Secretive>("[]x").unwrap_err().to_string();
        assert!(!without_types(&error).contains("Secretive"), "{error}");
    }

    #[test]
    fn reads_the_preference() {
        let of = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("prefer", HeaderValue::from_str(value).unwrap());
            }
            wait(&headers).map(|wait| wait.as_secs())
        };
        assert_eq!(of(&["wait=5"]), Some(5));
        assert_eq!(of(&["respond-async, Wait = \"7\"; x=1"]), Some(7));
        assert_eq!(of(&["respond-async", "wait=99999"]), Some(30));
        for none in [
            &[] as &[&str],
            &["wait"],
            &["wait=0"],
            &["wait=-1"],
            &["wait=x"],
            &["waits=5"],
            &["wait=99999999999999999999999"],
        ] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }
}
