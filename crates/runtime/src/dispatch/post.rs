//! Posts at the root of a conversation, for everybody: the outcome of a decision
//! (`docs/design/0019-decision-records.md`).

use throughline_channels::{Posting, Surface};
use throughline_engine::data::effect::{Attempt, EffectBody, EffectResult};
use throughline_engine::data::event::AssistantPosted;
use throughline_engine::data::fault::SendingFault;
use throughline_engine::data::message::MessageKind;
use throughline_engine::retry::Guarantee;
use throughline_engine::{EventKind, LaneKey};
use throughline_store::StoredEffect;

use super::record::unsure;
use crate::{FailPoint, Inbound, Runtime, RuntimeError};

impl Runtime {
    /// Posts a text. Where people read from the store, the post is an event of the root's lane under a key made from
    /// the effect's id, so it is there once however often it is tried.
    pub(super) async fn post(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Attempt<EffectResult>, RuntimeError> {
        let EffectBody::PostChannel { to, text, .. } = body else {
            return Ok(Attempt::Rejected { text: SendingFault::NotDelivered.into(), errors: Vec::new() });
        };
        let class = effect.row.class.as_str();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let outcome = match self.ports.channels.get(&to.channel) {
            None => {
                let fault = SendingFault::NoChannel { channel: to.channel.clone() };
                Attempt::Rejected { text: fault.into(), errors: Vec::new() }
            }
            Some(channel) if channel.surface() == Surface::Sends => {
                let (effect_id, unsure) = (effect.row.id.as_str(), unsure(effect, body, 0));
                let post = Posting { effect: effect_id, text, unsure, now: self.store.now() };
                channel.post(to, post).await.map(|url| EffectResult::Posted { url })
            }
            Some(channel) => {
                let key = format!("{}{}", EventKind::POSTED_BY_US, effect.row.id);
                let posted = AssistantPosted {
                    // It asks nobody anything, so the next message is not taken as an answer to it.
                    kind: MessageKind::Notification,
                    task: None,
                    text: text.clone(),
                    expected: None,
                    asked_of: None,
                    expires: None,
                    message_id: None,
                };
                let kind = EventKind::AssistantPosted(posted);
                self.accept(Inbound::internal(to.clone(), key, kind, self.store.now())).await?;
                Attempt::Applied(EffectResult::Posted { url: channel.link(to) })
            }
        };
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        Ok(outcome)
    }

    /// The promise of a conversation's channel about posts.
    pub(super) fn guarantee_of_post(&self, to: &LaneKey) -> Guarantee {
        match self.ports.channels.get(&to.channel) {
            Some(channel) if channel.surface() == Surface::ReadFromStore => Guarantee::Idempotent,
            Some(channel) => channel.guarantee(),
            None => Guarantee::Nothing,
        }
    }
}
