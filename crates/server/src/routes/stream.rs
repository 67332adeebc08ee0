//! `GET /v1/lanes/{lane}/stream`: a lane's events as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use futures_util::stream::unfold;

use super::feed::{Feed, From, Told};
use super::lanes;
use crate::app::{App, Counted, STREAMS};
use crate::auth::Caller;
use crate::codes;
use crate::problem::Problem;
use crate::request::{Asked, Named};

/// A comment after so long without an event (`spec 07 §4`).
const QUIET: Duration = Duration::from_secs(15);
/// How long a browser waits before it comes back.
const RETRY: Duration = Duration::from_secs(1);

/// Follow a lane
///
/// Events `turn`, `message`, `card`, `effect`, `pending`; `status` at once and after each batch, without an id; and
/// `reset` when the place to resume from is not to be found: read the lane anew. A comment at once and every 15
/// seconds. It begins with the effects that the host was offered and has not reported, without an id.
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/stream", tag = "lanes", operation_id = "streamLane",
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived"),
        From,
    ),
    responses(
        (status = 200, description = "Server-sent events.", body = String, content_type = "text/event-stream"),
    )
)]
pub(crate) async fn get_stream(
    State(app): State<Arc<App>>,
    caller: Caller,
    Named(id): Named,
    Asked(from): Asked<From>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let lane = lanes::find(&app, &caller, &id).await?;
    let place = from.place(&headers)?;
    let counted = app.enter(format!("streams\n{}", caller.tenant));
    if app.count(&format!("streams\n{}", caller.tenant)) > STREAMS {
        let text = format!("{STREAMS} streams of this tenant are open");
        return Err(Problem::new(&codes::TOO_MANY_STREAMS, text).retry_after(5));
    }
    let source = Source {
        feed: Feed::open(app, lane, place),
        ready: VecDeque::from([Event::default().comment("here"), Event::default().retry(RETRY)]),
        _counted: counted,
    };
    let keep_alive = KeepAlive::new().interval(QUIET).text("quiet");
    let mut response = Sse::new(events(source)).keep_alive(keep_alive).into_response();
    let headers = response.headers_mut();
    headers.insert("cache-control", HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Where a stream's events come from.
struct Source {
    feed: Feed,
    ready: VecDeque<Event>,
    _counted: Counted,
}

fn events(source: Source) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(source, |mut source| async move {
        loop {
            if let Some(event) = source.ready.pop_front() {
                return Some((Ok(event), source));
            }
            match source.feed.next().await {
                Ok(told) if told.is_empty() => {
                    if !source.feed.more().await {
                        return None;
                    }
                }
                Ok(told) => source.ready.extend(told.into_iter().map(event)),
                Err(problem) => {
                    // The client resumes behind the last event that arrived.
                    tracing::warn!(code = problem.code().id(), "a stream was broken off");
                    return None;
                }
            }
        }
    })
}

fn event(Told { id, what }: Told) -> Event {
    let event = Event::default().event(what.name());
    let event = match id {
        Some(id) => event.id(id),
        None => event,
    };
    event.data(what.data().to_string())
}
