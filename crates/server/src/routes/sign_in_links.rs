//! `POST /v1/sign-in-links`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};

use super::json;
use crate::app::App;
use crate::auth::Scope;
use crate::problem::{Pointed, Problem};
use crate::request::{caller, parse, read_json};
use crate::sign_in_link::Link;
use crate::wire;

/// Make a sign-in link
///
/// The link is for a configured user and is handed to that person. It works once, for ten minutes. No Idempotency-Key
/// is needed, since nothing is stored before the link is used.
#[utoipa::path(
    post, path = "/v1/sign-in-links", tag = "operations", operation_id = "postSignInLink",
    request_body = wire::SignInLinkFor,
    responses(
        (status = 200, description = "The link. It is a secret until it is used.", body = wire::SignInLink),
    )
)]
pub(crate) async fn post_sign_in_link(State(app): State<Arc<App>>, request: Request) -> Response {
    make(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn make(app: &App, request: Request) -> Result<Response, Problem> {
    let (user, by) = for_whom(app, request).await?;
    let link = Link::to(&user, app.store().now())?;
    tracing::info!(user, by, "a sign-in link was made");
    let config = app.config();
    let address = app.address.get().copied().unwrap_or(config.server.listen);
    Ok(json(&link.into_wire(app.runtime().keys(), config, address)))
}

/// Returns the configured user an administrator asks a link for, and the administrator.
pub(super) async fn for_whom(app: &App, request: Request) -> Result<(String, String), Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Scope::Admin)?;
    let wire::SignInLinkFor { user } = parse(&read_json(&parts.headers, body).await?)?;
    let config = app.config();
    if caller.tenant != config.tenant || config.active_user(&config.tenant, &user).is_none() {
        let text = format!("there is no user {user:?}; the configuration's `users` names them");
        return Err(Problem::schema(vec![Pointed { pointer: "/user".into(), text }]));
    }
    Ok((user, caller.principal))
}
