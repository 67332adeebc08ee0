//! `POST /v1/agui`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::{self, unfold};
use serde_json::Value;
use throughline_channels::agui::{RunEvent, RunIds, RunInput};
use throughline_channels::api;
use throughline_runtime::FailPoint;
use tokio::sync::mpsc;

use super::events::{acked, count};
use crate::access::Act;
use crate::agui::{Run, Sent, error};
use crate::app::{App, CountGuard, STREAMS};
use crate::auth::Caller;
use crate::codes;
use crate::idempotency::to_json;
use crate::language::{self, LANGUAGE};
use crate::problem::{Problem, REQUEST};
use crate::request::{caller, malformed, read_json, wait};
use crate::wire;

/// Interval of comments that keep a quiet run open.
const QUIET: Duration = Duration::from_secs(15);

/// Run the agent of a thread
///
/// For clients of AG-UI (protocol version 1.0). The input is a `RunAgentInput`; the answer is the events of the run, from
/// `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`, as server-sent events. The newest message of the user is the event, by its
/// id: a run that is repeated delivers nothing twice. Approvals that the caller may decide, and choices, end a run as
/// interrupts; `resume` answers them. It needs the scopes `events:write` and `lanes:read`, and for approvals
/// `approvals:decide`.
#[utoipa::path(
    post, path = "/v1/agui", tag = "events", operation_id = "runAgent",
    request_body = wire::RunAgentInput,
    params(
        ("Prefer" = Option<String>, Header, description = "wait=N: end the run after at most N seconds; 150 if absent"),
    ),
    responses(
        (status = 200, description = "Server-sent events.", body = wire::ServerSentEvent, content_type = "text/event-stream"),
    )
)]
pub(crate) async fn post_run(State(app): State<Arc<App>>, request: Request) -> Response {
    let started = std::time::Instant::now();
    let response = read_and_run(&app, request).await.unwrap_or_else(IntoResponse::into_response);
    count("api", "agui", response.status(), started.elapsed());
    acked(&app, response)
}

async fn read_and_run(app: &Arc<App>, request: Request<Body>) -> Result<Response, Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Act::Write.scope())?;
    caller.need(Act::ReadLane.scope())?;
    let body = read_json(&parts.headers, body).await?;
    let body: Value = serde_json::from_slice(&body).map_err(|error| malformed(&error.to_string()))?;
    let ids = match RunIds::of(&body) {
        Ok(ids) => ids,
        Err(problems) => return Ok(refused(None, problems)),
    };
    let input = match RunInput::of(&body) {
        Ok(input) => input,
        Err(problems) => return Ok(refused(Some(ids), problems)),
    };
    let counted = counted(app, &caller)?;
    let (to, events) = mpsc::unbounded_channel();
    let run =
        Run::begin(app, caller, ids, input, Sent { to, _counted: counted }, wait(&parts.headers)).await?;
    // On its own: a client that leaves does not stop what it began.
    let scope = (REQUEST.try_with(Clone::clone).unwrap_or_default(), language::here());
    app.runtime().in_background(REQUEST.scope(scope.0, LANGUAGE.scope(scope.1, run.go())));
    let events = unfold(events, |mut events| async move { Some((events.recv().await?, events)) });
    Ok(sse(events))
}

/// Counts the stream, if its holder has not too many.
fn counted(app: &Arc<App>, caller: &Caller) -> Result<CountGuard, Problem> {
    let holder = format!("streams\n{}\n{}", caller.tenant, caller.principal);
    let counted = app.enter(holder.clone());
    if app.count(&holder) > STREAMS {
        let text = format!("{STREAMS} streams of {} are open", caller.principal);
        return Err(Problem::new(&codes::TOO_MANY_STREAMS, text).retry_after(5));
    }
    Ok(counted)
}

/// Returns the run of an input that cannot be read: it ends with every fault, and nothing was done.
fn refused(ids: Option<RunIds>, problems: Vec<api::Problem>) -> Response {
    let places: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let problem = Problem::new(&codes::SCHEMA, places.join("; "));
    let started = ids.map(|RunIds { thread, run, parent }| RunEvent::RunStarted {
        thread_id: thread,
        run_id: run,
        parent_run_id: parent,
        protocol_version: throughline_channels::agui::PROTOCOL,
    });
    sse(stream::iter(started.into_iter().chain([error(&problem)])))
}

fn sse(events: impl futures_util::Stream<Item = RunEvent> + Send + 'static) -> Response {
    let events = events.map(|event| Ok::<_, Infallible>(Event::default().data(to_json(&event))));
    let mut response =
        Sse::new(events).keep_alive(KeepAlive::new().interval(QUIET).text("quiet")).into_response();
    response.headers_mut().insert("cache-control", HeaderValue::from_static("no-store"));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
