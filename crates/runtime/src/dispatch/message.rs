//! Messages and cards, for channels that are sent to.

use throughline_engine::effect::{Attempt, EffectBody, EffectResult};
use throughline_store::StoredEffect;

use crate::{FailPoint, Runtime, Stop};

impl Runtime {
    pub(super) async fn send(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Attempt<EffectResult>, Stop> {
        let Some(channel) = self.ports.channels.get(&effect.lane.channel) else {
            let text = format!("there is no channel {} here", effect.lane.channel);
            return Ok(Attempt::Rejected { text, errors: Vec::new() });
        };
        let mut body = body.clone();
        if let EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } = &mut body {
            self.keys.fill(&effect.lane.tenant, card);
        }
        self.faults.at(FailPoint::BytesOnWire)?;
        let outcome = channel.deliver(&effect.lane, &body).await;
        self.faults.at(FailPoint::VendorApplied)?;
        self.faults.at(FailPoint::ReplyRead)?;
        if matches!(body, EffectBody::CardPost { .. } | EffectBody::CardUpdate { .. }) {
            self.faults.at(FailPoint::CardSent)?;
        }
        Ok(match outcome {
            Attempt::Applied(channel_id) => Attempt::Applied(EffectResult::Delivered { channel_id }),
            Attempt::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            Attempt::Rejected { text, errors } => Attempt::Rejected { text, errors },
            Attempt::Unknown { why } => Attempt::Unknown { why },
        })
    }
}
