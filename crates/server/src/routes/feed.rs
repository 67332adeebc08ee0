//! What happens in a lane, as events: what a stream and a long poll both tell.
//!
//! Every event has a durable id, `revision.position`: the turn, then its messages, cards and effects in their
//! fixed order, then what waits. So who broke off anywhere goes on behind the last event that arrived, and none is
//! missing or told twice. What is told is read from the store; wake-ups only say when to look.

use std::sync::Arc;

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use throughline_engine::MessageId;
use throughline_engine::lane::Lane;
use throughline_runtime::Committed;
use throughline_store::{EffectState, LaneInfo, Performer, StoredEffect, StoredTurn};
use tokio::sync::broadcast;

use super::lanes;
use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::telling;
use crate::wire;

/// Turns read at once.
const BATCH: u32 = 32;

/// Open effects of a host that a stream begins with.
const OFFERED: u32 = 50;

/// Where to go on.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct From {
    /// The id of the last event that arrived, or a revision: everything of that turn arrived. `Last-Event-ID` wins.
    after: Option<String>,
}

impl From {
    /// The place, by the header or the query; else the lane's beginning.
    pub(crate) fn place(self, headers: &HeaderMap) -> Result<Place, Problem> {
        let last =
            headers.get("last-event-id").map(|id| id.to_str().unwrap_or("?").to_owned()).or(self.after);
        let Some(id) = last else { return Ok(Place { revision: 0, next: 0 }) };
        Place::after(&id).ok_or_else(|| {
            Problem::new(&codes::BAD_REQUEST, format!("{id:?} is not the id of an event of a stream"))
        })
    }
}

/// A place in a lane's events: those of turns up to `revision` were told, and `next` of the turn after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
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

/// One thing that happened, or how things are.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Happening {
    /// A turn was taken.
    Turn(wire::TurnInfo),
    /// A message, as it is shown now.
    Message(Box<wire::Message>),
    /// A message that was erased keeps its place.
    Gone { id: MessageId, gone: bool },
    /// A card was shown, or changed.
    Card { message: MessageId, card: wire::Card, effect: String, posted: bool },
    /// Something is to be done, or told to one person.
    Effect(Box<wire::Effect>),
    /// What waits now.
    Pending { items: Vec<wire::Pending> },
    /// How the lane is now. It did not happen, so it has no id.
    Status { revision: u64, asking: bool },
    /// The place is not to be found: read the lane anew.
    Reset { revision: u64 },
}

