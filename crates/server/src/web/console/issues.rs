//! Issues of the local tracker in the console, each with a link to what created it. A list reads 50 issues, a search
//! 2,000.

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_trackers::local::StoredIssue;

use super::effect::{self, EffectRow};
use super::operator::{Equivalents, Operator, Section};
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams};
use crate::routes::tracker;
use crate::web::issue::{self, IssueView};

/// Issues per page.
const PAGE: u32 = 50;

/// Filter of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// Key of the project; the default project if empty.
    project: String,
    /// Words that must all occur.
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
    /// Query of the next page.
    next: Option<String>,
}

fn row(issue: &StoredIssue) -> Row {
    Row {
        key: issue.key.clone(),
        kind: issue.item.item_type.as_str(),
        title: issue.item.title().to_owned(),
        epic: issue.parent.clone(),
        effect: issue.effect.0.clone(),
    }
}

/// `GET /console/issues`.
pub(super) async fn list(
    operator: Operator,
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    operator.enter(Section::Issues)?;
    let Filter { project, q, cursor } = filter;
    let (projects, project) = tracker::projects(&operator.app, &operator.caller, &project)?;
    let (found, next) =
        tracker::page(&operator.app, &operator.caller, &project, &q, cursor.as_deref(), PAGE).await?;
    let api = format!("GET /v1/tracker/issues?project={project}");
    let query = |cursor: String| {
        let all = [("project", project.as_str()), ("q", &q), ("cursor", &cursor)];
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(all.into_iter().filter(|(_, value)| !value.is_empty()))
            .finish()
    };
    let next = next.map(query);
    let list = List { projects, rows: found.iter().map(row).collect(), next, project, q };
    operator.page(Section::Issues, "console/issues.html", Equivalents::new("", api), &list).await
}

#[derive(Serialize)]
struct IssuePage {
    issue: IssueView,
    effect: String,
    made_by: Option<EffectRow>,
}

/// `GET /console/issues/{key}`.
pub(super) async fn show(operator: Operator, PathParam(key): PathParam) -> Result<Response, Problem> {
    operator.enter(Section::Issues)?;
    let found = tracker::seen(&operator.app, &operator.caller, &key).await?;
    let made_by = operator.app.store().effect(operator.tenant(), &found.effect).await?;
    let issue = issue::issue_view(&operator.app, &operator.caller, &found).await?;
    let effect = found.effect.0;
    let twin = Equivalents::new("", format!("GET /v1/tracker/issues/{}", found.key));
    let one = IssuePage { issue, effect, made_by: made_by.as_ref().map(effect::row) };
    operator.page(Section::Issues, "console/issue.html", twin, &one).await
}
