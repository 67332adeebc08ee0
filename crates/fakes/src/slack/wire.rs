//! The HTTP server: reads the token and the arguments in every encoding the Web API accepts, plays faults, keeps the
//! journal.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::api_error::ApiError;
use super::methods::{self, Ask, Method};
use super::state::Token;
use super::{Call, FakeSlack, Fault, Shared, install, response_url, schema, socket};

const OAUTH_SCOPES: HeaderName = HeaderName::from_static("x-oauth-scopes");
const ACCEPTED_SCOPES: HeaderName = HeaderName::from_static("x-accepted-oauth-scopes");

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/{method}", any(handle))
        .route("/hooks/{id}", post(response_url::handle))
        .route("/upload/v1/{file}", post(upload))
        .route("/oauth/v2/authorize", get(install::authorize))
        .layer(DefaultBodyLimit::max(64 << 20))
        .with_state(shared)
}

/// The outcome of a call.
struct Outcome {
    answer: Result<Value, ApiError>,
    scopes: Option<(String, String)>,
    /// Things that are accepted, but against the documentation.
    wrong: Vec<String>,
}

impl Outcome {
    fn refused(error: ApiError) -> Self {
        Self { answer: Err(error), scopes: None, wrong: Vec::new() }
    }
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    Path(method): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (token, body) = arguments(query.as_deref().unwrap_or_default(), &headers, &body);
    match shared.fault(&method, &body) {
        Some(Fault::TooMany(seconds)) => {
            respond(&shared, &method, body, Outcome::refused(ApiError::too_many(seconds)))
        }
        Some(Fault::Refuse(error)) => {
            respond(&shared, &method, body, Outcome::refused(ApiError::new(&error)))
        }
        Some(Fault::Status(status)) => unreadable(&shared, &method, body, status),
        Some(Fault::Unreadable) => unreadable(&shared, &method, body, 502),
        Some(Fault::AppliedThenLost) => {
            apply(&shared, &method, &token, &headers, &body);
            unreadable(&shared, &method, body, 504)
        }
        Some(Fault::AppliedThenSilent) => {
            apply(&shared, &method, &token, &headers, &body);
            drop(unreadable(&shared, &method, body, 0));
            std::future::pending().await
        }
        None => {
            let outcome = apply(&shared, &method, &token, &headers, &body);
            respond(&shared, &method, body, outcome)
        }
    }
}

fn apply(shared: &Shared, method: &str, token: &str, headers: &HeaderMap, body: &Value) -> Outcome {
    let outcome = match method {
        "api.test" => Outcome { answer: Ok(json!({"args": body})), scopes: None, wrong: Vec::new() },
        "apps.connections.open" => open_connection(shared, token),
        "oauth.v2.access" => {
            let answer = methods::access(&mut shared.world(), &with_client(headers, body), shared.now());
            Outcome { answer, scopes: None, wrong: Vec::new() }
        }
        "auth.revoke" => revoke(shared, token),
        _ => call(shared, method, token, body),
    };
    shared.bell.notify_one();
    outcome
}

fn open_connection(shared: &Shared, token: &str) -> Outcome {
    let answer = match token {
        "" => Err(ApiError::new("not_authed")),
        FakeSlack::APP_TOKEN => match socket::open(shared) {
            Some(url) => Ok(json!({"url": url})),
            None => Err(ApiError::new("link_disabled")),
        },
        token if token.starts_with("xoxb-") => Err(ApiError::new("not_allowed_token_type")),
        _ => Err(ApiError::new("invalid_auth")),
    };
    Outcome { answer, scopes: None, wrong: Vec::new() }
}

fn revoke(shared: &Shared, token: &str) -> Outcome {
    let mut world = shared.world();
    let answer = match world.tokens.get_mut(token) {
        Some(token) => {
            token.revoked = true;
            Ok(json!({"revoked": true}))
        }
        None => Err(ApiError::new("invalid_auth")),
    };
    Outcome { answer, scopes: None, wrong: Vec::new() }
}

