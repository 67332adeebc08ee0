//! Looks up what a step is given, which is logged with its turn (`docs/design/0001-no-ports-in-the-engine.md`).

use throughline_engine::data::action::Action;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::erasure::ErasureScope;
use throughline_engine::data::event::{EventKind, MessagePosted, Press};
use throughline_engine::data::id;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::Message;
use throughline_engine::data::purpose::{Purpose, Purposes};
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::{
    Addressing, EffectStanding, Neighbours, Paused, PressTarget, ReleasedStanding,
};
use throughline_engine::data::trace::TurnSummary;
use throughline_engine::summary;
use throughline_engine::{EffectId, Event, LaneKey, MessageId, StepInput, effects_told, focus, needs};
use throughline_store::{ApprovalState, EffectState, StoredEffect, StoredTurn};

use crate::{Keys, Runtime, RuntimeError, stored};

impl Runtime {
    /// Looks up everything one step needs that is neither state nor event.
    pub(crate) async fn look_up(
        &self,
        lane: &Lane,
        event: &Event,
        addressing: Addressing,
    ) -> Result<StepInput, RuntimeError> {
        let key = &lane.key;
        let model = self.purposes();
        let mut given = StepInput {
            now: self.store.now().max(event.received_at),
            addressing,
            multilingual: true,
            model,
            lines: summary::lines_made(key, model, &self.in_force(&key.tenant).policy),
            ..StepInput::default()
        };
        if matches!(event.kind, EventKind::MessagePosted(_) | EventKind::CardPressed { .. }) {
            let channel = self.ports.channels.get(&key.channel);
            given.here = channel.and_then(|channel| channel.link(key));
            if let EventKind::MessagePosted(MessagePosted { message_id: Some(message), .. }) = &event.kind {
                given.link = channel.and_then(|channel| channel.link_to(key, message));
            }
        }
        if !event.actor.is_empty() {
            let directory = &self.ports.directory;
            given.actor = Some(directory.actor(key, &event.actor).await);
            given.offset_s = directory.offset_s(key, &event.actor, event.received_at);
        }
        match &event.kind {
            EventKind::MessagePosted(posted) => {
                if let Some(reply) = &posted.reply_to {
                    self.anchored(lane, reply, &mut given).await?;
                }
                if !given.model.is_empty() {
                    given.paused = self.paused(key).await?;
                }
            }
            EventKind::MessageEdited { message, .. } | EventKind::MessageDeleted { message } => {
                given.anchor = self.message(lane, message).await?;
                if lane.head.ask.is_some() {
                    given.paused = self.paused(key).await?;
                }
            }
            EventKind::CardPressed { press, .. } | EventKind::FormSubmitted { press, .. } => {
                given.press = self.pressed(key, press).await?;
                given.paused = self.paused(key).await?;
            }
            EventKind::Erasure(ErasureScope::Person { id }) => {
                given.person = Some(Box::new(match self.erased.known(id, &lane.key.id()) {
                    Some(known) => known,
                    None => self.person_in(lane, id).await?,
                }));
            }
            EventKind::Command { .. } => given.last_turn = self.last_turn(key).await?,
            EventKind::EffectSettled { effect, .. } => {
                if let Some(reply) = waiting(lane, effect).and_then(|posted| posted.reply_to.as_deref()) {
                    self.anchored(lane, reply, &mut given).await?;
                }
            }
            _ => {}
        }
        if let Some(told) = effects_told(lane, event, &given, &self.in_force(&lane.key.tenant).policy) {
            given.paused = self.paused(key).await?;
            given.effects = Some(self.standings(lane, told).await?);
            // A message that tells how things are may also ask why.
            if matches!(event.kind, EventKind::MessagePosted(_)) {
                given.last_turn = self.last_turn(key).await?;
            }
            let waiting = self.store.awaited(key).await?.into_iter();
            given.waiting = waiting.map(|row| row.approval.card).collect();
        }
        if summary::needs_covered(lane, event, &given) {
            given.covered = self.covered(lane).await?;
        }
        self.revive(lane, event, &mut given).await?;
        given.facts = match &event.kind {
            EventKind::Erasure(ErasureScope::Person { id }) => self.facts_by(&lane.key.tenant, id).await?,
            _ => self.facts_for(lane, event, &given).await?,
        };
        Ok(given)
    }

