//! Sidebar: the visitor's conversations by day, with what is new in them and what waits for the visitor.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};
use throughline_engine::{LaneId, LaneKey, Timestamp};
use throughline_messages as messages;

use super::visitor::{Visitor, people};
use crate::access::Act;
use crate::app::App;
use crate::approver_rules::{ApproverStanding, standing};
use crate::conversations::{self, Listed};
use crate::language;
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::web_channel::{CHANNEL, Page, address};

/// Maximum conversations in the sidebar; the page of all has the others.
const SHOWN: usize = 60;
/// Conversations, of those with the newest messages, that marks are looked up for.
const MARKED: usize = 30;
/// Lanes that are read at a time.
const AT_ONCE: usize = 8;
/// Maximum pending approvals that are looked through.
const APPROVALS: u32 = 200;

/// Conversations of a visitor.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sidebar {
    pub(crate) items: Vec<Item>,
    /// True if there are others.
    pub(crate) more: bool,
}

/// Conversation in the sidebar.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Item {
    pub(crate) id: String,
    /// Address of its end.
    address: String,
    /// Address of the page that organises it; `None` if it is somebody else's.
    organise: Option<String>,
    pub(crate) title: String,
    /// Name of the owner in words, if it is not the visitor.
    owned: Option<String>,
    /// Time of its newest message.
    at: String,
    /// Group in which it is shown: `pinned`, `others`, or a span of days in UTC, which the script makes local.
    group: &'static str,
    label: String,
    /// True for the first item of its group.
    begins: bool,
    pinned: bool,
    /// Number of messages that the visitor has not seen, as far as they are loaded with the lane.
    unread: usize,
    /// True if a question or a card waits for the visitor.
    needs: bool,
}

/// Query of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListQuery {
    page: Page,
}

/// `GET /conversations/list`: the sidebar as JSON, for the page's script. It is no part of the API.
pub(crate) async fn get_list(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    QueryParams(of): QueryParams<ListQuery>,
) -> Result<Response, Problem> {
    visitor.caller.need(Act::ReadLane.scope())?;
    Ok(Json(read(&app, &visitor, of.page).await?).into_response())
}

/// Reads the sidebar: of all conversations one query, of approvals one, and of the newest [`MARKED`] the row of each
/// lane. A lane itself is only read if it went on since the visitor saw it.
pub(crate) async fn read(app: &App, visitor: &Visitor, page: Page) -> Result<Sidebar, Problem> {
    let me = visitor.session.user();
    let tenant = &visitor.caller.tenant;
    let mut own = conversations::list(app, tenant, me).await?;
    let more = own.len() > SHOWN;
    // A pinned conversation is shown however old it is.
    own.sort_by_key(|listed| !listed.entry.pinned);
    own.truncate(SHOWN);
    let waiting = awaiting(app, visitor).await?;
    let now = app.store().now();
    let marked = stream::iter(own.into_iter().enumerate()).map(async |(place, listed)| {
        let lane = lane(visitor, &listed.id);
        let (unread, asks) = if place < MARKED { marks(app, &lane, me, &listed).await? } else { (0, false) };
        let needs = asks || waiting.contains(&lane.id());
        Ok::<_, Problem>(Item { unread, needs, ..Item::of(listed, page, now) })
    });
    let mut items: Vec<Item> = marked.buffered(AT_ONCE).try_collect().await?;
    items.extend(of_others(app, visitor, page).await?);
    let mut group = "";
    for item in &mut items {
        item.begins = std::mem::replace(&mut group, item.group) != item.group;
    }
    Ok(Sidebar { items, more })
}

fn lane(visitor: &Visitor, conversation: &str) -> LaneKey {
    LaneKey::new(&visitor.caller.tenant, &visitor.caller.app, CHANNEL, conversation, "")
}

/// Returns the number of unseen messages, and whether a question waits for the visitor.
async fn marks(app: &App, lane: &LaneKey, me: &str, listed: &Listed) -> Result<(usize, bool), Problem> {
    let seen = listed.entry.seen;
    let info = app.store().lane(&lane.tenant, &lane.id()).await?;
    let revision = info.map_or(0, |info| info.revision);
    if let Some(seen) = seen.filter(|seen| seen.revision >= revision) {
        return Ok((0, seen.asks));
    }
    let lane = app.runtime().lane(lane).await?;
    Ok((conversations::unread(&lane, me, seen), conversations::Seen::of(&lane, me).asks))
}