/// Calls a method that needs a bot token.
fn call(shared: &Shared, name: &str, token: &str, body: &Value) -> Outcome {
    let Some(method) = methods::find(name) else { return Outcome::refused(ApiError::new("unknown_method")) };
    let mut world = shared.world();
    let (world, now) = (&mut *world, shared.now());
    let granted = match authorised(world.tokens.get(token), token, now) {
        Ok(granted) => granted.clone(),
        Err(error) => return Outcome::refused(error),
    };
    let scopes = Some((granted.listed(), method.scopes.join(",")));
    if let Err(error) = allowed(method, &granted) {
        return Outcome { answer: Err(error), scopes, wrong: Vec::new() };
    }
    let Some(team) = world.teams.get_mut(&granted.team) else {
        return Outcome::refused(ApiError::new("team_not_found"));
    };
    let (outbox, url) = (&mut world.outbox, shared.url());
    let wrong = unknown_arguments(method, body);
    let mut ask = Ask { team, outbox, body, now, url: &url, token: &granted, wrong };
    let answer = (method.call)(&mut ask);
    Outcome { answer, scopes, wrong: ask.wrong }
}

fn authorised<'a>(known: Option<&'a Token>, given: &str, now: i64) -> Result<&'a Token, ApiError> {
    match known {
        _ if given.is_empty() => Err(ApiError::new("not_authed")),
        None if given.starts_with("xapp-") => Err(ApiError::new("not_allowed_token_type")),
        None => Err(ApiError::new("invalid_auth")),
        Some(token) if token.revoked => Err(ApiError::new("token_revoked")),
        Some(token) if token.until.is_some_and(|until| now > until) => Err(ApiError::new("token_expired")),
        Some(token) => Ok(token),
    }
}

fn allowed(method: &Method, token: &Token) -> Result<(), ApiError> {
    let granted = method.scopes.is_empty() || method.scopes.iter().any(|scope| token.scopes.contains(*scope));
    let needed = || ApiError::missing_scope(&method.scopes.join(","), &token.listed());
    if granted { Ok(()) } else { Err(needed()) }
}

fn unknown_arguments(method: &Method, body: &Value) -> Vec<String> {
    let unknown = |name: &&String| !method.arguments.contains(&name.as_str());
    let names = body.as_object().into_iter().flat_map(Map::keys).filter(unknown);
    names.map(|name| format!("an unknown argument {name}")).collect()
}

/// Errors that say that the app sent what the documentation forbids.
const MISTAKES: [&str; 12] = [
    "invalid_arguments",
    "invalid_blocks",
    "invalid_blocks_format",
    "invalid_chunks",
    "invalid_metadata_format",
    "invalid_metadata_schema",
    "invalid_name",
    "markdown_text_conflict",
    "msg_blocks_too_long",
    "msg_too_long",
    "no_text",
    "unknown_method",
];

fn respond(shared: &Shared, method: &str, body: Value, outcome: Outcome) -> Response {
    let Outcome { answer, scopes, wrong } = outcome;
    let mut violations: Vec<String> = wrong.iter().map(|wrong| format!("{method}: {wrong}")).collect();
    let planned = matches!(&answer, Err(error) if error.retry_after.is_some());
    if !planned {
        violations.extend(schema::violations(method, &body));
    }
    let (status, error, shown) = match &answer {
        Ok(fields) => {
            let mut shown = json!({"ok": true});
            if let (Some(shown), Some(fields)) = (shown.as_object_mut(), fields.as_object()) {
                shown.extend(fields.clone());
            }
            (200, None, shown)
        }
        Err(error) => (error.status(), Some(error.error.clone()), error.body()),
    };
    if let Some(error) = error.as_deref().filter(|error| MISTAKES.contains(error)) {
        violations.push(format!("{method}: {error}: {shown}"));
    }
    shared.journal(Call { at: shared.now(), method: method.into(), body, status, error, violations });
    let mut response = shown.to_string().into_response();
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    if let Err(ApiError { retry_after: Some(seconds), .. }) = &answer {
        headers.insert(RETRY_AFTER, HeaderValue::from(*seconds));
    }
    if let Some((granted, accepted)) = scopes {
        let value = |text: &str| HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""));
        headers.insert(OAUTH_SCOPES, value(&granted));
        headers.insert(ACCEPTED_SCOPES, value(&accepted));
    }
    response
}

fn unreadable(shared: &Shared, method: &str, body: Value, status: u16) -> Response {
    let violations = schema::violations(method, &body);
    let (at, error) = (shared.now(), Some("unreadable".into()));
    shared.journal(Call { at, method: method.into(), body, status, error, violations });
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    (status, "<html>bad gateway</html>").into_response()
}

/// The name of uploads in the journal.
const UPLOAD: &str = "upload";

