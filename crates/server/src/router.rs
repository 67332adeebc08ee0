//! Router: the HTTP API, the MCP server and the pages, behind the middleware.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Uri;
use axum::middleware::from_fn_with_state;

use crate::app::App;
use crate::problem::Problem;
use crate::{codes, mcp, middleware, routes, web};

/// Returns every route, behind the middleware.
pub(crate) fn router(app: &Arc<App>) -> Router {
    routes::routes()
        .merge(web::routes(app))
        .merge(mcp::routes(app))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), middleware::admit))
        .layer(tower_http::catch_panic::CatchPanicLayer::custom(middleware::panicked))
        .layer(from_fn_with_state(app.clone(), middleware::identify))
        .with_state(app.clone())
}

async fn nothing_here(uri: Uri) -> Problem {
    Problem::new(
        &codes::NOT_FOUND,
        format!("there is nothing at {}; /v1/openapi.json lists the routes", uri.path()),
    )
}

async fn wrong_method(request: Request) -> Problem {
    let text = format!("{} does not take {}", request.uri().path(), request.method());
    Problem::new(&codes::METHOD, text)
}
