//! Trackers over the network: how each is, as `doctor tracker` says it, and the way to connect an app of Jira.

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;

use super::operator::{Equivalents, Operator, Section};
use crate::app::App;
use crate::codes;
use crate::finding::{Finding, State};
use crate::problem::Problem;
use crate::random;
use crate::request::{PathParam, QueryParams};
use crate::trackers;
use crate::trackers::jira_apps::JiraApp;
use crate::web::consent::{BackQuery, Consent};

const CONSENT: Consent = Consent { cookie: "throughline_tracker", path: "/console/trackers" };

#[derive(Serialize)]
struct List {
    findings: Vec<Row>,
    /// Trackers whose app somebody can connect.
    apps: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    state: &'static str,
    /// Class of its mark.
    tone: &'static str,
    what: &'static str,
    found: String,
    fix: Option<String>,
}

fn row(finding: Finding) -> Row {
    let Finding { what, state, found, fix } = finding;
    let (state, tone) = match state {
        State::Ok => ("ok", "good"),
        State::Warning => ("warning", "doubt"),
        State::Broken => ("broken", "bad"),
    };
    Row { state, tone, what, found, fix }
}

/// `GET /console/trackers`: asks every tracker, and changes nothing.
pub(super) async fn list(operator: Operator) -> Result<Response, Problem> {
    operator.enter(Section::Trackers)?;
    let instance = &operator.app.instance;
    let found = trackers::examine(&instance.config, Some(instance), Some(operator.tenant())).await;
    let own = instance.jira_apps.iter().filter(|(_, app)| app.tenant == operator.tenant());
    let list = List {
        findings: found.into_iter().map(row).collect(),
        apps: own.map(|(name, _)| name.clone()).collect(),
    };
    let twin = Equivalents::new("throughline doctor tracker", "");
    operator.page(Section::Trackers, "console/trackers.html", twin, &list).await
}

fn app<'a>(operator: &'a Operator, name: &str) -> Result<&'a JiraApp, Problem> {
    operator.enter(Section::Trackers)?;
    let found = operator.app.instance.jira_apps.get(name).filter(|app| app.tenant == operator.tenant());
    found.ok_or_else(|| Problem::new(&codes::NOT_FOUND, format!("{name} is no tracker with an app")))
}

/// Address to which people come back; the app's registration has the same.
fn back_to(app: &App, name: &str) -> String {
    let base = app.config().server.public_url.as_deref().unwrap_or_default();
    format!("{}{}/{name}/connected", base.trim_end_matches('/'), CONSENT.path)
}

/// `GET /console/trackers/{name}/connect`: sends an administrator to Atlassian.
pub(super) async fn connect(operator: Operator, PathParam(name): PathParam) -> Result<Response, Problem> {
    let app = app(&operator, &name)?;
    let state = random::id()?;
    let url = app.oauth.authorize_url(&state, &back_to(&operator.app, &name));
    Ok(CONSENT.leave(&operator.app, &url, &state))
}

/// `GET /console/trackers/{name}/connected`: where they come back to.
pub(super) async fn connected(
    operator: Operator,
    PathParam(name): PathParam,
    headers: HeaderMap,
    QueryParams(back): QueryParams<BackQuery>,
) -> Result<Response, Problem> {
    let app = app(&operator, &name)?;
    if !CONSENT.left_from_here(&headers, &back) {
        let why = "this is not the browser that went to Jira, or it took too long; begin again at /console/trackers";
        return Err(Problem::new(&codes::ORIGIN_REFUSED, why));
    }
    let not_connected = |why: String| Problem::new(&codes::TRACKER_NOT_CONNECTED, format!("{name}: {why}"));
    let code = back.code().map_err(|why| not_connected(format!("Atlassian says: {why}")));
    let done = match code {
        Ok(code) => {
            let by = &operator.caller.principal;
            let connected = app.oauth.connect(by, &code, &back_to(&operator.app, &name)).await;
            connected.map_err(|error| not_connected(error.to_string()))
        }
        Err(problem) => Err(problem),
    };
    let response = match done {
        Ok(()) => Redirect::to(CONSENT.path).into_response(),
        Err(problem) => problem.into_response(),
    };
    Ok(CONSENT.over(&operator.app, response))
}
