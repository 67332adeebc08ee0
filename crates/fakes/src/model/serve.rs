//! The port: what comes in is journalled and checked, then the script decides.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::stream::{self, Stream, StreamExt};
use serde_json::{Value, json};

use super::{Asked, Does, Pieces, Shared, Wire, anthropic, chat, obedient, responses};

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(of::<chat::Chat>))
        .route("/v1/responses", post(of::<responses::Responses>))
        .route("/v1/messages", post(of::<anthropic::Anthropic>))
        .with_state(shared)
}

/// Somebody waits for an answer; when they go away before it is over, that is noted.
struct Waiting {
    shared: Arc<Shared>,
    over: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.over {
            self.shared.inner().dropped += 1;
        }
    }
}

async fn of<W: Wire + Default>(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let wire = W::default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    let mut asked = Asked {
        path: uri.path().into(),
        key: wire.key(&headers),
        violations: wire.check(&body),
        body: body.clone(),
        status: 200,
    };
    let json = headers.get("content-type").is_some_and(|kind| kind == "application/json");
    if !json {
        asked.violations.push("the content type is not application/json".into());
    }
    let (does, streamed) = decide(&shared, &wire, &mut asked);
    let refused = match &does {
        Err((status, text)) => Some((*status, text.clone(), None)),
        Ok(Does::Status(status)) => Some((*status, "as scripted".to_owned(), None)),
        Ok(Does::TooMany(after)) => Some((429, "Rate limit reached".to_owned(), Some(after.clone()))),
        Ok(_) => None,
    };
    if let Some((status, text, after)) = refused {
        asked.status = status;
        shared.inner().journal.push(asked);
        let mut answer = (status_code(status), axum::Json(wire.error(status, &text))).into_response();
        if let Some(value) = after.and_then(|after| after.parse().ok()) {
            answer.headers_mut().insert("retry-after", value);
        }
        return answer;
    }
    shared.inner().journal.push(asked);
    let waiting = Waiting { shared, over: false };
    perform(&wire, &body, does.unwrap_or(Does::Hang), streamed, waiting).await
}

/// What to do, or why the request is refused.
fn decide<W: Wire>(shared: &Shared, wire: &W, asked: &mut Asked) -> (Result<Does, (u16, String)>, bool) {
    let mut inner = shared.inner();
    let streamed = asked.body["stream"] == true && !inner.whole;
    if inner.key.is_some() && inner.key != asked.key {
        // Vendors repeat what they were sent.
        let sent = asked.key.as_deref().unwrap_or_default();
        return (Err((401, format!("Incorrect API key provided: {sent}"))), streamed);
    }
    if let Some(unknown) = inner.refused.iter().find(|field| mentions(&asked.body, field)) {
        // A refusal that is scripted is no fault of the client.
        return (Err((400, format!("Unsupported parameter: '{unknown}'{}", instead(unknown)))), streamed);
    }
    if let Some(first) = asked.violations.first() {
        return (Err((400, first.clone())), streamed);
    }
    if inner.obeys {
        let (schema, words) = wire.question(&asked.body);
        return (Ok(Does::Say(obedient::obeyed(&schema, &words))), streamed);
    }
    match inner.script.pop_front() {
        Some(does) => (Ok(does), streamed),
        None => {
            inner.unscripted += 1;
            (Err((503, "nobody scripted an answer".into())), streamed)
        }
    }
}

fn instead(field: &str) -> &'static str {
    if field == "max_tokens" {
        " is not supported with this model. Use 'max_completion_tokens' instead."
    } else {
        ""
    }
}

/// Whether a request uses a field, or asks for that kind of format.
fn mentions(body: &Value, field: &str) -> bool {
    !body[field].is_null() || body["response_format"]["type"] == field
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

async fn perform<W: Wire>(
    wire: &W,
    body: &Value,
    does: Does,
    streamed: bool,
    mut waiting: Waiting,
) -> Response {
    let begun = |text: &str| {
        let events = wire.beginning(body, text);
        stream::iter(events.into_iter().map(|event| Ok::<_, std::io::Error>(Bytes::from(event))))
    };
    match &does {
        Does::Hang => std::future::pending().await,
        Does::Stall(text) => events_of(begun(text).chain(stream::once(async move {
            let _waiting = waiting;
            std::future::pending().await
        }))),
        Does::Cut(text) => {
            waiting.over = true;
            events_of(begun(text).chain(stream::once(async { Err(std::io::Error::other("cut")) })))
        }
        Does::EndEarly(text) => {
            waiting.over = true;
            events_of(begun(text))
        }
        Does::Drip(text) => {
            waiting.over = true;
            let events = wire.beginning(body, text);
            let slowly = stream::iter(events).then(|event| async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok::<_, Infallible>(Bytes::from(event))
            });
            events_of(slowly)
        }
        Does::Redirect => {
            waiting.over = true;
            (StatusCode::TEMPORARY_REDIRECT, [("location", "/elsewhere")]).into_response()
        }
        Does::Page => {
            waiting.over = true;
            ([("content-type", "text/html")], "<html><h1>502 Bad Gateway</h1></html>").into_response()
        }
        _ => {
            waiting.over = true;
            match wire.answer(body, &does, streamed) {
                Pieces::Document(text) => ([("content-type", "application/json")], text).into_response(),
                Pieces::Events(all) => events_of(stream::iter(
                    all.into_iter().map(|event| Ok::<_, Infallible>(Bytes::from(event))),
                )),
            }
        }
    }
}

fn events_of<E: Into<axum::BoxError> + 'static>(
    events: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
) -> Response {
    ([("content-type", "text/event-stream; charset=utf-8")], Body::from_stream(events)).into_response()
}

/// One event without a name.
pub(super) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// One event with its type as its name.
pub(super) fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

/// What `OpenAI` wraps a refusal in.
pub(super) fn openai_error(status: u16, text: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", "invalid_api_key"),
        404 => ("invalid_request_error", "model_not_found"),
        429 => ("requests", "rate_limit_exceeded"),
        400..500 => ("invalid_request_error", "unsupported_parameter"),
        _ => ("server_error", "server_error"),
    };
    json!({"error": {"message": text, "type": kind, "param": null, "code": code}})
}
