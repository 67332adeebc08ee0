//! `POST /v1/events`.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use throughline_channels::api::{BodyError, Context, EventRequest, HOST_KINDS, NormalisedEvent};
use throughline_engine::EventKind;
use throughline_runtime::FailPoint;
use throughline_runtime::spans::event_request;
use tracing::Instrument as _;

use crate::access::{self, Act};
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::conversations;
use crate::deliver::{AnswerKind, Delivery, deliver};
use crate::files;
use crate::idempotency::KeyedRequest;
use crate::learned;
use crate::problem::{Pointed, Problem};
use crate::request::{caller, malformed, read_json, wait};
use crate::response_end::on_sent;
use crate::wire;

/// Path where events are delivered, which is part of every delivery key.
pub(crate) const ROUTE: &str = "/v1/events";
/// Kinds of event that people may send who act only as themselves.
const KINDS_OF_PEOPLE: [&str; 7] = [
    "message.posted",
    "card.pressed",
    "form.submitted",
    "command",
    "options.shown",
    "options.closed",
    "focus.changed",
];
/// Returns the act of an event of that kind. Who describes a screen, speaks as the assistant or says how a task stands
/// can mislead everybody else in a conversation: that is more than to say something.
fn act_of(kind: &str) -> Act {
    match kind {
        "options.shown" | "options.closed" | "focus.changed" => Act::Describe,
        "assistant.posted" | "approval.requested" => Act::SpeakAsAssistant,
        "task.reported" => Act::ReportTask,
        _ => Act::Write,
    }
}

/// Deliver an event
///
/// The event is durable before it is answered. With `Prefer: wait=N` (at most 30) the answer is the turn, together
/// with the turns on the outcomes of its effects. Without it, or when the time is over, the answer is 202 with a
/// `Location`.
#[utoipa::path(
    post, path = "/v1/events", tag = "events", operation_id = "postEvent",
    request_body = wire::EventBody,
    params(
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: answer with the turn, waiting at most N seconds"),
    ),
    responses(
        (status = 200, description = "The turn.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; the turn can be read at Location later.", body = wire::Received),
    )
)]
pub(crate) async fn post_event(State(app): State<Arc<App>>, request: Request) -> Response {
    let started = std::time::Instant::now();
    let mut kind = "unread";
    let mut channel = "api";
    let traceparent = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    let span = event_request(traceparent);
    let answer = read_and_deliver(&app, request, &mut kind, &mut channel).instrument(span).await;
    let response = answer.unwrap_or_else(IntoResponse::into_response);
    count(channel, kind, response.status(), started.elapsed());
    acked(&app, response)
}

async fn read_and_deliver(
    app: &Arc<App>,
    request: Request<Body>,
    kind: &mut &'static str,
    channel: &mut &'static str,
) -> Result<Response, Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Act::Write.scope())?;
    let body = read_json(&parts.headers, body).await?;
    let keyed = KeyedRequest::of(&caller, &parts.method, ROUTE, &parts.headers, &body)?;
    let event = EventRequest::from_json(&body).map_err(refused)?;
    *kind = known_kind(&event.kind);
    *channel = known_channel(event.lane.channel.as_deref().unwrap_or("api"));
    deliver_request(app, &caller, keyed, event, wait(&parts.headers)).await
}

/// Converts the API channel's refusal of a body.
pub(crate) fn refused(refused: BodyError) -> Problem {
    match refused {
        BodyError::Malformed(why) => malformed(&why),
        BodyError::Invalid(problems) => Problem::from_channel(problems),
    }
}

/// Checks the caller's rights to the event, delivers it, and answers.
pub(crate) async fn deliver_request(
    app: &Arc<App>,
    caller: &Caller,
    keyed: KeyedRequest,
    event: EventRequest,
    wait: Option<Duration>,
) -> Result<Response, Problem> {
    let inbound = permitted(app, caller, &keyed, event)?;
    deliver_inbound(app, caller, keyed, inbound, wait, AnswerKind::Turn).await
}

/// Returns the event of a request, if the caller may send it.
pub(crate) fn permitted(
    app: &App,
    caller: &Caller,
    keyed: &KeyedRequest,
    event: EventRequest,
) -> Result<NormalisedEvent, Problem> {
    if caller.acts_only_as_self() && !KINDS_OF_PEOPLE.contains(&event.kind.as_str()) {
        let text =
            format!("{} may send {}, not {:?}", caller.label(), KINDS_OF_PEOPLE.join(", "), event.kind);
        return Err(Problem::new(&codes::SCOPE, text));
    }
    caller.need(act_of(&event.kind).scope())?;
    let named = event.actor.as_ref().and_then(|actor| actor.id.as_deref());
    caller.actor(app, named)?;
    normalise(app, caller, keyed, event).map_err(Problem::from_channel)
}

