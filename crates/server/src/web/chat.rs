//! Chat page at `/`: one conversation of the visitor, and the list of all.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::pending::PendingClass;
use throughline_messages as messages;

use super::conversations;
use super::history::{self, Item};
use super::page::{ForPage, Refusal, page};
use super::sidebar::{self, Sidebar};
use super::visitor::{Visitor, VisitorView};
use crate::access::Act;
use crate::app::App;
use crate::auth::{Scope, owner};
use crate::conversations as entries;
use crate::doing::{Doing, doing};
use crate::language;
use crate::problem::Problem;
use crate::random;
use crate::request::QueryParams;
use crate::web_channel::{self, Page, address};

/// Returns the examples that an empty conversation offers.
fn examples() -> [String; 3] {
    let language = language::here();
    [
        messages::page_example_bug(language),
        messages::page_example_opinion(language),
        messages::page_example_help(language),
    ]
}

/// Query of the chat page.
#[derive(Debug, Deserialize)]
pub(crate) struct ChatQuery {
    /// Id of the conversation; the newest if absent.
    c: Option<String>,
    /// Revision below which turns are shown.
    before: Option<u64>,
    /// Id of the message that the next one replies to.
    reply: Option<String>,
}

/// Query of a new conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NewQuery {
    page: Page,
}

/// Values of the chat page.
#[derive(Serialize)]
pub(super) struct ChatPage {
    seen: VisitorView,
    page: Page,
    sidebar: Sidebar,
    /// Id of this conversation.
    conversation: String,
    title: String,
    /// Owner, if it is not the visitor.
    owner: Option<String>,
    lane: String,
    /// True if it has messages.
    begun: bool,
    /// Revision after which the stream continues.
    revision: u64,
    items: Vec<Item>,
    /// Address of the end of this conversation.
    address: String,
    /// Address of this page, to which parameters can be added.
    here: String,
    /// Address of the earlier part.
    earlier: Option<String>,
    /// True for an earlier part, which does not continue.
    past: bool,
    waiting: Option<WaitingQuestion>,
    /// Address to reply to a message, completed by its id; `None` if the visitor may not write.
    replies: Option<String>,
    replying: Option<RepliedMessage>,
    /// True if the visitor may write.
    writes: bool,
    /// Name of the command.
    command: String,
    /// Words of the commands that are taken here.
    commands: Vec<&'static str>,
    /// Work that this conversation waits for.
    doing: Vec<Doing>,
    /// Key of the page's next form.
    key: String,
    examples: [String; 3],
}

impl ChatPage {
    /// Replaces the examples.
    pub(super) fn offering(self, examples: [String; 3]) -> Self {
        Self { examples, ..self }
    }
}

/// Question that text would answer.
#[derive(Serialize)]
struct WaitingQuestion {
    /// Id of the message that asked.
    anchor: String,
    /// Its text, if the page shows it.
    text: Option<String>,
}

/// Message that the next one replies to.
#[derive(Serialize)]
struct RepliedMessage {
    id: String,
    text: String,
}

/// `GET /`
pub(crate) async fn get_chat(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(QueryParams(which)): ForPage<QueryParams<ChatQuery>>,
) -> Result<Response, Refusal> {
    show(&app, &visitor, which, Page::Chat, "chat.html", |values| values).await
}

