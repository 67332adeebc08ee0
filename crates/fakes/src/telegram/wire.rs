//! The HTTP server: checks the token, reads parameters in every encoding the Bot API accepts, plays faults, keeps the
//! journal.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Map, Value, json};

use super::api_error::ApiError;
use super::{Call, Fault, Shared, methods, schema};

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().route("/{bot}/{method}", any(handle)).with_state(shared)
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    Path((bot, method)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = parameters(query.as_deref().unwrap_or_default(), &headers, &body);
    if bot != format!("bot{}", shared.token) {
        return respond(&shared, &method, body, Err(ApiError::new(401, "Unauthorized")));
    }
    match shared.fault(&method, &body) {
        Some(Fault::TooMany(seconds)) => {
            return respond(&shared, &method, body, Err(ApiError::too_many(seconds)));
        }
        Some(Fault::Refuse(code, why)) => {
            return respond(&shared, &method, body, Err(ApiError::new(code, &why)));
        }
        Some(Fault::Unreadable) => {
            shared.journal(Call { at: shared.now(), method, body, status: 502, violations: Vec::new() });
            return (StatusCode::BAD_GATEWAY, "<html>bad gateway</html>").into_response();
        }
        Some(Fault::AppliedThenLost) => {
            let _ = methods::call(&mut shared.world(), &method, &body, shared.now());
            shared.journal(Call { at: shared.now(), method, body, status: 504, violations: Vec::new() });
            return (StatusCode::GATEWAY_TIMEOUT, "<html>timeout</html>").into_response();
        }
        None => {}
    }
    let result = match method.to_lowercase().as_str() {
        "getupdates" => get_updates(&shared, &body).await,
        _ => methods::call(&mut shared.world(), &method, &body, shared.now()),
    };
    respond(&shared, &method, body, result)
}

fn respond(shared: &Shared, method: &str, body: Value, result: Result<Value, ApiError>) -> Response {
    let asked = || schema::violations(&format!("method:{method}"), &body);
    let violations = match &result {
        Ok(result) => [asked(), schema::wrong_answer(method, result)].concat(),
        Err(ApiError { code: 400 | 403 | 429, .. }) => asked(),
        Err(_) => Vec::new(),
    };
    let (status, answer) = match &result {
        Ok(result) => (200, json!({"ok": true, "result": result})),
        Err(refusal) => (refusal.code, refusal.body()),
    };
    shared.journal(Call { at: shared.now(), method: method.into(), body, status, violations });
    let mut response = answer.to_string().into_response();
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Err(ApiError { parameters: Some(parameters), .. }) = &result
        && let Some(seconds) = parameters["retry_after"].as_u64()
    {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Returns the updates from the offset on, and drops those before it.
async fn get_updates(shared: &Shared, body: &Value) -> Result<Value, ApiError> {
    let turn = shared.next_poll();
    let until =
        tokio::time::Instant::now() + Duration::from_secs(body["timeout"].as_u64().unwrap_or(0).min(50));
    let limit = usize::try_from(body["limit"].as_u64().unwrap_or(100).clamp(1, 100)).unwrap_or(100);
    loop {
        let rung = shared.bell.notified();
        {
            let mut world = shared.world();
            if world.webhook.is_some() {
                let why = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the \
                           webhook first";
                return Err(ApiError::new(409, why));
            }
            if !shared.newest_poll(turn) {
                let why = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
                return Err(ApiError::new(409, why));
            }
            world.expire(shared.now());
            if let Some(offset) = body["offset"].as_i64() {
                world.waiting.retain(|waiting| waiting.update["update_id"].as_i64() >= Some(offset));
            }
            let updates: Vec<Value> = world.waiting.iter().take(limit).map(|w| w.update.clone()).collect();
            if !updates.is_empty() || tokio::time::Instant::now() >= until {
                return Ok(Value::Array(updates));
            }
        }
        tokio::select! {
            () = rung => {}
            () = tokio::time::sleep_until(until) => {}
        }
    }
}

/// Text parameters. All other parameters of a form are JSON.
const TEXTS: [&str; 8] = [
    "action",
    "callback_query_id",
    "language_code",
    "parse_mode",
    "secret_token",
    "text",
    "url",
    "ip_address",
];

/// Reads the parameters of a call from the query and from the body: JSON, a form, or a multipart form.
fn parameters(query: &str, headers: &HeaderMap, body: &[u8]) -> Value {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let mut all = Map::new();
    let mut put = |name: String, text: String| {
        let value = if TEXTS.contains(&name.as_str()) { None } else { serde_json::from_str(&text).ok() };
        all.insert(name, value.unwrap_or(Value::String(text)));
    };
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        put(name.into_owned(), text.into_owned());
    }
    if kind.starts_with("application/x-www-form-urlencoded") {
        for (name, text) in form_urlencoded::parse(body) {
            put(name.into_owned(), text.into_owned());
        }
    } else if let Some((_, boundary)) = kind.split_once("boundary=") {
        for (name, text) in parts(&String::from_utf8_lossy(body), boundary.trim_matches('"')) {
            put(name, text);
        }
    } else if let Ok(Value::Object(json)) = serde_json::from_slice(body) {
        all.extend(json);
    }
    Value::Object(all)
}

/// Reads the fields of a multipart form. Files are not supported.
fn parts(text: &str, boundary: &str) -> Vec<(String, String)> {
    let part = |part: &str| {
        let (head, value) = part.split_once("\r\n\r\n")?;
        let name = head.split_once("name=\"")?.1.split_once('"')?.0;
        Some((name.to_owned(), value.strip_suffix("\r\n").unwrap_or(value).to_owned()))
    };
    text.split(&format!("--{boundary}")).filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_parameters_as_clients_send_them() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let form = b"chat_id=-7&text=12%20%2B+x&reply_markup=%7B%22force_reply%22%3Atrue%7D";
        let read = parameters("timeout=5", &headers, form);
        let wanted =
            json!({"chat_id": -7, "text": "12 + x", "reply_markup": {"force_reply": true}, "timeout": 5});
        assert_eq!(read, wanted);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=xx"));
        let body = b"--xx\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n5\r\n--xx--\r\n";
        assert_eq!(parameters("", &headers, body), json!({"text": "5"}));
    }
}
