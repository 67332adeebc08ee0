//! `/v1/approvals`: list, read and decide approvals.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use throughline_engine::data::action::Action;
use throughline_engine::data::event::Press;
use throughline_engine::{CardId, Event, EventKind};
use throughline_runtime::FailPoint;
use throughline_store::ApprovalRow;

use super::json;
use super::lanes::{bad_cursor, cursor, place};
use crate::access::{self, Access, Act};
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::deliver::{AnswerKind, Delivery, deliver};
use crate::idempotency::KeyedRequest;
use crate::problem::{Problem, ProblemDetails};
use crate::request::{PathParam, QueryParams, caller, limit, parse, read_json, wait};
use crate::views;
use crate::wire;
use crate::wire::vocabulary::{ApprovalFilter, Limit};

/// Time to wait for a decision if the request names none.
pub(crate) const WAIT: Duration = Duration::from_secs(10);
/// Rows that are searched for the cursor's item.
pub(crate) const DEPTH: u32 = 1_000;

/// Filter of the list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// `pending` (the default) or `all`.
    #[param(value_type = Option<ApprovalFilter>, inline)]
    state: Option<String>,
    /// Maximum number of items, at most 200.
    #[param(value_type = Option<Limit>, inline)]
    limit: Option<u32>,
    /// Cursor of the page.
    cursor: Option<String>,
}

/// Cuts a page from a list that the store returns whole, newest first: the items after the cursor's.
pub(crate) fn page<T>(
    all: Vec<T>,
    after: Option<&str>,
    limit: u32,
    id: impl Fn(&T) -> String,
) -> Result<(Vec<T>, Option<String>), Problem> {
    let from = match after {
        None => 0,
        Some(after) => 1 + all.iter().position(|item| id(item) == after).ok_or_else(bad_cursor)?,
    };
    let more = all.len() > from + limit as usize;
    let items: Vec<T> = all.into_iter().skip(from).take(limit as usize).collect();
    let next = items.last().filter(|_| more).map(|last| cursor(&id(last)));
    Ok((items, next))
}

/// Returns the number of rows to read so that a page can be cut from them.
pub(crate) fn depth(after: Option<&str>, limit: u32) -> u32 {
    if after.is_some() { DEPTH } else { limit + 1 }
}

/// List approvals
#[utoipa::path(
    get, path = "/v1/approvals", tag = "approvals", operation_id = "listApprovals", params(Filter),
    responses(
        (status = 200, description = "Approvals at their current version, newest first.", body = wire::Page<wire::Approval>),
    )
)]
pub(crate) async fn list_approvals(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    caller.need(Act::ReadApproval.scope())?;
    let limit = limit(filter.limit)?;
    let pending = match filter.state.as_deref() {
        None | Some("pending") => true,
        Some("all") => false,
        Some(other) => {
            return Err(Problem::new(&codes::BAD_REQUEST, format!("state is pending or all, not {other:?}")));
        }
    };
    let after = place(filter.cursor.as_deref())?;
    let all = seen(&app, &caller, pending, depth(after.as_deref(), limit), limit).await?;
    let (rows, next) = page(all, after.as_deref(), limit, |row| row.approval.card.0.clone())?;
    let mut items = Vec::new();
    for row in &rows {
        items.push(views::approval(app.runtime(), row).await?);
    }
    Ok(json(&wire::Page { items, next }))
}

/// Returns the approval of that id, if the caller may do this to it.
pub(crate) async fn find(app: &App, caller: &Caller, act: Act, id: &str) -> Result<ApprovalRow, Problem> {
    caller.need(act.scope())?;
    let found = app.store().approval(&caller.tenant, &CardId::from(id)).await?;
    let row = found.ok_or_else(|| Problem::not_found("approval"))?;
    access::answer(access::access_to_approval(app, caller, act, &row).await?, caller, act, "approval")?;
    Ok(row)
}

/// Returns the approvals that the caller may read, newest first: more than `limit` of them, or all among the newest
/// [`DEPTH`]. Begins with `depth` rows.
pub(crate) async fn seen(
    app: &App,
    caller: &Caller,
    pending: bool,
    mut depth: u32,
    limit: u32,
) -> Result<Vec<ApprovalRow>, Problem> {
    loop {
        let all = app.store().approvals(&caller.tenant, pending, depth).await?;
        let more = all.len() == depth as usize && depth < DEPTH;
        let mut seen = Vec::new();
        for row in all {
            let access = access::access_to_approval(app, caller, Act::ReadApproval, &row).await?;
            if access == Access::Allowed {
                seen.push(row);
            }
        }
        if !more || seen.len() > limit as usize {
            return Ok(seen);
        }
        depth = DEPTH;
    }
}

