//! The issues of the local tracker, each with the way back to what made it. A list reads 50 issues.

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_engine::tickets::Part;
use throughline_trackers::local::StoredIssue;

use super::desk::{Desk, Section, Twin};
use super::effect::{self, EffectRow};
use crate::problem::Problem;
use crate::request::{Asked, Named};
use crate::routes::lanes::{cursor, place};

/// Issues on a page.
const PAGE: u32 = 50;

/// Which issues.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// The project's key; the default project when not said.
    project: String,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct Row {
    key: String,
    kind: &'static str,
    title: String,
    effect: String,
}

#[derive(Serialize)]
struct List {
    projects: Vec<String>,
    project: String,
    rows: Vec<Row>,
    next: Option<String>,
}

fn row(issue: &StoredIssue) -> Row {
    Row {
        key: issue.key.clone(),
        kind: issue.item.item_type.word(),
        title: issue.item.title().to_owned(),
        effect: issue.effect.0.clone(),
    }
}

/// `GET /console/issues`.
pub(super) async fn list(desk: Desk, Asked(filter): Asked<Filter>) -> Result<Response, Problem> {
    desk.enter(Section::Issues)?;
    let tracker = &desk.app.instance.tracker;
    let project = match filter.project.as_str() {
        "" => desk.app.config().policy.project.project.clone(),
        named => named.to_owned(),
    };
    if !tracker.config().projects.contains_key(&project) {
        return Err(Problem::not_found("project"));
    }
    let after = place(filter.cursor.as_deref())?;
    let mut found = tracker.issues(desk.tenant(), &project, after.as_deref(), PAGE + 1).await?;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| more).map(|last| cursor(&last.key));
    let projects = tracker.config().projects.keys().cloned().collect();
    let api = format!("GET /v1/tracker/issues?project={project}");
    let list = List { projects, rows: found.iter().map(row).collect(), next, project };
    desk.page(Section::Issues, "console/issues.html", Twin::new("", api), &list).await
}

#[derive(Serialize)]
struct One {
    issue: Row,
    /// Label and text of each part.
    parts: Vec<(&'static str, String)>,
    made_by: Option<EffectRow>,
}

/// `GET /console/issues/{key}`.
pub(super) async fn show(desk: Desk, Named(key): Named) -> Result<Response, Problem> {
    desk.enter(Section::Issues)?;
    let found = desk.app.instance.tracker.issue(desk.tenant(), &key).await?;
    let found = found.ok_or_else(|| Problem::not_found("issue"))?;
    let made_by = desk.app.store().effect(desk.tenant(), &found.effect).await?;
    let fields = found.item.fields.iter().filter(|(part, _)| **part != Part::Title);
    let one = One {
        issue: row(&found),
        parts: fields.map(|(part, text)| (part.label(), text.clone())).collect(),
        made_by: made_by.as_ref().map(effect::row),
    };
    let twin = Twin::new("", format!("GET /v1/tracker/issues/{}", one.issue.key));
    desk.page(Section::Issues, "console/issue.html", twin, &one).await
}
