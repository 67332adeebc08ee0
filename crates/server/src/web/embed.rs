//! The chat in a frame of another site's page: `/embed`, its sign-in, and the widget's script. It is off unless
//! `web.frame_ancestors` names hosts. Reasons: `docs/design/0083-around-the-conversation.md`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::chat::{self, ChatPage, ChatQuery};
use super::page::{ForPage, Refusal, page};
use super::sign_in::ours;
use super::visitor::{self, Visitor};
use crate::app::App;
use crate::problem::Problem;
use crate::request::{QueryParams, read_form};
use crate::session::{By, Session};
use crate::sign_in_link::Link;
use crate::web_channel::Page;

/// Script of the widget, for other sites' pages.
const WIDGET: &str = include_str!("../../web/embed/widget.js");

/// Values of the chat and of its frame.
#[derive(Serialize)]
struct EmbedPage {
    #[serde(flatten)]
    chat: ChatPage,
    /// Hosts whose pages are listened to, as JSON.
    hosts: String,
}

/// Values of the page of somebody who is not signed in.
#[derive(Serialize)]
struct EnterPage {
    hosts: String,
}

/// Returns the hosts as JSON.
///
/// # Errors
///
/// No host may show the chat in a frame.
fn hosts(app: &App) -> Result<String, Problem> {
    let hosts = &app.config().web.frame_ancestors;
    if hosts.is_empty() {
        return Err(Problem::not_found("page"));
    }
    Ok(serde_json::to_string(hosts).unwrap_or_default())
}

/// `GET /embed`
pub(crate) async fn get_embed(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    visitor: Option<axum::Extension<Visitor>>,
    ForPage(QueryParams(which)): ForPage<QueryParams<ChatQuery>>,
) -> Result<Response, Refusal> {
    let hosts = hosts(&app)?;
    let visitor = visitor.map(|visitor| visitor.0).or_else(|| visitor::of(&app, &headers));
    let Some(visitor) = visitor else { return Ok(page("embed/enter.html", &EnterPage { hosts })?) };
    visitor.caller.in_time(&app)?;
    let dress = |chat: ChatPage| EmbedPage { chat, hosts };
    chat::show(&app, &visitor, which, Page::Embed, "embed/embed.html", dress).await
}

/// `POST /embed/sign-in`: uses a link up that the page around the frame passed on. The session's cookie counts in frames
/// of that page's site alone.
pub(crate) async fn post_sign_in(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    hosts(&app)?;
    let (parts, body) = request.into_parts();
    ours(&parts.headers)?;
    let fields = read_form(&parts.headers, body).await?;
    let link = Link::read(&app, fields.get("link").map_or("", String::as_str))?;
    link.consume(&app).await?;
    let session = Session::of_user(&app, &link.user, By::Link)?.in_frame(&app);
    session.begin_in(&app, &parts.headers).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(SET_COOKIE, session.frame_cookie(&app));
    Ok(response)
}

/// `GET /embed.js`: the widget, under an address that other sites' pages can keep.
pub(crate) async fn get_widget(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    hosts(&app)?;
    let mut response = WIDGET.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(policy, HeaderValue::from_static("cross-origin"));
    Ok(response)
}
