//! `/v1/tracker/issues`: what is in the local tracker.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use throughline_trackers::local::{Comment, Link, May, StoredIssue};

use super::json;
use super::lanes::{cursor, place};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::problem::Problem;
use crate::request::{Asked, Named, limit};
use crate::wire;

/// Which issues.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// The project's key; the default project when not said.
    project: Option<String>,
    /// Words that all have to be in it. A page looks through 2,000 issues and may be empty where a later one is not.
    q: Option<String>,
    /// How many, at most 200.
    limit: Option<u32>,
    /// Where the page before ended.
    cursor: Option<String>,
}

pub(crate) fn told(issue: StoredIssue) -> wire::Issue {
    let link = |link: Link| wire::IssueLink { kind: link.kind, key: link.key };
    let comment = |said: Comment| wire::IssueComment { effect: said.effect.0, text: said.text };
    wire::Issue {
        key: issue.key,
        kind: issue.item.item_type.word().into(),
        title: issue.item.title().into(),
        fields: serde_json::to_value(&issue.item.fields).unwrap_or_default(),
        effect: issue.effect.0,
        parent: issue.parent,
        links: issue.links.into_iter().map(link).collect(),
        comments: issue.comments.into_iter().map(comment).collect(),
    }
}

/// Whether the project lets this caller see its issues. Of one that is configured no more nobody knows whom it let.
pub(crate) fn shows(app: &App, caller: &Caller, project: &str) -> bool {
    let config = app.instance.tracker.config();
    config.projects.get(project).is_some_and(|project| project.allows(May::Browse, Some(&caller.principal)))
}

/// The project that a key is of.
pub(crate) fn project_of(key: &str) -> &str {
    key.rsplit_once('-').map_or("", |(project, _)| project)
}

/// The issue of that key, for who may see it.
///
/// # Errors
/// There is none, the project keeps it from them, or it cannot be read.
pub(crate) async fn seen(app: &App, caller: &Caller, key: &str) -> Result<StoredIssue, Problem> {
    let none = || Problem::not_found("issue");
    if !shows(app, caller, project_of(key)) {
        return Err(none());
    }
    app.instance.tracker.issue(&caller.tenant, key).await?.ok_or_else(none)
}

/// The projects this caller may see, and the one that was asked for; the default one when none was.
///
/// # Errors
/// There is no such project for them.
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

/// A page of a project's issues, of those that hold every word if there are any, and the cursor of the next one.
///
/// # Errors
/// The cursor is none of ours, or they cannot be read.
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
    Asked(filter): Asked<Filter>,
) -> Result<Response, Problem> {
    caller.need(Scope::EffectsRead)?;
    let limit = limit(filter.limit)?;
    let (_, project) = projects(&app, &caller, filter.project.as_deref().unwrap_or_default())?;
    let words = filter.q.unwrap_or_default();
    let (found, next) = page(&app, &caller, &project, &words, filter.cursor.as_deref(), limit).await?;
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
    Ok(json(&told(seen(&app, &caller, &key).await?)))
}
