//! Web conversations of a visitor: new ids, access, and the list (`conversations.rs` of the crate stores their
//! titles).

use serde::Serialize;
use throughline_engine::LaneKey;

use super::visitor::{Visitor, people};
use crate::access::{self, Act};
use crate::app::App;
use crate::conversations;
use crate::problem::Problem;
use crate::random;
use crate::web_channel::{CHANNEL, Page, address};

/// Maximum conversations of one person in a list.
const LISTED: u32 = 30;
/// Maximum length of an id.
const LONGEST: usize = 200;

/// Conversation in a list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Conversation {
    pub(crate) id: String,
    /// Address of its end.
    address: String,
    pub(crate) title: String,
    /// Owner, if it is not the visitor.
    owner: Option<String>,
}

/// Returns a new id for a conversation. Nothing is stored before its first message.
pub(crate) fn fresh(app: &App, user: &str) -> Result<String, Problem> {
    let now = u64::try_from(app.store().now().0).unwrap_or_default();
    let newest_first = (1_u64 << 44).saturating_sub(now);
    Ok(format!("{user}:{newest_first:011x}{}", &random::id()?[..12]))
}

/// Returns the lane of a conversation, if the visitor may do this to it.
pub(crate) async fn lane(
    app: &App,
    visitor: &Visitor,
    act: Act,
    conversation: &str,
) -> Result<LaneKey, Problem> {
    let caller = &visitor.caller;
    let visible = |c: char| !c.is_whitespace() && !c.is_control();
    let fits = (1..=LONGEST).contains(&conversation.len()) && conversation.chars().all(visible);
    let lane = LaneKey::new(&caller.tenant, &caller.app, CHANNEL, conversation, "");
    if !fits {
        return Err(Problem::not_found("conversation"));
    }
    access::check(app, caller, act, &lane, "conversation").await?;
    Ok(lane)
}

/// Returns the conversations of a page, newest first: the visitor's own, and in a demo everybody's.
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
    let titled = conversations::titles(app, &visitor.caller.tenant, user, LISTED).await?;
    let own = user == visitor.session.user();
    let item = |(id, title): (String, String)| Conversation {
        address: address(page, &id, None),
        id,
        title,
        owner: (!own).then(|| user.to_owned()),
    };
    Ok(titled.into_iter().map(item).collect())
}
