//! What a step is handed: looked up before it, logged with it (`spec 01`, first decision).

use throughline_engine::canon::{hex, sha256};
use throughline_engine::event::{EventKind, Press};
use throughline_engine::given::{Addressing, Paused, PressTarget};
use throughline_engine::lane::{Lane, Message, Record};
use throughline_engine::trace::TurnSummary;
use throughline_engine::workflow::Action;
use throughline_engine::{Event, Given, LaneKey, needs, snapshot};

use crate::record::Turn;
use crate::{Keys, Runtime, Stop};

impl Runtime {
    /// Everything one step needs that is neither state nor event.
    pub(crate) async fn look_up(
        &self,
        lane: &Lane,
        event: &Event,
        addressing: Addressing,
    ) -> Result<Given, Stop> {
        let key = &lane.key;
        let mut given = Given {
            now: self.store.now().max(event.received_at),
            addressing,
            model: self.ports.model.is_some(),
            ..Given::default()
        };
        if !event.actor.is_empty() {
            let directory = &self.ports.directory;
            given.actor = Some(directory.actor(key, &event.actor).await);
            given.offset_s = directory.offset_s(key, &event.actor, event.received_at);
        }
        match &event.kind {
            EventKind::MessagePosted(posted) => {
                if let Some(reply) = &posted.reply_to {
                    given.anchor = self.message(lane, reply).await?;
                }
                if given.model {
                    given.paused = self.paused(key).await?;
                }
                if self.policy.command.rest(&posted.text).is_some() {
                    given.last_turn = self.last_turn(key).await?;
                }
            }
            EventKind::MessageEdited { message, .. } | EventKind::MessageDeleted { message } => {
                given.anchor = self.message(lane, message).await?;
            }
            EventKind::CardPressed { press, .. } | EventKind::FormSubmitted { press, .. } => {
                given.press = self.pressed(key, press).await?;
                given.paused = self.paused(key).await?;
            }
            EventKind::Command { .. } => given.last_turn = self.last_turn(key).await?,
            _ => {}
        }
        self.revive(lane, event, &mut given).await?;
        Ok(given)
    }

    /// Reads the records that the event needs and the lane no longer loads. Each round may name more, so it asks
    /// until nothing is missing that the store has.
    async fn revive(&self, lane: &Lane, event: &Event, given: &mut Given) -> Result<(), Stop> {
        for _ in 0..4 {
            let mut found = false;
            for key in needs(lane, event, given) {
                let Some(stored) = self.store.record(&lane.key, key.kind.word(), &key.key).await? else {
                    continue;
                };
                given.revived.push(decode(&stored)?);
                found = true;
            }
            if !found {
                break;
            }
        }
        Ok(())
    }

    async fn message(&self, lane: &Lane, id: &str) -> Result<Option<Message>, Stop> {
        let Some(stored) = self.store.record(&lane.key, "message", id).await? else { return Ok(None) };
        Ok(match decode(&stored)? {
            Record::Message(message) => Some(message),
            _ => None,
        })
    }

    async fn paused(&self, lane: &LaneKey) -> Result<Option<Paused>, Stop> {
        let row = self.store.pause(&lane.tenant).await?;
        Ok(row.map(|row| Paused { by: row.by, since: row.since, everything: row.everything }))
    }

    async fn pressed(&self, lane: &LaneKey, press: &Press) -> Result<Option<PressTarget>, Stop> {
        let (owner, card, version, item, action) = match press {
            Press::Decision { card, version, action } => {
                (lane.clone(), card.clone(), *version, String::new(), Some(*action))
            }
            Press::Token(token) => match self.store.token(lane, &Keys::hash(token)).await? {
                Some(row) => {
                    let action = Action::from_word(&row.action);
                    (lane.clone(), row.card, row.version, row.item, action)
                }
                None => return Ok(None),
            },
        };
        let Some(action) = action else { return Ok(None) };
        let stored = self.store.approval(&lane.tenant, &card).await?;
        let intact = stored.is_none_or(|row| {
            row.approval.payload_sha256 == hex(&sha256(&[row.approval.payload.as_bytes()]))
        });
        Ok(Some(PressTarget { lane: owner, card, version, item, action, intact }))
    }

    /// The newest turn that a person caused: what `why` without a name explains.
    async fn last_turn(&self, lane: &LaneKey) -> Result<Option<TurnSummary>, Stop> {
        for stored in self.store.turns_before(lane, u64::MAX, 10).await? {
            let turn = Turn::read(&stored).map_err(|e| unreadable("a turn row", &e.to_string()))?;
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

pub(crate) fn decode(stored: &str) -> Result<Record, Stop> {
    snapshot::decode_record(stored).map_err(|e| unreadable("a lane record", &e.to_string()))
}

pub(crate) fn unreadable(what: &str, why: &str) -> Stop {
    Stop::Unreadable { what: what.into(), why: why.into() }
}
