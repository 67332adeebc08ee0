//! `GET /v1/tools` and `POST /v1/tools/pin`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use throughline_tools::{Clients, Pinned, PinsError};

use super::json;
use crate::app::App;
use crate::auth::Scope;
use crate::codes;
use crate::idempotency::{KeyedRequest, run_once};
use crate::problem::Problem;
use crate::request::{caller, parse, read_json};
use crate::{tools, wire};

/// Path of pinning, which is part of the request's key.
const ROUTE: &str = "/v1/tools/pin";

/// List tools and sub-agents
///
/// Lists what is configured, and the other tools of the configured MCP servers. Each is asked for its current
/// definition, which is compared with its pin.
#[utoipa::path(
    get, path = "/v1/tools", tag = "operations", operation_id = "listTools",
    responses((status = 200, description = "All of them, in one page.", body = wire::Page<wire::Tool>))
)]
pub(crate) async fn list_tools(State(app): State<Arc<App>>, request: Request) -> Response {
    list(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn list(app: &App, request: Request) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Scope::Admin)?;
    let items = match clients(app, &caller.tenant) {
        Some(clients) => tools::list(&clients).await.map_err(cannot)?,
        None => Vec::new(),
    };
    Ok(json(&wire::Page { items, next: None }))
}

/// Pin tools and sub-agents
///
/// Pins the current definition of all that are configured, or of the one that is named. A tool without a pin, or with
/// a changed definition, is off (TL-5301).
#[utoipa::path(
    post, path = "/v1/tools/pin", tag = "operations", operation_id = "postToolsPin",
    request_body = wire::PinTools,
    params(("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request")),
    responses((status = 200, description = "The names newly pinned, and those that could not be asked.", body = wire::PinnedTools))
)]
pub(crate) async fn post_pin(State(app): State<Arc<App>>, request: Request) -> Response {
    pin(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn pin(app: &Arc<App>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Scope::Admin)?;
    let body = read_json(&parts.headers, body).await?;
    let wire::PinTools { name } = parse(&body)?;
    let keyed = KeyedRequest::of(&caller, &parts.method, ROUTE, &parts.headers, &body)?;
    let none = || {
        Problem::new(&codes::NOT_FOUND, "no tool and no sub-agent has a client here; see `mcp` and `agents`")
    };
    let clients = clients(app, &caller.tenant).ok_or_else(none)?;
    if let Some(name) = &name
        && !clients.targets().any(|(target, _)| target == *name)
    {
        let text = format!("there is no {name:?}; GET /v1/tools names them");
        return Err(Problem::new(&codes::NOT_FOUND, text));
    }
    let by = caller.principal;
    run_once(app, keyed, async move {
        let Pinned { pinned, unreachable } = clients.pin(name.as_deref(), &by).await.map_err(cannot)?;
        tracing::warn!(by, pinned = pinned.join(" "), "tools were pinned");
        let unreachable = unreachable.into_iter().map(|(name, why)| wire::UnreachableTool { name, why });
        Ok(wire::PinnedTools { pinned, unreachable: unreachable.collect() })
    })
    .await
}

/// Returns the clients of the installation's own tenant; other tenants have none.
fn clients(app: &App, tenant: &str) -> Option<Arc<Clients>> {
    app.instance.tools.clone().filter(|_| tenant == app.config().tenant)
}

fn cannot(error: PinsError) -> Problem {
    Problem::new(&codes::STORE_UNAVAILABLE, error.to_string())
}
