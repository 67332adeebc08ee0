//! OpenAPI document, generated from the routes and the wire types. `crates/server/openapi.json` is the checked-in
//! copy.

mod conditions;
mod examples;
mod finish;
mod headers;
mod refusals;
mod scopes;

use std::sync::LazyLock;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::Value;
use utoipa::OpenApi;

use crate::wire::{ApprovalNews, ProblemDetails, Writing};

use super::{
    agui, approvals, context, effects, erasures, events, facts, files, health, lanes, learn, my_sessions,
    options, pause, poll, replay, resolve, sign_in_links, stream, telegram_links, tenant_stream, tools,
    tracker, turns, users, webhooks,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Throughline HTTP API",
        description = "Deliver events, read decisions with their reasons, decide approvals, report effects.",
        license(name = "Apache-2.0 OR MIT", identifier = "Apache-2.0 OR MIT")
    ),
    // Ordered for a first reader.
    tags(
        (name = "events", description = "Delivery of events by a host, and what follows in all conversations."),
        (name = "turns", description = "Decisions with their reasons."),
        (name = "lanes", description = "Conversations: messages, pending questions, and a stream of events."),
        (name = "context", description = "Context of prompts and facts, for supervisors of agents."),
        (name = "options", description = "Lists of options shown to people, and the focus in them."),
        (name = "approvals", description = "Approvals and decisions on them."),
        (name = "effects", description = "Planned effects, their outcomes, and reports on them."),
        (name = "tracker", description = "Issues of the embedded tracker."),
        (name = "operations", description = "Operation of an installation."),
        (name = "health", description = "Health and metrics."),
    ),
    components(schemas(ProblemDetails, ApprovalNews, Writing)),
    paths(
        events::post_event, agui::post_run, tenant_stream::get_stream, tenant_stream::get_events, turns::get_turn, turns::get_why, lanes::list_lanes, lanes::get_lane,
        lanes::get_pending, lanes::list_turns, lanes::list_messages, stream::get_stream, poll::get_events, files::post_file, files::get_file, files::delete_file,
        context::get_context, context::post_render, facts::list_facts, facts::post_fact, facts::delete_fact,
        options::post_options, options::delete_options, options::put_focus,
        approvals::list_approvals, approvals::get_approval, approvals::post_decide, effects::list_effects,
        effects::get_effect, effects::post_result, resolve::post_resolve, pause::get_pause, pause::put_pause, replay::post_replay, learn::get_suggestion, learn::post_proposal, learn::list_versions,
        tracker::list_issues, tracker::get_issue, sign_in_links::post_sign_in_link,
        users::list_users, users::put_user, users::delete_user, users::list_sessions, users::delete_session,
        my_sessions::list_my_sessions, my_sessions::delete_my_session, my_sessions::delete_my_other_sessions,
        telegram_links::post_telegram_link, erasures::delete_subject, erasures::delete_lane, erasures::delete_tenant, tools::list_tools, tools::post_pin, webhooks::list_webhooks, webhooks::post_enable, webhooks::post_test, webhooks::list_dead, webhooks::post_redeliver, webhooks::post_discard, get_openapi, health::livez, health::readyz, health::metrics, health::version,
    )
)]
struct Document;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| finish::finished(&Document::openapi()));

/// Returns the OpenAPI 3.1 document as formatted JSON with a final newline.
#[must_use]
pub fn openapi() -> String {
    let mut text = serde_json::to_string_pretty(&*DOCUMENT).unwrap_or_default();
    text.push('\n');
    text
}

/// Read this document
#[utoipa::path(get, path = "/v1/openapi.json", tag = "health", operation_id = "openapi",
    responses((status = 200, description = "OpenAPI 3.1.", body = Object)))]
pub(crate) async fn get_openapi() -> Response {
    static BYTES: LazyLock<Bytes> =
        LazyLock::new(|| serde_json::to_vec(&*DOCUMENT).unwrap_or_default().into());
    ([(CONTENT_TYPE, "application/json")], BYTES.clone()).into_response()
}
