//! `/v1/me/sessions`: where the person who asks is signed in, and how they end it, without a scope.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::json;
use super::users::session_to_wire;
use crate::app::App;
use crate::auth::{Caller, SessionOf};
use crate::codes;
use crate::problem::Problem;
use crate::request::PathParam;
use crate::session::{self, Begun};
use crate::wire;

/// List my sessions
///
/// For whoever is signed in at a browser.
#[utoipa::path(
    get, path = "/v1/me/sessions", tag = "operations", operation_id = "listMySessions",
    responses((status = 200, description = "The sessions of the person that count, those that began last first.", body = wire::Page<wire::Session>))
)]
pub(crate) async fn list_my_sessions(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Response, Problem> {
    Ok(page(mine(&app, &caller).await?, &caller))
}

/// End one of my sessions
///
/// At once, in every tab and for every copy of its cookie. The session that asks may end itself.
#[utoipa::path(
    delete, path = "/v1/me/sessions/{id}", tag = "operations", operation_id = "endMySession",
    params(("id" = String, Path, description = "Id of the session", min_length = 1)),
    responses((status = 200, description = "The session, which is over.", body = wire::Session))
)]
pub(crate) async fn delete_my_session(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    Ok(json(&session_to_wire(end_mine(&app, &caller, &id).await?, caller.session())))
}

/// End my other sessions
///
/// All of the person's but the one that asks.
#[utoipa::path(
    delete, path = "/v1/me/sessions", tag = "operations", operation_id = "endMyOtherSessions",
    responses((status = 200, description = "The sessions that are over.", body = wire::Page<wire::Session>))
)]
pub(crate) async fn delete_my_other_sessions(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Response, Problem> {
    Ok(page(end_others(&app, &caller).await?, &caller))
}

fn page(sessions: Vec<Begun>, caller: &Caller) -> Response {
    let items = sessions.into_iter().map(|begun| session_to_wire(begun, caller.session())).collect();
    json(&wire::Page::<wire::Session> { items, next: None })
}

/// Returns the sessions of the person whose session asks.
pub(crate) async fn mine(app: &App, caller: &Caller) -> Result<Vec<Begun>, Problem> {
    own(caller)?;
    let mut all = session::list(app, &caller.tenant).await?;
    all.retain(|begun| begun.user == caller.principal);
    Ok(all)
}

/// Returns the session that asks. A token has none, and is no way to look at those of a person.
fn own(caller: &Caller) -> Result<&SessionOf, Problem> {
    let text = "this is for whoever is signed in at a browser; a token with the scope admin has /v1/sessions";
    caller.session().ok_or_else(|| Problem::new(&codes::SCOPE, text))
}

/// Ends a session of the person whose session asks.
pub(crate) async fn end_mine(app: &App, caller: &Caller, id: &str) -> Result<Begun, Problem> {
    let found = mine(app, caller).await?.into_iter().find(|begun| begun.id == id);
    let begun = found.ok_or_else(|| Problem::not_found("session"))?;
    begun.end(app).await?;
    Ok(begun)
}

/// Ends all sessions of the person but the one that asks, and returns them.
pub(crate) async fn end_others(app: &App, caller: &Caller) -> Result<Vec<Begun>, Problem> {
    let here = own(caller)?.id.clone();
    let mut others = mine(app, caller).await?;
    others.retain(|begun| begun.id != here);
    for begun in &others {
        begun.end(app).await?;
    }
    Ok(others)
}
