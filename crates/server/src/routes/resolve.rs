//! `POST /v1/effects/{effect}/resolve`: a person states the outcome of an uncertain effect.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use throughline_engine::data::action::Action;
use throughline_engine::data::effect::EffectClass;
use throughline_engine::data::event::Press;
use throughline_engine::data::pending::{PendingKind, PendingState};
use throughline_engine::{CardId, Event, EventKind};
use throughline_runtime::FailPoint;
use throughline_store::{EffectState, StoredEffect};

use super::approvals::WAIT;
use super::effects::find;
use crate::access::Act;
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::deliver::{AnswerKind, Delivery, deliver};
use crate::idempotency::KeyedRequest;
use crate::problem::{Pointed, Problem};
use crate::request::{PathParam, caller, parse, read_json, wait};
use crate::wire;

/// Resolve an uncertain effect
///
/// This is the same act as a button of the card that asks about it: it happened, make it again, or drop it. The actor
/// must be an approver by rule.
#[utoipa::path(
    post, path = "/v1/effects/{effect}/resolve", tag = "effects", operation_id = "resolveEffect",
    request_body = wire::Resolve,
    params(
        ("effect" = String, Path, description = "fx_…"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the outcome; 10 if absent"),
    ),
    responses(
        (status = 200, description = "Taken.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; not handled yet.", body = wire::Received),
    )
)]
pub(crate) async fn post_resolve(
    State(app): State<Arc<App>>,
    PathParam(id): PathParam,
    request: Request,
) -> Response {
    asked(&app, &id, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn asked(app: &Arc<App>, id: &str, request: Request) -> Result<Response, Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Act::ResolveEffect.scope())?;
    let body = read_json(&parts.headers, body).await?;
    let asked: wire::Resolve = parse(&body)?;
    let effect = find(app, &caller, Act::ResolveEffect, id).await?;
    let keyed = KeyedRequest::of(&caller, &parts.method, &route(&effect), &parts.headers, &body)?;
    resolve(app, &caller, effect, &asked, keyed, wait(&parts.headers).unwrap_or(WAIT)).await
}

fn href(effect: &StoredEffect) -> String {
    format!("/v1/effects/{}", effect.row.id)
}

/// Returns the path where an effect is resolved, which is part of the delivery key.
pub(crate) fn route(effect: &StoredEffect) -> String {
    format!("{}/resolve", href(effect))
}

/// Presses the button of a resolution on the card that asks about the effect.
pub(crate) async fn resolve(
    app: &Arc<App>,
    caller: &Caller,
    effect: StoredEffect,
    asked: &wire::Resolve,
    keyed: KeyedRequest,
    wait: Duration,
) -> Result<Response, Problem> {
    let href = href(&effect);
    let actor = caller.actor(app, asked.actor.as_ref().map(|actor| actor.id.as_str()))?;
    app.runtime().fault(FailPoint::Verified)?;
    let kind = if known(app, &keyed).await? {
        // The request was sent before: its stored answer is given, so the event's content is irrelevant.
        EventKind::Unknown { name: "effects.resolve".into() }
    } else {
        press(asking(app, &effect).await?, effect.row.class, asked)?
    };
    tracing::info!(effect = %effect.row.id, by = actor, reason = asked.reason, "an uncertain effect is resolved");
    let event = Event { id: keyed.key.clone(), received_at: app.store().now(), actor, kind };
    let (lane, wait) = (effect.lane, Some(wait));
    let delivery = Delivery {
        keyed,
        lane,
        more_keys: Vec::new(),
        event,
        addressed: None,
        wait,
        href,
        answer_kind: AnswerKind::Decision,
    };
    deliver(app, delivery).await
}

/// Returns true if the request's key was used before.
async fn known(app: &App, keyed: &KeyedRequest) -> Result<bool, Problem> {
    Ok(app.store().delivery(&keyed.tenant, &keyed.key).await?.is_some())
}

/// Returns the card that asks about the effect, with its version.
async fn asking(app: &App, effect: &StoredEffect) -> Result<(CardId, u32), Problem> {
    let lane = app.runtime().lane(&effect.lane).await?;
    let about = |pending: &PendingState| match &pending.kind {
        PendingKind::WaitingUncertainEffect { card, effect: asked } if *asked == effect.row.id => {
            Some((card.clone(), pending.ui_version))
        }
        _ => None,
    };
    let found = lane.head.pendings.iter().find_map(about).filter(|_| effect.state == EffectState::Uncertain);
    found.ok_or_else(|| {
        let text = format!("nobody is asked about {}: it is not uncertain", effect.row.id);
        Problem::new(&codes::NOT_UNCERTAIN, text)
    })
}

fn press(
    (card, version): (CardId, u32),
    class: EffectClass,
    asked: &wire::Resolve,
) -> Result<EventKind, Problem> {
    let press = |action| Press::Decision { card: card.clone(), version, item: String::new(), action };
    let pressed = |action| EventKind::CardPressed { press: press(action), remember: false };
    Ok(match asked.how {
        wire::Resolution::Adopt if class.is_call() => pressed(Action::Happened),
        wire::Resolution::Adopt => {
            let key = asked.remote_key.clone().filter(|key| !key.trim().is_empty());
            let text = "to adopt, name the key of the issue that exists";
            let missing =
                || Problem::schema(vec![Pointed { pointer: "/remote_key".into(), text: text.into() }]);
            let values = BTreeMap::from([("key".to_owned(), key.ok_or_else(missing)?)]);
            EventKind::FormSubmitted { press: press(Action::Adopt), values }
        }
        wire::Resolution::CreateAgain if class.is_call() => pressed(Action::DoAgain),
        wire::Resolution::CreateAgain => pressed(Action::CreateAgain),
        wire::Resolution::Cancel => pressed(Action::Cancel),
    })
}