impl Happening {
    /// The event's name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Turn(_) => "turn",
            Self::Message(_) | Self::Gone { .. } => "message",
            Self::Card { .. } => "card",
            Self::Effect(_) => "effect",
            Self::Pending { .. } => "pending",
            Self::Status { .. } => "status",
            Self::Reset { .. } => "reset",
        }
    }

    /// As JSON.
    pub(crate) fn data(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// An event, under its id.
pub(crate) struct Told {
    pub(crate) id: Option<String>,
    pub(crate) what: Happening,
}

/// A lane's events from a place on.
pub(crate) struct Feed {
    app: Arc<App>,
    lane: LaneInfo,
    place: Place,
    committed: broadcast::Receiver<Committed>,
    begun: bool,
}

impl Feed {
    pub(crate) fn open(app: Arc<App>, lane: LaneInfo, place: Place) -> Self {
        // Subscribed before the first look, so that nothing falls between.
        let committed = app.runtime().wakes().subscribe();
        Self { app, lane, place, committed, begun: false }
    }

    /// What happened since, and how things are; the first time always something, later empty when nothing did.
    pub(crate) async fn next(&mut self) -> Result<Vec<Told>, Problem> {
        let ahead = self.place.revision + u64::from(self.place.next > 0) > self.lane.revision;
        if !self.begun && ahead {
            self.begun = true;
            return self.reset().await;
        }
        let turns = self.app.store().turns(&self.lane.key, self.place.revision, BATCH).await?;
        if turns.first().is_some_and(|turn| turn.revision != self.place.revision + 1) {
            // What lies between is kept no more.
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
            events.push(Happening::Pending { items: waiting.clone() });
            let numbered = events.into_iter().enumerate().skip(self.place.next);
            let id = |position| Some(format!("{}.{position}", stored.revision));
            told.extend(numbered.map(|(position, what)| Told { id: id(position), what }));
            self.place = Place { revision: stored.revision, next: 0 };
        }
        if first {
            let offered = self.offered(&told).await?;
            told.extend(offered);
        }
        let asking = lane.head.ask.is_some();
        told.push(Told { id: None, what: Happening::Status { revision: lane.revision, asking } });
        Ok(told)
    }

    /// What waits for the host to do it, beside what was just told: whoever comes back finds it again until it is reported.
    async fn offered(&self, told: &[Told]) -> Result<Vec<Told>, Problem> {
        let (store, lane) = (self.app.store(), &self.lane.key);
        let open = store.effects(&lane.tenant, Some(lane), Some(EffectState::Attempted), OFFERED).await?;
        let known = |id: &str| {
            told.iter().any(|told| matches!(&told.what, Happening::Effect(effect) if effect.id == id))
        };
        let hosted = open.iter().filter(|effect| effect.row.performer == Performer::Host);
        let new = hosted.filter(|effect| !known(effect.row.id.as_str()));
        let tell = |effect: &StoredEffect| Told {
            id: None,
            what: Happening::Effect(Box::new(telling::effect(self.app.runtime(), effect))),
        };
        Ok(new.map(tell).collect())
    }

    /// To the end of the lane.
    async fn reset(&mut self) -> Result<Vec<Told>, Problem> {
        let revision = self.app.runtime().lane(&self.lane.key).await?.revision;
        self.place = Place { revision, next: 0 };
        Ok(vec![Told { id: Some(revision.to_string()), what: Happening::Reset { revision } }])
    }

    /// Until a turn of this lane is committed; `false`: the instance shuts down.
    pub(crate) async fn more(&mut self) -> bool {
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

/// The events of a turn, always the same ones in the same order: the turn, its messages, its cards, its effects.
pub(crate) async fn events_of(
    app: &App,
    lane: &Lane,
    stored: &StoredTurn,
) -> Result<Vec<Happening>, Problem> {
    let turn = lanes::read(stored)?;
    let runtime = app.runtime();
    let planned = telling::planned(runtime, &lane.key, &turn).await?;
    let cards: Vec<_> = planned.iter().filter_map(|effect| Some((effect, effect.card()?))).collect();
    let mut ids = turn.row.messages.clone();
    ids.extend(cards.iter().map(|(_, (message, _))| message.clone()));
    let views = runtime.messages_of(lane, &ids).await?;
    let view = |id: &MessageId| views.iter().find(|view| view.id == *id).cloned();

    let mut told = vec![Happening::Turn(wire::TurnInfo::new(&turn))];
    let posted = |id: &MessageId| cards.iter().any(|(effect, (shown, _))| effect.posts_card() && shown == id);
    for id in turn.row.messages.iter().filter(|id| !posted(id)) {
        told.push(match view(id) {
            Some(message) => Happening::Message(Box::new(message.into())),
            None => Happening::Gone { id: id.clone(), gone: true },
        });
    }
    for (effect, (message, card)) in &cards {
        // Where the channel reads from here, it is the card as it is now.
        let card = match card {
            Some(card) => Some(telling::with_tokens(runtime, &lane.key, card.clone())),
            None => view(message).and_then(|view| view.card).map(wire::Card::from),
        };
        let (message, posted) = (message.clone(), effect.posts_card());
        told.push(match card {
            Some(card) => Happening::Card { message, card, effect: effect.id().into(), posted },
            None => Happening::Gone { id: message, gone: true },
        });
    }
    // A card that we show is told above; one that the host shows is the host's effect as well.
    let others = planned.iter().filter(|effect| effect.card().is_none() || effect.hosted());
    told.extend(others.map(|effect| Happening::Effect(Box::new(effect.told(runtime, &views)))));
    Ok(told)
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
