//! Feed of a lane: its turns as numbered events, for the stream and the long poll.
//!
//! Every event has a durable id, `revision.position`: the turn, then its messages, cards and effects in a fixed
//! order, then the pending questions. A client that lost its connection resumes after the last id it received,
//! without gaps or repetitions. Events are read from the store; a wake-up only says when to read.

use std::sync::Arc;

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use throughline_engine::MessageId;
use throughline_engine::data::lane::Lane;
use throughline_runtime::Heard;
use throughline_runtime::turn_log::Turn;
use throughline_store::{EffectState, LaneInfo, Performer, StoredTurn};
use tokio::sync::broadcast;

use super::lanes;
use super::seen_by::seen_by;
use super::writing::WritingFeed;
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::doing::{Doing, doing};
use crate::markup;
use crate::problem::Problem;
use crate::session;
use crate::views::{self, OfferedEffect, PlannedEffect};
use crate::wire;
use crate::wire::vocabulary::LanePosition;

/// Turns read at a time.
const BATCH: u32 = 32;

/// Maximum number of a host's open effects at the beginning of a stream.
const OFFERED: u32 = 50;

/// Place from which to resume.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResumeQuery {
    /// Id of the last event that arrived, or a revision whose events all arrived. The header `Last-Event-ID` has
    /// precedence.
    #[param(value_type = Option<LanePosition>, inline)]
    after: Option<String>,
}

impl ResumeQuery {
    /// Returns the position from the header or the query; without either, the lane's beginning.
    pub(crate) fn position(self, headers: &HeaderMap) -> Result<Position, Problem> {
        let last =
            headers.get("last-event-id").map(|id| id.to_str().unwrap_or("?").to_owned()).or(self.after);
        let Some(id) = last else { return Ok(Position { revision: 0, next: 0 }) };
        Position::after(&id).ok_or_else(|| {
            Problem::new(&codes::BAD_REQUEST, format!("{id:?} is not the id of an event of a stream"))
        })
    }
}

/// Position in a lane's events: turns up to `revision` were sent, and `next` events of the turn after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    revision: u64,
    next: usize,
}