    /// Looks up which of these effects were sent, and what else the lane released that has not ended.
    async fn standings(
        &self,
        lane: &Lane,
        effects: Vec<EffectId>,
    ) -> Result<Vec<EffectStanding>, RuntimeError> {
        let stands = |stored: &StoredEffect| EffectStanding {
            effect: stored.row.id.clone(),
            sent: stored.attempts > 0 && stored.state != EffectState::Cancelled,
            released: match stored.state {
                _ if !stored.row.outward => None,
                EffectState::Planned | EffectState::Attempted => Some(ReleasedStanding::Awaited),
                EffectState::Uncertain => Some(ReleasedStanding::Unknown),
                EffectState::Done | EffectState::Failed | EffectState::Cancelled => None,
            },
        };
        let unfinished = self.store.unfinished(&lane.key).await?;
        let mut found: Vec<EffectStanding> = unfinished.iter().map(stands).collect();
        for effect in effects {
            if found.iter().any(|standing| standing.effect == effect) {
                continue;
            }
            let stored = self.store.effect(&lane.key.tenant, &effect).await?;
            let unknown = || EffectStanding { effect: effect.clone(), sent: false, released: None };
            found.push(stored.as_ref().map_or_else(unknown, stands));
        }
        Ok(found)
    }

    /// Looks up the message that is replied to, and its neighbours.
    async fn anchored(&self, lane: &Lane, reply: &str, given: &mut StepInput) -> Result<(), RuntimeError> {
        given.anchor = self.message(lane, reply).await?;
        if let Some(anchor) = &given.anchor {
            given.beside = self.beside(lane, &anchor.id).await?;
        }
        Ok(())
    }

    /// The newest messages that are no longer raw, oldest first, as far as the store has them.
    pub(crate) async fn covered(&self, lane: &Lane) -> Result<Vec<Message>, RuntimeError> {
        let most = self.policy().summary.hard_cap;
        let mut found = Vec::new();
        let mut before = u64::MAX;
        while found.len() < most {
            let stored = self.store.turns_before(&lane.key, before, TURNS_LOOKED_AT).await?;
            let Some(oldest) = stored.iter().map(|turn| turn.revision).min() else { break };
            let said = newest_first(&stored)?;
            let covered = said.iter().filter(|id| !lane.head.is_raw(id));
            let covered: Vec<&str> = covered.map(MessageId::as_str).collect();
            for stored in self.store.records(&lane.key, "message", &covered).await? {
                if let Record::Message(message) = stored::record(&stored)? {
                    found.push(message);
                }
            }
            before = oldest;
        }
        found.truncate(most);
        found.reverse();
        Ok(found)
    }

    /// The purposes that the configured model answers.
    fn purposes(&self) -> Purposes {
        let model = self.ports.model.iter();
        model.flat_map(|model| Purpose::ALL.into_iter().filter(|purpose| model.answers(*purpose))).collect()
    }

    /// Reads the records that the event needs and the lane no longer loads. Each round may name more, so it repeats
    /// until nothing is missing that the store has.
    async fn revive(&self, lane: &Lane, event: &Event, given: &mut StepInput) -> Result<(), RuntimeError> {
        for _ in 0..6 {
            let mut found = false;
            for key in needs(lane, event, given, &self.in_force(&lane.key.tenant).policy) {
                let Some(stored) = self.store.record(&lane.key, key.kind.as_str(), &key.key).await? else {
                    continue;
                };
                given.revived.push(stored::record(&stored)?);
                found = true;
            }
            if !found {
                break;
            }
        }
        Ok(())
    }

    async fn message(&self, lane: &Lane, id: &str) -> Result<Option<Message>, RuntimeError> {
        let Some(stored) = self.store.record(&lane.key, "message", id).await? else { return Ok(None) };
        Ok(match stored::record(&stored)? {
            Record::Message(message) => Some(message),
            _ => None,
        })
    }

