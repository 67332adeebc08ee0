//! Webhook of Telegram, with its own authentication and limits.
//!
//! Telegram sends an update again after any answer but 2xx. The body of the 200 is always empty: Telegram would
//! execute an API call in it and discard the result.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use throughline_engine::data::canonical_json::sha256;

use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::request;
use crate::telegram::Hook;

/// Header that authenticates Telegram.
const SECRET: &str = "x-telegram-bot-api-secret-token";
/// Maximum size of an update.
const MAX_BODY: usize = 1024 * 1024;

/// `POST /telegram/{hook}`
pub(crate) async fn post_update(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let nothing = || Problem::new(&codes::NOT_FOUND, "there is no webhook of that name");
    let adapter = app.instance.telegram.clone().ok_or_else(nothing)?;
    let hook = adapter.hook().filter(|hook| same(&hook.id, &id)).ok_or_else(nothing)?;
    proven(hook, &headers)?;
    let bytes = request::read_json_within(&headers, body, MAX_BODY).await?;
    let update: Value = serde_json::from_slice(&bytes).map_err(|e| request::malformed(&e.to_string()))?;
    let Ok(bot) = adapter.bot().await else {
        return Err(Problem::new(&codes::STORE_UNAVAILABLE, "Telegram has not said yet which bot this is"));
    };
    let accepted = adapter.accept(app.runtime(), &bot, &update).await?;
    // In a task of its own: this answer must not wait for another call.
    app.runtime().in_background(async move { adapter.answer_press(accepted).await });
    Ok(StatusCode::OK.into_response())
}

fn proven(hook: &Hook, headers: &HeaderMap) -> Result<(), Problem> {
    let mut secrets = headers.get_all(SECRET).iter();
    let given = secrets.next().and_then(|value| value.to_str().ok()).filter(|_| secrets.next().is_none());
    if given.is_some_and(|given| same(given, &hook.secret)) {
        return Ok(());
    }
    let why = if given.is_some() { "secret" } else { "missing" };
    ::metrics::counter!("throughline_signature_failures_total", "channel" => "telegram", "why" => why)
        .increment(1);
    Err(Problem::new(&codes::TELEGRAM_SECRET, "the secret of this webhook is missing or is not ours"))
}

/// Compares by hash, so that the time it takes reveals nothing about the secret.
fn same(given: &str, ours: &str) -> bool {
    sha256(&[given.as_bytes()]) == sha256(&[ours.as_bytes()])
}
