//! `GET /v1/lanes/{lane}/stream`: what happens in a lane, as server-sent events.
//!
//! Every event has a durable id, `revision.position`: the turn, then its messages, cards and effects in their
//! fixed order. So a stream that broke anywhere is resumed behind the last event that arrived, and none is missing
//! or sent twice. What is sent is read from the store; wake-ups only say when to look.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throughline_engine::MessageId;
use throughline_runtime::Committed;
use throughline_store::{LaneInfo, StoredTurn};
use tokio::sync::broadcast;

use super::lanes;
use crate::app::{App, Counted, STREAMS};
use crate::auth::Caller;
use crate::codes;
use crate::problem::Problem;
use crate::request::{Asked, Named};
use crate::telling;
use crate::wire;

/// A comment after so long without an event (`spec 07 §4`).
const QUIET: Duration = Duration::from_secs(15);
/// Turns read at once.
const BATCH: u32 = 32;

/// Where to go on.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct From {
    /// The id of the last event that arrived, or a revision: everything of that turn arrived. `Last-Event-ID` wins.
    after: Option<String>,
}

/// A place in a lane's events: those of turns up to `revision` were sent, and `next` of the turn after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    revision: u64,
    next: usize,
}

impl Place {
    /// Behind the event of that id.
    fn after(id: &str) -> Option<Self> {
        match id.split_once('.') {
            None => Some(Self { revision: id.parse().ok()?, next: 0 }),
            Some((revision, position)) => {
                let revision: u64 = revision.parse().ok()?;
                let position: usize = position.parse().ok()?;
                Some(Self { revision: revision.checked_sub(1)?, next: position.checked_add(1)? })
            }
        }
    }
}