/// Converts a request to an event. Its actor is the caller unless it names another.
pub(crate) fn normalise(
    app: &App,
    caller: &Caller,
    keyed: &KeyedRequest,
    event: EventRequest,
) -> Result<NormalisedEvent, Vec<throughline_channels::api::Problem>> {
    event.normalise(Context {
        tenant: caller.tenant.clone(),
        app: caller.app.clone(),
        key: keyed.key.clone(),
        received_at: app.store().now(),
        default_actor: Some(caller.principal.clone()),
    })
}

/// Delivers an event and answers with its outcome.
pub(crate) async fn deliver_inbound(
    app: &Arc<App>,
    caller: &Caller,
    keyed: KeyedRequest,
    inbound: NormalisedEvent,
    wait: Option<Duration>,
    answer_kind: AnswerKind,
) -> Result<Response, Problem> {
    let delivery = admitted(app, caller, keyed, inbound, wait, answer_kind).await?;
    deliver(app, delivery).await
}

/// Returns an event to be delivered, if the caller may do that in its lane.
pub(crate) async fn admitted(
    app: &App,
    caller: &Caller,
    keyed: KeyedRequest,
    inbound: NormalisedEvent,
    wait: Option<Duration>,
    answer_kind: AnswerKind,
) -> Result<Delivery, Problem> {
    plugged_in(app, &inbound)?;
    let NormalisedEvent { lane, host_key, mut event, addressed, .. } = inbound;
    access::check(app, caller, act_of(event.kind.name()), &lane, "lane").await?;
    speaks_for(caller, &event.kind)?;
    files::complete(app, &lane, &mut event.kind).await?;
    app.runtime().fault(FailPoint::Verified)?;
    conversations::record_message(app, &lane, &event).await;
    let keyed = if host_key.is_some() { keyed.about_event_of(&event.actor) } else { keyed };
    let href = keyed.turn_href();
    let more_keys = host_key.into_iter().collect();
    Ok(Delivery { keyed, lane, more_keys, event, addressed, wait, href, answer_kind })
}

/// Checks that a person reports only their own lists and focus; hosts may report those of others.
fn speaks_for(caller: &Caller, kind: &EventKind) -> Result<(), Problem> {
    let user = match kind {
        EventKind::OptionsShown(shown) => shown.user.as_deref(),
        EventKind::FocusChanged(focus) => Some(focus.user.as_str()),
        _ => None,
    };
    match user {
        Some(other) if caller.acts_only_as_self() => caller.may_name(Some(other)).map(drop),
        _ => Ok(()),
    }
}

/// Checks that the event's channel exists in this installation.
fn plugged_in(app: &App, inbound: &NormalisedEvent) -> Result<(), Problem> {
    let channel = inbound.lane.channel.as_str();
    let pressed = matches!(inbound.event.kind, EventKind::CardPressed { .. });
    if channel == learned::CHANNEL && !pressed {
        let text =
            "cards are pressed in the channel \"policy\", and nothing is written: propose by POST /v1/learn";
        return Err(Problem::schema(vec![Pointed { pointer: "/lane/channel".into(), text: text.into() }]));
    }
    let channels = &app.runtime().ports().channels;
    if channels.contains_key(channel) {
        return Ok(());
    }
    let known: Vec<&str> = channels.keys().map(String::as_str).collect();
    let text = format!("there is no channel {channel:?} here; there is {}", known.join(", "));
    Err(Problem::schema(vec![Pointed { pointer: "/lane/channel".into(), text }]))
}

/// Returns the channel as a metric's label. Unknown names become `other`, so that callers cannot invent labels.
fn known_channel(channel: &str) -> &'static str {
    ["api", "terminal", "web"].into_iter().find(|known| *known == channel).unwrap_or("other")
}

/// Returns the kind as a metric's label. Unknown names become `other`, so that callers cannot invent labels.
fn known_kind(kind: &str) -> &'static str {
    HOST_KINDS.into_iter().find(|known| *known == kind).unwrap_or("other")
}

pub(super) fn count(channel: &'static str, kind: &'static str, status: StatusCode, took: Duration) {
    let code = status.as_u16().to_string();
    ::metrics::counter!("throughline_ingress_requests_total", "channel" => channel, "kind" => kind, "code" => code)
        .increment(1);
    ::metrics::histogram!("throughline_ingress_ack_seconds").record(took.as_secs_f64());
}

/// Reaches the fail point after the answer was handed to the connection.
pub(super) fn acked(app: &Arc<App>, response: Response) -> Response {
    if !response.status().is_success() {
        return response;
    }
    // Capture only the fail points: an answer being sent must not keep the store of a stopped server open.
    let faults = app.instance.runtime.faults();
    on_sent(response, move || {
        // A real process is killed at this point, so the result does not matter.
        let _ = faults.at(FailPoint::Acked, "");
    })
}