/// Takes the bytes of a file.
async fn upload(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let content = match kind.split_once("boundary=") {
        Some((_, boundary)) => part(&body, boundary.trim_matches('"')),
        None => body.to_vec(),
    };
    let arguments = json!({"file": id, "length": content.len()});
    let fault = shared.fault(UPLOAD, &arguments);
    let lost = matches!(fault, Some(Fault::AppliedThenLost | Fault::AppliedThenSilent));
    let (status, text) = match fault {
        Some(fault) if !lost => {
            (if matches!(fault, Fault::TooMany(_)) { 429 } else { 500 }, "server error".into())
        }
        _ => keep(&shared, &id, content),
    };
    let status = if lost { 504 } else { status };
    let violations = if status == 400 { vec![format!("{UPLOAD}: {text}: {arguments}")] } else { Vec::new() };
    let at = shared.now();
    shared.journal(Call { at, method: UPLOAD.into(), body: arguments, status, error: None, violations });
    (StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY), text).into_response()
}

/// Keeps the bytes of a file that was announced.
fn keep(shared: &Shared, id: &str, content: Vec<u8>) -> (u16, String) {
    let mut world = shared.world();
    match world.teams.values_mut().find_map(|team| team.files.get_mut(id)) {
        Some(file) if file.content.is_none() && file.length == content.len() => {
            file.content = Some(content);
            (200, format!("OK - {}", file.length))
        }
        _ => (400, "the file is not as announced".into()),
    }
}

/// Returns the bytes of the first part of a multipart form.
fn part(body: &[u8], boundary: &str) -> Vec<u8> {
    let find = |text: &[u8], from: usize| {
        body[from..].windows(text.len()).position(|window| window == text).map(|at| at + from)
    };
    let Some(start) = find(b"\r\n\r\n", 0).map(|at| at + 4) else { return Vec::new() };
    let end = find(format!("\r\n--{boundary}").as_bytes(), start).unwrap_or(body.len());
    body[start..end].to_vec()
}

/// Adds the client's id and secret, if they come as HTTP credentials.
fn with_client(headers: &HeaderMap, body: &Value) -> Value {
    let mut body = body.clone();
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let plain = header.strip_prefix("Basic ").and_then(|text| STANDARD.decode(text).ok());
    let plain = plain.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    if let Some((id, secret)) = plain.split_once(':') {
        (body["client_id"], body["client_secret"]) = (json!(id), json!(secret));
    }
    body
}

/// Arguments that are JSON, and come as text in a form.
const JSON_ARGUMENTS: [&str; 11] = [
    "attachments",
    "blocks",
    "chunks",
    "channels",
    "file_ids",
    "files",
    "loading_messages",
    "metadata",
    "prompts",
    "unfurls",
    "view",
];

/// Reads the token and the arguments of a call from the query and from the body: JSON, a form, or nothing.
fn arguments(query: &str, headers: &HeaderMap, body: &[u8]) -> (String, Value) {
    let header =
        |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut all = Map::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        all.insert(name.into_owned(), Value::String(text.into_owned()));
    }
    if header(CONTENT_TYPE).starts_with("application/x-www-form-urlencoded") {
        for (name, text) in form_urlencoded::parse(body) {
            all.insert(name.into_owned(), Value::String(text.into_owned()));
        }
    } else if let Ok(Value::Object(json)) = serde_json::from_slice(body) {
        all.extend(json);
    }
    for name in JSON_ARGUMENTS {
        if let Some(Value::String(text)) = all.get(name)
            && let Ok(value) = serde_json::from_str(text)
        {
            all.insert(name.into(), value);
        }
    }
    let in_body = all.remove("token").and_then(|token| token.as_str().map(str::to_owned));
    let bearer = header(AUTHORIZATION).strip_prefix("Bearer ").map(str::to_owned);
    (bearer.or(in_body).unwrap_or_default(), Value::Object(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_arguments_as_clients_send_them() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let form = b"token=xoxb-1&channel=C1&blocks=%5B%7B%22type%22%3A%22divider%22%7D%5D&text=12";
        let wanted = json!({"channel": "C1", "blocks": [{"type": "divider"}], "text": "12"});
        assert_eq!(arguments("", &headers, form), ("xoxb-1".into(), wanted.clone()));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=utf-8"));
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer xoxb-2"));
        assert_eq!(arguments("", &headers, wanted.to_string().as_bytes()), ("xoxb-2".into(), wanted));
        assert_eq!(arguments("limit=2", &headers, b""), ("xoxb-2".into(), json!({"limit": "2"})));
    }

    #[test]
    fn reads_a_part_of_any_bytes() {
        let body = b"--xx\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\na\r\n\xffb\r\n--xx--\r\n";
        assert_eq!(part(body, "xx"), b"a\r\n\xffb");
    }
}
