//! `POST /v1/events`.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use throughline_channels::api::{Context, EventRequest, Inbound, Refused};
use throughline_engine::EventKind;
use throughline_runtime::FailPoint;

use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::deliver::{Delivery, Tell, deliver};
use crate::idempotency::Keyed;
use crate::problem::{Pointed, Problem};
use crate::request::{caller, malformed, read_json, wait};
use crate::sent::on_sent;
use crate::web::conversations;
use crate::wire;

/// Where events are delivered: part of every delivery key.
pub(crate) const ROUTE: &str = "/v1/events";
/// What a person may send who speaks for nobody else.
const OF_PEOPLE: [&str; 7] = [
    "message.posted",
    "card.pressed",
    "form.submitted",
    "command",
    "options.shown",
    "options.closed",
    "focus.changed",
];
/// What says what is on a screen: with a scope of its own.
const OF_SCREENS: [&str; 3] = ["options.shown", "options.closed", "focus.changed"];

/// Deliver an event
///
/// The event is durable before it is answered. With `Prefer: wait=N` (at most 30) the answer is the turn, turns on
/// the outcomes of its effects included; without it, or when the time is over, it is 202 and a `Location`.
#[utoipa::path(
    post, path = "/v1/events", tag = "events", operation_id = "postEvent",
    request_body = wire::EventBody,
    params(
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; the same for every repetition of this request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: answer with the turn, waiting at most N seconds"),
    ),
    responses(
        (status = 200, description = "The turn.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; the turn will be found at Location.", body = wire::Received),
    )
)]
pub(crate) async fn post_event(State(app): State<Arc<App>>, request: Request) -> Response {
    let started = std::time::Instant::now();
    let mut kind = "unread";
    let mut channel = "api";
    let answer = handle(&app, request, &mut kind, &mut channel).await;
    let response = answer.unwrap_or_else(IntoResponse::into_response);
    count(channel, kind, response.status(), started.elapsed());
    acked(&app, response)
}

async fn handle(
    app: &Arc<App>,
    request: Request<Body>,
    kind: &mut &'static str,
    channel: &mut &'static str,
) -> Result<Response, Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Scope::EventsWrite)?;
    let body = read_json(&parts.headers, body).await?;
    let keyed = Keyed::of(&caller, &parts.method, ROUTE, &parts.headers, &body)?;
    let event = EventRequest::from_json(&body).map_err(refused)?;
    *kind = known_kind(&event.kind);
    *channel = known_channel(event.lane.channel.as_deref().unwrap_or("api"));
    take(app, &caller, keyed, event, wait(&parts.headers)).await
}

/// Why a body is no request of ours.
pub(crate) fn refused(refused: Refused) -> Problem {
    match refused {
        Refused::Malformed(why) => malformed(&why),
        Refused::Invalid(problems) => Problem::of_channel(problems),
    }
}

/// Takes an event of a caller who may write, and answers.
pub(crate) async fn take(
    app: &Arc<App>,
    caller: &Caller,
    keyed: Keyed,
    event: EventRequest,
    wait: Option<Duration>,
) -> Result<Response, Problem> {
    if caller.only_themselves() && !OF_PEOPLE.contains(&event.kind.as_str()) {
        let text = format!("{} may send {}, not {:?}", caller.called(), OF_PEOPLE.join(", "), event.kind);
        return Err(Problem::new(&codes::SCOPE, text));
    }
    if OF_SCREENS.contains(&event.kind.as_str()) {
        caller.need(Scope::OptionsWrite)?;
    }
    let named = event.actor.as_ref().and_then(|actor| actor.id.as_deref());
    caller.actor(named)?;
    let inbound = normal(app, caller, &keyed, event).map_err(Problem::of_channel)?;
    give(app, caller, keyed, inbound, wait, Tell::Turn).await
}

