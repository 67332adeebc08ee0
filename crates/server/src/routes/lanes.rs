//! `GET /v1/lanes` and the content of a lane.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use throughline_engine::{LaneId, MessageId};
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::{LaneInfo, StoredTurn};

use super::json;
use crate::access::{self, Act};
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams, limit};
use crate::views;
use crate::wire;
use crate::wire::vocabulary::{Given, Limit};

/// Page of a list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Maximum number of items, at most 200.
    #[param(value_type = Option<Limit>, inline)]
    limit: Option<u32>,
    /// Cursor of the page.
    cursor: Option<String>,
}

/// Filter of the list of lanes.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LanesQuery {
    /// User who took part in them.
    #[param(value_type = Option<Given>, inline)]
    person: Option<String>,
    /// Maximum number of items, at most 200.
    #[param(value_type = Option<Limit>, inline)]
    limit: Option<u32>,
    /// Cursor of the page.
    cursor: Option<String>,
}

impl PageQuery {
    /// Returns the place of the cursor.
    pub(crate) fn place(&self) -> Result<Option<String>, Problem> {
        place(self.cursor.as_deref())
    }

    /// Returns the length that is asked for.
    pub(crate) fn limit(&self) -> Result<usize, Problem> {
        Ok(limit(self.limit)? as usize)
    }
}

/// Encodes a position in a list for clients.
pub(crate) fn cursor(place: &str) -> String {
    URL_SAFE_NO_PAD.encode(place)
}

/// Decodes the position of a cursor.
pub(crate) fn place(cursor: Option<&str>) -> Result<Option<String>, Problem> {
    let Some(cursor) = cursor else { return Ok(None) };
    let read = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    read.map(Some).ok_or_else(bad_cursor)
}

pub(crate) fn bad_cursor() -> Problem {
    Problem::new(
        &codes::BAD_REQUEST,
        "the cursor is not one that this list gave out; leave it out to start over",
    )
}

/// Returns the lane of that id, if the caller may do this to it.
pub(crate) async fn find(app: &App, caller: &Caller, act: Act, id: &str) -> Result<LaneInfo, Problem> {
    caller.need(act.scope())?;
    let found = app.store().lane(&caller.tenant, &LaneId::from(id)).await?;
    let lane = found.ok_or_else(|| Problem::not_found("lane"))?;
    access::check(app, caller, act, &lane.key, "lane").await?;
    Ok(lane)
}

/// List lanes
///
/// Those in which the caller took part; with `lanes:read_all` every lane of the tenant. A token sees lanes of its app.
#[utoipa::path(
    get, path = "/v1/lanes", tag = "lanes", operation_id = "listLanes", params(LanesQuery),
    responses(
        (status = 200, description = "Lanes in id order.", body = wire::Page<wire::LaneInfo>),
    )
)]
pub(crate) async fn list_lanes(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(filter): QueryParams<LanesQuery>,
) -> Result<Response, Problem> {
    caller.need(Act::ReadLane.scope())?;
    let limit = limit(filter.limit)?;
    let mut after = place(filter.cursor.as_deref())?.map(LaneId);
    let (store, tenant) = (app.store(), &caller.tenant);
    let mine = (!caller.stands_for_everybody()).then_some(&caller.principal);
    let mut lanes = Vec::new();
    loop {
        let read = match filter.person.as_ref().or(mine) {
            None => store.lanes(tenant, after.as_ref(), limit + 1).await?,
            Some(person) => store.lanes_of(tenant, person, after.as_ref(), limit + 1).await?,
        };
        let last = read.len() <= limit as usize;
        after = read.last().map(|lane| lane.id.clone());
        for lane in read.into_iter().filter(|lane| access::reaches_app(&app, &caller, &lane.key)) {
            let shared = match mine {
                Some(mine) => store.took_part(&lane.key, mine).await?,
                None => true,
            };
            lanes.extend(shared.then_some(lane));
        }
        if last || lanes.len() > limit as usize {
            break;
        }
    }
    let more = lanes.len() > limit as usize;
    lanes.truncate(limit as usize);
    let next = lanes.last().filter(|_| more).map(|last| cursor(last.id.as_str()));
    Ok(json(&wire::Page { items: lanes.iter().map(wire::LaneInfo::from).collect(), next }))
}

