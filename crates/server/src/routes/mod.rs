//! Routes of the HTTP API, one file for each resource, and the OpenAPI document.

mod agui;
pub(crate) mod approvals;
pub(crate) mod context;
pub(crate) mod cursor;
pub(crate) mod effects;
mod erasures;
pub(crate) mod events;
mod facts;
pub(crate) mod feed;
pub(crate) mod files;
pub(crate) mod health;
pub(crate) mod lanes;
pub(crate) mod learn;
pub(crate) mod my_sessions;
mod openapi;
pub(crate) mod options;
pub(crate) mod pause;
mod poll;
mod replay;
pub(crate) mod resolve;
pub(crate) mod seen_by;
pub(crate) mod shared_stream;
mod sign_in_links;
mod slack;
mod stream;
mod telegram_hook;
mod telegram_links;
pub(crate) mod tenant_events;
mod tenant_feed;
mod tenant_stream;
mod tools;
pub(crate) mod tracker;
mod tracker_hook;
pub(crate) mod turns;
pub(crate) mod users;
pub(crate) mod webhooks;
mod writing;

use std::sync::Arc;

use axum::Router;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use serde::Serialize;
use throughline_channels::direction::steadied;

use crate::app::App;

pub use openapi::openapi;

/// Returns the routes of the HTTP API, of deliveries by Telegram, Slack and trackers, and of health checks.
pub(crate) fn routes() -> Router<Arc<App>> {
    let v1 = Router::new()
        .route("/events", post(events::post_event).get(tenant_stream::get_events))
        .route("/stream", get(tenant_stream::get_stream))
        .route("/agui", post(agui::post_run))
        .route("/turns/{turn}", get(turns::get_turn))
        .route("/turns/{turn}/why", get(turns::get_why))
        .route("/lanes", get(lanes::list_lanes))
        .route("/lanes/{lane}", get(lanes::get_lane).delete(erasures::delete_lane))
        .route("/subjects/{id}", delete(erasures::delete_subject))
        .route("/tenant", delete(erasures::delete_tenant))
        .route("/lanes/{lane}/pending", get(lanes::get_pending))
        .route("/lanes/{lane}/turns", get(lanes::list_turns))
        .route("/lanes/{lane}/messages", get(lanes::list_messages))
        .route("/lanes/{lane}/context", get(context::get_context))
        .route("/context/render", post(context::post_render))
        .route("/facts", get(facts::list_facts).post(facts::post_fact))
        .route("/files", post(files::post_file))
        .route("/files/{id}", get(files::get_file).delete(files::delete_file))
        .route("/facts/{fact}", delete(facts::delete_fact))
        .route("/lanes/{lane}/option-sets", post(options::post_options))
        .route("/lanes/{lane}/option-sets/{set}", delete(options::delete_options))
        .route("/lanes/{lane}/focus", put(options::put_focus))
        .route("/lanes/{lane}/stream", get(stream::get_stream))
        .route("/lanes/{lane}/events", get(poll::get_events))
        .route("/approvals", get(approvals::list_approvals))
        .route("/approvals/{approval}", get(approvals::get_approval))
        .route("/approvals/{approval}/decide", post(approvals::post_decide))
        .route("/effects", get(effects::list_effects))
        .route("/effects/{effect}", get(effects::get_effect))
        .route("/effects/{effect}/resolve", post(resolve::post_resolve))
        .route("/effects/{effect}/result", post(effects::post_result))
        .route("/pause", get(pause::get_pause).put(pause::put_pause))
        .route("/replay", post(replay::post_replay))
        .route("/learn", get(learn::get_suggestion).post(learn::post_proposal))
        .route("/learn/versions", get(learn::list_versions))
        .route("/tracker/issues", get(tracker::list_issues))
        .route("/tracker/issues/{key}", get(tracker::get_issue))
        .route("/sign-in-links", post(sign_in_links::post_sign_in_link))
        .route("/users", get(users::list_users))
        .route("/users/{id}", put(users::put_user).delete(users::delete_user))
        .route("/sessions", get(users::list_sessions))
        .route("/sessions/{id}", delete(users::delete_session))
        .route(
            "/me/sessions",
            get(my_sessions::list_my_sessions).delete(my_sessions::delete_my_other_sessions),
        )
        .route("/me/sessions/{id}", delete(my_sessions::delete_my_session))
        .route("/telegram-links", post(telegram_links::post_telegram_link))
        .route("/tools", get(tools::list_tools))
        .route("/tools/pin", post(tools::post_pin))
        .route("/webhooks", get(webhooks::list_webhooks))
        .route("/webhooks/{name}/enable", post(webhooks::post_enable))
        .route("/webhooks/{name}/test", post(webhooks::post_test))
        .route("/webhooks/{name}/dead", get(webhooks::list_dead))
        .route("/webhooks/{name}/dead/{event}/redeliver", post(webhooks::post_redeliver))
        .route("/webhooks/{name}/dead/{event}/discard", post(webhooks::post_discard))
        .route("/openapi.json", get(openapi::get_openapi));
    Router::new()
        .nest("/v1", v1)
        .route("/telegram/{hook}", post(telegram_hook::post_update))
        .route("/slack/events", post(slack::post_event))
        .route("/slack/interactions", post(slack::post_interaction))
        .route("/slack/commands", post(slack::post_command))
        .route("/jira/hooks/{name}", post(tracker_hook::post_jira))
        .route("/github/hooks/{name}", post(tracker_hook::post_github))
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route("/version", get(health::version))
}

/// Returns a JSON answer.
pub(crate) fn json<T: Serialize>(value: &T) -> Response {
    let mut response = crate::idempotency::to_json(value).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns a plain text answer.
pub(crate) fn text(text: String) -> Response {
    let mut response = steadied(text).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Returns true if plain text is preferred to JSON.
pub(crate) fn wants_text(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let place = |kind: &str| accept.find(kind).unwrap_or(usize::MAX);
    place("text/plain") < place("application/json")
}
