//! `GET /v1/lanes/{lane}/stream`: a lane's events as server-sent events; and what every stream does.

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

use super::feed::{Feed, FeedItem, ResumeQuery};
use super::lanes;
use crate::access::Act;
use crate::app::{App, CountGuard, STREAMS};
use crate::auth::Caller;
use crate::codes;
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams};
use crate::wire;

/// Interval of comments that keep a quiet stream open.
const QUIET: Duration = Duration::from_secs(15);
/// Time after which a browser reconnects.
const RETRY: Duration = Duration::from_secs(1);

/// Follow a lane
///
/// Sends the events `turn`, `message`, `card`, `effect` and `pending`; `status` at once and after each batch, without
/// an id; `writing` while a model writes what people will read, as far as it may be seen, and when that is over, without an
/// id: it is no message yet, and only the process that asks the model tells it; and `reset` if the position to resume from no longer exists, in which case the lane has to be read anew. A
/// comment is sent at once and every 15 seconds. The stream begins with the effects that were offered to the host and
/// are not reported yet, without an id.
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/stream", tag = "lanes", operation_id = "streamLane",
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived"),
        ResumeQuery,
    ),
    responses(
        (status = 200, description = "Server-sent events.", body = wire::ServerSentEvent, content_type = "text/event-stream"),
    )
)]
pub(crate) async fn get_stream(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
    QueryParams(resume): QueryParams<ResumeQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let lane = lanes::find(&app, &caller, Act::ReadLane, &id).await?;
    let position = resume.position(&headers)?;
    let feed = Feed::open(app.clone(), caller.clone(), lane, position).with_writing();
    respond(&app, &caller, feed)
}

impl Follow for Feed {
    async fn next(&mut self) -> Result<Vec<Event>, Problem> {
        Ok(Feed::next(self).await?.into_iter().map(event).collect())
    }

    async fn more(&mut self) -> bool {
        Feed::more(self).await
    }
}

/// Source of the events of a stream.
pub(super) trait Follow: Send + 'static {
    /// Returns the events since the last call; none if nothing happened.
    fn next(&mut self) -> impl Future<Output = Result<Vec<Event>, Problem>> + Send;

    /// Waits until something happened; returns false at the end of the stream.
    fn more(&mut self) -> impl Future<Output = bool> + Send;
}

/// Answers with a stream, which counts as one of the caller's.
pub(super) fn respond(app: &Arc<App>, caller: &Caller, feed: impl Follow) -> Result<Response, Problem> {
    // Not by token: a principal has as many of those as it likes, and a browser has a session.
    let holder = format!("streams\n{}\n{}", caller.tenant, caller.principal);
    let counted = app.enter(holder.clone());
    if app.count(&holder) > STREAMS {
        let text = format!("{STREAMS} streams of {} are open", caller.principal);
        return Err(Problem::new(&codes::TOO_MANY_STREAMS, text).retry_after(5));
    }
    let source = Source {
        feed,
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

/// State of a stream.
struct Source<F> {
    feed: F,
    ready: VecDeque<Event>,
    _counted: CountGuard,
}

fn events<F: Follow>(source: Source<F>) -> impl Stream<Item = Result<Event, Infallible>> {
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
                Ok(told) => source.ready.extend(told),
                Err(problem) => {
                    // The client resumes after the last event that arrived.
                    tracing::warn!(code = problem.code().id(), "a stream was broken off");
                    return None;
                }
            }
        }
    })
}

fn event(FeedItem { id, what }: FeedItem) -> Event {
    let event = Event::default().event(what.name());
    let event = match id {
        Some(id) => event.id(id),
        None => event,
    };
    event.data(what.data().to_string())
}
