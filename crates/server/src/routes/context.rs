//! Prompt context: of a lane, and of a supervisor's state sent with the request. Nothing is stored.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use throughline_engine::context::import::{self, MAX_BYTES};
use throughline_engine::context::prompt::TooLarge;
use throughline_engine::context::supervised::Assignment;
use throughline_store::LaneInfo;

use super::lanes;
use crate::access::Act;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::problem::{Pointed, Problem};
use crate::request::{PathParam, QueryParams, caller, parse, read_json_within};
use crate::views::context::{self, PromptError};
use crate::wire;
use crate::wire::vocabulary::MaxTokens;

/// Bytes allowed in a body beside the document.
const ENVELOPE: usize = 1024 * 1024;

/// Format of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// Object that contains the prompt.
    #[default]
    Json,
    /// Prompt alone.
    Markdown,
}

/// Query of a lane's context.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContextQuery {
    /// `json`, or `markdown` for the prompt alone.
    #[serde(default)]
    #[param(inline)]
    format: Format,
    /// Maximum tokens of the prompt: at least 6,000.
    #[param(value_type = Option<MaxTokens>, inline)]
    max_tokens: Option<u32>,
}

/// Query of a rendering, whose body has the limits.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RenderQuery {
    /// `json`, or `markdown` for the prompt alone.
    #[serde(default)]
    #[param(inline)]
    format: Format,
}

/// Read the context that prompts give of a lane
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/context", tag = "lanes", operation_id = "getContext",
    params(("lane" = String, Path, description = "ln_…"), ContextQuery),
    responses(
        (status = 200, description = "The context that every prompt gives of the lane.", content(
            (wire::Context = "application/json"), (String = "text/markdown"))),
    )
)]
pub(crate) async fn get_context(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
    QueryParams(wanted): QueryParams<ContextQuery>,
) -> Result<Response, Problem> {
    let info = lanes::find(&app, &caller, Act::ReadContext, &id).await?;
    Ok(answer(&of_lane(&app, &info, wanted.max_tokens).await?, wanted.format))
}

/// Returns the context that every agent's prompt gives of the lane.
pub(crate) async fn of_lane(
    app: &App,
    info: &LaneInfo,
    max_tokens: Option<u32>,
) -> Result<wire::Context, Problem> {
    let lane = app.runtime().lane_with_summary(&info.key).await?;
    let facts = app.runtime().facts_near(&lane).await?;
    context::of_lane(&lane, facts, &app.config().policy, max_tokens).map_err(problem)
}

/// Render a supervisor's state
#[utoipa::path(
    post, path = "/v1/context/render", tag = "context", operation_id = "renderContext",
    params(RenderQuery),
    request_body = wire::Render,
    responses(
        (status = 200, description = "The prompt of its task, or the record of its tasks alone.", content(
            (wire::Context = "application/json"), (String = "text/markdown"))),
    )
)]
pub(crate) async fn post_render(
    State(app): State<Arc<App>>,
    QueryParams(wanted): QueryParams<RenderQuery>,
    request: Request,
) -> Response {
    let context = render(&app, request).await;
    context.map_or_else(IntoResponse::into_response, |context| answer(&context, wanted.format))
}

async fn render(app: &Arc<App>, request: Request) -> Result<wire::Context, Problem> {
    let (parts, body) = request.into_parts();
    caller(app, &parts)?.need(Scope::ContextRead)?;
    let body = read_json_within(&parts.headers, body, MAX_BYTES + ENVELOPE).await?;
    let asked: wire::Render = parse(&body)?;
    let unusable = |pointer: &str, error: import::ImportError| {
        let mut problem =
            Problem::new(&codes::CONTEXT_UNUSABLE, format!("{pointer} cannot be used: {error}"));
        problem.push_error(Pointed { pointer: pointer.into(), text: error.to_string() });
        problem
    };
    let task = asked.task.map(|task| Assignment::read(task.get().as_bytes())).transpose();
    let task = task.map_err(|error| unusable("/task", error))?;
    let state = import::import(asked.state.get().as_bytes()).map_err(|error| unusable("/state", error))?;
    context::of_state(state, task.as_ref(), asked.history.map(|tasks| tasks as usize), asked.max_tokens)
        .map_err(problem)
}

fn problem(error: PromptError) -> Problem {
    match error {
        PromptError::Bounds { key, why } => {
            let text = format!("{key} {why}");
            Problem::schema(vec![Pointed { pointer: format!("/{key}"), text }])
        }
        PromptError::TooLarge(TooLarge { .. }) => Problem::new(&codes::CONTEXT_TOO_LARGE, error.to_string()),
    }
}

fn answer(context: &wire::Context, format: Format) -> Response {
    let (body, kind) = match format {
        Format::Json => (context.json(), "application/json"),
        Format::Markdown => (context.prompt.clone(), "text/markdown; charset=utf-8"),
    };
    let mut response = body.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
