//! Web conversations of a visitor: new ids, and access. `sidebar.rs` lists them.

use throughline_engine::LaneKey;

use super::visitor::Visitor;
use crate::access::{self, Act};
use crate::app::App;
use crate::auth::owner;
use crate::problem::Problem;
use crate::random;
use crate::web_channel::CHANNEL;

/// Maximum length of an id.
const LONGEST: usize = 200;

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

/// Returns the lane of a conversation of the visitor's own, which is on no list but theirs.
pub(crate) async fn own(app: &App, visitor: &Visitor, conversation: &str) -> Result<LaneKey, Problem> {
    let lane = lane(app, visitor, Act::ReadLane, conversation).await?;
    let own = owner(conversation) == Some(visitor.session.user());
    own.then_some(lane).ok_or_else(|| Problem::not_found("conversation"))
}