/// Read a lane
#[utoipa::path(
    get, path = "/v1/lanes/{lane}", tag = "lanes", operation_id = "getLane",
    params(("lane" = String, Path, description = "ln_…")),
    responses(
        (status = 200, description = "The lane in its current state.", body = wire::Lane),
    )
)]
pub(crate) async fn get_lane(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    let info = find(&app, &caller, Act::ReadLane, &id).await?;
    Ok(json(&views::lane(app.runtime(), &info).await?))
}

/// List a lane's pending questions
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/pending", tag = "lanes", operation_id = "getPending",
    params(("lane" = String, Path, description = "ln_…")),
    responses(
        (status = 200, description = "All pending questions and cards.", body = wire::Page<wire::Pending>),
    )
)]
pub(crate) async fn get_pending(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    let info = find(&app, &caller, Act::ReadLane, &id).await?;
    let lane = app.runtime().lane(&info.key).await?;
    let items = lane.head.pendings.iter().map(wire::Pending::from).collect();
    Ok(json(&wire::Page { items, next: None }))
}

/// Returns turns below the cursor's revision, newest first, and the cursor of the next page.
async fn turns(
    app: &App,
    info: &LaneInfo,
    paging: &PageQuery,
) -> Result<(Vec<StoredTurn>, Option<String>), Problem> {
    let limit = limit(paging.limit)?;
    let before = match place(paging.cursor.as_deref())? {
        None => u64::MAX,
        Some(place) => place.parse().map_err(|_| bad_cursor())?,
    };
    let mut turns = app.store().turns_before(&info.key, before, limit + 1).await?;
    let more = turns.len() > limit as usize;
    turns.truncate(limit as usize);
    let next = turns.last().filter(|_| more).map(|last| cursor(&last.revision.to_string()));
    Ok((turns, next))
}

pub(crate) fn read(stored: &StoredTurn) -> Result<Turn, Problem> {
    let unreadable = |error: throughline_runtime::turn_log::Unreadable| RuntimeError::Unreadable {
        what: "a turn row".into(),
        why: error.to_string(),
    };
    Ok(Turn::read(stored).map_err(unreadable)?)
}

/// List a lane's turns, newest first
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/turns", tag = "lanes", operation_id = "listTurns",
    params(("lane" = String, Path, description = "ln_…"), PageQuery),
    responses(
        (status = 200, description = "Turns with their reasons.", body = wire::Page<wire::TurnInfo>),
    )
)]
pub(crate) async fn list_turns(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
    QueryParams(paging): QueryParams<PageQuery>,
) -> Result<Response, Problem> {
    let info = find(&app, &caller, Act::ReadLane, &id).await?;
    let (turns, next) = turns(&app, &info, &paging).await?;
    let items = turns.iter().map(|stored| Ok(wire::TurnInfo::new(&read(stored)?)));
    Ok(json(&wire::Page { items: items.collect::<Result<Vec<_>, Problem>>()?, next }))
}

/// List a lane's messages
///
/// A page covers the messages of `limit` turns, the newest page first. Within a page the oldest message comes first.
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/messages", tag = "lanes", operation_id = "listMessages",
    params(("lane" = String, Path, description = "ln_…"), PageQuery),
    responses(
        (status = 200, description = "Messages in their current form.", body = wire::Page<wire::Message>),
    )
)]
pub(crate) async fn list_messages(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
    QueryParams(paging): QueryParams<PageQuery>,
) -> Result<Response, Problem> {
    let info = find(&app, &caller, Act::ReadLane, &id).await?;
    let (turns, next) = turns(&app, &info, &paging).await?;
    let mut ids: Vec<MessageId> = Vec::new();
    for stored in turns.iter().rev() {
        ids.extend(read(stored)?.row.messages);
    }
    let items = messages(app.runtime(), &info, &ids).await?;
    Ok(json(&wire::Page { items, next }))
}

/// Returns messages of a lane in their current form.
pub(crate) async fn messages(
    runtime: &Runtime,
    info: &LaneInfo,
    ids: &[MessageId],
) -> Result<Vec<wire::Message>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let views = runtime.messages(&info.key, ids).await?;
    Ok(views.into_iter().map(wire::Message::from).collect())
}
