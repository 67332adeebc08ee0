//! Installation of the Slack app in a workspace: to Slack and back.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::consent::{BackQuery, Consent};
use super::page::{ForPage, Refusal, page};
use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::random;
use crate::request::QueryParams;
use crate::slack::Adapter;

const CONSENT: Consent = Consent { cookie: "throughline_slack_install", path: "/slack/install" };

#[derive(Serialize)]
struct InstalledPage {
    /// Name of the workspace.
    workspace: String,
}

fn adapter(app: &App) -> Result<Arc<Adapter>, Problem> {
    let found = app.instance.slack.clone();
    found.ok_or_else(|| Problem::new(&codes::NOT_FOUND, "no Slack app is configured"))
}

/// `GET /slack/install`
pub(crate) async fn get_install(State(app): State<Arc<App>>) -> Result<Response, Refusal> {
    let state = random::id()?;
    let Some(url) = adapter(&app)?.authorize_url(&state) else {
        return Err(Problem::new(&codes::NOT_FOUND, "this installation takes no further workspaces").into());
    };
    Ok(CONSENT.leave(&app, &url, &state))
}

/// `GET /slack/install/done`
pub(crate) async fn get_done(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    ForPage(QueryParams(back)): ForPage<QueryParams<BackQuery>>,
) -> Result<Response, Refusal> {
    let adapter = adapter(&app)?;
    if !CONSENT.left_from_here(&headers, &back) {
        let why = "this is not the browser that began the installation, or it took too long; begin again at /slack/install";
        return Err(Problem::new(&codes::ORIGIN_REFUSED, why).into());
    }
    let not_installed = |why: String| Problem::new(&codes::SLACK_NOT_INSTALLED, why);
    let done = match back.code() {
        Ok(code) => match adapter.install(app.runtime(), &code).await {
            Ok(workspace) => page("installed.html", &InstalledPage { workspace }),
            Err(error) => Err(not_installed(error.to_string())),
        },
        Err(why) => Err(not_installed(format!("Slack says: {why}; begin again at /slack/install"))),
    };
    let response = done.unwrap_or_else(|problem| Refusal::from(problem).into_response());
    Ok(CONSENT.over(&app, response))
}
