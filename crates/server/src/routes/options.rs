//! Lists of options of a lane, and where people look in them (`spec 04 §2.3`): the same events that `POST /v1/events`
//! takes, for a lane that is there, answered with what they are about.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use throughline_channels::api::{ClosedRequest, EventRequest, FocusRequest, ShownRequest};
use throughline_engine::LaneId;
use throughline_runtime::FailPoint;
use throughline_store::LaneInfo;

use super::events::{give, normal, refused};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::deliver::Tell;
use crate::idempotency::Keyed;
use crate::problem::Problem;
use crate::request::{Named, caller, read_json, wait};
use crate::wire;

/// So long the answer waits for its turn when the request does not say: what it holds is known only then.
const WAIT: Duration = Duration::from_secs(10);

/// Show a list of options
///
/// What a user sees to choose from: “the second one” is then one of these. The answer holds the list's id, which is the
/// same wherever and however often the same options of the same place are shown. Showing never executes anything.
#[utoipa::path(
    post, path = "/v1/lanes/{lane}/option-sets", tag = "options", operation_id = "showOptions",
    request_body = wire::ShownBody,
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; the same for every repetition of this request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 when not said"),
    ),
    responses(
        (status = 200, description = "The list as it stands.", body = wire::OptionSetAnswer),
        (status = 202, description = "Durable; the turn will be found at Location.", body = wire::Received),
    )
)]
pub(crate) async fn post_options(
    State(app): State<Arc<App>>,
    Named(lane): Named,
    request: Request,
) -> Response {
    show(&app, &lane, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn show(app: &Arc<App>, lane: &str, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let (caller, info) = enter(app, &parts, lane).await?;
    let body = read_json(&parts.headers, body).await?;
    let route = format!("/v1/lanes/{}/option-sets", info.id);
    let keyed = Keyed::of(&caller, &parts.method, &route, &parts.headers, &body)?;
    let shown = ShownRequest::from_json(&body).map_err(refused)?;
    let event = EventRequest { kind: "options.shown".into(), shown: Some(shown), ..EventRequest::default() };
    deliver(app, &caller, info, keyed, event, &parts, Tell::Options).await
}

/// Close a list of options
///
/// It is there no more: no text and no press chooses from it.
#[utoipa::path(
    delete, path = "/v1/lanes/{lane}/option-sets/{set}", tag = "options", operation_id = "closeOptions",
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("set" = String, Path, description = "os1-…"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters; the same for every repetition of this request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 when not said"),
    ),
    responses(
        (status = 200, description = "The list as it stands.", body = wire::OptionSetAnswer),
        (status = 202, description = "Durable; the turn will be found at Location.", body = wire::Received),
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
    let (caller, info) = enter(app, &parts, lane).await?;
    let route = format!("/v1/lanes/{}/option-sets/{set}", info.id);
    let keyed = if parts.headers.contains_key("idempotency-key") {
        Keyed::of(&caller, &parts.method, &route, &parts.headers, b"{}")?
    } else {
        // Closing is the same however often it is done, so nobody has to name it.
        let key = crate::web::session::random()?;
        Keyed::new(&caller, &parts.method, &route, &key, &serde_json::json!({}))
    };
    let closed = ClosedRequest { set: Some(set), scope_instance: None };
    let event =
        EventRequest { kind: "options.closed".into(), closed: Some(closed), ..EventRequest::default() };
    deliver(app, &caller, info, keyed, event, &parts, Tell::Options).await
}

/// Say where somebody looks
#[utoipa::path(
    put, path = "/v1/lanes/{lane}/focus", tag = "options", operation_id = "putFocus",
    request_body = wire::FocusBody,
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; the same for every repetition of this request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the turn; 10 when not said"),
    ),
    responses(
        (status = 200, description = "The turn.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; the turn will be found at Location.", body = wire::Received),
    )
)]
pub(crate) async fn put_focus(State(app): State<Arc<App>>, Named(lane): Named, request: Request) -> Response {
    look(&app, &lane, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn look(app: &Arc<App>, lane: &str, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let (caller, info) = enter(app, &parts, lane).await?;
    let body = read_json(&parts.headers, body).await?;
    let route = format!("/v1/lanes/{}/focus", info.id);
    let keyed = Keyed::of(&caller, &parts.method, &route, &parts.headers, &body)?;
    let focus = FocusRequest::from_json(&body).map_err(refused)?;
    let event = EventRequest { kind: "focus.changed".into(), focus: Some(focus), ..EventRequest::default() };
    deliver(app, &caller, info, keyed, event, &parts, Tell::Turn).await
}

/// Who may write lists, and the lane, if it is there for them.
async fn enter(app: &Arc<App>, parts: &Parts, lane: &str) -> Result<(Caller, LaneInfo), Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let caller = caller(app, parts)?;
    caller.need(Scope::OptionsWrite)?;
    let found = app.store().lane(&caller.tenant, &LaneId::from(lane)).await?;
    let info = found.filter(|info| caller.sees(&info.key)).ok_or_else(|| Problem::not_found("lane"))?;
    Ok((caller, info))
}

async fn deliver(
    app: &Arc<App>,
    caller: &Caller,
    info: LaneInfo,
    keyed: Keyed,
    mut event: EventRequest,
    parts: &Parts,
    tell: Tell,
) -> Result<Response, Problem> {
    // The event's own place in a body of events is none of this body's.
    let part = match event.kind.as_str() {
        "options.shown" => "/shown",
        "options.closed" => "/closed",
        _ => "/focus",
    };
    event.lane.channel = Some(info.key.channel.clone());
    event.lane.conversation = Some(info.key.conversation.clone());
    event.lane.thread = Some(info.key.thread.clone());
    let mut inbound = normal(app, caller, &keyed, event).map_err(|mut problems| {
        for problem in &mut problems {
            if let Some(place) = problem.pointer.strip_prefix(part) {
                problem.pointer = place.to_owned();
            }
        }
        Problem::of_channel(problems)
    })?;
    inbound.lane = info.key;
    let wait = wait(&parts.headers).unwrap_or(WAIT);
    give(app, caller, keyed, inbound, Some(wait), tell).await
}
