//! Events of all conversations as they go out, in one envelope for streams, polls and webhooks.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::value::StrDeserializer;
use throughline_engine::data::lane::Lane;
use throughline_engine::{LaneKey, Timestamp};
use throughline_store::{StoredEffect, StoredTurn, TurnSeq};
use utoipa::ToSchema;

use super::cursor::Cursor;
use super::feed::{FeedEvent, Slots, slots_of};
use crate::access::Act;
use crate::app::App;
use crate::approval_news;
use crate::auth::Caller;
use crate::codes;
use crate::problem::Problem;
use crate::views::{self, PlannedEffect};
use crate::wire;

/// Kind of event that somebody may ask for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A turn was committed.
    Turn,
    /// A message, in its current form.
    Message,
    /// A card, in its current form.
    Card,
    /// An effect, planned by its turn.
    Effect,
    /// Questions and cards that wait after the turn.
    Pending,
    /// An approval that waits for somebody since the turn, or waits no more.
    Approval,
    /// The place to go on from is gone. It is told to everybody.
    Reset,
}

/// Names of the kinds, for messages.
pub(crate) const KINDS: &str = "turn, message, card, effect, pending, approval";

impl Kind {
    /// Returns the kind of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::deserialize(StrDeserializer::<serde::de::value::Error>::new(name)).ok()
    }

    fn of(event: &FeedEvent) -> Option<Self> {
        Self::named(event.name())
    }
}

/// Kinds that somebody asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(Vec<Kind>);

impl Kinds {
    /// Reads names with commas between; all kinds, if there are none.
    ///
    /// # Errors
    ///
    /// A name is not one of a kind.
    pub(crate) fn parse(names: Option<&str>) -> Result<Self, Problem> {
        let Some(names) = names else { return Ok(Self::default()) };
        let kind = |name: &str| {
            Kind::named(name).ok_or_else(|| {
                let text = format!("{name:?} is no kind of event; kinds is a list with commas of {KINDS}");
                Problem::new(&codes::BAD_REQUEST, text)
            })
        };
        names.split(',').map(kind).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the kinds as far as the caller may read them.
    ///
    /// # Errors
    ///
    /// They asked for approvals by name and may not read them.
    pub(crate) fn readable_by(self, caller: &Caller) -> Result<Self, Problem> {
        let scope = Act::ReadApproval.scope();
        if self.0.contains(&Kind::Approval) {
            caller.need(scope)?;
        }
        if !self.0.is_empty() || caller.may(scope) {
            return Ok(self);
        }
        Self::parse(Some(&KINDS.replace(", approval", "").replace(' ', "")))
    }

    /// Returns true if events of that kind were asked for.
    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.0.is_empty() || self.0.contains(&kind)
    }
}

/// Event with the cursor behind it.
pub(crate) struct Told {
    pub(crate) cursor: Cursor,
    /// Slot in its turn.
    pub(crate) slot: usize,
    pub(crate) envelope: wire::Envelope,
}

/// Lanes that were read for the events of one batch.
#[derive(Default)]
pub(crate) struct Lanes(HashMap<LaneKey, Lane>);

impl Lanes {
    /// Returns the lane as it is now, or was when it was read first.
    pub(crate) async fn get(&mut self, app: &App, key: &LaneKey) -> Result<&Lane, Problem> {
        if !self.0.contains_key(key) {
            self.0.insert(key.clone(), app.runtime().lane(key).await?);
        }
        self.0.get(key).ok_or_else(|| Problem::not_found("lane"))
    }
}