/// The event a request is, of whoever calls unless it names another.
pub(crate) fn normal(
    app: &App,
    caller: &Caller,
    keyed: &Keyed,
    event: EventRequest,
) -> Result<Inbound, Vec<throughline_channels::api::Problem>> {
    event.normalise(Context {
        tenant: caller.tenant.clone(),
        app: caller.app.clone(),
        key: keyed.key.clone(),
        received_at: app.store().now(),
        default_actor: Some(caller.principal.clone()),
    })
}

/// Delivers an event and answers with what came of it.
pub(crate) async fn give(
    app: &Arc<App>,
    caller: &Caller,
    keyed: Keyed,
    inbound: Inbound,
    wait: Option<Duration>,
    tell: Tell,
) -> Result<Response, Problem> {
    plugged_in(app, &inbound)?;
    let Inbound { lane, keys, event, .. } = inbound;
    if !caller.sees(&lane) {
        return Err(Problem::not_found("lane"));
    }
    speaks_for(caller, &event.kind)?;
    app.runtime().fault(FailPoint::Verified)?;
    conversations::begun(app, &lane, &event).await;
    let href = format!("/v1/turns/key:{}", escaped(&keyed.client));
    let more_keys = keys.into_iter().skip(1).collect();
    deliver(app, Delivery { keyed, lane, more_keys, event, wait, href, tell }).await
}

/// A list, or a look, of somebody else is a host's to tell, never another person's.
fn speaks_for(caller: &Caller, kind: &EventKind) -> Result<(), Problem> {
    let user = match kind {
        EventKind::OptionsShown(shown) => shown.user.as_deref(),
        EventKind::FocusChanged(focus) => Some(focus.user.as_str()),
        _ => None,
    };
    match user {
        Some(other) if caller.only_themselves() => caller.actor(Some(other)).map(drop),
        _ => Ok(()),
    }
}

/// Events come in only for channels that are plugged in here.
fn plugged_in(app: &App, inbound: &Inbound) -> Result<(), Problem> {
    let channel = inbound.lane.channel.as_str();
    let channels = &app.runtime().ports().channels;
    if channels.contains_key(channel) {
        return Ok(());
    }
    let known: Vec<&str> = channels.keys().map(String::as_str).collect();
    let text = format!("there is no channel {channel:?} here; there is {}", known.join(", "));
    Err(Problem::schema(vec![Pointed { pointer: "/lane/channel".into(), text }]))
}

/// The channel as a metric's label: none that a caller makes up.
fn known_channel(channel: &str) -> &'static str {
    ["api", "terminal", "web"].into_iter().find(|known| *known == channel).unwrap_or("other")
}

/// The kind as a metric's label: none that a caller makes up.
fn known_kind(kind: &str) -> &'static str {
    let known = [
        "message.posted",
        "message.edited",
        "message.deleted",
        "card.pressed",
        "command",
        "form.submitted",
        "assistant.posted",
        "task.reported",
        "options.shown",
        "options.closed",
        "focus.changed",
    ];
    known.into_iter().find(|known| *known == kind).unwrap_or("other")
}

fn count(channel: &'static str, kind: &'static str, status: StatusCode, took: Duration) {
    let code = status.as_u16().to_string();
    ::metrics::counter!("throughline_ingress_requests_total", "channel" => channel, "kind" => kind, "code" => code)
        .increment(1);
    ::metrics::histogram!("throughline_ingress_ack_seconds").record(took.as_secs_f64());
}

/// Reaches the fail point once the answer was handed over.
fn acked(app: &Arc<App>, response: Response) -> Response {
    if !response.status().is_success() {
        return response;
    }
    // The fail points alone: an answer on its way must not keep the store open behind a server that has ended.
    let faults = app.instance.runtime.faults();
    on_sent(response, move || {
        // The real process is killed there; nothing else can come of it.
        let _ = faults.at(FailPoint::Acked, "");
    })
}

/// A key as one segment of a path.
pub(crate) fn escaped(key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    key.bytes().fold(String::new(), |mut out, byte| {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}