/// Follow a lane
///
/// Events `turn`, `message`, `card`, `effect`, and `reset` when the place to resume from is ahead of the lane. A
/// comment at once and every 15 seconds.
#[utoipa::path(
    get, path = "/v1/lanes/{lane}/stream", tag = "lanes", operation_id = "streamLane",
    params(
        ("lane" = String, Path, description = "ln_…"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived"),
        From,
    ),
    responses(
        (status = 200, description = "Server-sent events.", body = String, content_type = "text/event-stream"),
    )
)]
pub(crate) async fn get_stream(
    State(app): State<Arc<App>>,
    caller: Caller,
    Named(id): Named,
    Asked(from): Asked<From>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let lane = lanes::find(&app, &caller, &id).await?;
    let last = headers.get("last-event-id").map(|id| id.to_str().unwrap_or("?").to_owned()).or(from.after);
    let place = match last.as_deref() {
        None => Place { revision: 0, next: 0 },
        Some(id) => Place::after(id).ok_or_else(|| {
            Problem::new(&codes::BAD_REQUEST, format!("{id:?} is not the id of an event of a stream"))
        })?,
    };
    let counted = app.enter(format!("streams\n{}", caller.tenant));
    if app.count(&format!("streams\n{}", caller.tenant)) > STREAMS {
        let text = format!("{STREAMS} streams of this tenant are open");
        return Err(Problem::new(&codes::TOO_MANY_STREAMS, text).retry_after(5));
    }
    let keep_alive = KeepAlive::new().interval(QUIET).text("quiet");
    let mut response =
        Sse::new(events(Source::new(app, lane, place, counted))).keep_alive(keep_alive).into_response();
    let headers = response.headers_mut();
    headers.insert("cache-control", HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Where a stream's events come from.
struct Source {
    app: Arc<App>,
    lane: LaneInfo,
    place: Place,
    ready: VecDeque<Event>,
    committed: broadcast::Receiver<Committed>,
    _counted: Counted,
}

impl Source {
    fn new(app: Arc<App>, lane: LaneInfo, place: Place, counted: Counted) -> Self {
        // Subscribed before the first look, so that nothing falls between.
        let committed = app.runtime().wakes().subscribe();
        let mut ready = VecDeque::from([Event::default().comment("here")]);
        let mut place = place;
        let ahead = place.revision + u64::from(place.next > 0);
        if ahead > lane.revision {
            let data = json!({"revision": lane.revision});
            ready.push_back(
                Event::default().event("reset").id(lane.revision.to_string()).data(data.to_string()),
            );
            place = Place { revision: lane.revision, next: 0 };
        }
        Self { app, lane, place, ready, committed, _counted: counted }
    }

    /// Reads on from the place; `false`: there is nothing yet.
    async fn read(&mut self) -> Result<bool, Problem> {
        let turns = self.app.store().turns(&self.lane.key, self.place.revision, BATCH).await?;
        for stored in &turns {
            let events = events_of(&self.app, &self.lane, stored).await?;
            self.ready.extend(events.into_iter().skip(self.place.next));
            self.place = Place { revision: stored.revision, next: 0 };
        }
        Ok(!turns.is_empty())
    }

    /// Until a turn of this lane is committed; `false`: the instance shuts down.
    async fn more(&mut self) -> bool {
        loop {
            let drained = self.app.drained.notified();
            if self.app.draining() {
                return false;
            }
            tokio::select! {
                () = drained => return false,
                heard = self.committed.recv() => match heard {
                    Ok(committed) if committed.lane_id != self.lane.id => {}
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return true,
                    Err(broadcast::error::RecvError::Closed) => return false,
                },
            }
        }
    }
}

fn events(source: Source) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(source, |mut source| async move {
        loop {
            if let Some(event) = source.ready.pop_front() {
                return Some((Ok(event), source));
            }
            match source.read().await {
                Ok(true) => {}
                Ok(false) => {
                    if !source.more().await {
                        return None;
                    }
                }
                Err(problem) => {
                    // The client resumes behind the last event that arrived.
                    tracing::warn!(code = problem.code().id(), "a stream was broken off");
                    return None;
                }
            }
        }
    })
}

/// The events of a turn, always the same ones in the same order: the turn, its messages, its cards, its effects.
async fn events_of(app: &App, lane: &LaneInfo, stored: &StoredTurn) -> Result<Vec<Event>, Problem> {
    let turn = lanes::read(stored)?;
    let runtime = app.runtime();
    let planned = telling::planned(runtime, &lane.key, &turn).await?;
    let mut told: Vec<(&str, Value)> = vec![("turn", value(&wire::TurnInfo::new(&turn)))];
    let shown: Vec<_> = planned.iter().filter_map(|effect| Some((effect, effect.shows()?))).collect();
    let ids = turn.row.messages.iter().chain(shown.iter().map(|(_, (message, _))| message)).cloned();
    let views = telling::messages(runtime, &lane.key, ids).await?;
    let as_card = |id: &MessageId| {
        shown.iter().any(|(effect, (message, _))| effect.class() == "card.post" && message == id)
    };
    for id in turn.row.messages.iter().filter(|id| !as_card(id)) {
        let view = views.iter().find(|view| view.id == *id).cloned();
        // A message that was erased keeps its place.
        told.push((
            "message",
            view.map_or_else(|| json!({"id": id, "gone": true}), |view| value(&wire::Message::from(view))),
        ));
    }
    for (effect, (message, card)) in &shown {
        if !effect.class().starts_with("card.") {
            continue;
        }
        // Where the channel reads from here, it is the card as it is now.
        let card = match card {
            Some(card) => Some(telling::with_tokens(runtime, &lane.key, card.clone())),
            None => views
                .iter()
                .find(|view| view.id == *message)
                .and_then(|view| view.card.clone())
                .map(Into::into),
        };
        let card: Option<wire::Card> = card;
        told.push(("card", json!({"message": message, "card": card, "effect": effect.id()})));
    }
    // A card that we show is told above; one that the host shows is the host's effect as well.
    let others = planned.iter().filter(|effect| !effect.class().starts_with("card.") || effect.hosted());
    told.extend(others.map(|effect| ("effect", value(&effect.told(runtime, &views)))));
    let event = |(position, (name, data)): (usize, (&str, Value))| {
        Event::default().event(name).id(format!("{}.{position}", stored.revision)).data(data.to_string())
    };
    Ok(told.into_iter().enumerate().map(event).collect())
}

fn value<T: Serialize>(told: &T) -> Value {
    serde_json::to_value(told).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_behind_the_last_event() {
        assert_eq!(Place::after("12"), Some(Place { revision: 12, next: 0 }));
        assert_eq!(Place::after("12.0"), Some(Place { revision: 11, next: 1 }));
        assert_eq!(Place::after("1.7"), Some(Place { revision: 0, next: 8 }));
        assert_eq!(Place::after("0"), Some(Place { revision: 0, next: 0 }));
        for wrong in [
            "",
            "x",
            "-1",
            "1.",
            ".1",
            "0.1",
            "1.x",
            "1.1.1",
            "99999999999999999999",
            "1.18446744073709551615",
        ] {
            assert_eq!(Place::after(wrong), None, "{wrong}");
        }
    }
}
