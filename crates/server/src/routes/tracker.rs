//! `/v1/tracker/issues`: issues of the local tracker.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use throughline_engine::data::effect::IssueState;
use throughline_trackers::local::{Comment, Link, Permission, StoredIssue};

use super::json;
use super::lanes::{cursor, place};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams, limit};
use crate::wire;
use crate::wire::vocabulary::Limit;

/// Filter of the list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Key of the project; the default project if absent.
    project: Option<String>,
    /// Words that must all occur. A page searches 2,000 issues, so it may be empty although a later one is not.
    q: Option<String>,
    /// Maximum number of items, at most 200.
    #[param(value_type = Option<Limit>, inline)]
    limit: Option<u32>,
    /// Cursor of the page.
    cursor: Option<String>,
}

pub(crate) fn to_wire(issue: StoredIssue) -> wire::Issue {
    let link = |link: Link| wire::IssueLink { kind: link.kind, key: link.key };
    let comment = |said: Comment| wire::IssueComment { effect: said.effect.0, text: said.text };
    wire::Issue {
        key: issue.key,
        kind: issue.item.item_type.as_str().into(),
        title: issue.item.title().into(),
        fields: serde_json::to_value(&issue.item.fields).unwrap_or_default(),
        effect: issue.effect.0,
        parent: issue.parent,
        state: if issue.state == IssueState::Closed { "closed" } else { "open" }.into(),
        assignee: issue.assignee,
        links: issue.links.into_iter().map(link).collect(),
        comments: issue.comments.into_iter().map(comment).collect(),
    }
}

/// Returns true if the project shows its issues to this caller. A project that is not configured any more shows them
/// to nobody, since its rules are unknown.
pub(crate) fn shows(app: &App, caller: &Caller, project: &str) -> bool {
    let config = app.instance.tracker.config();
    config
        .projects
        .get(project)
        .is_some_and(|project| project.allows(Permission::Browse, Some(&caller.principal)))
}

/// Returns the project of an issue's key.
pub(crate) fn project_of(key: &str) -> &str {
    key.rsplit_once('-').map_or("", |(project, _)| project)
}

/// Returns an issue, if the caller may see it.
///
/// # Errors
/// There is no such issue, the project hides it from the caller, or it cannot be read.
pub(crate) async fn seen(app: &App, caller: &Caller, key: &str) -> Result<StoredIssue, Problem> {
    let none = || Problem::not_found("issue");
    if !shows(app, caller, project_of(key)) {
        return Err(none());
    }
    app.instance.tracker.issue(&caller.tenant, key).await?.ok_or_else(none)
}

/// Returns the projects this caller may see, and the named one; the default project if `named` is empty.
///
/// # Errors
/// The caller sees no such project.
pub(crate) fn projects(app: &App, caller: &Caller, named: &str) -> Result<(Vec<String>, String), Problem> {
    let named = if named.is_empty() { &app.config().policy.project.project } else { named };
    let config = app.instance.tracker.config();
    let mut projects: Vec<String> = config.projects.keys().cloned().collect();
    projects.retain(|project| shows(app, caller, project));
    if projects.iter().any(|project| project == named) {
        return Ok((projects, named.to_owned()));
    }
    Err(Problem::not_found("project"))
}

/// Returns a page of a project's issues that contain every word, and the cursor of the next page.
///
/// # Errors
/// The cursor is invalid, or the issues cannot be read.
pub(crate) async fn page(
    app: &App,
    caller: &Caller,
    project: &str,
    words: &str,
    at: Option<&str>,
    limit: u32,
) -> Result<(Vec<StoredIssue>, Option<String>), Problem> {
    let (tracker, after) = (&app.instance.tracker, place(at)?);
    let found = tracker.search(&caller.tenant, project, words, after.as_deref(), limit).await?;
    Ok((found.issues, found.next.as_deref().map(cursor)))
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
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    caller.need(Scope::EffectsRead)?;
    let limit = limit(filter.limit)?;
    let (_, project) = projects(&app, &caller, filter.project.as_deref().unwrap_or_default())?;
    let words = filter.q.unwrap_or_default();
    let (found, next) = page(&app, &caller, &project, &words, filter.cursor.as_deref(), limit).await?;
    Ok(json(&wire::Page { items: found.into_iter().map(to_wire).collect(), next }))
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
    PathParam(key): PathParam,
) -> Result<Response, Problem> {
    caller.need(Scope::EffectsRead)?;
    Ok(json(&to_wire(seen(&app, &caller, &key).await?)))
}
