//! Preview of a lane: each message and card as Slack, Telegram and the web chat show it, side by side, from what the
//! channels' own renderers make of it. A page reads the lane, its 30 newest turns and their messages and cards.
//! `preview/channels.rs` draws on a channel.

mod channels;

use std::collections::BTreeMap;

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_engine::MessageId;
use throughline_runtime::MessageView;

use super::lane::find;
use super::operator::{Equivalents, Operator, Section};
use super::turn;
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams};
use crate::routes::feed::{FeedEvent, events_of};
use crate::routes::lanes::read;
use crate::web::history::{self, Item, Reader};
use crate::wire;
use channels::{Content, OnSlack, OnTelegram, Pen, pictured};

/// Turns per page.
const PAGE: u32 = 30;

/// Query of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PreviewQuery {
    /// Revision below which turns are shown.
    before: Option<u64>,
}

#[derive(Serialize)]
struct Page {
    lane: wire::LaneInfo,
    /// Person through whose eyes the lane is shown.
    reader: String,
    rows: Vec<Row>,
    /// Revision below which older turns begin.
    older: Option<u64>,
    /// True if the turns are not the newest.
    past: bool,
}

/// Line of the preview.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Row {
    /// Press, form or command: nothing that a channel shows.
    Act {
        by: String,
        what: String,
        decision: String,
    },
    Shown(Box<Shown>),
}

/// Message, card or notice on each channel.
#[derive(Serialize)]
struct Shown {
    web: Item,
    slack: OnSlack,
    telegram: OnTelegram,
}

/// Turn that is shown, with its events.
struct ReadTurn {
    info: wire::TurnInfo,
    act: Option<String>,
    /// Its messages, in the order in which they are sent.
    messages: Vec<MessageId>,
    events: Vec<FeedEvent>,
}

/// `GET /console/preview/{lane}`.
pub(super) async fn show(
    operator: Operator,
    PathParam(id): PathParam,
    QueryParams(query): QueryParams<PreviewQuery>,
) -> Result<Response, Problem> {
    operator.enter(Section::Lanes)?;
    let info = find(&operator, &id).await?;
    let (runtime, store) = (operator.app.runtime(), operator.app.store());
    let lane = runtime.lane(&info.key).await?;
    let mut stored = store.turns_before(&info.key, query.before.unwrap_or(u64::MAX), PAGE + 1).await?;
    let more = stored.len() > PAGE as usize;
    stored.truncate(PAGE as usize);
    let older = stored.last().filter(|_| more).map(|turn| turn.revision);
    let mut turns = Vec::new();
    for stored in stored.iter().rev() {
        let turn = read(stored)?;
        let events = events_of(&operator.app, &lane, stored).await?;
        let (info, act, messages) = (wire::TurnInfo::new(&turn), turn::act(&turn), turn.row.messages);
        turns.push(ReadTurn { info, act, messages, events });
    }
    let reader = first_author(&turns).unwrap_or_else(|| operator.caller.principal.clone());
    let acts: BTreeMap<u64, Row> = turns.iter().filter_map(act).collect();
    let sent: Vec<MessageId> = turns.iter().flat_map(|turn| turn.messages.clone()).collect();
    let turns = turns.into_iter().map(|turn| (turn.info.revision, turn.events));
    let mut items = history::fold(turns, Reader { me: &reader, reads_all_notices: true });
    // The chat shows a turn's texts before its cards. Whoever is sent messages has them in this order.
    let place = |item: &Item| sent.iter().position(|id| id.as_str() == item.id()).unwrap_or(sent.len());
    items.sort_by_key(|item| (item.revision(), place(item)));
    let ids: Vec<MessageId> = items.iter().map(|item| item.id().into()).collect();
    let views = runtime.messages_of(&lane, &ids).await?;
    let rows = rows(items, acts, &views, &Pen::of(operator.app.config()));
    let page = Page { lane: wire::LaneInfo::from(&info), reader, rows, older, past: query.before.is_some() };
    let twin = Equivalents::new(
        format!("throughline lanes show {}", info.id),
        format!("GET /v1/lanes/{}/messages", info.id),
    );
    operator.page(Section::Lanes, "console/preview.html", twin, &page).await
}

/// Returns the person who wrote first.
fn first_author(turns: &[ReadTurn]) -> Option<String> {
    turns.iter().flat_map(|turn| &turn.events).find_map(|event| match event {
        FeedEvent::Message(message) if message.role == "user" => message.by.clone(),
        _ => None,
    })
}

fn act(turn: &ReadTurn) -> Option<(u64, Row)> {
    let by = turn.info.actor.clone().unwrap_or_default();
    let row = Row::Act { by, what: turn.act.clone()?, decision: turn.info.decision.clone() };
    Some((turn.info.revision, row))
}

/// Returns the lines in order: what somebody did comes before what came of it.
fn rows(items: Vec<Item>, mut acts: BTreeMap<u64, Row>, views: &[MessageView], pen: &Pen) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in items {
        let later = acts.split_off(&(item.revision() + 1));
        rows.extend(std::mem::replace(&mut acts, later).into_values());
        let view = views.iter().find(|view| view.id.as_str() == item.id());
        rows.push(Row::Shown(Box::new(shown(item, view, pen))));
    }
    rows.extend(acts.into_values());
    rows
}

fn shown(mut web: Item, view: Option<&MessageView>, pen: &Pen) -> Shown {
    let card = view.and_then(|view| view.card.clone()).filter(|_| !web.is_gone()).map(pictured);
    if let Some(card) = &card {
        web.show(card.clone().into());
    }
    let content = Content::of(&web, view, card.as_ref());
    Shown { slack: pen.on_slack(&content), telegram: pen.on_telegram(&content), web }
}
