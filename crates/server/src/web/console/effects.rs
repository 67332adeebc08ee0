//! Effects in the console: lists with the uncertain ones first, one effect with its attempts and outcome,
//! resolutions, and the kill switch. A list reads 50 effects, and 20 uncertain ones above them.

use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_store::EffectState;

use super::approvals::{AfterQuery, DecisionResult, decision_result};
use super::effect::{self, EffectRow};
use super::form::{SentForm, fresh_key, turn_of};
use super::operator::{Equivalents, Operator, Section};
use crate::access::Act;
use crate::auth::Scope;
use crate::codes;
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams};
use crate::routes::approvals::{WAIT, depth, page};
use crate::routes::effects::{find, seen};
use crate::routes::lanes::place;
use crate::routes::{pause as switch, resolve as api};
use crate::views;
use crate::wire;

/// Effects per page.
const PAGE: u32 = 50;
/// Uncertain effects above the others.
const FIRST: u32 = 20;

/// Filter of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// State; all if empty.
    state: String,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct List {
    states: [&'static str; 6],
    state: String,
    uncertain: Vec<EffectRow>,
    rows: Vec<EffectRow>,
    next: Option<String>,
    key: String,
}

/// `GET /console/effects`.
pub(super) async fn list(
    operator: Operator,
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    operator.enter(Section::Effects)?;
    let unknown =
        || Problem::new(&codes::BAD_REQUEST, format!("there is no state {:?} of an effect", filter.state));
    let state = match filter.state.as_str() {
        "" => None,
        word => Some(views::effect_state(word).ok_or_else(unknown)?),
    };
    let after = place(filter.cursor.as_deref())?;
    let list = |state, depth, limit| seen(&operator.app, &operator.caller, None, state, depth, limit);
    let all = list(state, depth(after.as_deref(), PAGE), PAGE).await?;
    let (rows, next) = page(all, after.as_deref(), PAGE, |effect| effect.row.id.0.clone())?;
    let first = match (state, &after) {
        (None, None) => list(Some(EffectState::Uncertain), FIRST, FIRST).await?,
        _ => Vec::new(),
    };
    let rows = rows.iter().filter(|row| !first.iter().any(|first| first.row.id == row.row.id));
    use EffectState::{Attempted, Cancelled, Done, Failed, Planned, Uncertain};
    let list = List {
        states: [Uncertain, Planned, Attempted, Failed, Cancelled, Done].map(views::effect_state_name),
        uncertain: first.iter().map(effect::row).collect(),
        rows: rows.map(effect::row).collect(),
        next,
        key: fresh_key(),
        state: filter.state.clone(),
    };
    let (flag, query) = match filter.state.as_str() {
        "" => (String::new(), String::new()),
        state => (format!(" --state {state}"), format!("?state={state}")),
    };
    let mut twin =
        Equivalents::new(format!("throughline effects list{flag}"), format!("GET /v1/effects{query}"));
    if operator.operates() {
        twin = twin.acts("throughline effects pause --reason WHY", "PUT /v1/pause");
    }
    operator.page(Section::Effects, "console/effects.html", twin, &list).await
}

#[derive(Serialize)]
struct EffectPage {
    effect: EffectRow,
    /// Whole content, as the API returns it.
    body: String,
    payload_sha256: String,
    /// True for a call of a tool or a sub-agent.
    call: bool,
    key: String,
    came: Option<DecisionResult>,
}

/// `GET /console/effects/{effect}`.
pub(super) async fn show(
    operator: Operator,
    PathParam(id): PathParam,
    QueryParams(after): QueryParams<AfterQuery>,
) -> Result<Response, Problem> {
    operator.enter(Section::Effects)?;
    let found = find(&operator.app, &operator.caller, Act::ReadEffect, &id).await?;
    let body = serde_json::from_str(&found.row.payload).unwrap_or(serde_json::Value::Null);
    let one = EffectPage {
        effect: effect::row(&found),
        body: format!("{body:#}"),
        payload_sha256: found.payload_sha256.clone(),
        key: fresh_key(),
        call: found.row.class.is_call(),
        came: decision_result(&operator, &found.lane, after.turn.as_deref()).await?,
    };
    let mut twin =
        Equivalents::new(format!("throughline effects show {id}"), format!("GET /v1/effects/{id}"));
    if found.state == EffectState::Uncertain && operator.caller.may(Scope::EffectsResolve) {
        let key = if found.row.class.is_call() { "" } else { " --key KEY" };
        let cli = format!("throughline effects resolve {id} --as adopt{key}");
        twin = twin.acts(cli, format!("POST /v1/effects/{id}/resolve"));
    }
    operator.page(Section::Effects, "console/effect.html", twin, &one).await
}

/// `POST /console/effects/{effect}`: resolves it, like `POST /v1/effects/{effect}/resolve`.
pub(super) async fn resolve(PathParam(id): PathParam, sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    let found = find(&operator.app, &operator.caller, Act::ResolveEffect, &id).await?;
    let (remote_key, reason) = (sent.optional("remote_key"), sent.optional("reason"));
    let asked = wire::Resolve { how: sent.choice("how")?, remote_key, reason, actor: None };
    let keyed = sent.keyed(&Method::POST, &api::route(&found), &asked)?;
    let answer = api::resolve(&operator.app, &operator.caller, found, &asked, keyed, WAIT).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(None) => Redirect::to(&format!("/console/effects/{id}")).into_response(),
        Ok(Some(turn)) => Redirect::to(&format!("/console/effects/{id}?turn={turn}")).into_response(),
    })
}

/// `POST /console/pause`: switches the kill switch, like `PUT /v1/pause`.
pub(super) async fn pause(sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    switch::operates(&operator.app, &operator.caller)?;
    let (level, reason) = (sent.optional("level"), sent.optional("reason"));
    let change = wire::PauseChange { paused: sent.parsed("paused")?, level, reason };
    let keyed = sent.keyed(&Method::PUT, switch::ROUTE, &change)?;
    let answer = switch::change_to(&operator.app, &operator.caller, change, keyed).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(_) => Redirect::to("/console/effects").into_response(),
    })
}
