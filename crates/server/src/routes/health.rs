//! State of the process: `/livez`, `/readyz`, `/metrics`, `/version`.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use super::{json, text};
use crate::app::App;
use crate::codes;
use crate::commit::commit;
use crate::metrics as counted;
use crate::problem::{Problem, ProblemDetails};
use crate::request::bearer;
use crate::stuck::stuck;
use crate::wire;

/// Names of the channels that have to listen.
pub(crate) const TELEGRAM: &str = "Telegram";
pub(crate) const SLACK: &str = "Slack";

/// Check that the process runs
#[utoipa::path(get, path = "/livez", tag = "health", operation_id = "livez",
    responses((status = 200, description = "It runs.", body = String, content_type = "text/plain")))]
pub(crate) async fn livez() -> Response {
    text("ok\n".into())
}

/// Check that the instance takes requests
///
/// Tries a write to the store, and checks that the instance is not shutting down, that its channels listen, and that
/// nothing is stuck: no event waits too long, no effect is planned too far ahead, no lane fails again and again.
#[utoipa::path(get, path = "/readyz", tag = "health", operation_id = "readyz",
    responses(
        (status = 200, description = "It takes them.", body = wire::Ready),
        (status = 503, description = "It takes none; the problem gives the reason.", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    if app.draining() {
        return Err(Problem::new(
            &codes::DRAINING,
            "this instance is shutting down and takes no new requests",
        ));
    }
    app.store().writable().await?;
    if let Some((_, problem)) = deaf(&app).into_iter().next() {
        return Err(problem);
    }
    let stuck = stuck(&app.store().counts().await?, app.runtime().wakes().failing());
    if let Some((code, _)) = stuck.first() {
        let texts: Vec<&str> = stuck.iter().map(|(_, text)| text.as_str()).collect();
        return Err(Problem::new(code, texts.join("; ")));
    }
    Ok(json(&wire::Ready { ready: true, store: app.config().store.kind().into() }))
}

/// Returns the configured channels that do not listen yet, each with the problem.
pub(crate) fn deaf(app: &App) -> Vec<(&'static str, Problem)> {
    let deaf = |what, text: &str| (what, Problem::new(&codes::NOT_LISTENING, text));
    let (telegram, slack) = (&app.instance.telegram, &app.instance.slack);
    let telegram = telegram.as_ref().filter(|telegram| !telegram.listens());
    let slack = slack.as_ref().filter(|slack| !slack.listens());
    let telegram = telegram.map(|_| deaf(TELEGRAM, "Telegram is not asked for updates yet"));
    telegram.into_iter().chain(slack.map(|_| deaf(SLACK, "Slack's deliveries are not taken yet"))).collect()
}

/// Read metrics for Prometheus
///
/// Allowed from this machine, and with a token.
#[utoipa::path(get, path = "/metrics", tag = "health", operation_id = "metrics",
    responses(
        (status = 200, description = "Prometheus text.", body = String, content_type = "text/plain"),
    ))]
pub(crate) async fn metrics(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    if !here(&request) {
        bearer(&app, request.headers())?;
    }
    // Counters are worth reading most when the store is in trouble.
    match app.store().counts().await {
        Ok(counts) => counted::stored(&counts, app.runtime().wakes().failing()),
        Err(error) => tracing::warn!(%error, "the store was not counted for the metrics"),
    }
    Ok(text(counted::page(&app.metrics)).into_response())
}

/// Returns true if the request comes from this machine, and not through a proxy on it.
fn here(request: &Request) -> bool {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.is_some_and(|ConnectInfo(peer)| peer.ip().is_loopback()) && !forwarded(request.headers())
}

fn forwarded(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "x-real-ip"].iter().any(|name| headers.contains_key(*name))
}

/// Read the version
#[utoipa::path(get, path = "/version", tag = "health", operation_id = "version",
    responses((status = 200, description = "The build.", body = wire::Version)))]
pub(crate) async fn version() -> Response {
    json(&wire::Version {
        name: "throughline".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        commit: commit().into(),
    })
}
