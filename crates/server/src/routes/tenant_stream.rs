//! `GET /v1/stream` and `GET /v1/events`: the events of all conversations, as server-sent events and by long polling.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use serde::Deserialize;
use tokio::time::Instant;

use super::json;
use super::stream::{Follow, respond};
use super::tenant_feed::{Batch, FollowQuery, TenantFeed};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::request::{MAX_WAIT, QueryParams, limit};
use crate::wire;
use crate::wire::vocabulary::{Limit, Wait};

/// Parts that one poll reads at most: where a filter leaves everything out, the cursor goes on and the client asks again.
const PARTS: u32 = 32;

/// Follow all conversations
///
/// Sends the events `turn`, `message`, `card`, `effect`, `pending` and `approval` of every lane that the caller may read, in
/// one order, each in an envelope that says where it happened; and `reset` if the place to go on from no longer exists, in which case
/// what a client keeps has to be read anew. A comment is sent at once and every 15 seconds. The stream begins with the
/// effects that were offered to the host and are not reported yet, without an id.
#[utoipa::path(
    get, path = "/v1/stream", tag = "events", operation_id = "streamTenant",
    params(
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived"),
        FollowQuery,
    ),
    responses(
        (status = 200, description = "Server-sent events.", body = wire::ServerSentEvent, content_type = "text/event-stream"),
    )
)]
pub(crate) async fn get_stream(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(query): QueryParams<FollowQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let feed = TenantFeed::open(app.clone(), caller.clone(), query, &headers).await?;
    respond(&app, &caller, feed)
}

impl Follow for TenantFeed {
    async fn next(&mut self) -> Result<Vec<Event>, Problem> {
        loop {
            let Batch { offered, told, more } = TenantFeed::next(self).await?;
            let all = offered.into_iter().chain(told.into_iter().map(|told| told.envelope));
            let events: Vec<_> = all.map(|envelope| event(&envelope)).collect();
            if !more || !events.is_empty() {
                return Ok(events);
            }
        }
    }

    async fn more(&mut self) -> bool {
        TenantFeed::more(self).await
    }
}

fn event(envelope: &wire::Envelope) -> Event {
    let event = Event::default().event(&envelope.kind);
    let event = match &envelope.id {
        Some(id) => event.id(id),
        None => event,
    };
    event.data(serde_json::to_string(envelope).unwrap_or_default())
}

/// Length and waiting time of a poll.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PollQuery {
    /// Seconds to wait if there is no event yet, at most 30; 0 if absent.
    #[serde(default)]
    #[param(value_type = Wait, inline)]
    wait: u64,
    /// Maximum number of events, at most 200; 50 if absent.
    #[param(value_type = Option<Limit>, inline)]
    limit: Option<u32>,
}

/// Poll all conversations
///
/// Returns the events of `streamTenant` behind a cursor, with the same ids in the same order, and the cursor to go on
/// from, which is also behind what `kinds` left out. If there are none it waits. Effects that wait for their host come
/// first in every answer, without an id.
#[utoipa::path(
    get, path = "/v1/events", tag = "events", operation_id = "pollTenant",
    params(
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived"),
        FollowQuery,
        PollQuery,
    ),
    responses(
        (status = 200, description = "The events since; none if the time is up.", body = wire::TenantEvents),
    )
)]
pub(crate) async fn get_events(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(query): QueryParams<FollowQuery>,
    QueryParams(polled): QueryParams<PollQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let limit = limit(polled.limit)? as usize;
    let mut feed = TenantFeed::open(app, caller, query, &headers).await?;
    let until = Instant::now() + Duration::from_secs(polled.wait.min(MAX_WAIT));
    let mut offered = Vec::new();
    for _ in 0..PARTS {
        let batch = feed.next().await?;
        offered.extend(batch.offered);
        let mut told = batch.told;
        if !told.is_empty() {
            let cut = told.len() > limit;
            told.truncate(limit);
            let last = told.last().filter(|_| cut).map_or(feed.cursor(), |last| last.cursor);
            let items = offered.into_iter().chain(told.into_iter().map(|told| told.envelope));
            return Ok(json(&wire::TenantEvents { items: items.collect(), cursor: last.to_string() }));
        }
        let happened = batch.more || matches!(tokio::time::timeout_at(until, feed.more()).await, Ok(true));
        if !happened {
            break;
        }
    }
    Ok(json(&wire::TenantEvents { items: offered, cursor: feed.cursor().to_string() }))
}
