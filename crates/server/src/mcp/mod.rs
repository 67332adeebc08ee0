//! MCP server at `/mcp`: the acts of the HTTP API as tools, and what it reads as resources.
//!
//! A tool is one operation of the API, named by its id in the OpenAPI document, and calling it is one request to the
//! API's own routes, within this process and with the caller's own token. So rights, limits, idempotency, the audit log
//! and the words of refusals are those of the API, and there is no second place that could differ. No session is kept:
//! each request stands for itself (`docs/design/0072-mcp-server.md`).

mod approval_wait;
mod call;
mod handler;
mod request;
mod resources;
mod schema;
mod tools;
mod updates;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower::ServiceExt;

use self::handler::Handler;
use crate::app::App;
use crate::request::{bearer, read_json};
use crate::{middleware, routes};

/// Path of the server.
pub(crate) const PATH: &str = "/mcp";

type Protocol = StreamableHttpService<Handler, NeverSessionManager>;

/// Returns the route of the server.
pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let protocol = protocol(app);
    let answer = move |State(app): State<Arc<App>>, request: Request| answer(app, protocol.clone(), request);
    Router::new().route(PATH, post(answer))
}

fn protocol(app: &Arc<App>) -> Protocol {
    let api = routes::routes()
        .layer(tower_http::catch_panic::CatchPanicLayer::custom(middleware::panicked))
        .layer(from_fn_with_state(app.clone(), middleware::identify))
        .with_state(app.clone());
    let handler = Handler::new(app.clone(), api);
    // Hosts, origins and the size of a body are checked before, as for every other route.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts();
    StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config)
}

/// Answers a message. A browser's cookie is no token here: pages of this server speak no MCP.
async fn answer(app: Arc<App>, protocol: Protocol, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let read = async {
        let caller = bearer(&app, &parts.headers)?;
        let body = read_json(&parts.headers, body).await?;
        Ok::<_, crate::problem::Problem>((caller, body))
    };
    match read.await {
        Ok((caller, body)) => {
            parts.extensions.insert(caller);
            let message = Request::from_parts(parts, Body::from(body));
            match protocol.oneshot(message).await {
                Ok(answer) => answer.map(Body::new),
                Err(never) => match never {},
            }
        }
        Err(problem) => problem.into_response(),
    }
}
