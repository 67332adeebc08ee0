//! Delivers replies, cards and notices over channels that have to be sent to.

use std::sync::Arc;

use throughline_channels::{Addressee, Channel, Delivered, Sending, Unsure};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::record::Record;
use throughline_engine::{EventKind, LaneKey, MessageId, Timestamp};
use throughline_store::StoredEffect;
use tracing::Instrument as _;

use super::record::unsure;
use crate::{FailPoint, Runtime, RuntimeError, spans, stored};

/// A message to deliver, with everything its channel needs.
pub(super) struct Outgoing<'a> {
    channel: Arc<dyn Channel>,
    effect: &'a StoredEffect,
    body: EffectBody,
    sent: Vec<String>,
    answers: Option<String>,
    by: Option<String>,
    person: Option<Addressee>,
    question: bool,
    unsure: Option<Unsure>,
}

impl Outgoing<'_> {
    /// The number of parts already delivered.
    pub(super) fn parts_out(&self) -> u32 {
        count(&self.sent)
    }

    fn sending(&self, now: Timestamp) -> Sending<'_> {
        Sending {
            lane: &self.effect.lane,
            effect: self.effect.row.id.as_str(),
            body: &self.body,
            sent: &self.sent,
            answers: self.answers.as_deref(),
            by: self.by.as_deref(),
            person: self.person.as_ref(),
            question: self.question,
            unsure: self.unsure,
            now,
        }
    }

    /// The earliest time to begin, when the channel cannot take it now.
    pub(super) fn not_before(&self, now: Timestamp) -> Option<Timestamp> {
        self.channel.not_before(&self.sending(now))
    }
}

/// The message that a delivery effect shows.
pub(super) fn shows(body: &EffectBody) -> Option<&MessageId> {
    match body {
        EffectBody::Reply { message, .. }
        | EffectBody::CardPost { message, .. }
        | EffectBody::CardUpdate { message, .. } => Some(message),
        _ => None,
    }
}

/// True for what is delivered to people: it shows a message, or tells somebody something.
pub(super) fn delivers(body: &EffectBody) -> bool {
    shows(body).is_some() || matches!(body, EffectBody::Notice { .. })
}

fn count(parts: &[String]) -> u32 {
    u32::try_from(parts.len()).unwrap_or(u32::MAX)
}

impl Runtime {
    /// Gathers what the channel of a delivery needs. `None` if the effect is no delivery, or the channel is not
    /// configured.
    pub(super) async fn outgoing<'a>(
        &self,
        effect: &'a StoredEffect,
        body: &EffectBody,
    ) -> Result<Option<Outgoing<'a>>, RuntimeError> {
        let channel = self.ports.channels.get(&effect.lane.channel).filter(|_| delivers(body));
        let Some(channel) = channel.cloned() else { return Ok(None) };
        let lane = &effect.lane;
        let mut body = body.clone();
        if let EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } = &mut body {
            self.keys.fill(&lane.tenant, card);
        }
        let sent = match shows(&body) {
            Some(message) => self.store.channel_ids(lane, message.as_str()).await?,
            None => Vec::new(),
        };
        let question = match &body {
            EffectBody::Reply { message, .. } => self.is_question(lane, message).await?,
            _ => false,
        };
        let (answers, by) = self.cause(effect).await?;
        let person = match &body {
            EffectBody::Notice { to, .. } => Some(to.clone()),
            _ => by.clone().filter(|_| question),
        };
        let person = match person {
            Some(id) => Some(Addressee { name: self.ports.directory.actor(lane, &id).await.name, id }),
            None => None,
        };
        let unsure = unsure(effect, &body, count(&sent));
        Ok(Some(Outgoing { channel, effect, body, sent, answers, by, person, question, unsure }))
    }

    async fn is_question(&self, lane: &LaneKey, message: &MessageId) -> Result<bool, RuntimeError> {
        let Some(stored) = self.store.record(lane, "message", message.as_str()).await? else {
            return Ok(false);
        };
        Ok(
            matches!(stored::record(&stored)?, Record::Message(message) if message.kind == Some(MessageKind::Question)),
        )
    }

    /// The channel's id of the message that caused an effect's turn, and the person who wrote or pressed. Both are
    /// `None` when the turn's content was erased.
    pub(super) async fn cause(
        &self,
        effect: &StoredEffect,
    ) -> Result<(Option<String>, Option<String>), RuntimeError> {
        let Some(stored) = self.store.turn(&effect.lane.tenant, &effect.turn).await? else {
            return Ok((None, None));
        };
        let turn = stored::turn(&stored)?;
        let Some(event) = turn.content.map(|content| content.event) else { return Ok((None, None)) };
        let by = Some(event.actor).filter(|actor| !actor.is_empty());
        Ok(match event.kind {
            EventKind::MessagePosted(posted) => (posted.message_id, by),
            _ => (None, by),
        })
    }

    /// Attempts to deliver the next part.
    pub(super) async fn send(&self, outgoing: &Outgoing<'_>) -> Result<Attempt<Delivered>, RuntimeError> {
        let class = outgoing.body.class().as_str();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let span = spans::send(&outgoing.effect.lane.channel);
        let sending = outgoing.channel.deliver(outgoing.sending(self.store.now()));
        let outcome = sending.instrument(span.clone()).await;
        spans::ended(&span, &outcome);
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        if matches!(outgoing.body, EffectBody::CardPost { .. } | EffectBody::CardUpdate { .. }) {
            self.faults.at(FailPoint::CardSent, class)?;
        }
        Ok(outcome)
    }
}
