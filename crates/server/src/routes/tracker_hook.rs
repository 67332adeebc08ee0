//! Webhooks of trackers, with their own authentication and limits (`docs/design/0062-reports-of-trackers.md`).
//!
//! A tracker delivers again after any answer but 2xx, or never does. What is answered with 2xx is stored, or is about
//! nothing that was created here.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use throughline_engine::data::canonical_json::{hex, sha256};

use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::request;

/// Header in which GitHub says what a delivery is about.
const EVENT: &str = "x-github-event";
/// Maximum size of a delivery: an issue's text has at most 64 KiB, its other fields have no documented limit.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// The longest id of a delivery that is used as it is.
const MAX_ID: usize = 128;

/// `POST /jira/hooks/{name}`
pub(crate) async fn post_jira(
    app: State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    take(&app, &format!("jira.{name}"), &headers, body).await
}

/// `POST /github/hooks/{name}`
pub(crate) async fn post_github(
    app: State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    take(&app, &format!("github.{name}"), &headers, body).await
}

/// Verifies a delivery, and stores what it says of an issue that was created here.
async fn take(app: &App, tracker: &str, headers: &HeaderMap, body: Body) -> Result<StatusCode, Problem> {
    let nothing =
        || Problem::new(&codes::NOT_FOUND, format!("{tracker} has no webhook_secret_file, or is no tracker"));
    let hook = app.instance.hooks.get(tracker).ok_or_else(nothing)?;
    let bytes = request::read_raw(headers, body, MAX_BODY).await?;
    if !hook.signed(&bytes, request::only(headers, hook.signature()).unwrap_or_default()) {
        ::metrics::counter!("throughline_signature_failures_total", "channel" => "tracker", "why" => "signature")
            .increment(1);
        let text =
            format!("the signature of this delivery is missing or not made with the secret of {tracker}");
        return Err(Problem::new(&codes::TRACKER_SIGNATURE, text));
    }
    request::check_depth(&bytes)?;
    let event = request::only(headers, EVENT).unwrap_or_default();
    let report = hook.read(event, &bytes).map_err(|why| request::malformed(&why))?;
    let Some(report) = report else { return Ok(StatusCode::OK) };
    let given = request::only(headers, hook.delivery()).filter(|id| (1..=MAX_ID).contains(&id.len()));
    let delivery = given.map_or_else(|| hex(&sha256(&[&bytes])), str::to_owned);
    app.runtime().accept_report(&hook.tenant, tracker, &delivery, report).await?;
    Ok(StatusCode::OK)
}
