//! Deliveries of Slack over HTTP, with their own authentication and limits.
//!
//! Slack delivers again after any answer but 2xx, and after three seconds. Nothing is answered with 2xx that is not
//! stored; nothing that is stored waits for a lane, a model or Slack itself.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use throughline_channels::slack::Delivery;
use throughline_runtime::FailPoint;

use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::request;
use crate::routes::{events, json};
use crate::slack::Adapter;

/// Header with the time of signing, in seconds.
const TIMESTAMP: &str = "x-slack-request-timestamp";
/// Header with the signature.
const SIGNATURE: &str = "x-slack-signature";
/// Maximum size of a delivery.
const MAX_BODY: usize = 1024 * 1024;

/// `POST /slack/events`
pub(crate) async fn post_event(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (adapter, bytes) = proven(&app, &headers, body).await?;
    let payload = parsed(&bytes)?;
    if payload["type"] == "url_verification" {
        let challenge = payload["challenge"].as_str().unwrap_or_default();
        return Ok(json(&serde_json::json!({"challenge": challenge})));
    }
    take(&app, adapter, Delivery::Event, payload).await
}

/// `POST /slack/interactions`
pub(crate) async fn post_interaction(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (adapter, bytes) = proven(&app, &headers, body).await?;
    let mut fields = form_urlencoded::parse(&bytes);
    let payload = fields.find(|(name, _)| name == "payload").map(|(_, text)| text.into_owned());
    let payload = payload.ok_or_else(|| request::malformed("the form has no field `payload`"))?;
    take(&app, adapter, Delivery::Interaction, parsed(payload.as_bytes())?).await
}

/// `POST /slack/commands`
pub(crate) async fn post_command(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (adapter, bytes) = proven(&app, &headers, body).await?;
    let fields: Map<String, Value> = form_urlencoded::parse(&bytes)
        .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
        .collect();
    take(&app, adapter, Delivery::Command, Value::Object(fields)).await
}

/// Reads the body and verifies who sent it, in this order: the signature is over the raw bytes.
async fn proven(app: &App, headers: &HeaderMap, body: Body) -> Result<(Arc<Adapter>, Bytes), Problem> {
    let adapter = app.instance.slack.clone().filter(|adapter| adapter.takes_http());
    let adapter = adapter.ok_or_else(|| Problem::new(&codes::NOT_FOUND, "Slack does not deliver here"))?;
    app.runtime().fault(FailPoint::BytesIn)?;
    let bytes = request::read_raw(headers, body, MAX_BODY).await?;
    adapter.verify(request::only(headers, TIMESTAMP), request::only(headers, SIGNATURE), &bytes).map_err(|unproven| {
        ::metrics::counter!("throughline_signature_failures_total", "channel" => "slack", "why" => unproven.as_str())
            .increment(1);
        Problem::new(&codes::SLACK_SIGNATURE, "the signature of this delivery is missing, too old or not Slack's")
    })?;
    if std::str::from_utf8(&bytes).is_err() {
        return Err(request::malformed("it is not UTF-8"));
    }
    app.runtime().fault(FailPoint::Verified)?;
    Ok((adapter, bytes))
}

fn parsed(bytes: &[u8]) -> Result<Value, Problem> {
    request::check_depth(bytes)?;
    let payload: Value =
        serde_json::from_slice(bytes).map_err(|error| request::malformed(&error.to_string()))?;
    if payload.is_object() { Ok(payload) } else { Err(request::malformed("it is no object")) }
}

/// Stores a delivery and acknowledges it.
async fn take(
    app: &Arc<App>,
    adapter: Arc<Adapter>,
    delivery: Delivery,
    payload: Value,
) -> Result<Response, Problem> {
    if adapter.ready().await.is_err() {
        return Err(Problem::new(
            &codes::STORE_UNAVAILABLE,
            "Slack has not said yet which workspace this is",
        ));
    }
    let Some(workspace) = adapter.workspace(&payload) else { return Ok(StatusCode::OK.into_response()) };
    let accepted = adapter.accept(app.runtime(), &workspace, delivery, &payload).await?;
    let answer = match &accepted.answer {
        Some(answer) => json(answer),
        None => StatusCode::OK.into_response(),
    };
    // In a task of its own: this answer must not wait for another call.
    let runtime = app.instance.runtime.clone();
    app.runtime().in_background(async move { adapter.follow_up(&runtime, accepted).await });
    Ok(events::acked(app, answer))
}
