//! The OpenAPI document, made of the routes and the wire types. `crates/server/openapi.json` is the checked-in copy.

use axum::response::Response;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};

use crate::problem::PROBLEM_JSON;
use crate::wire::ProblemDetails;

use super::{
    approvals, context, effects, erasures, events, health, json, lanes, options, pause, poll, replay,
    resolve, sign_in_links, stream, telegram_links, tools, tracker, turns,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Throughline HTTP API",
        description = "Deliver events, read decisions and why they were taken, decide approvals, report effects.",
        license(name = "Apache-2.0 OR MIT")
    ),
    security(("bearer" = []), ()),
    // In the order in which somebody new to it would read them.
    tags(
        (name = "events", description = "What happened, as a host delivers it."),
        (name = "turns", description = "What was decided, and why."),
        (name = "lanes", description = "Conversations: what was said, what waits, and a stream of both."),
        (name = "context", description = "What a prompt tells of the past, for a supervisor of agents."),
        (name = "options", description = "Lists of options people are shown, and where they look."),
        (name = "approvals", description = "What waits for somebody who may approve it."),
        (name = "effects", description = "Everything that was to be done in the world, and what became of it."),
        (name = "tracker", description = "The embedded tracker's issues."),
        (name = "operations", description = "For whoever runs it."),
        (name = "health", description = "For what watches it."),
    ),
    modifiers(&Bearer, &Problems),
    components(schemas(ProblemDetails)),
    paths(
        events::post_event, turns::get_turn, turns::get_why, lanes::list_lanes, lanes::get_lane,
        lanes::get_pending, lanes::list_turns, lanes::list_messages, stream::get_stream, poll::get_events,
        context::get_context, context::post_render,
        options::post_options, options::delete_options, options::put_focus,
        approvals::list_approvals, approvals::get_approval, approvals::post_decide, effects::list_effects,
        effects::get_effect, effects::post_result, resolve::post_resolve, pause::get_pause, pause::put_pause, replay::post_replay,
        tracker::list_issues, tracker::get_issue, sign_in_links::post_sign_in_link,
        telegram_links::post_telegram_link, erasures::delete_subject, erasures::delete_lane, erasures::delete_tenant, tools::list_tools, tools::post_pin, get_openapi, health::livez, health::readyz, health::metrics, health::version,
    )
)]
struct Document;

/// Names the one way to say who calls.
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

/// What every operation may answer beside its own: a problem document.
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

/// The OpenAPI 3.1 document as JSON, pretty and with a final newline: what is checked in.
#[must_use]
pub fn openapi() -> String {
    let mut text = Document::openapi().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// This document
#[utoipa::path(get, path = "/v1/openapi.json", tag = "health", operation_id = "openapi",
    responses((status = 200, description = "OpenAPI 3.1.", body = Object)))]
pub(crate) async fn get_openapi() -> Response {
    json(&Document::openapi())
}
