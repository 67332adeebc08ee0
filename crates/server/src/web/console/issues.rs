//! The issues of the local tracker, each with the way back to what made it. A list reads 50 issues, a search 2,000.

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_trackers::local::StoredIssue;

use super::desk::{Desk, Section, Twin};
use super::effect::{self, EffectRow};
use crate::problem::Problem;
use crate::request::{Asked, Named};
use crate::routes::tracker;
use crate::web::issue::{self, Told};

/// Issues on a page.
const PAGE: u32 = 50;

/// Which issues.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// The project's key; the default project when not said.
    project: String,
    /// Words that all have to be in it.
    q: String,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct Row {
    key: String,
    kind: &'static str,
    title: String,
    epic: Option<String>,
    effect: String,
}

#[derive(Serialize)]
struct List {
    projects: Vec<String>,
    project: String,
    q: String,
    rows: Vec<Row>,
    /// The query of the next page.
    next: Option<String>,
}

fn row(issue: &StoredIssue) -> Row {
    Row {
        key: issue.key.clone(),
        kind: issue.item.item_type.word(),
        title: issue.item.title().to_owned(),
        epic: issue.parent.clone(),
        effect: issue.effect.0.clone(),
    }
}

/// `GET /console/issues`.
pub(super) async fn list(desk: Desk, Asked(filter): Asked<Filter>) -> Result<Response, Problem> {
    desk.enter(Section::Issues)?;
    let Filter { project, q, cursor } = filter;
    let (projects, project) = tracker::projects(&desk.app, &desk.caller, &project)?;
    let (found, next) = tracker::page(&desk.app, &desk.caller, &project, &q, cursor.as_deref(), PAGE).await?;
    let api = format!("GET /v1/tracker/issues?project={project}");
    let query = |cursor: String| {
        let all = [("project", project.as_str()), ("q", &q), ("cursor", &cursor)];
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(all.into_iter().filter(|(_, value)| !value.is_empty()))
            .finish()
    };
    let next = next.map(query);
    let list = List { projects, rows: found.iter().map(row).collect(), next, project, q };
    desk.page(Section::Issues, "console/issues.html", Twin::new("", api), &list).await
}

#[derive(Serialize)]
struct One {
    issue: Told,
    effect: String,
    made_by: Option<EffectRow>,
}

/// `GET /console/issues/{key}`.
pub(super) async fn show(desk: Desk, Named(key): Named) -> Result<Response, Problem> {
    desk.enter(Section::Issues)?;
    let found = tracker::seen(&desk.app, &desk.caller, &key).await?;
    let made_by = desk.app.store().effect(desk.tenant(), &found.effect).await?;
    let issue = issue::told(&desk.app, &desk.caller, &found).await?;
    let effect = found.effect.0;
    let twin = Twin::new("", format!("GET /v1/tracker/issues/{}", found.key));
    let one = One { issue, effect, made_by: made_by.as_ref().map(effect::row) };
    desk.page(Section::Issues, "console/issue.html", twin, &one).await
}
