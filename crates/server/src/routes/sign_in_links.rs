//! `POST /v1/sign-in-links`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};

use super::json;
use crate::app::App;
use crate::auth::Scope;
use crate::problem::{Pointed, Problem};
use crate::request::{caller, parse, read_json};
use crate::web::link::Link;
use crate::wire;

/// Make a sign-in link
///
/// For a configured user, to hand to that person: it works once, for ten minutes. Nothing is kept of it before it is
/// used, so there is no key to send.
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
    Ok(json(&link.told(app.runtime().keys(), config, address)))
}

/// The configured user that an administrator asks a link for, and who asks.
pub(super) async fn for_whom(app: &App, request: Request) -> Result<(String, String), Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Scope::Admin)?;
    let wire::SignInLinkFor { user } = parse(&read_json(&parts.headers, body).await?)?;
    let config = app.config();
    if caller.tenant != config.tenant || config.user(&config.tenant, &user).is_none() {
        let text = format!("there is no user {user:?}; the configuration's `users` names them");
        return Err(Problem::schema(vec![Pointed { pointer: "/user".into(), text }]));
    }
    Ok((user, caller.principal))
}
