//! `GET /follow`: the lanes of all tabs of a browser in one stream, since a browser has six connections for a host. It is no
//! part of the API: it is what `stream.js` and this version say to each other.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::FutureExt as _;
use futures_util::future::select_all;
use serde::{Deserialize, Serialize};
use throughline_engine::LaneKey;
use throughline_runtime::Heard;
use tokio::sync::broadcast;

use super::feed::{Feed, FeedItem, Position};
use super::lanes;
use super::stream::{Follow, respond};
use crate::access::Act;
use crate::app::App;
use crate::auth::{Caller, owner};
use crate::codes;
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::web_channel::CHANNEL;

/// Lanes that one stream follows at most. A tab whose lane is refused polls.
const LANES: usize = 32;

/// Lanes to follow.
#[derive(Debug, Deserialize)]
pub(crate) struct FollowQuery {
    /// Ids of lanes with commas between, each with a colon and the id of the last event that arrived.
    lanes: String,
}

/// Event as it is sent.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<&'a str>,
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    data: serde_json::Value,
}

/// Events of several lanes.
struct Lanes {
    feeds: Vec<Followed>,
    /// Events that are sent at once.
    ready: Vec<Event>,
    own: OwnList,
}

/// Lane that is followed.
struct Followed {
    lane: String,
    feed: Feed,
    /// True if something may have happened.
    due: bool,
}

/// Turns in web conversations of the caller, which change their list.
struct OwnList {
    caller: Caller,
    committed: broadcast::Receiver<Heard>,
    due: bool,
}

/// `GET /follow`
pub(crate) async fn get_follow(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(FollowQuery { lanes: wanted }): QueryParams<FollowQuery>,
) -> Result<Response, Problem> {
    let committed = app.runtime().wakes().subscribe();
    let own = OwnList { caller: caller.clone(), committed, due: false };
    let mut all = Lanes { feeds: Vec::new(), ready: Vec::new(), own };
    for (place, wanted) in wanted.split(',').enumerate() {
        let (id, after) = wanted.split_once(':').unwrap_or((wanted, "0"));
        let position = Position::after(after).ok_or_else(|| {
            Problem::new(&codes::BAD_REQUEST, format!("{after:?} is not the id of an event of a stream"))
        })?;
        match lanes::find(&app, &caller, Act::ReadLane, id).await {
            Ok(lane) if place < LANES => {
                let feed = Feed::open(app.clone(), caller.clone(), lane, position).with_writing();
                all.feeds.push(Followed { lane: id.to_owned(), feed, due: true });
            }
            // The other tabs are told theirs all the same.
            _ => all.ready.push(told(Some(id), "refused", None, serde_json::Value::Null)),
        }
    }
    respond(&app, &caller, all)
}

impl Follow for Lanes {
    async fn next(&mut self) -> Result<Vec<Event>, Problem> {
        let mut events = std::mem::take(&mut self.ready);
        for followed in self.feeds.iter_mut().filter(|followed| followed.due) {
            let lane = followed.lane.as_str();
            let items = followed.feed.next().await?;
            // There may be more than came at once.
            followed.due = !items.is_empty();
            events.extend(
                items.into_iter().map(|FeedItem { id, what }| told(Some(lane), what.name(), id, what.data())),
            );
        }
        if std::mem::take(&mut self.own.due) {
            events.push(told(None, "conversations", None, serde_json::Value::Null));
        }
        Ok(events)
    }

    async fn more(&mut self) -> bool {
        if self.feeds.is_empty() {
            return false;
        }
        let own = &mut self.own;
        let lanes = self.feeds.iter_mut().map(|followed| {
            let Followed { feed, due, .. } = followed;
            async move {
                let more = feed.more().await;
                *due = more;
                more
            }
            .boxed()
        });
        let waiting: Vec<_> = std::iter::once(own.more().boxed()).chain(lanes).collect();
        select_all(waiting).await.0
    }
}

impl OwnList {
    /// Waits until a turn of one of the caller's conversations is committed; returns false at the end.
    async fn more(&mut self) -> bool {
        loop {
            match self.committed.recv().await {
                Ok(Heard::Turn(committed)) if !self.has(&committed.lane) => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => break,
                Err(broadcast::error::RecvError::Closed) => return false,
            }
        }
        self.due = true;
        true
    }

    fn has(&self, lane: &LaneKey) -> bool {
        lane.tenant == self.caller.tenant
            && lane.channel == CHANNEL
            && owner(&lane.conversation) == Some(&self.caller.principal)
    }
}

fn told(lane: Option<&str>, event: &str, id: Option<String>, data: serde_json::Value) -> Event {
    Event::default().data(serde_json::to_string(&Told { lane, event, id, data }).unwrap_or_default())
}
