//! `GET /v1/lanes/{lane}/events`: a lane's events by long polling, for networks whose proxies hold back streams.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;

use super::feed::{Feed, FeedItem, ResumeQuery};
use super::{json, lanes};
use crate::access::Act;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::request::{MAX_WAIT, PathParam, QueryParams};
use crate::wire;
use crate::wire::vocabulary::Wait;

/// Waiting time of a poll.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PollQuery {
    /// Seconds to wait if there is no event yet, at most 30; 0 if absent.
    #[serde(default)]
    #[param(value_type = Wait, inline)]
    wait: u64,
}

/// Poll a lane
///
/// Returns the events of `streamLane` after a position, with the same ids in the same order. If there are none it
/// waits. Every answer ends with a `status`, which has no id.
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/events", tag = "lanes", operation_id = "pollLane",
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived"),
        ResumeQuery,
        PollQuery,
    ),
    responses(
        (status = 200, description = "The events since; none if the time is up.", body = wire::LaneEvents),
    )
)]
pub(crate) async fn get_events(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
    QueryParams(resume): QueryParams<ResumeQuery>,
    QueryParams(query): QueryParams<PollQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let lane = lanes::find(&app, &caller, Act::ReadLane, &id).await?;
    let mut feed = Feed::open(app, caller, lane, resume.position(&headers)?);
    let mut told = feed.next().await?;
    let wait = Duration::from_secs(query.wait.min(MAX_WAIT));
    if !wait.is_zero() && told.iter().all(|told| told.id.is_none()) {
        let happened = tokio::time::timeout(wait, feed.more()).await;
        let more = if happened.is_ok() { feed.next().await? } else { Vec::new() };
        if !more.is_empty() {
            told = more;
        }
    }
    let item = |FeedItem { id, what }: FeedItem| wire::LaneEvent {
        id,
        event: what.name().into(),
        data: what.data(),
    };
    Ok(json(&wire::LaneEvents { items: told.into_iter().map(item).collect() }))
}
