//! The web conversations of a person: their ids, which are newest, what they are called.
//!
//! A conversation's id is its owner, a colon, and a name that sorts the newest first. What it is called is kept as a
//! document beside the lane when its first message comes in; the lane itself knows nothing of it.

use serde::{Deserialize, Serialize};
use throughline_engine::{Event, EventKind, LaneKey};
use throughline_store::{Document, LaneInfo, StoreError};

use super::session::random;
use super::visitor::{Visitor, people};
use crate::app::App;
use crate::auth::{Caller, owner};
use crate::problem::Problem;

/// The channel's name.
pub(crate) const CHANNEL: &str = "web";
/// How many of one person a page lists.
const LISTED: u32 = 30;
/// The longest title, in characters.
const TITLE: usize = 60;
/// The longest id.
const LONGEST: usize = 200;

/// One in a list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Conversation {
    pub(crate) id: String,
    /// Where its end is seen.
    address: String,
    pub(crate) title: String,
    /// Whose it is, when it is not the visitor's own.
    owner: Option<String>,
}

/// What is kept of one.
#[derive(Serialize, Deserialize)]
struct Kept {
    title: String,
}

fn collection(owner: &str) -> String {
    format!("web.conversations.{owner}")
}

/// A new id for a conversation of that person. Nothing is kept of it before something is said.
pub(crate) fn fresh(app: &App, user: &str) -> Result<String, Problem> {
    let now = u64::try_from(app.store().now().0).unwrap_or_default();
    let newest_first = (1_u64 << 44).saturating_sub(now);
    Ok(format!("{user}:{newest_first:011x}{}", &random()?[..12]))
}

/// The lane of a conversation, if it is there for the visitor.
pub(crate) fn lane(visitor: &Visitor, conversation: &str) -> Result<LaneKey, Problem> {
    let caller = &visitor.caller;
    let visible = |c: char| !c.is_whitespace() && !c.is_control();
    let fits = (1..=LONGEST).contains(&conversation.len()) && conversation.chars().all(visible);
    let lane = LaneKey::new(&caller.tenant, &caller.app, CHANNEL, conversation, "");
    if fits && caller.sees(&lane) { Ok(lane) } else { Err(Problem::not_found("conversation")) }
}

/// Those a page lists, the newest first: the visitor's own, and in a demo everybody's.
pub(crate) async fn listed(app: &App, visitor: &Visitor, page: Page) -> Result<Vec<Conversation>, Problem> {
    let me = visitor.session.user();
    let others = if visitor.session.signed_in() { Vec::new() } else { people(app) };
    let mut found = of(app, visitor, page, me).await?;
    for other in others.iter().filter(|other| *other != me) {
        found.extend(of(app, visitor, page, other).await?);
    }
    Ok(found)
}

async fn of(app: &App, visitor: &Visitor, page: Page, user: &str) -> Result<Vec<Conversation>, Problem> {
    let tenant = &visitor.caller.tenant;
    let documents = app.store().documents(tenant, &collection(user), None, LISTED).await?;
    let read = |document: Document| {
        let Kept { title } = serde_json::from_str(&document.body).ok()?;
        let owner = Some(user.to_owned()).filter(|user| user != visitor.session.user());
        let id = format!("{user}:{}", document.key);
        Some(Conversation { address: address(page, &id, None), id, title, owner })
    };
    Ok(documents.into_iter().filter_map(read).collect())
}

/// The lanes of a person's own conversations, the newest first: all that a list of lanes has for them.
pub(crate) async fn lanes(app: &App, caller: &Caller, limit: u32) -> Result<Vec<LaneInfo>, Problem> {
    let Caller { tenant, app: name, principal, .. } = caller;
    let mut found = Vec::new();
    for document in app.store().documents(tenant, &collection(principal), None, limit).await? {
        let conversation = format!("{principal}:{}", document.key);
        let lane = LaneKey::new(tenant, name, CHANNEL, &conversation, "");
        found.extend(app.store().lane(tenant, &lane.id()).await?);
    }
    Ok(found)
}

/// The pages a conversation is seen on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Page {
    /// Alone.
    #[default]
    Chat,
    /// With panels beside it.
    Workspace,
}

impl Page {
    fn path(self) -> &'static str {
        match self {
            Self::Chat => "/",
            Self::Workspace => "/workspace",
        }
    }
}

/// Where the end of a conversation is seen, or of what lies before a turn of it.
pub(crate) fn address(page: Page, conversation: &str, before: Option<u64>) -> String {
    let before = before.map(|revision| format!("&before={revision}")).unwrap_or_default();
    format!("{}{before}#end", at(page, conversation))
}

/// The page of a conversation, for more to be said behind it.
pub(crate) fn at(page: Page, conversation: &str) -> String {
    let id: String = form_urlencoded::byte_serialize(conversation.as_bytes()).collect();
    format!("{}?c={id}", page.path())
}

/// Gives a conversation its title when its first message comes in. A list without it is no reason to refuse a message.
pub(crate) async fn begun(app: &App, lane: &LaneKey, event: &Event) {
    let EventKind::MessagePosted(posted) = &event.kind else { return };
    let Some(owner) = owner(&lane.conversation).filter(|_| lane.channel == CHANNEL) else { return };
    if let Err(error) = keep(app, lane, owner, &posted.text).await {
        tracing::warn!(%error, "a conversation was not put on its owner's list");
    }
}

async fn keep(app: &App, lane: &LaneKey, owner: &str, text: &str) -> Result<(), StoreError> {
    let (tenant, collection) = (&lane.tenant, collection(owner));
    let key = &lane.conversation[owner.len() + 1..];
    if app.store().document(tenant, &collection, key).await?.is_some() {
        return Ok(());
    }
    let body = serde_json::to_string(&Kept { title: title(text) }).unwrap_or_default();
    let document = Document { key: key.into(), version: 0, body };
    // Somebody else's first message at the same moment is as good a title.
    app.store().write_documents(tenant, vec![(collection, document)], None).await.map(drop)
}

/// A text's beginning, on one line. The script does the same.
pub(crate) fn title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(TITLE).collect();
    if shown.len() < line.len() { format!("{}…", shown.trim_end()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(title("  Log-in \n fails\t"), "Log-in fails");
        assert_eq!(title(&"ä".repeat(60)), "ä".repeat(60));
        assert_eq!(title(&"ä ".repeat(60)), format!("{}…", "ä ".repeat(30).trim_end()));
        assert_eq!(title(""), "");
    }
}