/// Renders the page of a conversation, or redirects to the newest. `dress` adds the values of a page that has more.
pub(super) async fn show<V: Serialize>(
    app: &Arc<App>,
    visitor: &Visitor,
    which: ChatQuery,
    on: Page,
    template: &str,
    dress: impl FnOnce(ChatPage) -> V,
) -> Result<Response, Refusal> {
    visitor.caller.need(Act::ReadLane.scope())?;
    let me = visitor.session.user();
    let Some(id) = which.c else {
        let newest = entries::list(app, &visitor.caller.tenant, me).await?.into_iter().next();
        let id = newest.map_or_else(|| conversations::fresh(app, me), |newest| Ok(newest.id))?;
        return Ok(Redirect::to(&address(on, &id, None)).into_response());
    };
    let key = conversations::lane(app, visitor, Act::ReadLane, &id).await?;
    let begun = app.store().lane(&key.tenant, &key.id()).await?.is_some();
    if !begun && owner(&id).is_none() {
        return Err(Problem::not_found("conversation").into());
    }
    let lane = app.runtime().lane(&key).await?;
    let history = history::read(app, &lane, which.before.unwrap_or(u64::MAX), me).await?;
    let writes = visitor.caller.may(Scope::EventsWrite);
    let entry = entries::entry(app, &key.tenant, &id).await?;
    let titled = entry.map(|entry| entry.title).filter(|title| !title.is_empty());
    let title = titled.unwrap_or_else(|| messages::page_new_conversation(language::here()));
    if owner(&id) == Some(me) && which.before.is_none() {
        entries::record_seen(app, &lane).await?;
    }
    let sidebar = sidebar::read(app, visitor, on).await?;
    let here = web_channel::at(on, &id);
    let values = ChatPage {
        seen: visitor.view(app),
        page: on,
        title,
        owner: owner(&id).filter(|owner| *owner != me).map(str::to_owned),
        lane: key.id().0,
        begun,
        revision: history.revision,
        waiting: waiting(&lane, me, &history.items),
        replies: writes.then(|| here.clone()),
        here,
        replying: which.reply.and_then(|reply| replying(reply, &history.items)),
        items: history.items,
        address: address(on, &id, None),
        earlier: history.earlier.map(|revision| address(on, &id, Some(revision))),
        past: which.before.is_some(),
        writes,
        command: app.runtime().policy().command.0.clone(),
        commands: throughline_engine::commands(app.runtime().policy(), &key),
        doing: doing(&lane),
        key: random::id()?,
        examples: examples(),
        conversation: id,
        sidebar,
    };
    Ok(page(template, &dress(values))?)
}

/// Query of an earlier part.
#[derive(Debug, Deserialize)]
pub(crate) struct HistoryQuery {
    c: String,
    before: u64,
    #[serde(default)]
    page: Page,
}

/// Earlier part of a conversation, for the page's script.
#[derive(Serialize)]
struct EarlierPart {
    items: Vec<Item>,
    /// Address of the part before it.
    earlier: Option<String>,
}

/// `GET /history`: the messages before a revision as JSON. It is no part of the API.
pub(crate) async fn get_history(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    QueryParams(HistoryQuery { c, before, page }): QueryParams<HistoryQuery>,
) -> Result<Response, Problem> {
    let key = conversations::lane(&app, &visitor, Act::ReadLane, &c).await?;
    let lane = app.runtime().lane(&key).await?;
    let read = history::read(&app, &lane, before, visitor.session.user()).await?;
    let earlier = read.earlier.map(|revision| address(page, &c, Some(revision)));
    Ok(Json(EarlierPart { items: read.items, earlier }).into_response())
}

/// Returns that message, if the page shows it.
fn replying(id: String, items: &[Item]) -> Option<RepliedMessage> {
    let text = items.iter().find(|item| item.id() == id)?.words().to_owned();
    Some(RepliedMessage { id, text })
}

/// `GET /new`: redirects to a new address, so that a reload shows the same conversation.
pub(crate) async fn get_new(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(QueryParams(began)): ForPage<QueryParams<NewQuery>>,
) -> Result<Response, Refusal> {
    let id = conversations::fresh(&app, visitor.session.user())?;
    Ok(Redirect::to(&address(began.page, &id, None)).into_response())
}

/// Returns the question that waits for an answer of this person, or of anybody.
fn waiting(lane: &Lane, me: &str, items: &[Item]) -> Option<WaitingQuestion> {
    let asks_me = |of: &Option<String>| of.as_deref().is_none_or(|of| of == me);
    let mut pendings = lane.head.pendings.iter();
    let question = pendings
        .find(|pending| pending.kind.class() == PendingClass::Conversational && asks_me(&pending.asked_of))?;
    let asked = items.iter().find(|item| item.id() == question.anchor.as_str());
    Some(WaitingQuestion {
        anchor: question.anchor.0.clone(),
        text: asked.map(|item| item.text().to_owned()),
    })
}
