//! `GET /v1/turns/{turn}` and `/why`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use throughline_engine::TurnId;
use throughline_runtime::turn_log::Turn;

use super::{json, text, wants_text};
use crate::access::{self, Act};
use crate::app::App;
use crate::auth::Caller;
use crate::idempotency::{delivery_key, turn_href};
use crate::language;
use crate::middleware::TURN_HEADER;
use crate::problem::Problem;
use crate::request::PathParam;
use crate::routes::events;
use crate::turn_chain;
use crate::views;
use crate::wire;

/// Result of looking a turn up.
enum Found {
    Turn(TurnId),
    /// The event is durable, and its turn has not run yet.
    Waits(wire::Received),
}

/// Finds a turn that the caller may read: by its id, or by `key:` and the Idempotency-Key of the request that delivered
/// its event.
async fn find(app: &App, caller: &Caller, name: &str) -> Result<Found, Problem> {
    caller.need(Act::ReadLane.scope())?;
    let Some(client) = name.strip_prefix("key:") else {
        let stored = app.store().turn(&caller.tenant, &TurnId::from(name)).await?;
        let stored = stored.ok_or_else(|| Problem::not_found("turn"))?;
        access::check(app, caller, Act::ReadLane, &stored.lane, "turn").await?;
        return Ok(Found::Turn(stored.log.turn));
    };
    let key = delivery_key(caller, events::ROUTE, client);
    // The key is the caller's own: who delivered an event may read the turn that it led to.
    let row = app.store().delivery(&caller.tenant, &key).await?;
    let row = row.ok_or_else(|| Problem::not_found("request"))?;
    Ok(match row.turn {
        Some(turn) => Found::Turn(turn),
        None => Found::Waits(wire::Received {
            state: "received".into(),
            lane: row.lane.id().0,
            href: turn_href(client),
        }),
    })
}

/// Returns a turn of a lane that the caller may read.
pub(crate) async fn read(app: &App, caller: &Caller, turn: &TurnId) -> Result<Turn, Problem> {
    let found = app.runtime().turn_record(&caller.tenant, turn.as_str()).await?;
    let (lane, turn) = found.ok_or_else(|| Problem::not_found("turn"))?;
    access::check(app, caller, Act::ReadLane, &lane, "turn").await?;
    Ok(turn)
}

fn waits(received: &wire::Received) -> Response {
    let mut response = json(received);
    *response.status_mut() = axum::http::StatusCode::ACCEPTED;
    response.headers_mut().insert(axum::http::header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

fn about(mut response: Response, turn: &str) -> Response {
    if let Ok(turn) = HeaderValue::from_str(turn) {
        response.headers_mut().insert(TURN_HEADER, turn);
    }
    response
}

/// Read a turn
///
/// The turn is named by its id, or by `key:` and the Idempotency-Key that its event was delivered under.
#[utoipa::path(
    get, path = "/v1/turns/{turn}", tag = "turns", operation_id = "getTurn",
    params(("turn" = String, Path, description = "tn_… or key:…")),
    responses(
        (status = 200, description = "The turn.", body = wire::Turn),
        (status = 202, description = "The event is durable, and its turn has not run yet.", body = wire::Received),
    )
)]
pub(crate) async fn get_turn(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(name): PathParam,
) -> Result<Response, Problem> {
    let turn = match find(&app, &caller, &name).await? {
        Found::Turn(turn) => turn,
        Found::Waits(received) => return Ok(waits(&received)),
    };
    let chain = turn_chain::so_far(app.runtime(), &caller.tenant, &turn).await?;
    let chain = chain.ok_or_else(|| Problem::not_found("turn"))?;
    let of = if name.starts_with("key:") { chain.deciding() } else { &chain.own };
    let stored = app.store().turn(&caller.tenant, &of.row.turn).await?;
    let hashes = stored.map(|stored| (stored.log.prev_hash, stored.log.hash)).unwrap_or_default();
    let told = views::turn(app.runtime(), &chain, of, hashes).await?;
    Ok(about(json(&told), &told.answer.turn))
}

/// Explain a turn
///
/// Lists every rung with the predicate that failed, in JSON or, with `Accept: text/plain`, in plain words.
#[utoipa::path(
    get, path = "/v1/turns/{turn}/why", tag = "turns", operation_id = "getWhy",
    params(("turn" = String, Path, description = "tn_… or key:…")),
    responses(
        (status = 200, description = "The explanation.", content((wire::Why = "application/json"), (String = "text/plain"))),
        (status = 202, description = "The event is durable, and its turn has not run yet.", body = wire::Received),
    )
)]
pub(crate) async fn get_why(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(name): PathParam,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let turn = match find(&app, &caller, &name).await? {
        Found::Turn(turn) => turn,
        Found::Waits(received) => return Ok(waits(&received)),
    };
    let found = app.runtime().turn_record(&caller.tenant, turn.as_str()).await?;
    let (_, turn) = found.ok_or_else(|| Problem::not_found("turn"))?;
    let why = views::why(&turn, language::here());
    let response = if wants_text(&headers) { text(format!("{}\n", why.text)) } else { json(&why) };
    Ok(about(response.into_response(), &why.turn))
}
