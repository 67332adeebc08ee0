//! Installation of the Slack app in a workspace: to Slack and back. The state that comes back is bound to the browser that
//! began, so that nobody is led to finish somebody else's installation.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Redirect, Response};
use cookie::{Cookie, SameSite};
use serde::{Deserialize, Serialize};
use throughline_engine::data::canonical_json::sha256;

use super::page::{Refusal, page};
use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::random;
use crate::request::QueryParams;
use crate::slack::Adapter;

/// Cookie with the state of an installation under way.
const STATE: &str = "throughline_slack_install";
/// Minutes that an installation may take.
const MINUTES: i64 = 10;

/// Query with which a person comes back from Slack.
#[derive(Debug, Deserialize)]
pub(crate) struct BackQuery {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

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
    let mut response = Redirect::to(&url).into_response();
    response.headers_mut().insert(SET_COOKIE, cookie(&app, &state, MINUTES));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// `GET /slack/install/done`
pub(crate) async fn get_done(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    QueryParams(back): QueryParams<BackQuery>,
) -> Result<Response, Refusal> {
    let adapter = adapter(&app)?;
    let began = state(&headers);
    let same = |given: &str| {
        began.as_deref().is_some_and(|began| sha256(&[began.as_bytes()]) == sha256(&[given.as_bytes()]))
    };
    if !back.state.as_deref().is_some_and(same) {
        let why = "this is not the browser that began the installation, or it took too long; begin again at /slack/install";
        return Err(Problem::new(&codes::ORIGIN_REFUSED, why).into());
    }
    let done = match (back.code, back.error) {
        (Some(code), None) => match adapter.install(app.runtime(), &code).await {
            Ok(workspace) => page("installed.html", &InstalledPage { workspace }),
            Err(error) => Err(Problem::new(&codes::SLACK_NOT_INSTALLED, error.to_string())),
        },
        (_, error) => {
            let why = error.unwrap_or_else(|| "no code came back".into());
            Err(Problem::new(
                &codes::SLACK_NOT_INSTALLED,
                format!("Slack says: {why}; begin again at /slack/install"),
            ))
        }
    };
    let mut response = done.unwrap_or_else(|problem| Refusal::from(problem).into_response());
    // The state is used up, whatever came of it.
    response.headers_mut().insert(SET_COOKIE, cookie(&app, "", 0));
    Ok(response)
}

fn cookie(app: &App, state: &str, minutes: i64) -> HeaderValue {
    let secure = app.config().server.public_url.as_deref().is_some_and(|url| url.starts_with("https://"));
    // Lax: the person comes back by a link on Slack's page.
    let cookie = Cookie::build((STATE, state))
        .path("/slack/install")
        .http_only(true)
        .secure(secure)
        .same_site(SameSite::Lax)
        .max_age(cookie::time::Duration::minutes(minutes));
    HeaderValue::from_str(&cookie.to_string()).unwrap_or(HeaderValue::from_static(""))
}

fn state(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    let mut named = cookies.flat_map(Cookie::split_parse).flatten().filter(|cookie| cookie.name() == STATE);
    named.next().map(|cookie| cookie.value().to_owned()).filter(|state| !state.is_empty())
}
