//! Organising one's list: renaming, pinning and removing a conversation, each by a form; and the mark of what was seen.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};

use super::conversations::own;
use super::forms::SentForm;
use super::page::{ForPage, Refusal, page};
use super::visitor::{Visitor, VisitorView};
use crate::app::App;
use crate::conversations::{self, Entry, TITLE};
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::web_channel::{self, Page};

/// Query of the page.
#[derive(Debug, Deserialize)]
pub(crate) struct OrganiseQuery {
    c: String,
    #[serde(default)]
    page: Page,
}

#[derive(Serialize)]
struct OrganisePage {
    seen: VisitorView,
    page: Page,
    conversation: String,
    address: String,
    title: String,
    longest: usize,
    pinned: bool,
    /// Word with which commands begin.
    command: String,
    /// Number of questions and cards that wait in it.
    waiting: usize,
}

/// Returns the address of the page that organises a conversation.
pub(super) fn address(page: Page, conversation: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("c", conversation);
    if page != Page::default() {
        query.append_pair("page", page.name());
    }
    format!("/conversation?{}", query.finish())
}

/// `GET /conversation`
pub(crate) async fn get_organise(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(QueryParams(OrganiseQuery { c, page: from })): ForPage<QueryParams<OrganiseQuery>>,
) -> Result<Response, Refusal> {
    let lane = own(&app, &visitor, &c).await?;
    let entry = conversations::entry(&app, &lane.tenant, &c).await?;
    let entry = entry.ok_or_else(|| Problem::not_found("conversation"))?;
    let waiting = app.runtime().lane(&lane).await?.head.pendings.len();
    let values = OrganisePage {
        seen: visitor.view(&app),
        page: from,
        address: web_channel::address(from, &c, None),
        conversation: c,
        title: entry.title,
        longest: TITLE,
        pinned: entry.pinned,
        command: app.runtime().policy().command.0.clone(),
        waiting,
    };
    Ok(page("organise.html", &values)?)
}

/// Form that changes the visitor's entry of one conversation.
struct Change {
    sent: SentForm,
    lane: throughline_engine::LaneKey,
}

impl Change {
    async fn read(app: &Arc<App>, request: Request) -> Result<Self, Response> {
        let sent = SentForm::read(app, request).await?;
        let lane = own(app, &sent.visitor, sent.field("which")).await.map_err(refused)?;
        Ok(Self { sent, lane })
    }

    /// Makes the change and returns to a conversation.
    async fn make(
        &self,
        app: &App,
        change: impl Fn(&mut Entry),
        back: impl FnOnce(Page) -> String,
    ) -> Result<Response, Response> {
        let there = conversations::change(app, &self.lane, change).await.map_err(refused)?;
        Ok(self.answer(there, back))
    }

    fn answer(&self, there: bool, back: impl FnOnce(Page) -> String) -> Response {
        if !there {
            return refused(Problem::not_found("conversation"));
        }
        Redirect::to(&back(self.sent.page())).into_response()
    }

    /// Returns the address of the conversation the form was sent from, or of its own.
    fn here(&self, page: Page) -> String {
        let from = Some(self.sent.field("from")).filter(|from| !from.is_empty());
        web_channel::address(page, from.unwrap_or(&self.lane.conversation), None)
    }
}

fn refused(problem: impl Into<Problem>) -> Response {
    Refusal::from(problem).into_response()
}

/// `POST /conversations/rename`
pub(crate) async fn post_rename(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let change = Change::read(&app, request).await?;
    let there = conversations::rename(&app, &change.lane, change.sent.field("title")).await;
    Ok(change.answer(there.map_err(refused)?, |page| change.here(page)))
}

/// `POST /conversations/pin`
pub(crate) async fn post_pin(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let change = Change::read(&app, request).await?;
    change.make(&app, |entry| entry.pinned = true, |page| change.here(page)).await
}

/// `POST /conversations/unpin`
pub(crate) async fn post_unpin(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let change = Change::read(&app, request).await?;
    change.make(&app, |entry| entry.pinned = false, |page| change.here(page)).await
}

/// `POST /conversations/remove`: takes it off the list. Nothing of the conversation itself changes.
pub(crate) async fn post_remove(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let change = Change::read(&app, request).await?;
    let remove = |entry: &mut Entry| (entry.removed, entry.pinned) = (true, false);
    change.make(&app, remove, |page| page.path().to_owned()).await
}

/// `POST /conversations/seen`: the visitor sees the conversation as it is now.
pub(crate) async fn post_seen(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let change = Change::read(&app, request).await?;
    let lane = app.runtime().lane(&change.lane).await.map_err(refused)?;
    conversations::record_seen(&app, &lane).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
