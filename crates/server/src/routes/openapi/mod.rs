//! OpenAPI document, generated from the routes and the wire types. `crates/server/openapi.json` is the checked-in
//! copy.

use std::sync::LazyLock;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};

use crate::problem::PROBLEM_JSON;
use crate::wire::ProblemDetails;

use super::{
    agui, approvals, context, effects, erasures, events, facts, health, lanes, options, pause, poll, replay,
    resolve, sign_in_links, stream, telegram_links, tenant_stream, tools, tracker, turns, webhooks,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Throughline HTTP API",
        description = "Deliver events, read decisions with their reasons, decide approvals, report effects.",
        license(name = "Apache-2.0 OR MIT")
    ),
    security(("bearer" = []), ()),
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
    modifiers(&Bearer, &Problems),
    components(schemas(ProblemDetails)),
    paths(
        events::post_event, agui::post_run, tenant_stream::get_stream, tenant_stream::get_events, turns::get_turn, turns::get_why, lanes::list_lanes, lanes::get_lane,
        lanes::get_pending, lanes::list_turns, lanes::list_messages, stream::get_stream, poll::get_events,
        context::get_context, context::post_render, facts::list_facts, facts::post_fact, facts::delete_fact,
        options::post_options, options::delete_options, options::put_focus,
        approvals::list_approvals, approvals::get_approval, approvals::post_decide, effects::list_effects,
        effects::get_effect, effects::post_result, resolve::post_resolve, pause::get_pause, pause::put_pause, replay::post_replay,
        tracker::list_issues, tracker::get_issue, sign_in_links::post_sign_in_link,
        telegram_links::post_telegram_link, erasures::delete_subject, erasures::delete_lane, erasures::delete_tenant, tools::list_tools, tools::post_pin, webhooks::list_webhooks, webhooks::post_enable, webhooks::post_test, webhooks::list_dead, webhooks::post_redeliver, webhooks::post_discard, get_openapi, health::livez, health::readyz, health::metrics, health::version,
    )
)]
struct Document;

/// Adds the bearer token as the security scheme.
struct Bearer;

impl utoipa::Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("`tlk_<id>_<secret>`. A demo needs none."))
            .build();
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    }
}

/// Adds the problem document to every operation.
struct Problems;

impl utoipa::Modify for Problems {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let problem = |says: &str| {
            let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ProblemDetails"))).build();
            RefOr::T(ResponseBuilder::new().description(says).content(PROBLEM_JSON, body).build())
        };
        for item in document.paths.paths.values_mut() {
            for operation in
                [&mut item.get, &mut item.post, &mut item.put, &mut item.delete].into_iter().flatten()
            {
                let responses = &mut operation.responses.responses;
                responses.insert("4XX".into(), problem("Refused; `code` says why. Nothing was done."));
                responses.insert(
                    "5XX".into(),
                    problem("Not possible just now: send it again, with the same key."),
                );
            }
        }
    }
}

/// Returns the OpenAPI 3.1 document as formatted JSON with a final newline.
#[must_use]
pub fn openapi() -> String {
    let mut text = Document::openapi().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// Read this document
#[utoipa::path(get, path = "/v1/openapi.json", tag = "health", operation_id = "openapi",
    responses((status = 200, description = "OpenAPI 3.1.", body = Object)))]
pub(crate) async fn get_openapi() -> Response {
    static DOCUMENT: LazyLock<Bytes> =
        LazyLock::new(|| serde_json::to_vec(&Document::openapi()).unwrap_or_default().into());
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.clone()).into_response()
}
