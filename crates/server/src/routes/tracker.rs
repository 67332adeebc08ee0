//! `/v1/tracker/issues`: what is in the local tracker.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use throughline_trackers::local::StoredIssue;

use super::json;
use super::lanes::{cursor, place};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::problem::Problem;
use crate::request::{Asked, Named, limit};
use crate::wire;

/// Which issues.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// The project's key; the default project when not said.
    project: Option<String>,
    /// Words that all have to be in it. The answer has no further pages.
    q: Option<String>,
    /// How many, at most 200.
    limit: Option<u32>,
    /// Where the page before ended.
    cursor: Option<String>,
}

pub(crate) fn told(issue: StoredIssue) -> wire::Issue {
    wire::Issue {
        key: issue.key,
        kind: issue.item.item_type.word().into(),
        title: issue.item.title().into(),
        fields: serde_json::to_value(&issue.item.fields).unwrap_or_default(),
        effect: issue.effect.0,
        parent: issue.parent,
    }
}

/// List issues of the local tracker
#[utoipa::path(
    get, path = "/v1/tracker/issues", tag = "tracker", operation_id = "listIssues", params(Filter),
    responses(
        (status = 200, description = "Issues of a project, oldest first.", body = wire::Page<wire::Issue>),
    )
)]
pub(crate) async fn list_issues(
    State(app): State<Arc<App>>,
    caller: Caller,
    Asked(filter): Asked<Filter>,
) -> Result<Response, Problem> {
    caller.need(Scope::EffectsRead)?;
    let limit = limit(filter.limit)?;
    let tracker = &app.instance.tracker;
    let project = filter.project.unwrap_or_else(|| app.config().policy.project.project.clone());
    if !tracker.config().projects.contains_key(&project) {
        return Err(Problem::not_found("project"));
    }
    if let Some(words) = filter.q {
        if filter.cursor.is_some() {
            return Err(Problem::new(&codes::BAD_REQUEST, "a search has one page; leave q or cursor out"));
        }
        let found = tracker.search(&caller.tenant, &project, &words, limit).await?;
        return Ok(json(&wire::Page { items: found.into_iter().map(told).collect(), next: None }));
    }
    let after = place(filter.cursor.as_deref())?;
    let mut found = tracker.issues(&caller.tenant, &project, after.as_deref(), limit + 1).await?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let next = found.last().filter(|_| more).map(|last| cursor(&last.key));
    Ok(json(&wire::Page { items: found.into_iter().map(told).collect(), next }))
}

/// Read an issue of the local tracker
#[utoipa::path(
    get, path = "/v1/tracker/issues/{key}", tag = "tracker", operation_id = "getIssue",
    params(("key" = String, Path, description = "DEMO-1")),
    responses(
        (status = 200, description = "The issue.", body = wire::Issue),
    )
)]
pub(crate) async fn get_issue(
    State(app): State<Arc<App>>,
    caller: Caller,
    Named(key): Named,
) -> Result<Response, Problem> {
    caller.need(Scope::EffectsRead)?;
    let found = app.instance.tracker.issue(&caller.tenant, &key).await?;
    Ok(json(&told(found.ok_or_else(|| Problem::not_found("issue"))?)))
}
