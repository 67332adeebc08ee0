//! The HTTP server: checks and records each request, then plays the scripted behaviour.

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

use super::{Answer, Behaviour, Request, Shared, Wire, anthropic, chat, obedient, responses};

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(handle::<chat::Chat>))
        .route("/v1/responses", post(handle::<responses::Responses>))
        .route("/v1/messages", post(handle::<anthropic::Anthropic>))
        .with_state(shared)
}

/// Counts the client as disconnected if it is dropped before the answer is complete.
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

async fn handle<W: Wire + Default>(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let wire = W::default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    let mut request = Request {
        path: uri.path().into(),
        key: wire.key(&headers),
        violations: wire.check(&body),
        body: body.clone(),
        status: 200,
    };
    let json = headers.get("content-type").is_some_and(|kind| kind == "application/json");
    if !json {
        request.violations.push("the content type is not application/json".into());
    }
    let (behaviour, streamed) = decide(&shared, &wire, &mut request);
    let refused = match &behaviour {
        Err((status, text)) => Some((*status, text.clone(), None)),
        Ok(Behaviour::Status(status)) => Some((*status, "as scripted".to_owned(), None)),
        Ok(Behaviour::TooMany(after)) => Some((429, "Rate limit reached".to_owned(), Some(after.clone()))),
        Ok(_) => None,
    };
    if let Some((status, text, after)) = refused {
        request.status = status;
        shared.inner().journal.push(request);
        let mut answer = (status_code(status), axum::Json(wire.error(status, &text))).into_response();
        if let Some(value) = after.and_then(|after| after.parse().ok()) {
            answer.headers_mut().insert("retry-after", value);
        }
        return answer;
    }
    shared.inner().journal.push(request);
    let waiting = Waiting { shared, over: false };
    perform(&wire, &body, behaviour.unwrap_or(Behaviour::Hang), streamed, waiting).await
}

/// Returns the behaviour, or the status and text of a refusal; and true if the answer is to be streamed.
fn decide<W: Wire>(
    shared: &Shared,
    wire: &W,
    request: &mut Request,
) -> (Result<Behaviour, (u16, String)>, bool) {
    let mut inner = shared.inner();
    let streamed = request.body["stream"] == true && !inner.whole;
    if inner.key.is_some() && inner.key != request.key {
        // Vendors repeat the key in the error. Clients must not show it.
        let sent = request.key.as_deref().unwrap_or_default();
        return (Err((401, format!("Incorrect API key provided: {sent}"))), streamed);
    }
    if let Some(unknown) = inner.refused.iter().find(|field| uses_field(&request.body, field)) {
        // A scripted refusal is no violation by the client.
        return (Err((400, format!("Unsupported parameter: '{unknown}'{}", advice(unknown)))), streamed);
    }
    if let Some(first) = request.violations.first() {
        return (Err((400, first.clone())), streamed);
    }
    if inner.obeys {
        let (schema, words) = wire.question(&request.body);
        return (Ok(Behaviour::Say(obedient::obedient_answer(&schema, &words))), streamed);
    }
    match inner.script.pop_front() {
        Some(behaviour) => (Ok(behaviour), streamed),
        None => {
            inner.unscripted += 1;
            (Err((503, "nobody scripted an answer".into())), streamed)
        }
    }
}

fn advice(field: &str) -> &'static str {
    if field == "max_tokens" {
        " is not supported with this model. Use 'max_completion_tokens' instead."
    } else {
        ""
    }
}

/// Returns true if a request has a field, or asks for that response format.
fn uses_field(body: &Value, field: &str) -> bool {
    !body[field].is_null() || body["response_format"]["type"] == field
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

async fn perform<W: Wire>(
    wire: &W,
    body: &Value,
    behaviour: Behaviour,
    streamed: bool,
    mut waiting: Waiting,
) -> Response {
    let begun = |text: &str| {
        let events = wire.partial_answer(body, text);
        stream::iter(events.into_iter().map(|event| Ok::<_, std::io::Error>(Bytes::from(event))))
    };
    match &behaviour {
        Behaviour::Hang => std::future::pending().await,
        Behaviour::Stall(text) => events_of(begun(text).chain(stream::once(async move {
            let _waiting = waiting;
            std::future::pending().await
        }))),
        Behaviour::Cut(text) => {
            waiting.over = true;
            events_of(begun(text).chain(stream::once(async { Err(std::io::Error::other("cut")) })))
        }
        Behaviour::EndEarly(text) => {
            waiting.over = true;
            events_of(begun(text))
        }
        Behaviour::Drip(text) => {
            waiting.over = true;
            let events = wire.partial_answer(body, text);
            let slowly = stream::iter(events).then(|event| async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok::<_, Infallible>(Bytes::from(event))
            });
            events_of(slowly)
        }
        Behaviour::Steps(text) => {
            let events = match wire.answer(body, &Behaviour::Say(text.clone()), true) {
                Answer::Events(all) => all,
                Answer::Document(whole) => vec![whole],
            };
            let last = events.len() - 1;
            events_of(stream::iter(events).enumerate().then(move |(at, event)| {
                // The client that is gone before the last step did not wait for the answer.
                waiting.over = at == last;
                let shared = waiting.shared.clone();
                async move {
                    if let Ok(step) = shared.steps.acquire().await {
                        step.forget();
                    }
                    Ok::<_, Infallible>(Bytes::from(event))
                }
            }))
        }
        Behaviour::Redirect => {
            waiting.over = true;
            (StatusCode::TEMPORARY_REDIRECT, [("location", "/elsewhere")]).into_response()
        }
        Behaviour::Page => {
            waiting.over = true;
            ([("content-type", "text/html")], "<html><h1>502 Bad Gateway</h1></html>").into_response()
        }
        _ => {
            waiting.over = true;
            match wire.answer(body, &behaviour, streamed) {
                Answer::Document(text) => ([("content-type", "application/json")], text).into_response(),
                Answer::Events(all) => events_of(stream::iter(
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

/// Formats a server-sent event without a name.
pub(super) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// Formats a server-sent event named after its `type` member.
pub(super) fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

/// Builds the body of an `OpenAI` error.
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
