//! Effects in the console: lists with the uncertain ones first, one effect with its attempts and outcome,
//! resolutions, and the kill switch. A list reads 50 effects, and 20 uncertain ones above them.

use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::future::join_all;
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

/// Answer for one of several effects.
#[derive(Serialize)]
struct Answered {
    effect: String,
    what: String,
    /// Turn that took the answer, if there is one.
    turn: Option<String>,
    reason: String,
    says: String,
    taken: bool,
}

#[derive(Serialize)]
struct AnsweredPage {
    how: &'static str,
    taken: usize,
    rows: Vec<Answered>,
}

/// `POST /console/effects`: one answer for several uncertain effects. Each is answered like `POST
/// /v1/effects/{effect}/resolve`, with a key, a turn and an audit row of its own, and one that is refused stops no other.
pub(super) async fn resolve_many(sent: SentForm) -> Result<Response, Problem> {
    let refuse = |text: &str| Err(Problem::new(&codes::BAD_REQUEST, text));
    let ids = sent.ticked("effect:");
    let how = match sent.choice("how")? {
        wire::Resolution::CreateAgain => "create again",
        wire::Resolution::Cancel => "cancel",
        wire::Resolution::Adopt => return refuse("each effect is adopted by its own key, on its own page"),
    };
    if ids.is_empty() {
        return refuse("tick at least one effect; go back and choose");
    }
    if ids.len() > PAGE as usize {
        return refuse("these are more effects than one page shows");
    }
    let rows = join_all(ids.iter().map(|id| answer_one(&sent, id))).await;
    let page = AnsweredPage { how, taken: rows.iter().filter(|row| row.taken).count(), rows };
    let twin =
        Equivalents::new("throughline effects resolve EFFECT --as cancel", "POST /v1/effects/{id}/resolve");
    sent.operator.page(Section::Effects, "console/answered.html", twin, &page).await
}

async fn answer_one(sent: &SentForm, id: &str) -> Answered {
    let refused = |what: String, problem: &Problem| Answered {
        effect: id.into(),
        what,
        turn: None,
        reason: problem.code().id(),
        says: problem.detail().into(),
        taken: false,
    };
    let operator = &sent.operator;
    let found = match find(&operator.app, &operator.caller, Act::ResolveEffect, id).await {
        Ok(found) => found,
        Err(problem) => return refused(String::new(), &problem),
    };
    let (what, lane) = (effect::row(&found).what, found.lane.clone());
    let answered = async {
        let how = sent.choice("how")?;
        let asked = wire::Resolve { how, remote_key: None, reason: sent.optional("reason"), actor: None };
        let keyed = sent.keyed_as(&format!("-{id}"), &Method::POST, &api::route(&found), &asked)?;
        api::resolve(&operator.app, &operator.caller, found, &asked, keyed, WAIT).await
    };
    let turn = match answered.await {
        Ok(response) => turn_of(response).await.unwrap_or_default(),
        Err(problem) => return refused(what, &problem),
    };
    let result = decision_result(operator, &lane, turn.as_deref()).await.unwrap_or_default();
    let (reason, says) = result.map_or_else(
        || ("waiting".into(), "It is durable and will be handled.".into()),
        |result| (result.reason, result.says),
    );
    let now = operator.app.store().effect(operator.tenant(), &id.into()).await;
    let taken = now.is_ok_and(|now| now.is_some_and(|now| now.state != EffectState::Uncertain));
    Answered { effect: id.into(), what, turn, reason, says, taken }
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
