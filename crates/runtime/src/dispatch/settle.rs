//! Settles effects: by the outcome of an attempt, without one, or by a host's report.

use throughline_engine::EventKind;
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::Unshown;
use throughline_engine::data::fault::SendingFault;
use throughline_store::{Delivery, EffectState, Leased, SettleTo, Settlement, StoredEffect};

use super::message::shows;
use crate::{FailPoint, Runtime, RuntimeError, counters, spans, stored};

impl Runtime {
    /// Ends a leased effect with a given outcome. For scenarios, which say what a far side did.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn end_with(&self, leased: &Leased, outcome: Outcome) -> Result<(), RuntimeError> {
        let body = stored::effect_body(&leased.effect)?;
        self.end(leased, Some(&body), leased.effect.attempts, outcome).await
    }

    /// Ends an effect that is not the one that was planned or approved, without sending it; `body` is what it says, if it
    /// can be read.
    pub(super) async fn stop_altered(
        &self,
        leased: &Leased,
        body: Option<&EffectBody>,
    ) -> Result<(), RuntimeError> {
        counters::tampered("dispatch", leased.effect.row.id.as_str());
        self.stop(leased, body, SendingFault::Altered).await
    }

    /// Ends an effect without sending it, as failed if no earlier attempt may have arrived.
    pub(super) async fn stop(
        &self,
        leased: &Leased,
        body: Option<&EffectBody>,
        fault: SendingFault,
    ) -> Result<(), RuntimeError> {
        let text = fault.into();
        let outcome = match may_have_arrived(leased) {
            true => Outcome::Uncertain { text },
            false => Outcome::Failed { reason: "refused".into(), text, errors: Vec::new() },
        };
        self.end(leased, body, leased.effect.attempts, outcome).await
    }

    /// Ends a leased effect. `body` is `None` if it cannot be read.
    pub(super) async fn end(
        &self,
        leased: &Leased,
        body: Option<&EffectBody>,
        attempt: u32,
        outcome: Outcome,
    ) -> Result<(), RuntimeError> {
        let class = leased.effect.row.class;
        let message = match (&outcome, body) {
            (Outcome::Done { result: EffectResult::Delivered { channel_id } }, Some(body)) => {
                channel_id.clone().zip(shows(body).map(|message| message.0.clone()))
            }
            _ => None,
        };
        let done = matches!(outcome, Outcome::Done { .. });
        let event = match !done || class.reports_success() {
            true => Some(self.settled_event(&leased.effect, body, attempt, &outcome).await?),
            false => None,
        };
        let (state, word) = match &outcome {
            Outcome::Done { .. } => (EffectState::Done, "done"),
            Outcome::Failed { .. } => (EffectState::Failed, "failed"),
            Outcome::Uncertain { .. } => (EffectState::Uncertain, "uncertain"),
        };
        metrics::counter!("throughline_effects_total", "class" => class.as_str(), "outcome" => word)
            .increment(1);
        let outcome = serde_json::to_string(&outcome).unwrap_or_default();
        self.settle(leased, SettleTo::End(state, outcome), message, event).await
    }

    /// The event that tells the lane how an effect ended. Of one that cannot be read, its approval says the card.
    pub(super) async fn settled_event(
        &self,
        effect: &StoredEffect,
        body: Option<&EffectBody>,
        attempt: u32,
        outcome: &Outcome,
    ) -> Result<Delivery, RuntimeError> {
        let id = &effect.row.id;
        let unshown = match (outcome, body.and_then(shows)) {
            (Outcome::Failed { .. }, Some(message)) => {
                let seen = !self.store.channel_ids(&effect.lane, message.as_str()).await?.is_empty();
                Some(Unshown { message: message.clone(), seen })
            }
            _ => None,
        };
        let key = format!("fx:{id}:{attempt}");
        let kind = EventKind::EffectSettled {
            effect: id.clone(),
            outcome: outcome.clone(),
            card: match body {
                Some(body) => body.card().cloned(),
                None => effect.row.approval.as_ref().map(|approval| approval.card.clone()),
            },
            task: body.and_then(EffectBody::task).cloned(),
            unshown,
        };
        Ok(self.effect_event(effect, key, kind))
    }

    pub(super) async fn settle(
        &self,
        leased: &Leased,
        to: SettleTo,
        message: Option<(String, String)>,
        event: Option<Delivery>,
    ) -> Result<(), RuntimeError> {
        let lane = &leased.effect.lane;
        let wakes_lane = event.is_some();
        spans::settled(match &to {
            SettleTo::End(state, _) => *state,
            SettleTo::Retry(_) | SettleTo::Unsure(..) => EffectState::Planned,
        });
        if let Some(event) = &event {
            self.causes.leads_to(&event.identity.key);
        }
        let settlement = Settlement {
            tenant: lane.tenant.clone(),
            id: leased.effect.row.id.clone(),
            fence: Some(leased.fence),
            to,
            message,
            event,
        };
        let ours = self.store.settle(settlement).await?;
        self.faults.at(FailPoint::ResultCommitted, leased.effect.row.class.as_str())?;
        if ours && wakes_lane {
            self.wakes.wake(lane);
        }
        if !ours {
            // Another worker took the effect over and has parked or tried it; this result is too late.
            tracing::error!(effect = %leased.effect.row.id, "an attempt outlived its lease");
            metrics::counter!("throughline_lease_lost_total").increment(1);
        }
        // Effects that waited for this one, in its stream or by dependency, may be due now.
        self.wakes.effects.notify_one();
        Ok(())
    }

    /// Takes a host's report on an effect that the host performs. Returns false if the effect had ended already.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn report(&self, effect: &StoredEffect, outcome: Outcome) -> Result<bool, RuntimeError> {
        let body = stored::effect_body(effect).ok();
        let state = match &outcome {
            Outcome::Done { .. } => EffectState::Done,
            Outcome::Failed { .. } => EffectState::Failed,
            Outcome::Uncertain { .. } => EffectState::Uncertain,
        };
        // The event that ends an uncertain effect is not the one that made it uncertain, so its key differs.
        let n = if effect.state == EffectState::Uncertain { 2 } else { 1 };
        let event = self.settled_event(effect, body.as_ref(), n, &outcome).await?;
        let settlement = Settlement {
            tenant: effect.lane.tenant.clone(),
            id: effect.row.id.clone(),
            fence: None,
            to: SettleTo::End(state, serde_json::to_string(&outcome).unwrap_or_default()),
            message: None,
            event: Some(event),
        };
        let settled = self.store.settle(settlement).await?;
        if settled {
            self.wakes.wake(&effect.lane);
            self.wakes.effects.notify_one();
        }
        Ok(settled)
    }

    /// Ends host effects that were not reported in time: outward ones as uncertain, the rest as failed. Returns how
    /// many.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn end_overdue(&self) -> Result<usize, RuntimeError> {
        let overdue = self.store.overdue(64).await?;
        for effect in &overdue {
            let text = SendingFault::HostSilent.into();
            let outcome = if effect.row.outward {
                Outcome::Uncertain { text }
            } else {
                Outcome::Failed { reason: "gave_up".into(), text, errors: Vec::new() }
            };
            self.report(effect, outcome).await?;
        }
        Ok(overdue.len())
    }
}

/// True if an earlier attempt at an outward effect may have arrived: nobody noted how it ended, or that nobody knows.
fn may_have_arrived(leased: &Leased) -> bool {
    let tried = leased.found_attempted || leased.effect.outcome.is_some();
    tried && leased.effect.row.outward
}
