//! `/v1/effects`: list and read effects, and report those that a host performs.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use throughline_channels::api::{self, OptionRequest};
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::fault::{Fault, SendingFault};
use throughline_engine::data::handover::HostAnswer;
use throughline_engine::{EffectId, LaneId, LaneKey};
use throughline_runtime::FailPoint;
use throughline_store::{EffectState, Performer, StoredEffect};

use super::approvals::{DEPTH, depth, page};
use super::json;
use super::lanes::place;
use crate::access::{self, Act};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::idempotency::{KeyedRequest, run_once};
use crate::problem::{Pointed, Problem, ProblemDetails};
use crate::request::{PathParam, QueryParams, caller, limit, malformed, parse, read_json};
use crate::views;
use crate::wire::{self, vocabulary};

/// Filter of the list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// State: `planned`, `attempted`, `done`, `failed`, `uncertain`, `cancelled`.
    #[param(value_type = Option<vocabulary::EffectState>, inline)]
    state: Option<String>,
    /// Id of a lane.
    #[param(value_type = Option<vocabulary::Given>, inline)]
    lane: Option<String>,
    /// Maximum number of items, at most 200.
    #[param(value_type = Option<vocabulary::Limit>, inline)]
    limit: Option<u32>,
    /// Cursor of the page.
    cursor: Option<String>,
}

/// List effects
#[utoipa::path(
    get, path = "/v1/effects", tag = "effects", operation_id = "listEffects", params(Filter),
    responses(
        (status = 200, description = "Effects, newest first.", body = wire::Page<wire::Effect>),
    )
)]
pub(crate) async fn list_effects(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    caller.need(Act::ReadEffect.scope())?;
    let limit = limit(filter.limit)?;
    let unknown =
        |word: &str| Problem::new(&codes::BAD_REQUEST, format!("there is no state {word:?} of an effect"));
    let state = filter.state.as_deref().map(|word| views::effect_state(word).ok_or_else(|| unknown(word)));
    let state = state.transpose()?;
    let lane = match filter.lane.as_deref() {
        None => None,
        Some(id) => {
            let found = app.store().lane(&caller.tenant, &LaneId::from(id)).await?;
            let found = found.filter(|lane| access::reaches_app(&app, &caller, &lane.key));
            Some(found.ok_or_else(|| Problem::not_found("lane"))?.key)
        }
    };
    let after = place(filter.cursor.as_deref())?;
    let depth = depth(after.as_deref(), limit);
    let all = seen(&app, &caller, lane.as_ref(), state, depth, limit).await?;
    let (rows, next) = page(all, after.as_deref(), limit, |effect| effect.row.id.0.clone())?;
    let items = views::effects(app.runtime(), &rows).await?;
    Ok(json(&wire::Page { items, next }))
}

/// Returns the effects that the caller may read, newest first: more than `limit` of them, or all among the newest
/// [`DEPTH`]. Begins with `depth` rows.
pub(crate) async fn seen(
    app: &App,
    caller: &Caller,
    lane: Option<&LaneKey>,
    state: Option<EffectState>,
    mut depth: u32,
    limit: u32,
) -> Result<Vec<StoredEffect>, Problem> {
    loop {
        let all = app.store().effects(&caller.tenant, lane, state, depth).await?;
        let more = all.len() == depth as usize && depth < DEPTH;
        let mut seen = Vec::new();
        for effect in all {
            if access::allows(app, caller, Act::ReadEffect, &effect.lane).await? {
                seen.push(effect);
            }
        }
        if !more || seen.len() > limit as usize {
            return Ok(seen);
        }
        depth = DEPTH;
    }
}

/// Returns the effect of that id, if the caller may do this to it.
pub(crate) async fn find(app: &App, caller: &Caller, act: Act, id: &str) -> Result<StoredEffect, Problem> {
    caller.need(act.scope())?;
    let found = app.store().effect(&caller.tenant, &EffectId::from(id)).await?;
    let effect = found.ok_or_else(|| Problem::not_found("effect"))?;
    access::check(app, caller, act, &effect.lane, "effect").await?;
    Ok(effect)
}

