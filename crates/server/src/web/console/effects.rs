//! Effects: by state, the uncertain ones first; one with its attempts and what the far side said; answering for an
//! uncertain one; the kill switch. A list reads 50 effects, and 20 uncertain ones above them.

use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_store::EffectState;

use super::approvals::{After, Came, came};
use super::desk::{Desk, Section, Twin};
use super::effect::{self, EffectRow};
use super::form::{Sent, fresh_key, turn_of};
use crate::auth::Scope;
use crate::codes;
use crate::problem::Problem;
use crate::request::{Asked, Named};
use crate::routes::approvals::{WAIT, depth, page};
use crate::routes::effects::find;
use crate::routes::lanes::place;
use crate::routes::{pause as switch, resolve as api};
use crate::telling;
use crate::wire;

/// Effects on a page.
const PAGE: u32 = 50;
/// Uncertain ones above the others.
const FIRST: u32 = 20;

/// Which effects.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// One state; all of them when not said.
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
pub(super) async fn list(desk: Desk, Asked(filter): Asked<Filter>) -> Result<Response, Problem> {
    desk.enter(Section::Effects)?;
    let store = desk.app.store();
    let unknown =
        || Problem::new(&codes::BAD_REQUEST, format!("there is no state {:?} of an effect", filter.state));
    let state = match filter.state.as_str() {
        "" => None,
        word => Some(telling::state_of(word).ok_or_else(unknown)?),
    };
    let after = place(filter.cursor.as_deref())?;
    let all = store.effects(desk.tenant(), None, state, depth(after.as_deref(), PAGE)).await?;
    let (rows, next) = page(all, after.as_deref(), PAGE, |effect| effect.row.id.0.clone())?;
    let first = match (state, &after) {
        (None, None) => store.effects(desk.tenant(), None, Some(EffectState::Uncertain), FIRST).await?,
        _ => Vec::new(),
    };
    let rows = rows.iter().filter(|row| !first.iter().any(|first| first.row.id == row.row.id));
    use EffectState::{Attempted, Cancelled, Done, Failed, Planned, Uncertain};
    let list = List {
        states: [Uncertain, Planned, Attempted, Failed, Cancelled, Done].map(telling::state_word),
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
    let mut twin = Twin::new(format!("throughline effects list{flag}"), format!("GET /v1/effects{query}"));
    if desk.operates() {
        twin = twin.acts("throughline effects pause --reason WHY", "PUT /v1/pause");
    }
    desk.page(Section::Effects, "console/effects.html", twin, &list).await
}

#[derive(Serialize)]
struct One {
    effect: EffectRow,
    /// All of what it is to do, as it is told.
    body: String,
    payload_sha256: String,
    /// A tool or a sub-agent did it, or did not.
    call: bool,
    key: String,
    came: Option<Came>,
}

/// `GET /console/effects/{effect}`.
pub(super) async fn show(
    desk: Desk,
    Named(id): Named,
    Asked(after): Asked<After>,
) -> Result<Response, Problem> {
    desk.enter(Section::Effects)?;
    let found = find(&desk.app, &desk.caller, &id).await?;
    let body = serde_json::from_str(&found.row.payload).unwrap_or(serde_json::Value::Null);
    let one = One {
        effect: effect::row(&found),
        body: format!("{body:#}"),
        payload_sha256: found.payload_sha256.clone(),
        key: fresh_key(),
        call: found.row.class.calls(),
        came: came(&desk, &found.lane, after.turn.as_deref()).await?,
    };
    let mut twin = Twin::new(format!("throughline effects show {id}"), format!("GET /v1/effects/{id}"));
    if found.state == EffectState::Uncertain && desk.caller.may(Scope::EffectsResolve) {
        let key = if found.row.class.calls() { "" } else { " --key KEY" };
        let cli = format!("throughline effects resolve {id} --as adopt{key}");
        twin = twin.acts(cli, format!("POST /v1/effects/{id}/resolve"));
    }
    desk.page(Section::Effects, "console/effect.html", twin, &one).await
}

/// `POST /console/effects/{effect}`: answers for it, as `POST /v1/effects/{effect}/resolve` does.
pub(super) async fn resolve(Named(id): Named, sent: Sent) -> Result<Response, Problem> {
    let desk = &sent.desk;
    desk.caller.need(Scope::EffectsResolve)?;
    let found = find(&desk.app, &desk.caller, &id).await?;
    let (remote_key, reason) = (sent.said("remote_key"), sent.said("reason"));
    let asked = wire::Resolve { how: sent.word("how")?, remote_key, reason, actor: None };
    let keyed = sent.keyed(&Method::POST, &api::route(&found), &asked)?;
    let answer = api::resolve(&desk.app, &desk.caller, found, &asked, keyed, WAIT).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(None) => Redirect::to(&format!("/console/effects/{id}")).into_response(),
        Ok(Some(turn)) => Redirect::to(&format!("/console/effects/{id}?turn={turn}")).into_response(),
    })
}

/// `POST /console/pause`: the kill switch, as `PUT /v1/pause` does it.
pub(super) async fn pause(sent: Sent) -> Result<Response, Problem> {
    let desk = &sent.desk;
    switch::operates(&desk.app, &desk.caller)?;
    let (level, reason) = (sent.said("level"), sent.said("reason"));
    let change = wire::PauseChange { paused: sent.parsed("paused")?, level, reason };
    let keyed = sent.keyed(&Method::PUT, switch::ROUTE, &change)?;
    let answer = switch::change_to(&desk.app, &desk.caller, change, keyed).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(_) => Redirect::to("/console/effects").into_response(),
    })
}