/// Returns the events of a turn from the slot `skip` on, of these kinds. Slots do not depend on the kinds, nor on what was
/// erased.
///
/// # Errors
///
/// The store did not answer, or holds something that cannot be read.
pub(crate) async fn of_turn(
    app: &App,
    lanes: &mut Lanes,
    stored: &StoredTurn,
    skip: usize,
    kinds: &Kinds,
) -> Result<Vec<Told>, Problem> {
    let lane = lanes.get(app, &stored.lane).await?;
    let Slots { mut events, end } = slots_of(app, lane, stored).await?;
    let approvals = match kinds.has(Kind::Approval) {
        true => approval_news::changed(app, &stored.lane.tenant, stored.log.at, &events).await?,
        false => Vec::new(),
    };
    let items = lane.head.pendings.iter().map(wire::Pending::from).collect();
    events.push((end, FeedEvent::Pending { items }));
    for (slot, row) in approvals {
        let news = approval_news::news(app, lane, &row).await?;
        // Behind all others, in the slot that its card has among them.
        events.push((end + 1 + slot, FeedEvent::Approval(Box::new(news))));
    }
    let wanted = |event: &FeedEvent| Kind::of(event).is_some_and(|kind| kinds.has(kind));
    let later = events.into_iter().filter(|(slot, event)| *slot >= skip && wanted(event));
    Ok(later.map(|(slot, event)| told(stored, slot, &event)).collect())
}

fn told(stored: &StoredTurn, slot: usize, event: &FeedEvent) -> Told {
    let cursor = Cursor::event(stored.position, slot);
    let envelope = wire::Envelope {
        id: Some(cursor.to_string()),
        turn: Some(stored.log.turn.as_str().into()),
        ..envelope(event, &stored.lane, stored.log.at)
    };
    Told { cursor, slot, envelope }
}

fn envelope(event: &FeedEvent, lane: &LaneKey, at: Timestamp) -> wire::Envelope {
    wire::Envelope {
        id: None,
        kind: event.name().into(),
        at: at.rfc3339(),
        lane: Some(lane.id().as_str().into()),
        place: Some(wire::Place {
            channel: lane.channel.clone(),
            conversation: lane.conversation.clone(),
            thread: lane.thread.clone(),
        }),
        turn: None,
        data: event.data(),
    }
}

/// Returns an effect that waits for its host, without a place in the order; `None` if it is not what was approved.
///
/// # Errors
///
/// The store did not answer.
pub(crate) async fn offered(app: &App, effect: StoredEffect) -> Result<Option<wire::Envelope>, Problem> {
    let (lane, turn, at) = (effect.lane.clone(), effect.turn.clone(), effect.created_at);
    let planned = vec![PlannedEffect::Performed(Box::new(effect))];
    let offered = views::offered(app.runtime(), planned).await?;
    let one = offered.first().map(|effect| {
        let event = FeedEvent::Effect(Box::new(effect.to_wire(app.runtime(), &[])));
        wire::Envelope { turn: Some(turn.as_str().into()), ..envelope(&event, &lane, at) }
    });
    Ok(one)
}

/// Returns what a client is told whose cursor no longer exists: to read anew what it keeps, and to go on from the end.
pub(crate) fn reset(end: TurnSeq, now: Timestamp) -> Told {
    let cursor = Cursor::Behind(end);
    let envelope = wire::Envelope {
        id: Some(cursor.to_string()),
        kind: "reset".into(),
        at: now.rfc3339(),
        lane: None,
        place: None,
        turn: None,
        data: serde_json::json!({}),
    };
    Told { cursor, slot: 0, envelope }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_name_and_others_are_refused() {
        for name in KINDS.split(", ").chain(["reset"]) {
            let kinds = Kinds::parse(Some(name)).expect("a kind");
            assert!(kinds.has(Kind::named(name).expect("a kind")), "{name}");
        }
        let two = Kinds::parse(Some("turn,effect")).expect("two kinds");
        assert!(two.has(Kind::Turn) && two.has(Kind::Effect) && !two.has(Kind::Card));
        assert!(Kinds::default().has(Kind::Card));
        for wrong in ["", "status", "Turn", "turn,", "turn effect", "turn;effect"] {
            let problem = Kinds::parse(Some(wrong)).expect_err("no kinds");
            assert_eq!(problem.code().id(), codes::BAD_REQUEST.id(), "{wrong}");
        }
    }
}
