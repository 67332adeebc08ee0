//! `/v1/lanes/{lane}/option-sets` and `/focus`: lists of options in a lane, and the focus in them. They deliver the
//! same events as `POST /v1/events`, for an existing lane.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use throughline_channels::api::{ClosedRequest, EventRequest, FocusRequest, ShownRequest};
use throughline_runtime::FailPoint;
use throughline_store::LaneInfo;

use super::events::{deliver_inbound, normalise, refused};
use crate::access::Act;
use crate::app::App;
use crate::auth::Caller;
use crate::deliver::AnswerKind;
use crate::idempotency::KeyedRequest;
use crate::problem::Problem;
use crate::request::{PathParam, caller, read_json, wait};
use crate::routes::lanes;
use crate::wire;

/// Time to wait for the turn if the request names none. Without the turn the answer could not hold the list.
const WAIT: Duration = Duration::from_secs(10);

/// Show a list of options
///
/// Registers a list that a user sees, so that “the second one” can be understood. The answer holds the list's id,
/// which is always the same for the same options in the same place. Showing a list never executes anything.
#[utoipa::path(
    post, path = "/v1/lanes/{lane}/option-sets", tag = "options", operation_id = "showOptions",
    request_body = wire::ShownBody,
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 if absent"),
    ),
    responses(
        (status = 200, description = "The list after the change.", body = wire::OptionSetAnswer),
        (status = 202, description = "Durable; the turn can be read at Location later.", body = wire::Received),
    )
)]
pub(crate) async fn post_options(
    State(app): State<Arc<App>>,
    PathParam(lane): PathParam,
    request: Request,
) -> Response {
    show(&app, &lane, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn show(app: &Arc<App>, lane: &str, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let (caller, info) = authorise(app, &parts, lane).await?;
    let body = read_json(&parts.headers, body).await?;
    let route = format!("/v1/lanes/{}/option-sets", info.id);
    let keyed = KeyedRequest::of(&caller, &parts.method, &route, &parts.headers, &body)?;
    let shown = ShownRequest::from_json(&body).map_err(refused)?;
    let event = EventRequest { kind: "options.shown".into(), shown: Some(shown), ..EventRequest::default() };
    deliver_request(app, &caller, info, keyed, event, &parts, AnswerKind::Options).await
}

/// Close a list of options
///
/// Removes the list: no text and no press chooses from it any more.
#[utoipa::path(
    delete, path = "/v1/lanes/{lane}/option-sets/{set}", tag = "options", operation_id = "closeOptions",
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("set" = String, Path, description = "os1-…"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 if absent"),
    ),
    responses(
        (status = 200, description = "The list after the change.", body = wire::OptionSetAnswer),
        (status = 202, description = "Durable; the turn can be read at Location later.", body = wire::Received),
    )
)]
pub(crate) async fn delete_options(
    State(app): State<Arc<App>>,
    Path((lane, set)): Path<(String, String)>,
    request: Request,
) -> Response {
    close(&app, &lane, set, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn close(app: &Arc<App>, lane: &str, set: String, request: Request) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let (caller, info) = authorise(app, &parts, lane).await?;
    let route = format!("/v1/lanes/{}/option-sets/{set}", info.id);
    let keyed = if parts.headers.contains_key("idempotency-key") {
        KeyedRequest::of(&caller, &parts.method, &route, &parts.headers, b"{}")?
    } else {
        // Closing twice has the effect of closing once, so no key is required.
        let key = crate::random::id()?;
        KeyedRequest::new(&caller, &parts.method, &route, &key, &serde_json::json!({}))
    };
    let closed = ClosedRequest { set: Some(set), scope_instance: None };
    let event =
        EventRequest { kind: "options.closed".into(), closed: Some(closed), ..EventRequest::default() };
    deliver_request(app, &caller, info, keyed, event, &parts, AnswerKind::Options).await
}

/// Set the focus
///
/// Reports the place, and the option in it, that a user has before them.
#[utoipa::path(
    put, path = "/v1/lanes/{lane}/focus", tag = "options", operation_id = "putFocus",
    request_body = wire::FocusBody,
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 if absent"),
    ),
    responses(
        (status = 200, description = "The turn.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; the turn can be read at Location later.", body = wire::Received),
    )
)]
pub(crate) async fn put_focus(
    State(app): State<Arc<App>>,
    PathParam(lane): PathParam,
    request: Request,
) -> Response {
    change_focus(&app, &lane, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn change_focus(app: &Arc<App>, lane: &str, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let (caller, info) = authorise(app, &parts, lane).await?;
    let body = read_json(&parts.headers, body).await?;
    let route = format!("/v1/lanes/{}/focus", info.id);
    let keyed = KeyedRequest::of(&caller, &parts.method, &route, &parts.headers, &body)?;
    let focus = FocusRequest::from_json(&body).map_err(refused)?;
    let event = EventRequest { kind: "focus.changed".into(), focus: Some(focus), ..EventRequest::default() };
    deliver_request(app, &caller, info, keyed, event, &parts, AnswerKind::Turn).await
}

/// Returns the caller, who needs the scope, and the lane, if the caller may see it.
async fn authorise(app: &Arc<App>, parts: &Parts, lane: &str) -> Result<(Caller, LaneInfo), Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let caller = caller(app, parts)?;
    let info = lanes::find(app, &caller, Act::Describe, lane).await?;
    Ok((caller, info))
}

async fn deliver_request(
    app: &Arc<App>,
    caller: &Caller,
    info: LaneInfo,
    keyed: KeyedRequest,
    mut event: EventRequest,
    parts: &Parts,
    answer_kind: AnswerKind,
) -> Result<Response, Problem> {
    // Pointers lose the prefix they would have in a body of `POST /v1/events`.
    let part = match event.kind.as_str() {
        "options.shown" => "/shown",
        "options.closed" => "/closed",
        _ => "/focus",
    };
    event.lane.channel = Some(info.key.channel.clone());
    event.lane.conversation = Some(info.key.conversation.clone());
    event.lane.thread = Some(info.key.thread.clone());
    let mut inbound = normalise(app, caller, &keyed, event).map_err(|mut problems| {
        for problem in &mut problems {
            if let Some(place) = problem.pointer.strip_prefix(part) {
                problem.pointer = place.to_owned();
            }
        }
        Problem::from_channel(problems)
    })?;
    inbound.lane = info.key;
    let wait = wait(&parts.headers).unwrap_or(WAIT);
    deliver_inbound(app, caller, keyed, inbound, Some(wait), answer_kind).await
}
