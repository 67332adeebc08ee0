//! Performs effects: leases them, marks each attempt before its first byte, performs it and records the outcome
//! (`docs/design/0031-effects-and-retries.md`).

mod call;
mod complete;
mod message;
mod model;
mod post;
mod record;
mod tracker;

use std::pin::pin;

use futures_util::future::{Either, select};
use throughline_channels::{Channel, Delivered, Does, Working};
use throughline_engine::data::call::Job;
use throughline_engine::data::effect::{Attempt, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::Unshown;
use throughline_engine::data::fault::{Fault, SendingFault};
use throughline_engine::data::policy::limits;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::retry::Guarantee;
use throughline_engine::{EventKind, Timestamp};
use throughline_store::{Delivery, EffectState, Leased, Mark, SettleTo, Settlement, StoredEffect};

use call::{CallProgress, ReadyCall, underway};
pub(crate) use complete::is_altered;

use message::{Outgoing, shows};
use record::Tried;

use crate::{FailPoint, Runtime, RuntimeError, counters, stored};

/// Returns the kind of work that people who wait are shown; none for an attempt that nobody waits for. A summary is made for later.
fn shown_as(body: &EffectBody) -> Option<Does<'_>> {
    match body {
        EffectBody::ModelAsk(ask) if ask.purpose() != Purpose::Summary => Some(Does::Asks),
        EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) => match &call.job {
            Job::Tool { name, .. } => Some(Does::Calls(name)),
            Job::Agent { name } => Some(Does::Delegates(name)),
            _ => None,
        },
        _ => None,
    }
}

/// Parts that an attempt is made with.
struct Prepared {
    /// The effect with all its parts.
    body: EffectBody,
    /// The worker, if it is a call.
    call: Option<ReadyCall>,
}

impl Runtime {
    /// Leases at most `limit` effects that may be performed now. Hand each to [`Self::perform`].
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn lease_effects(&self, limit: u32) -> Result<Vec<Leased>, RuntimeError> {
        Ok(self.store.lease(&self.owner, limit).await?)
    }

    /// Leases effects and performs them one after the other; returns how many. For hosts without tasks, like the
    /// simulator.
    ///
    /// # Errors
    /// The store failed or a fail point was reached. The leases run out, and another worker goes on.
    pub async fn dispatch(&self) -> Result<usize, RuntimeError> {
        let leased = self.lease_effects(16).await?;
        let count = leased.len();
        for effect in leased {
            self.perform(effect).await?;
        }
        Ok(count)
    }

