//! `/tracker/{key}`: an issue of the local tracker, which is where the link on a receipt leads.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use throughline_engine::tickets::Part;
use throughline_trackers::local::StoredIssue;

use super::page::{Refusal, page};
use super::visitor::{Seen, Visitor};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::problem::Problem;
use crate::request::Named;
use crate::routes::tracker::{self, project_of};

/// Stories, and issues that name this one, on a page.
const AROUND: u32 = 100;

/// An issue with what is around it.
#[derive(Serialize)]
pub(crate) struct Told {
    key: String,
    kind: &'static str,
    title: String,
    /// Label and text of each part.
    fields: Vec<(&'static str, String)>,
    /// The epic it belongs to.
    epic: Option<Near>,
    stories: Vec<Near>,
    /// The issues it points to, and how.
    links: Vec<(String, Near)>,
    /// The issues that point to it.
    named_by: Vec<Near>,
    comments: Vec<Said>,
}

/// An issue that is near another.
#[derive(Serialize)]
struct Near {
    key: String,
    kind: &'static str,
    title: String,
}

#[derive(Serialize)]
struct Said {
    text: String,
    effect: String,
}

#[derive(Serialize)]
struct Values {
    seen: Seen,
    issue: Told,
}

/// `GET /tracker/{key}`: whoever may use the tenant's conversations may read its tracker, as far as the project shows
/// itself to them.
pub(crate) async fn get_issue(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Named(key): Named,
) -> Result<Response, Refusal> {
    visitor.caller.need(Scope::LanesRead)?;
    let found = tracker::seen(&app, &visitor.caller, &key).await?;
    let issue = told(&app, &visitor.caller, &found).await?;
    Ok(page("issue.html", &Values { seen: visitor.seen(&app), issue })?)
}

/// Reads what is around an issue, as far as this caller may see it: at most 100 stories and as many that name it.
pub(crate) async fn told(app: &App, caller: &Caller, issue: &StoredIssue) -> Result<Told, Problem> {
    let (local, tenant) = (&app.instance.tracker, &caller.tenant);
    let shown = |issue: &StoredIssue| tracker::shows(app, caller, project_of(&issue.key));
    let written = issue.item.fields.iter().filter(|(part, _)| **part != Part::Title);
    let mut links = Vec::new();
    for link in &issue.links {
        let other = local.issue(tenant, &link.key).await?;
        links.extend(other.filter(shown).map(|other| (link.kind.clone(), near(&other))));
    }
    let epic = match &issue.parent {
        Some(epic) => local.issue(tenant, epic).await?,
        None => None,
    };
    let stories = local.stories(tenant, &issue.key, AROUND).await?;
    let named_by = local.naming(tenant, &issue.key, AROUND).await?;
    let said = issue.comments.iter();
    let Near { key, kind, title } = near(issue);
    Ok(Told {
        key,
        kind,
        title,
        fields: written.map(|(part, text)| (part.label(), text.clone())).collect(),
        epic: epic.as_ref().map(near),
        stories: stories.iter().map(near).collect(),
        links,
        named_by: named_by.iter().filter(|other| shown(other)).map(near).collect(),
        comments: said.map(|said| Said { text: said.text.clone(), effect: said.effect.0.clone() }).collect(),
    })
}

fn near(issue: &StoredIssue) -> Near {
    let (key, title) = (issue.key.clone(), issue.item.title().to_owned());
    Near { key, kind: issue.item.item_type.word(), title }
}
