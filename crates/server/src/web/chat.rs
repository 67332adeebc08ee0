//! The chat's page at `/`: one conversation of the visitor's, and the list of them.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_engine::lane::Lane;
use throughline_engine::pending::PendingClass;

use super::conversations::{self, Conversation, Page, address};
use super::history::{self, Item};
use super::page::{Refusal, page};
use super::session::random;
use super::visitor::{Seen, Visitor};
use crate::app::App;
use crate::auth::{Scope, owner};
use crate::problem::Problem;
use crate::request::Asked;

/// What an empty conversation offers to say.
const EXAMPLES: [&str; 3] = [
    "Create a bug: the log-in page stays blank",
    "What do you think about microservices?",
    "What can you do?",
];

/// Which conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    /// Its id; the newest when not said.
    c: Option<String>,
    /// Only what was before this turn of it.
    before: Option<u64>,
    /// The message that what is written next replies to.
    reply: Option<String>,
}

/// On which page a conversation begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Began {
    page: Page,
}

/// What the page of a conversation shows.
#[derive(Serialize)]
pub(super) struct Values {
    seen: Seen,
    page: Page,
    conversations: Vec<Conversation>,
    /// This one.
    conversation: String,
    title: String,
    /// Whose it is, when it is not the visitor's own.
    owner: Option<String>,
    lane: String,
    /// Something was said in it.
    begun: bool,
    /// Where the stream goes on.
    revision: u64,
    items: Vec<Item>,
    /// Where the end of this one is seen.
    address: String,
    /// The same, for more to be said behind it.
    here: String,
    /// Where what lies before is seen.
    earlier: Option<String>,
    /// An older part of it, which does not go on.
    past: bool,
    waiting: Option<Waiting>,
    /// Where a message is replied to, when `&reply=` and its id follow; nowhere for who may not write.
    replies: Option<String>,
    replying: Option<Replying>,
    /// The visitor may write.
    writes: bool,
    /// Names the act of the page's next form.
    key: String,
    examples: [&'static str; 3],
}

impl Values {
    /// The same with other things to say.
    pub(super) fn offering(self, examples: [&'static str; 3]) -> Self {
        Self { examples, ..self }
    }
}

/// The question that text would answer.
#[derive(Serialize)]
struct Waiting {
    /// The message that asked.
    anchor: String,
    /// Its words, when the page shows it.
    text: Option<String>,
}

/// The message that what is written next replies to.
#[derive(Serialize)]
struct Replying {
    id: String,
    text: String,
}

/// `GET /`
pub(crate) async fn get_chat(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Asked(which): Asked<Which>,
) -> Result<Response, Refusal> {
    show(&app, &visitor, which, Page::Chat, "chat.html", |values| values).await
}

/// The page of one conversation, or the way to the newest. `dress` adds what a page has beside it.
pub(super) async fn show<V: Serialize>(
    app: &Arc<App>,
    visitor: &Visitor,
    which: Which,
    on: Page,
    template: &str,
    dress: impl FnOnce(Values) -> V,
) -> Result<Response, Refusal> {
    visitor.caller.need(Scope::LanesRead)?;
    let conversations = conversations::listed(app, visitor, on).await?;
    let Some(id) = which.c else {
        let own = owner_is(visitor.session.user());
        let newest = conversations.into_iter().find(|conversation| own(&conversation.id));
        let id = newest
            .map_or_else(|| conversations::fresh(app, visitor.session.user()), |newest| Ok(newest.id))?;
        return Ok(Redirect::to(&address(on, &id, None)).into_response());
    };
    let key = conversations::lane(visitor, &id)?;
    let me = visitor.session.user();
    let begun = app.store().lane(&key.tenant, &key.id()).await?.is_some();
    if !begun && owner(&id).is_none() {
        return Err(Problem::not_found("conversation").into());
    }
    let lane = app.runtime().lane(&key).await?;
    let history = history::read(app, &lane, which.before.unwrap_or(u64::MAX), me).await?;
    let writes = visitor.caller.may(Scope::EventsWrite);
    let known = conversations.iter().find(|conversation| conversation.id == id);
    let title = known.map_or_else(|| "New conversation".into(), |known| known.title.clone());
    let here = conversations::at(on, &id);
    let values = Values {
        seen: visitor.seen(app),
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
        key: random()?,
        examples: EXAMPLES,
        conversation: id,
        conversations,
    };
    Ok(page(template, &dress(values))?)
}

/// That message, if the page shows it.
fn replying(id: String, items: &[Item]) -> Option<Replying> {
    let text = items.iter().find(|item| item.id() == id)?.words().to_owned();
    Some(Replying { id, text })
}

fn owner_is(user: &str) -> impl Fn(&str) -> bool {
    move |conversation| owner(conversation) == Some(user)
}

/// `GET /new`: a conversation of its own address, so that a reload is still the same one.
pub(crate) async fn get_new(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Asked(began): Asked<Began>,
) -> Result<Response, Refusal> {
    let id = conversations::fresh(&app, visitor.session.user())?;
    Ok(Redirect::to(&address(began.page, &id, None)).into_response())
}

/// The question that waits for an answer of this person's, or of anybody's.
fn waiting(lane: &Lane, me: &str, items: &[Item]) -> Option<Waiting> {
    let asks_me = |of: &Option<String>| of.as_deref().is_none_or(|of| of == me);
    let mut pendings = lane.head.pendings.iter();
    let question = pendings
        .find(|pending| pending.kind.class() == PendingClass::Conversational && asks_me(&pending.asked_of))?;
    let asked = items.iter().find(|item| item.id() == question.anchor.as_str());
    Some(Waiting { anchor: question.anchor.0.clone(), text: asked.map(|item| item.text().to_owned()) })
}