    /// Performs one leased effect once, from the mark to the recorded outcome.
    ///
    /// # Errors
    /// The store failed or a fail point was reached. The lease runs out, and the attempt counts as unknown.
    pub async fn perform(&self, leased: Leased) -> Result<(), RuntimeError> {
        let effect = &leased.effect;
        let class = effect.row.class.as_str();
        self.faults.at(FailPoint::EffectClaimed, class)?;
        if effect.row.payload.is_empty() {
            // Erased while it waited: it is not sent, and nobody is asked about it.
            let text = Fault::Said(String::new());
            let outcome = Outcome::Failed { reason: "erased".into(), text, errors: Vec::new() };
            let outcome = serde_json::to_string(&outcome).unwrap_or_default();
            return self.settle(&leased, SettleTo::End(EffectState::Failed, outcome), None, None).await;
        }
        let body = stored::effect_body(effect);
        if is_altered(effect, body.as_ref().ok()) {
            return self.stop_altered(&leased, body.as_ref().ok()).await;
        }
        let body = match body {
            Ok(body) => body,
            Err(error) => {
                tracing::error!(effect = %effect.row.id, %error, "an effect cannot be read; it is not sent");
                return self.stop(&leased, None, SendingFault::Unreadable).await;
            }
        };
        let outgoing = self.outgoing(effect, &body).await?;
        let parts_out = outgoing.as_ref().map_or(0, Outgoing::parts_out);
        if leased.found_attempted {
            if underway(effect).is_some() {
                // The far side has it already: ask for its state again, send nothing.
                return self.settle(&leased, SettleTo::Retry(self.store.now()), None, None).await;
            }
            // The worker stopped between the mark and the outcome, so nobody knows whether the effect was applied.
            let why = SendingFault::WorkerGone.into();
            let tried = Tried { attempts: effect.attempts, parts_out };
            return self.record_attempt(&leased, &body, tried, Attempt::Unknown { why }).await;
        }
        if let Some(later) = outgoing.as_ref().and_then(|outgoing| outgoing.not_before(self.store.now())) {
            return self.wait_until(&leased, &body, later, SendingFault::ChannelBusy).await;
        }
        // Whatever can wait, waits here: behind the mark is nothing but the request.
        let prepared = self.prepare(effect, &body).await?;
        let tenant = &effect.lane.tenant;
        let attempt = match self.store.mark(tenant, &effect.row.id, leased.fence, &effect.held()).await? {
            Mark::Attempt(n) => n,
            Mark::LeaseLost => return Ok(()),
            Mark::Paused => {
                let later = SettleTo::Retry(self.store.now().plus(limits::PAUSED_LOOK));
                return self.settle(&leased, later, None, None).await;
            }
            Mark::NoApproval => return self.refuse(&leased, &body, SendingFault::NoApproval).await,
            Mark::PayloadDiffers => return self.stop_altered(&leased, Some(&body)).await,
        };
        self.faults.at(FailPoint::AttemptMarked, class)?;
        let (body, ready) = match prepared {
            Ok(Prepared { body, call }) => (body, Ok(call)),
            Err(early) => (body, Err(early)),
        };
        let outcome = match &outgoing {
            None => match self.attempt_shown(effect, &body, ready).await? {
                Attempt::Applied(CallProgress::Underway(now)) => {
                    return self.record_progress(&leased, &body, attempt, now).await;
                }
                Attempt::Applied(CallProgress::Ended(result)) => Attempt::Applied(result),
                Attempt::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
                Attempt::Rejected { text, errors } => Attempt::Rejected { text, errors },
                Attempt::Unknown { why } => Attempt::Unknown { why },
            },
            Some(outgoing) => match self.send(outgoing).await? {
                Attempt::Applied(Delivered { id, more: true }) => {
                    return self.record_part(&leased, &body, id).await;
                }
                outcome => outcome.map(|delivered| EffectResult::Delivered { channel_id: delivered.id }),
            },
        };
        self.record_attempt(&leased, &body, Tried { attempts: attempt, parts_out }, outcome).await
    }

    /// Plans an effect again that may not begin yet. Waiting costs no attempt, and ends with the time of its class: then it
    /// is given up, and whether an earlier attempt arrived is as unknown as before.
    async fn wait_until(
        &self,
        leased: &Leased,
        body: &EffectBody,
        later: Timestamp,
        why: SendingFault,
    ) -> Result<(), RuntimeError> {
        let effect = &leased.effect;
        if later.since(effect.created_at) <= body.retry_limits().1 {
            return self.settle(leased, SettleTo::Retry(later), None, None).await;
        }
        let text = why.into();
        let outcome = match body.is_outward() && effect.outcome.is_some() {
            true => Outcome::Uncertain { text },
            false => Outcome::Failed { reason: "gave_up".into(), text, errors: Vec::new() },
        };
        self.end(leased, Some(body), effect.attempts, outcome).await
    }

    /// Records a delivered part. The next part is an attempt of its own, so that a restart continues with it.
    async fn record_part(
        &self,
        leased: &Leased,
        body: &EffectBody,
        id: Option<String>,
    ) -> Result<(), RuntimeError> {
        let message = id.zip(shows(body).map(|message| message.0.clone()));
        self.settle(leased, SettleTo::Retry(self.store.now()), message, None).await
    }

    /// Gets everything ready for an attempt, before it is marked: the parts of the effect, and whatever its worker has to
    /// wait for. Otherwise returns the outcome of the attempt, which is known without sending.
    async fn prepare(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Result<Prepared, Attempt<CallProgress>>, RuntimeError> {
        let body = match self.completed(effect, body.clone()).await? {
            Ok(body) => body,
            Err(fault) => return Ok(Err(Attempt::Rejected { text: fault.into(), errors: Vec::new() })),
        };
        let call = match &body {
            EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) => {
                match self.ready_call(effect, call).await? {
                    Ok(ready) => Some(ready),
                    Err(early) => return Ok(Err(early)),
                }
            }
            _ => None,
        };
        Ok(Ok(Prepared { body, call }))
    }