/// Read an effect
#[utoipa::path(
    get, path = "/v1/effects/{effect}", tag = "effects", operation_id = "getEffect",
    params(("effect" = String, Path, description = "fx_…")),
    responses(
        (status = 200, description = "The effect.", body = wire::Effect),
    )
)]
pub(crate) async fn get_effect(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    let effect = find(&app, &caller, Act::ReadEffect, &id).await?;
    Ok(json(&views::effect(app.runtime(), &effect).await?))
}

/// Report an effect
///
/// For effects offered with `delivery: host`. An effect settles once; repeating the report is answered with `settled:
/// false`. Saying what became of an effect that is uncertain needs `effects:resolve` too.
#[utoipa::path(
    post, path = "/v1/effects/{effect}/result", tag = "effects", operation_id = "reportEffect",
    request_body = wire::ResultReport,
    params(
        ("effect" = String, Path, description = "fx_…"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
    ),
    responses(
        (status = 200, description = "Settled, now or before.", body = wire::Settled),
        (status = 409, description = "Not the host's effect, or ended with another outcome.", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn post_result(
    State(app): State<Arc<App>>,
    PathParam(id): PathParam,
    request: Request,
) -> Response {
    result(&app, &id, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn result(app: &Arc<App>, id: &str, request: Request) -> Result<Response, Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    let act = if caller.may(Scope::EffectsReport) { Act::ReportEffect } else { Act::Describe };
    if !caller.may(act.scope()) {
        caller.need(Scope::EffectsReport)?;
    }
    let body = read_json(&parts.headers, body).await?;
    let report: wire::ResultReport = parse(&body)?;
    let effect = find(app, &caller, act, id).await?;
    // Whoever shows lists may say what became of an option of theirs: nobody else can run it.
    if !effect.row.class.is_of_list() {
        caller.need(Scope::EffectsReport)?;
    }
    let route = format!("/v1/effects/{}/result", effect.row.id);
    let keyed = KeyedRequest::of(&caller, &parts.method, &route, &parts.headers, &body)?;
    app.runtime().fault(FailPoint::Verified)?;
    run_once(app, keyed, settle(app, &caller, effect, report)).await
}

async fn settle(
    app: &App,
    caller: &Caller,
    effect: StoredEffect,
    report: wire::ResultReport,
) -> Result<wire::Settled, Problem> {
    if effect.row.performer != Performer::Host {
        let text = format!("{} is not performed by the host", effect.row.id);
        return Err(Problem::new(&codes::NOT_HOSTED, text));
    }
    if !app.runtime().intact(&effect).await? {
        let text = format!("{} is not the effect that was approved", effect.row.id);
        return Err(Problem::new(&codes::TAMPERED, text));
    }
    let outcome = outcome(&effect, report)?;
    if effect.state == EffectState::Uncertain {
        if matches!(outcome, Outcome::Uncertain { .. }) {
            return Ok(wire::Settled {
                settled: false,
                effect: views::effect(app.runtime(), &effect).await?,
            });
        }
        caller.need(Act::ResolveEffect.scope())?;
    }
    let settled = app.runtime().report(&effect, outcome.clone()).await?;
    let tenant = &effect.lane.tenant;
    let now = app.store().effect(tenant, &effect.row.id).await?.unwrap_or(effect);
    let stands = now.outcome.as_deref().and_then(|outcome| serde_json::from_str::<Outcome>(outcome).ok());
    if !settled && stands.as_ref() != Some(&outcome) {
        let text = format!("{} had ended as {} already", now.row.id, views::effect_state_name(now.state));
        return Err(Problem::new(&codes::ALREADY_SETTLED, text));
    }
    Ok(wire::Settled { settled, effect: views::effect(app.runtime(), &now).await? })
}

/// Converts a report to the outcome of an effect of that class.
fn outcome(effect: &StoredEffect, report: wire::ResultReport) -> Result<Outcome, Problem> {
    let wire::ResultReport { outcome, remote, snapshot, answer, error } = report;
    let remote = remote.unwrap_or_default();
    let text = error.map_or_else(|| SendingFault::HostSilentWhy.into(), Fault::Said);
    Ok(match outcome {
        wire::ResultOutcome::Applied => Outcome::Done { result: applied(effect, remote, snapshot, answer)? },
        wire::ResultOutcome::Rejected => {
            Outcome::Failed { reason: "rejected".into(), text, errors: Vec::new() }
        }
        wire::ResultOutcome::Unknown if effect.row.outward => Outcome::Uncertain { text },
        wire::ResultOutcome::Unknown => {
            Outcome::Failed { reason: "gave_up".into(), text, errors: Vec::new() }
        }
    })
}

fn applied(
    effect: &StoredEffect,
    remote: wire::Remote,
    snapshot: Option<wire::SnapshotBody>,
    answer: Option<wire::AnswerBody>,
) -> Result<EffectResult, Problem> {
    let needs = |pointer: &str| {
        let text = format!("{} needs {}", effect.row.class.as_str(), pointer[1..].replace('/', "."));
        Problem::schema(vec![Pointed { pointer: pointer.into(), text }])
    };
    let missing = |member: &str| needs(&format!("/remote/{member}"));
    let wire::Remote { id, key, url, title, text } = remote;
    Ok(match views::effect_body(effect) {
        Some(EffectBody::TrackerCreate { .. }) => {
            EffectResult::Issue { key: key.ok_or_else(|| missing("key"))?, url }
        }
        Some(EffectBody::TrackerFind { .. }) => EffectResult::Found {
            key: key.ok_or_else(|| missing("key"))?,
            title: title.ok_or_else(|| missing("title"))?,
            url,
            parent: None,
            state: None,
            assignee: None,
        },
        Some(EffectBody::TrackerUpdate { .. }) => EffectResult::Updated,
        Some(EffectBody::PostChannel { .. }) => EffectResult::Posted { url },
        Some(EffectBody::TrackerSeek { .. }) => {
            EffectResult::Sought { issues: key.map(|key| (key, url)).into_iter().collect() }
        }
        Some(EffectBody::TrackerCheck { .. }) => EffectResult::Checked,
        Some(EffectBody::ToolCall(_) | EffectBody::AgentDelegate(_)) => {
            EffectResult::Said { text: text.ok_or_else(|| missing("text"))? }
        }
        Some(EffectBody::OptionExecute(_) | EffectBody::HostAct(_)) => {
            EffectResult::Said { text: text.unwrap_or_default() }
        }
        Some(EffectBody::EvidenceFetch { .. }) => {
            let wire::SnapshotBody { options, focused } = snapshot.ok_or_else(|| needs("/snapshot"))?;
            let options = options.into_iter().map(OptionRequest::from).collect();
            api::snapshot("/snapshot", options, focused).map_err(Problem::from_channel)?
        }
        Some(EffectBody::TurnHandover(_)) => {
            EffectResult::Handled(Box::new(answered(answer.unwrap_or_default())?))
        }
        Some(EffectBody::ModelAsk(_)) => {
            let text = "a model's answer cannot be reported by a host in this version";
            return Err(Problem::schema(vec![Pointed { pointer: "/outcome".into(), text: text.into() }]));
        }
        _ => EffectResult::Delivered { channel_id: id },
    })
}

/// Reads the answer of a host's agent, whose parts have the form of the events that say the same.
fn answered(answer: wire::AnswerBody) -> Result<HostAnswer, Problem> {
    let said = answer.assistant.map(|said| same_form(&said)).transpose()?;
    let list = answer.shown.map(|list| same_form(&list)).transpose()?;
    api::answer("/answer", said, list).map_err(Problem::from_channel)
}

fn same_form<T: DeserializeOwned>(body: &impl Serialize) -> Result<T, Problem> {
    let read = serde_json::to_value(body).and_then(serde_json::from_value);
    read.map_err(|error| malformed(&error.to_string()))
}