impl Position {
    /// Returns the position after the event of that id.
    pub(crate) fn after(id: &str) -> Option<Self> {
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

/// Event of a lane, or its status.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum FeedEvent {
    /// Turn that was committed.
    Turn(wire::TurnInfo),
    /// Message in its current form.
    Message(Box<wire::Message>),
    /// Placeholder of an erased message.
    Gone { id: MessageId, gone: bool },
    /// Card that was shown, or changed.
    Card { message: MessageId, card: wire::Card, effect: String, posted: bool },
    /// Effect to perform, or a notice to one person.
    Effect(Box<wire::Effect>),
    /// Questions and cards that wait now.
    Pending { items: Vec<wire::Pending> },
    /// Approval that waits for somebody, or waits no more. Only the stream of all lanes has it.
    Approval(Box<wire::ApprovalNews>),
    /// Status of the lane. It has no id because it is not an event.
    Status { revision: u64, asking: bool, doing: Vec<Doing> },
    /// Text that a model is writing, or its end. It has no id: it is told to whoever is there, and never again.
    Writing(Box<wire::Writing>),
    /// The position no longer exists: the client must read the lane anew.
    Reset { revision: u64 },
}

impl FeedEvent {
    /// Returns the name of the event.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Turn(_) => "turn",
            Self::Message(_) | Self::Gone { .. } => "message",
            Self::Card { .. } => "card",
            Self::Effect(_) => "effect",
            Self::Pending { .. } => "pending",
            Self::Approval(_) => "approval",
            Self::Status { .. } => "status",
            Self::Writing(_) => "writing",
            Self::Reset { .. } => "reset",
        }
    }

    /// Returns the data as JSON.
    pub(crate) fn data(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Event with its id.
pub(crate) struct FeedItem {
    pub(crate) id: Option<String>,
    pub(crate) what: FeedEvent,
}

/// Events of a lane from a position on.
pub(crate) struct Feed {
    app: Arc<App>,
    caller: Caller,
    lane: LaneInfo,
    position: Position,
    committed: broadcast::Receiver<Heard>,
    begun: bool,
    /// True if the turns have to be looked at, and not only what is being written.
    due: bool,
    writing: Option<WritingFeed>,
}

impl Feed {
    pub(crate) fn open(app: Arc<App>, caller: Caller, lane: LaneInfo, position: Position) -> Self {
        // Subscribed before the first read, so that no commit is missed.
        let committed = app.runtime().wakes().subscribe();
        Self { app, caller, lane, position, committed, begun: false, due: true, writing: None }
    }

    /// Follows what models write, too. A feed that is asked once and again would miss most of it.
    pub(crate) fn with_writing(self) -> Self {
        let writing = WritingFeed::open(self.app.runtime().writings(), &self.lane.key);
        Self { writing: Some(writing), ..self }
    }

    /// Returns the events since the last call, followed by the status. The first call always returns something; later
    /// ones return nothing if nothing happened.
    ///
    /// # Errors
    ///
    /// The reader's session ended, or the store did not answer.
    pub(crate) async fn next(&mut self) -> Result<Vec<FeedItem>, Problem> {
        let mut told = if self.due { self.read().await? } else { Vec::new() };
        // There may be more turns than are read at a time.
        self.due = !told.is_empty();
        let news = self.writing.as_mut().map(WritingFeed::next).unwrap_or_default();
        told.extend(
            news.into_iter().map(|news| FeedItem { id: None, what: FeedEvent::Writing(Box::new(news)) }),
        );
        // Looked at after reading: who left meanwhile is told nothing more.
        if session::counts(&self.app, &self.caller) { Ok(told) } else { Err(session::over()) }
    }

    async fn read(&mut self) -> Result<Vec<FeedItem>, Problem> {
        let ahead = self.position.revision + u64::from(self.position.next > 0) > self.lane.revision;
        if !self.begun && ahead {
            self.begun = true;
            return self.reset().await;
        }
        let turns = self.app.store().turns(&self.lane.key, self.position.revision, BATCH).await?;
        if turns.first().is_some_and(|turn| turn.revision != self.position.revision + 1) {
            // The turns in between were deleted.
            return self.reset().await;
        }
        if turns.is_empty() && self.begun {
            return Ok(Vec::new());
        }
        let first = !std::mem::replace(&mut self.begun, true);
        let lane = self.app.runtime().lane(&self.lane.key).await?;
        let waiting: Vec<_> = lane.head.pendings.iter().map(wire::Pending::from).collect();
        let mut told = Vec::new();
        for stored in &turns {
            let mut events = events_of(&self.app, &lane, stored).await?;
            if self.caller.is_person() {
                seen_by(&self.app, &self.caller.principal, &lane.key, &mut events).await?;
            }
            events.push(FeedEvent::Pending { items: waiting.clone() });
            let numbered = events.into_iter().enumerate().skip(self.position.next);
            let id = |position| Some(format!("{}.{position}", stored.revision));
            told.extend(numbered.map(|(position, what)| FeedItem { id: id(position), what }));
            self.position = Position { revision: stored.revision, next: 0 };
        }
        if first {
            let offered = self.offered(&told).await?;
            told.extend(offered);
        }
        self.asks(&lane);
        let (asking, doing) = (lane.head.ask.is_some(), doing(&lane));
        told.push(FeedItem { id: None, what: FeedEvent::Status { revision: lane.revision, asking, doing } });
        Ok(told)
    }

    /// Returns the host's open effects that are not among the new events, so that a client that comes back finds them
    /// until they are reported.
    async fn offered(&self, told: &[FeedItem]) -> Result<Vec<FeedItem>, Problem> {
        let (store, lane) = (self.app.store(), &self.lane.key);
        let open = store.effects(&lane.tenant, Some(lane), Some(EffectState::Attempted), OFFERED).await?;
        let known = |id: &str| {
            told.iter().any(|told| matches!(&told.what, FeedEvent::Effect(effect) if effect.id == id))
        };
        let hosted = open.into_iter().filter(|effect| effect.row.performer == Performer::Host);
        let unknown = hosted.filter(|effect| !known(effect.row.id.as_str()));
        let planned = unknown.map(|effect| PlannedEffect::Performed(Box::new(effect))).collect();
        let runtime = self.app.runtime();
        let offered = views::offered(runtime, planned).await?;
        let item = |effect: &OfferedEffect| {
            let what = FeedEvent::Effect(Box::new(effect.to_wire(runtime, &[])));
            FeedItem { id: None, what }
        };
        Ok(offered.iter().map(item).collect())
    }

    /// Skips to the end of the lane.
    async fn reset(&mut self) -> Result<Vec<FeedItem>, Problem> {
        let lane = self.app.runtime().lane(&self.lane.key).await?;
        self.asks(&lane);
        let revision = lane.revision;
        self.position = Position { revision, next: 0 };
        Ok(vec![FeedItem { id: Some(revision.to_string()), what: FeedEvent::Reset { revision } }])
    }

    fn asks(&mut self, lane: &Lane) {
        if let Some(writing) = &mut self.writing {
            writing.asks(lane.head.ask.as_ref().map(|ask| &ask.effect));
        }
    }

    /// Waits until a turn of this lane is committed or a model wrote more; returns false if the instance shuts down, or the reader's session
    /// ended.
    pub(crate) async fn more(&mut self) -> bool {
        loop {
            let drained = self.app.drained.notified();
            let writing = async {
                match &mut self.writing {
                    Some(writing) => writing.due().await,
                    None => std::future::pending().await,
                }
            };
            if self.app.draining() {
                return false;
            }
            tokio::select! {
                () = drained => return false,
                () = session::ended(&self.app, &self.caller) => return false,
                () = writing => return true,
                heard = self.committed.recv() => match heard {
                    Ok(Heard::Turn(committed)) if committed.lane_id != self.lane.id => {}
                    Ok(Heard::Turn(_) | Heard::Missed) | Err(broadcast::error::RecvError::Lagged(_)) => {
                        self.due = true;
                        return true;
                    }
                    Err(broadcast::error::RecvError::Closed) => return false,
                },
            }
        }
    }
}

/// Returns the events of a turn, always in the same order: the turn, its messages, its cards, its effects.
pub(crate) async fn events_of(
    app: &App,
    lane: &Lane,
    stored: &StoredTurn,
) -> Result<Vec<FeedEvent>, Problem> {
    events_of_turn(app, lane, &lanes::read(stored)?).await
}

/// Returns the events of a turn that has been read, as [`events_of`] does.
pub(crate) async fn events_of_turn(app: &App, lane: &Lane, turn: &Turn) -> Result<Vec<FeedEvent>, Problem> {
    let Slots { events, .. } = slots_of_turn(app, lane, turn).await?;
    Ok(events.into_iter().map(|(_, event)| event).collect())
}

/// Events of a turn in their slots. Those of a turn are as many as its row names messages and effects, so an event keeps its
/// slot when another one is erased.
pub(crate) struct Slots {
    /// Events with their slots, which rise.
    pub(crate) events: Vec<(usize, FeedEvent)>,
    /// Slot behind those of the turn.
    pub(crate) end: usize,
}

/// Returns the events of a turn as [`events_of`] does, each with its slot.
pub(crate) async fn slots_of(app: &App, lane: &Lane, stored: &StoredTurn) -> Result<Slots, Problem> {
    slots_of_turn(app, lane, &lanes::read(stored)?).await
}

async fn slots_of_turn(app: &App, lane: &Lane, turn: &Turn) -> Result<Slots, Problem> {
    let runtime = app.runtime();
    let planned = views::offered(runtime, views::planned(runtime, &lane.key, turn).await?).await?;
    let cards: Vec<_> = planned.iter().filter_map(|effect| Some((effect, effect.card()?))).collect();
    let mut ids = turn.row.messages.clone();
    ids.extend(cards.iter().map(|(_, (message, _))| message.clone()));
    let views = runtime.messages_of(lane, &ids).await?;
    let view = |id: &MessageId| views.iter().find(|view| view.id == *id).cloned();
    let first_card = 1 + turn.row.messages.len();
    let first_effect = first_card + turn.row.effects.len();
    let end = first_effect + turn.row.effects.len();
    let place = |effect: &OfferedEffect| {
        let place = turn.row.effects.iter().position(|(_, id)| id == effect.id());
        place.unwrap_or(turn.row.effects.len())
    };

    let mut told = vec![(0, FeedEvent::Turn(wire::TurnInfo::new(turn)))];
    let posted = |id: &MessageId| cards.iter().any(|(effect, (shown, _))| effect.posts_card() && shown == id);
    for (slot, id) in (1..).zip(&turn.row.messages).filter(|(_, id)| !posted(id)) {
        let event = match view(id) {
            Some(view) => {
                let markup = markup::of_message(&view, turn.content.as_ref().map(|content| &content.event));
                FeedEvent::Message(Box::new(wire::Message { markup, ..view.into() }))
            }
            None => FeedEvent::Gone { id: id.clone(), gone: true },
        };
        told.push((slot, event));
    }
    for (effect, (message, card)) in &cards {
        // On channels that read from the store, this is the card in its current form.
        let card = match card {
            Some(card) => Some(views::card_with_tokens(runtime, &lane.key, card.clone())),
            None => view(message).and_then(|view| view.card).map(wire::Card::from),
        };
        let (message, posted) = (message.clone(), effect.posts_card());
        let event = match card {
            Some(card) => FeedEvent::Card { message, card, effect: effect.id().into(), posted },
            None => FeedEvent::Gone { id: message, gone: true },
        };
        told.push((first_card + place(effect), event));
    }
    // Cards shown by us are events above; a card that the host shows is also an effect for it.
    let others = planned.iter().filter(|effect| effect.card().is_none() || effect.hosted());
    told.extend(others.map(|effect| {
        (first_effect + place(effect), FeedEvent::Effect(Box::new(effect.to_wire(runtime, &views))))
    }));
    Ok(Slots { events: told, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_behind_the_last_event() {
        assert_eq!(Position::after("12"), Some(Position { revision: 12, next: 0 }));
        assert_eq!(Position::after("12.0"), Some(Position { revision: 11, next: 1 }));
        assert_eq!(Position::after("1.7"), Some(Position { revision: 0, next: 8 }));
        assert_eq!(Position::after("0"), Some(Position { revision: 0, next: 0 }));
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
            assert_eq!(Position::after(wrong), None, "{wrong}");
        }
    }
}