    /// The messages next to one of this lane, where the lane has not loaded them itself
    /// (`docs/design/0013-focus-and-anchors.md`). Turns say in which order messages came, so the turns closest by are
    /// searched.
    async fn beside(&self, lane: &Lane, anchor: &MessageId) -> Result<Neighbours, RuntimeError> {
        let mut beside = Neighbours::default();
        let loaded = focus::neighbours(lane, anchor);
        let Some(made) = id::id_origin(&lane.key.id(), anchor.as_str()) else { return Ok(beside) };
        if loaded.before.is_none() {
            let stored = self.store.turns_before(&lane.key, made.revision + 1, TURNS_BESIDE).await?;
            let earlier = |id: &MessageId| id::id_origin(&lane.key.id(), id.as_str()) < Some(made);
            let said = newest_first(&stored)?;
            beside.before = self.first_kept(lane, said.iter().filter(|id| earlier(id))).await?;
        }
        if loaded.after.is_none() && !loaded.newest {
            let stored = self.store.turns(&lane.key, made.revision.saturating_sub(1), TURNS_BESIDE).await?;
            let later = |id: &MessageId| id::id_origin(&lane.key.id(), id.as_str()) > Some(made);
            let mut said = newest_first(&stored)?;
            said.reverse();
            beside.after = self.first_kept(lane, said.iter().filter(|id| later(id))).await?;
        }
        Ok(beside)
    }

    /// The first of these messages that the store still has.
    async fn first_kept(
        &self,
        lane: &Lane,
        ids: impl Iterator<Item = &MessageId>,
    ) -> Result<Option<Message>, RuntimeError> {
        for id in ids {
            if let Some(message) = self.message(lane, id.as_str()).await? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    async fn paused(&self, lane: &LaneKey) -> Result<Option<Paused>, RuntimeError> {
        let row = self.store.pause(&lane.tenant).await?;
        Ok(row.map(|row| Paused { by: row.by, since: row.since, everything: row.everything }))
    }

    async fn pressed(&self, lane: &LaneKey, press: &Press) -> Result<Option<PressTarget>, RuntimeError> {
        let (owner, card, version, item, action) = match press {
            Press::Decision { card, version, item, action } => {
                (lane.clone(), card.clone(), *version, item.clone(), Some(*action))
            }
            // The engine finds the option in the lane's own list.
            Press::Option { .. } => return Ok(None),
            Press::Token(token) => match self.store.token(lane, &Keys::hash_of_pressed(token)).await? {
                Some(row) => {
                    let action = Action::parse(&row.action);
                    (lane.clone(), row.card, row.version, row.item, action)
                }
                None => return Ok(None),
            },
        };
        let Some(action) = action else { return Ok(None) };
        // Another version was not shown with this button. One that is no longer pending is not compared: it cannot be
        // decided, and erasing a person takes its payload.
        let stored = self.store.approval(&lane.tenant, &card).await?;
        let shown = stored.filter(|row| row.approval.version == version);
        let intact = shown.as_ref().is_none_or(|row| {
            row.approval.payload_sha256 == hex(&sha256(&[row.approval.payload.as_bytes()]))
        });
        let pending = shown.filter(|row| row.state == ApprovalState::Pending);
        let approved = pending.map(|row| row.approval.payload_sha256);
        Ok(Some(PressTarget { lane: owner, card, version, item, action, intact, approved }))
    }

    /// The newest turn that a person caused, which `why` without an id explains.
    async fn last_turn(&self, lane: &LaneKey) -> Result<Option<TurnSummary>, RuntimeError> {
        for stored in self.store.turns_before(lane, u64::MAX, 10).await? {
            let turn = stored::turn(&stored)?;
            let by_person = matches!(
                turn.row.event.as_str(),
                "message.posted" | "message.edited" | "card.pressed" | "form.submitted" | "command"
            );
            if by_person && turn.row.decision.reason != throughline_engine::Reason::CommandWhy {
                return Ok(Some(turn.summary()));
            }
        }
        Ok(None)
    }
}

/// The message that an open ask is about.
fn waiting<'l>(lane: &'l Lane, effect: &EffectId) -> Option<&'l MessagePosted> {
    let ask = lane.head.ask.as_ref().filter(|ask| ask.effect == *effect)?;
    match &lane.records.get::<Event>(ask.message.as_str())?.kind {
        EventKind::MessagePosted(posted) => Some(posted),
        _ => None,
    }
}

/// Turns per page when the messages for a summary are collected.
const TURNS_LOOKED_AT: u32 = 64;

/// Turns searched for the message before or after another; most turns have one message.
const TURNS_BESIDE: u32 = 8;

/// The messages of these turns, newest first, whatever the order of the turns.
fn newest_first(turns: &[StoredTurn]) -> Result<Vec<MessageId>, RuntimeError> {
    let mut turns = turns.iter().map(stored::turn).collect::<Result<Vec<_>, _>>()?;
    turns.sort_by_key(|turn| core::cmp::Reverse(turn.row.revision));
    Ok(turns.into_iter().flat_map(|turn| turn.row.messages.into_iter().rev()).collect())
}
