//! `POST /v1/replay`: decides recorded turns again and compares. Nothing is written and nothing is sent.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use throughline_engine::{LaneId, LaneKey, TurnId};
use throughline_runtime::replay::Replayed;

use super::json;
use super::pause::operates;
use crate::access;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::{Pointed, Problem};
use crate::request::{caller, parse, read_json};
use crate::views;
use crate::wire;

/// Decide recorded turns again, dry
#[utoipa::path(
    post, path = "/v1/replay", tag = "operations", operation_id = "postReplay",
    request_body = wire::Replay,
    responses(
        (status = 200, description = "The comparison of the turns, hash for hash.", body = wire::Replays),
    )
)]
pub(crate) async fn post_replay(State(app): State<Arc<App>>, request: Request) -> Response {
    replay(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn replay(app: &Arc<App>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    operates(app, &caller)?;
    let asked: wire::Replay = parse(&read_json(&parts.headers, body).await?)?;
    let (lane, only) = find(app, &caller, asked).await?;
    let mut told = wire::Replays { lane: lane.id().0, turns: 0, same: 0, differing: Vec::new() };
    let mut seen = |replayed: &Replayed| {
        told.turns += 1;
        match views::replay_difference(replayed) {
            None => told.same += 1,
            Some(turn) => told.differing.push(turn),
        }
    };
    match only {
        Some(revision) => app.runtime().replay_turn(&lane, revision).await?.iter().for_each(seen),
        None => _ = app.runtime().replay(&lane, 1, &mut seen).await?,
    }
    Ok(json(&told))
}

/// Returns the lane, and the revision if one turn was asked for.
async fn find(app: &App, caller: &Caller, asked: wire::Replay) -> Result<(LaneKey, Option<u64>), Problem> {
    match asked {
        wire::Replay { lane: Some(lane), turn: None } => {
            let found = app.store().lane(&caller.tenant, &LaneId(lane)).await?;
            let found = found.filter(|lane| access::reaches_app(app, caller, &lane.key));
            Ok((found.ok_or_else(|| Problem::not_found("lane"))?.key, None))
        }
        wire::Replay { lane: None, turn: Some(turn) } => {
            let found = app.store().turn(&caller.tenant, &TurnId(turn)).await?;
            let found = found.filter(|turn| access::reaches_app(app, caller, &turn.lane));
            let found = found.ok_or_else(|| Problem::not_found("turn"))?;
            Ok((found.lane, Some(found.revision)))
        }
        _ => {
            let text = "name a lane or a turn, one of them";
            Err(Problem::schema(vec![Pointed { pointer: String::new(), text: text.into() }]))
        }
    }
}