/// Returns the lanes in which an approval waits that the visitor may give.
async fn awaiting(app: &App, visitor: &Visitor) -> Result<HashSet<LaneId>, Problem> {
    let me = visitor.session.user();
    let mine = |lane: &LaneKey| lane.channel == CHANNEL && crate::auth::owner(&lane.conversation) == Some(me);
    if !visitor.caller.may(Act::Write.scope()) {
        return Ok(HashSet::new());
    }
    let mut lanes = HashSet::new();
    for row in app.store().approvals(&visitor.caller.tenant, true, APPROVALS).await? {
        if !mine(&row.lane) {
            continue;
        }
        let actor = app.runtime().ports().directory.actor(&row.lane, me).await;
        if standing(app.runtime().policy(), &actor, &row.approval) == ApproverStanding::May {
            lanes.insert(row.lane.id());
        }
    }
    Ok(lanes)
}

/// Returns the conversations of the other people of a demo.
async fn of_others(app: &App, visitor: &Visitor, page: Page) -> Result<Vec<Item>, Problem> {
    let me = visitor.session.user();
    let people = if visitor.session.signed_in() { Vec::new() } else { people(app) };
    let now = app.store().now();
    let mut items = Vec::new();
    for other in people.iter().filter(|other| *other != me) {
        let listed = conversations::list(app, &visitor.caller.tenant, other).await?;
        items.extend(listed.into_iter().take(MARKED).map(|listed| Item {
            owned: Some(messages::page_of_owner(language::here(), other)),
            organise: None,
            pinned: false,
            group: "others",
            label: messages::script_of_others(language::here()),
            ..Item::of(listed, page, now)
        }));
    }
    Ok(items)
}

impl Item {
    pub(super) fn of(listed: Listed, page: Page, now: Timestamp) -> Self {
        let entry = listed.entry;
        let group = if entry.pinned { "pinned" } else { group(entry.said_at, now) };
        let untitled = || messages::page_new_conversation(language::here());
        Self {
            address: address(page, &listed.id, None),
            organise: Some(super::organise::address(page, &listed.id)),
            title: Some(entry.title).filter(|title| !title.is_empty()).unwrap_or_else(untitled),
            owned: None,
            at: entry.said_at.rfc3339(),
            group,
            label: label(group),
            begins: false,
            pinned: entry.pinned,
            unread: 0,
            needs: false,
            id: listed.id,
        }
    }
}

/// Returns the span of days in which something was said.
fn group(at: Timestamp, now: Timestamp) -> &'static str {
    let day = |time: Timestamp| time.0.div_euclid(Timestamp::DAY);
    match day(now) - day(at) {
        ..=0 => "today",
        1 => "yesterday",
        2..=6 => "week",
        7..=29 => "month",
        _ => "earlier",
    }
}

fn label(group: &str) -> String {
    let language = language::here();
    match group {
        "pinned" => messages::script_pinned(language),
        "today" => messages::script_today(language),
        "yesterday" => messages::script_yesterday(language),
        "week" => messages::script_last_days(language),
        "month" => messages::script_last_month(language),
        _ => messages::script_earlier(language),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_grouped_by_the_day_of_their_newest_message() {
        let now = Timestamp(20_000 * Timestamp::DAY + Timestamp::HOUR);
        let ago = |days: i64| Timestamp(now.0 - days * Timestamp::DAY);
        for (days, expected) in [
            (-1, "today"),
            (0, "today"),
            (1, "yesterday"),
            (2, "week"),
            (6, "week"),
            (7, "month"),
            (30, "earlier"),
        ] {
            assert_eq!(group(ago(days), now), expected, "{days}");
        }
        assert_eq!(group(Timestamp(now.0 - 2 * Timestamp::HOUR), now), "yesterday", "the day before in UTC");
    }
}
