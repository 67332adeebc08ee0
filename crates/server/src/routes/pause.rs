//! `/v1/pause`: the kill switch (`docs/design/0032-approvals.md`).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde_json::json as value;
use throughline_engine::data::canonical_json::jcs;
use throughline_store::PauseRow;

use super::json;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::idempotency::{KeyedRequest, run_once};
use crate::problem::{Pointed, Problem};
use crate::request::{caller, parse, read_json};
use crate::wire;

const OUTWARD: &str = "outward";
const EVERYTHING: &str = "everything";
/// Levels of a pause.
pub(crate) const LEVELS: [&str; 2] = [OUTWARD, EVERYTHING];
/// Maximum characters of its reason.
pub(crate) const MAX_REASON: usize = 500;

/// Checks for an operator or administrator: the scope `admin`, or `effects:resolve` with a principal of such a role.
pub(crate) fn operates(app: &App, caller: &Caller) -> Result<(), Problem> {
    let role = |word: &str| {
        let user = app.config().user(&caller.tenant, &caller.principal);
        user.is_some_and(|user| user.roles.iter().any(|role| role == word))
    };
    if caller.may(Scope::Admin) || (caller.may(Scope::EffectsResolve) && (role("operator") || role("admin")))
    {
        return Ok(());
    }
    let text = format!(
        "the token {} needs the scope admin, or effects:resolve with a principal of the role operator",
        caller.token
    );
    Err(Problem::new(&codes::SCOPE, text))
}

pub(crate) fn to_wire(pause: Option<PauseRow>) -> wire::Pause {
    match pause {
        None => wire::Pause { paused: false, level: None, by: None, since: None, reason: None },
        Some(row) => wire::Pause {
            paused: true,
            level: Some(if row.everything { EVERYTHING } else { OUTWARD }.into()),
            by: Some(row.by),
            since: Some(row.since.rfc3339()),
            reason: Some(row.reason),
        },
    }
}

/// Read the kill switch
#[utoipa::path(
    get, path = "/v1/pause", tag = "operations", operation_id = "getPause",
    responses(
        (status = 200, description = "The current state.", body = wire::Pause),
    )
)]
pub(crate) async fn get_pause(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    caller.need(Scope::EffectsRead)?;
    Ok(json(&to_wire(app.store().pause(&caller.tenant).await?)))
}

/// Switch the kill switch
///
/// While it is on, no effect that leaves a conversation is begun. Every change is recorded in the audit log.
#[utoipa::path(
    put, path = "/v1/pause", tag = "operations", operation_id = "putPause",
    request_body = wire::PauseChange,
    params(("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request")),
    responses(
        (status = 200, description = "The state after the change.", body = wire::Pause),
    )
)]
pub(crate) async fn put_pause(State(app): State<Arc<App>>, request: Request) -> Response {
    put(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn put(app: &Arc<App>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    operates(app, &caller)?;
    let body = read_json(&parts.headers, body).await?;
    let change: wire::PauseChange = parse(&body)?;
    let keyed = KeyedRequest::of(&caller, &parts.method, ROUTE, &parts.headers, &body)?;
    change_to(app, &caller, change, keyed).await
}

/// Path of the switch, which is part of the request's key.
pub(crate) const ROUTE: &str = "/v1/pause";

/// Switches for a request whose body was validated.
pub(crate) async fn change_to(
    app: &Arc<App>,
    caller: &Caller,
    change: wire::PauseChange,
    keyed: KeyedRequest,
) -> Result<Response, Problem> {
    let everything = match change.level.as_deref() {
        None => false,
        Some(level) if LEVELS.contains(&level) => level == EVERYTHING,
        Some(_) => return Err(wrong("/level", &format!("the level is {}", LEVELS.join(" or ")))),
    };
    let reason = change.reason.unwrap_or_default();
    if change.paused && reason.trim().is_empty() {
        return Err(wrong("/reason", "say why sending is paused: everybody who is held up will read it"));
    }
    if reason.chars().count() > MAX_REASON {
        return Err(wrong("/reason", &format!("a reason has at most {MAX_REASON} characters")));
    }
    run_once(app, keyed, switch(app, caller, change.paused, everything, reason)).await
}

fn wrong(pointer: &str, text: &str) -> Problem {
    Problem::schema(vec![Pointed { pointer: pointer.into(), text: text.into() }])
}

async fn switch(
    app: &App,
    caller: &Caller,
    paused: bool,
    everything: bool,
    reason: String,
) -> Result<wire::Pause, Problem> {
    let (by, since) = (caller.principal.clone(), app.store().now());
    let what = if paused { "effects.paused" } else { "effects.resumed" };
    let audit = value!({
        "what": what, "by": by, "token": caller.token, "at": since, "reason": reason, "everything": everything,
    });
    let row = paused.then_some(PauseRow { by, since, reason, everything });
    app.store().set_pause(&caller.tenant, row.clone(), &jcs(&audit)).await?;
    tracing::warn!(tenant = caller.tenant, by = caller.principal, "{what}");
    if !paused {
        app.runtime().wakes().effects.notify_one();
    }
    Ok(to_wire(row))
}