/// Read an approval
#[utoipa::path(
    get, path = "/v1/approvals/{approval}", tag = "approvals", operation_id = "getApproval",
    params(("approval" = String, Path, description = "ap_…")),
    responses(
        (status = 200, description = "The record with its hash and card.", body = wire::Approval),
    )
)]
pub(crate) async fn get_approval(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    let row = find(&app, &caller, Act::ReadApproval, &id).await?;
    Ok(json(&views::approval(app.runtime(), &row).await?))
}

/// Decide an approval
///
/// This is the same act as pressing a button of the card at that version. Only the first decision counts; later ones
/// are answered with what happened.
#[utoipa::path(
    post, path = "/v1/approvals/{approval}/decide", tag = "approvals", operation_id = "decideApproval",
    request_body = wire::Decide,
    params(
        ("approval" = String, Path, description = "ap_…"),
        ("Idempotency-Key" = String, Header, description = "1 to 255 visible ASCII characters; repeat the key when repeating the request"),
        ("Prefer" = Option<String>, Header, description = "wait=N: wait at most N seconds for the outcome; 10 if absent"),
    ),
    responses(
        (status = 200, description = "Decided.", body = wire::TurnAnswer),
        (status = 202, description = "Durable; not handled yet.", body = wire::Received),
        (status = 409, description = "Consumed, outdated, or not available.", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 410, description = "Expired.", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 423, description = "Sending is paused.", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn post_decide(
    State(app): State<Arc<App>>,
    PathParam(id): PathParam,
    request: Request,
) -> Response {
    asked(&app, &id, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn asked(app: &Arc<App>, id: &str, request: Request<Body>) -> Result<Response, Problem> {
    app.runtime().fault(FailPoint::BytesIn)?;
    let (parts, body) = request.into_parts();
    let caller = caller(app, &parts)?;
    caller.need(Act::DecideApproval.scope())?;
    let body = read_json(&parts.headers, body).await?;
    let asked: wire::Decide = parse(&body)?;
    let row = find(app, &caller, Act::DecideApproval, id).await?;
    let keyed = KeyedRequest::of(&caller, &parts.method, &route(&row), &parts.headers, &body)?;
    decide(app, &caller, row, &asked, keyed, wait(&parts.headers).unwrap_or(WAIT)).await
}

fn href(row: &ApprovalRow) -> String {
    format!("/v1/approvals/{}", row.approval.card)
}

/// Returns the path where an approval is decided, which is part of the delivery key.
pub(crate) fn route(row: &ApprovalRow) -> String {
    format!("{}/decide", href(row))
}

/// Presses the button of a decision at the version that was seen.
pub(crate) async fn decide(
    app: &Arc<App>,
    caller: &Caller,
    row: ApprovalRow,
    asked: &wire::Decide,
    keyed: KeyedRequest,
    wait: Duration,
) -> Result<Response, Problem> {
    let delivery = decision(app, caller, row, asked, keyed, wait)?;
    deliver(app, delivery).await
}

/// Returns the press of a decision's button at the version that was seen, to be delivered.
pub(crate) fn decision(
    app: &App,
    caller: &Caller,
    row: ApprovalRow,
    asked: &wire::Decide,
    keyed: KeyedRequest,
    wait: Duration,
) -> Result<Delivery, Problem> {
    let actor = caller.actor(app, asked.actor.as_ref().map(|actor| actor.id.as_str()))?;
    app.runtime().fault(FailPoint::Verified)?;
    let href = href(&row);
    let action = match asked.decision {
        wire::Decision::Approve => Action::Approve,
        wire::Decision::Reject => Action::Reject,
        wire::Decision::Cancel => Action::Cancel,
    };
    let press = Press::Decision {
        card: row.approval.card.clone(),
        version: asked.version,
        item: String::new(),
        action,
    };
    let event = Event {
        id: keyed.key.clone(),
        received_at: app.store().now(),
        actor,
        kind: EventKind::CardPressed { press, remember: false },
    };
    let (lane, wait) = (row.lane, Some(wait));
    Ok(Delivery {
        keyed,
        lane,
        more_keys: Vec::new(),
        event,
        addressed: None,
        wait,
        href,
        answer_kind: AnswerKind::Decision,
    })
}
