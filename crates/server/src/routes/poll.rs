//! `GET /v1/lanes/{lane}/events`: the events of the stream by long polling, for where a proxy holds streams back.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;

use super::feed::{Feed, From, Told};
use super::{json, lanes};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::request::{Asked, MAX_WAIT, Named};
use crate::wire;

/// How long to wait.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Patience {
    /// Seconds to wait when nothing has happened since, at most 30; 0 when not said.
    #[serde(default)]
    wait: u64,
}

/// Poll a lane
///
/// The events of `streamLane` behind a place, with the same ids in the same order. When there are none it waits for
/// some. A `status`, which has no id, comes with every answer.
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/events", tag = "lanes", operation_id = "pollLane",
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived"),
        From,
        Patience,
    ),
    responses(
        (status = 200, description = "What happened since; nothing when the time is up.", body = wire::LaneEvents),
    )
)]
pub(crate) async fn get_events(
    State(app): State<Arc<App>>,
    caller: Caller,
    Named(id): Named,
    Asked(from): Asked<From>,
    Asked(patience): Asked<Patience>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let lane = lanes::find(&app, &caller, &id).await?;
    let mut feed = Feed::open(app, lane, from.place(&headers)?);
    let mut told = feed.next().await?;
    let wait = Duration::from_secs(patience.wait.min(MAX_WAIT));
    if !wait.is_zero() && told.iter().all(|told| told.id.is_none()) {
        let happened = tokio::time::timeout(wait, feed.more()).await;
        if matches!(happened, Ok(true)) {
            told = feed.next().await?;
        }
    }
    let item = |Told { id, what }: Told| wire::LaneEvent { id, event: what.name().into(), data: what.data() };
    Ok(json(&wire::LaneEvents { items: told.into_iter().map(item).collect() }))
}