    /// Makes an attempt. While somebody waits for its answer, the channel shows that work is going on, if it can;
    /// showing it delays nothing.
    async fn attempt_shown(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
        ready: Result<Option<ReadyCall>, Attempt<CallProgress>>,
    ) -> Result<Attempt<CallProgress>, RuntimeError> {
        let ready = match ready {
            Ok(ready) => ready,
            Err(early) => return Ok(early),
        };
        // Asking how far a remote task got is not shown as work.
        let does = shown_as(body).filter(|_| underway(effect).is_none());
        let channel = self.ports.channels.get(&effect.lane.channel).zip(does);
        let Some((channel, does)) = channel else { return self.attempt(effect, body, ready).await };
        let (attempt, shown) =
            (pin!(self.attempt(effect, body, ready)), pin!(self.show_work(effect, channel.as_ref(), does)));
        // `select` polls the attempt first: an answer that is there at once is not shown as work.
        match select(attempt, shown).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), attempt)) => attempt.await,
        }
    }

    async fn show_work(&self, effect: &StoredEffect, channel: &dyn Channel, does: Does<'_>) {
        // Who waits is not worth an error: without them the channel shows what it can.
        let by = self.cause(effect).await.ok().and_then(|(_, by)| by);
        let (lane, id, now) = (&effect.lane, effect.row.id.as_str(), self.store.now());
        channel.working(Working { lane, effect: id, does, by: by.as_deref(), now }).await;
    }

    async fn attempt(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
        ready: Option<ReadyCall>,
    ) -> Result<Attempt<CallProgress>, RuntimeError> {
        if let (EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call), Some(ready)) = (body, ready) {
            return self.call(effect, call, ready).await;
        }
        Ok(self.attempt_ours(effect, body).await?.map(CallProgress::Ended))
    }

    async fn attempt_ours(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Attempt<EffectResult>, RuntimeError> {
        match body {
            EffectBody::ModelAsk(ask) => self.ask_model(effect, ask).await,
            EffectBody::TrackerCheck { .. }
            | EffectBody::TrackerFind { .. }
            | EffectBody::TrackerSeek { .. }
            | EffectBody::TrackerUpdate { .. }
            | EffectBody::TrackerCreate { .. } => self.track(effect, body).await,
            EffectBody::PostChannel { .. } => self.post(effect, body).await,
            EffectBody::ToolCall(_)
            | EffectBody::AgentDelegate(_)
            | EffectBody::OptionExecute(_)
            | EffectBody::EvidenceFetch { .. }
            | EffectBody::TurnHandover(_) => {
                let text = SendingFault::HostOnly.into();
                Ok(Attempt::Rejected { text, errors: Vec::new() })
            }
            EffectBody::Reply { .. }
            | EffectBody::CardPost { .. }
            | EffectBody::CardUpdate { .. }
            | EffectBody::Notice { .. } => {
                let fault = SendingFault::NoChannel { channel: effect.lane.channel.clone() };
                Ok(Attempt::Rejected { text: fault.into(), errors: Vec::new() })
            }
        }
    }

    fn guarantee(&self, effect: &StoredEffect, body: &EffectBody) -> Guarantee {
        match body {
            EffectBody::TrackerCreate { target, .. } | EffectBody::TrackerUpdate { target, .. } => self
                .ports
                .trackers
                .get(&target.tracker)
                .map_or(Guarantee::Nothing, |tracker| tracker.guarantee()),
            EffectBody::PostChannel { to, .. } => self.guarantee_of_post(to),
            body if shows(body).is_some() => self
                .ports
                .channels
                .get(&effect.lane.channel)
                .map_or(Guarantee::Nothing, |channel| channel.guarantee()),
            EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) => self
                .ports
                .workers
                .get(&call.job.target())
                .map_or(Guarantee::Nothing, |worker| worker.guarantee()),
            _ => Guarantee::Nothing,
        }
    }

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
    async fn stop_altered(&self, leased: &Leased, body: Option<&EffectBody>) -> Result<(), RuntimeError> {
        counters::tampered("dispatch", leased.effect.row.id.as_str());
        self.stop(leased, body, SendingFault::Altered).await
    }

    /// Ends an effect without sending it, as failed if no earlier attempt may have arrived.
    async fn stop(
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

    async fn refuse(
        &self,
        leased: &Leased,
        body: &EffectBody,
        fault: SendingFault,
    ) -> Result<(), RuntimeError> {
        self.stop(leased, Some(body), fault).await
    }

    /// Ends a leased effect. `body` is `None` if it cannot be read.
    async fn end(
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
    async fn settled_event(
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

    async fn settle(
        &self,
        leased: &Leased,
        to: SettleTo,
        message: Option<(String, String)>,
        event: Option<Delivery>,
    ) -> Result<(), RuntimeError> {
        let lane = &leased.effect.lane;
        let wakes_lane = event.is_some();
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
