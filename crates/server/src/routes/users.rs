//! `/v1/users` and `/v1/sessions`: people, who come and go without a restart, and where they are signed in.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};

use super::json;
use crate::app::App;
use crate::auth::{Caller, Scope, SessionOf};
use crate::codes;
use crate::config::UserEntry;
use crate::problem::{Pointed, Problem};
use crate::push;
use crate::request::{PathParam, caller, parse, read_json};
use crate::session::{self, Begun};
use crate::users::{self, NotChanged, UserChange};
use crate::wire;

/// List people
#[utoipa::path(
    get, path = "/v1/users", tag = "operations", operation_id = "listUsers",
    responses((status = 200, description = "Everybody: those whom the configuration names, then the others by their ids.", body = wire::Page<wire::User>))
)]
pub(crate) async fn list_users(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    Ok(json(&wire::Page { items: people(&app, &caller.tenant), next: None }))
}

/// Returns the people of a tenant.
pub(crate) fn people(app: &App, tenant: &str) -> Vec<wire::User> {
    app.config().users.of(tenant).into_iter().map(to_wire).collect()
}

fn to_wire(UserEntry { user, configured, kept }: UserEntry) -> wire::User {
    wire::User {
        id: user.id.clone(),
        name: if user.name.is_empty() { user.id.clone() } else { user.name.clone() },
        roles: user.roles.clone(),
        groups: user.groups.clone(),
        email: user.email.clone(),
        configured,
        suspended: kept.suspended,
        barred: user.barred.clone(),
        issuer: kept.identity.map(|identity| identity.issuer),
    }
}

/// Add or change a person
///
/// Counts at once, for every process of the installation. Of somebody whom the configuration names, only whether they are
/// suspended. Recorded in the audit log. No Idempotency-Key is needed: repeated, it changes nothing more.
#[utoipa::path(
    put, path = "/v1/users/{id}", tag = "operations", operation_id = "putUser",
    params(("id" = String, Path, description = "Id of the person: one word", min_length = 1, max_length = 128)),
    request_body = wire::UserChange,
    responses((status = 200, description = "The person after the change.", body = wire::User))
)]
pub(crate) async fn put_user(
    State(app): State<Arc<App>>,
    PathParam(id): PathParam,
    request: Request,
) -> Response {
    let put = async {
        let (parts, body) = request.into_parts();
        let caller = caller(&app, &parts)?;
        caller.need(Scope::Admin)?;
        let wire::UserChange { name, roles, email, suspended } =
            parse(&read_json(&parts.headers, body).await?)?;
        let change = UserChange { name, roles, suspended, email };
        Ok::<_, Problem>(json(&to_wire(changed(&app, &caller, &id, &change).await?)))
    };
    put.await.unwrap_or_else(IntoResponse::into_response)
}

/// Changes a person. Who is suspended is signed out everywhere.
pub(crate) async fn changed(
    app: &App,
    caller: &Caller,
    id: &str,
    change: &UserChange,
) -> Result<UserEntry, Problem> {
    let (tenant, by) = (&caller.tenant, &caller.principal);
    let suspends = change.suspended == Some(true);
    let theirs = if suspends { session::list(app, tenant).await? } else { Vec::new() };
    let entry = users::change(&app.config().users, app.store(), (tenant, id), change, by).await;
    let entry = entry.map_err(refused)?;
    end(app, theirs, id).await?;
    if suspends {
        push::person_ended(app, tenant, id).await?;
    }
    tracing::info!(user = id, by, "a person was changed");
    Ok(entry)
}

/// Remove a person
///
/// Forgets what is kept of them beside the configuration, and signs them out everywhere: somebody whom it does not name is
/// gone, and their account at the provider is free for another id. Recorded in the audit log.
#[utoipa::path(
    delete, path = "/v1/users/{id}", tag = "operations", operation_id = "deleteUser",
    params(("id" = String, Path, description = "Id of the person", min_length = 1, max_length = 128)),
    responses((status = 200, description = "The person as they were.", body = wire::User))
)]
pub(crate) async fn delete_user(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    Ok(json(&to_wire(removed(&app, &caller, &id).await?)))
}

/// Removes what is kept of a person, and ends their sessions. Returns who they were.
pub(crate) async fn removed(app: &App, caller: &Caller, id: &str) -> Result<UserEntry, Problem> {
    let (tenant, by) = (&caller.tenant, &caller.principal);
    let before = app.config().users.entry(tenant, id).ok_or_else(|| Problem::not_found("person"))?;
    let theirs = session::list(app, tenant).await?;
    users::remove(&app.config().users, app.store(), (tenant, id), by).await.map_err(refused)?;
    end(app, theirs, id).await?;
    push::person_ended(app, tenant, id).await?;
    tracing::info!(user = id, by, "a person was removed");
    Ok(before)
}

async fn end(app: &App, sessions: Vec<Begun>, of: &str) -> Result<(), Problem> {
    for begun in sessions.iter().filter(|begun| begun.user == of) {
        begun.end(app).await?;
    }
    Ok(())
}

fn refused(why: NotChanged) -> Problem {
    match why {
        NotChanged::Invalid(member, text) => {
            Problem::schema(vec![Pointed { pointer: format!("/{member}"), text }])
        }
        NotChanged::Themselves => {
            Problem::new(&codes::SCOPE, "nobody removes themselves; another administrator can")
        }
        NotChanged::Nobody => Problem::not_found("person"),
        NotChanged::Store(error) => error.into(),
    }
}

/// List sessions
#[utoipa::path(
    get, path = "/v1/sessions", tag = "operations", operation_id = "listSessions",
    responses((status = 200, description = "The sessions that count, those that began last first.", body = wire::Page<wire::Session>))
)]
pub(crate) async fn list_sessions(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    Ok(json(&wire::Page { items: sessions(&app, &caller).await?, next: None }))
}

/// Returns the sessions of the caller's tenant.
pub(crate) async fn sessions(app: &App, caller: &Caller) -> Result<Vec<wire::Session>, Problem> {
    let all = session::list(app, &caller.tenant).await?.into_iter();
    Ok(all.map(|begun| session_to_wire(begun, caller.session())).collect())
}

/// Returns a session as the API tells it to the session that asks.
pub(crate) fn session_to_wire(begun: Begun, asks: Option<&SessionOf>) -> wire::Session {
    let Begun { id, user, by, agent, began, ends, seen } = begun;
    wire::Session {
        here: asks.is_some_and(|asks| asks.id == id),
        id,
        user,
        by,
        agent,
        began_at: began.rfc3339(),
        seen_at: seen.unwrap_or(began).rfc3339(),
        ends_at: ends.rfc3339(),
    }
}

/// End a session
///
/// At once, in every tab and for every copy of its cookie.
#[utoipa::path(
    delete, path = "/v1/sessions/{id}", tag = "operations", operation_id = "endSession",
    params(("id" = String, Path, description = "Id of the session", min_length = 1)),
    responses((status = 200, description = "The session, which is over.", body = wire::Session))
)]
pub(crate) async fn delete_session(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    caller.need(Scope::Admin)?;
    Ok(json(&session_to_wire(end_one(&app, &caller.tenant, &id).await?, caller.session())))
}

/// Ends a session of a tenant, and returns it.
pub(crate) async fn end_one(app: &App, tenant: &str, id: &str) -> Result<Begun, Problem> {
    let found = session::list(app, tenant).await?.into_iter().find(|begun| begun.id == id);
    let begun = found.ok_or_else(|| Problem::not_found("session"))?;
    begun.end(app).await?;
    push::session_ended(app, tenant, id).await?;
    Ok(begun)
}
