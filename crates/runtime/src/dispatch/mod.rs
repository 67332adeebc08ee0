//! Performs effects: leases them, marks each attempt before its first byte, performs it and records the outcome
//! (`docs/design/0031-effects-and-retries.md`).

mod call;
mod complete;
mod message;
mod model;
mod post;
mod record;
mod settle;
mod together;
mod tracker;

use std::pin::pin;

use futures_util::future::{Either, select};
use throughline_channels::{Channel, Delivered, Does, Working};
use throughline_engine::data::call::Job;
use throughline_engine::data::effect::{Attempt, EffectBody, EffectResult, Outcome};
use throughline_engine::data::fault::{Fault, SendingFault, ToolFault};
use throughline_engine::data::policy::limits;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::retry::Guarantee;
use throughline_engine::{Millis, Timestamp};
use throughline_store::{EffectState, Leased, Mark, SettleTo, StoredEffect};
use tracing::Instrument as _;

use call::{CallProgress, ReadyCall, underway};
pub(crate) use complete::is_altered;

use message::{Outgoing, shows};
use record::Tried;

use crate::{FailPoint, Runtime, RuntimeError, spans, stored};

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

/// Reason why an attempt was not prepared.
enum NotPrepared {
    /// The far side has no place for another call.
    Busy,
    /// Outcome of the attempt, which is known without sending.
    Known(Attempt<CallProgress>),
}

impl From<Attempt<CallProgress>> for NotPrepared {
    fn from(known: Attempt<CallProgress>) -> Self {
        Self::Known(known)
    }
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
        let span = self.causes.effect(&leased.effect);
        self.perform_once(leased).instrument(span).await
    }

    async fn perform_once(&self, leased: Leased) -> Result<(), RuntimeError> {
        let effect = &leased.effect;
        let class = effect.row.class.as_str();
        self.faults.at(FailPoint::EffectClaimed, class)?;
        let Some(body) = self.read(&leased).await? else { return Ok(()) };
        if let Some((bulk, behind)) = self.lease_behind(&leased, &body).await? {
            return self.perform_together(bulk, (leased, body), behind).await;
        }
        let outgoing = self.outgoing(effect, &body).await?;
        let parts_out = outgoing.as_ref().map_or(0, Outgoing::parts_out);
        if leased.found_attempted {
            if underway(effect).is_some() {
                // The far side has it already: ask for its state again, send nothing.
                return self.settle(&leased, SettleTo::Retry(self.store.now()), None, None).await;
            }
            // The worker stopped between the mark and the outcome, so nobody knows whether the effect was applied.
            let why = SendingFault::WorkerGone.into();
            let tried = Tried { attempts: effect.attempts, parts_out, paced_by: None };
            return self.record_attempt(&leased, &body, tried, Attempt::Unknown { why }).await;
        }
        if let Some(later) = outgoing.as_ref().and_then(|outgoing| outgoing.not_before(self.store.now())) {
            let longest = body.retry_limits().1;
            return self.wait_until(&leased, &body, (later, longest), SendingFault::ChannelBusy).await;
        }
        // Whatever can wait, waits here: behind the mark is nothing but the request.
        let prepared = match self.prepare(effect, &body).await? {
            Ok(prepared) => Ok(prepared),
            Err(NotPrepared::Known(early)) => Err(early),
            Err(NotPrepared::Busy) => {
                let later = self.store.now().plus(limits::PLACE_LOOK);
                let longest = body.retry_limits().1.max(limits::PLACE_LONGEST);
                return self.wait_until(&leased, &body, (later, longest), ToolFault::Busy).await;
            }
        };
        let tenant = &effect.lane.tenant;
        let mark = self.store.mark(tenant, &effect.row.id, leased.fence, &effect.held()).await?;
        let Some(attempt) = self.begun(&leased, &body, mark).await? else { return Ok(()) };
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
        self.record_attempt(&leased, &body, Tried { attempts: attempt, parts_out, paced_by: None }, outcome)
            .await
    }

    /// Reads a leased effect. Returns nothing if there is nothing to perform: it was erased while it waited, is not the one that
    /// was planned, or cannot be read. Then it has ended.
    async fn read(&self, leased: &Leased) -> Result<Option<EffectBody>, RuntimeError> {
        let effect = &leased.effect;
        if effect.row.payload.is_empty() {
            // It is not sent, and nobody is asked about it.
            let text = Fault::Said(String::new());
            let outcome = Outcome::Failed { reason: "erased".into(), text, errors: Vec::new() };
            let outcome = serde_json::to_string(&outcome).unwrap_or_default();
            self.settle(leased, SettleTo::End(EffectState::Failed, outcome), None, None).await?;
            return Ok(None);
        }
        let body = stored::effect_body(effect);
        if is_altered(effect, body.as_ref().ok()) {
            self.stop_altered(leased, body.as_ref().ok()).await?;
            return Ok(None);
        }
        match body {
            Ok(body) => Ok(Some(body)),
            Err(error) => {
                tracing::error!(effect = %effect.row.id, %error, "an effect cannot be read; it is not sent");
                self.stop(leased, None, SendingFault::Unreadable).await?;
                Ok(None)
            }
        }
    }

    /// Returns the number of an attempt that was marked. One that may not begin is planned again or ends here.
    async fn begun(
        &self,
        leased: &Leased,
        body: &EffectBody,
        mark: Mark,
    ) -> Result<Option<u32>, RuntimeError> {
        match mark {
            Mark::Attempt(n) => return Ok(Some(n)),
            Mark::LeaseLost => {}
            Mark::Paused => {
                let later = SettleTo::Retry(self.store.now().plus(limits::PAUSED_LOOK));
                self.settle(leased, later, None, None).await?;
            }
            Mark::NoApproval => self.stop(leased, Some(body), SendingFault::NoApproval).await?,
            Mark::PayloadDiffers => self.stop_altered(leased, Some(body)).await?,
        }
        Ok(None)
    }

    /// Plans an effect again that may not begin yet. Waiting costs no attempt, and ends when it is older than `longest`: then
    /// it is given up, and whether an earlier attempt arrived is as unknown as before.
    async fn wait_until(
        &self,
        leased: &Leased,
        body: &EffectBody,
        (later, longest): (Timestamp, Millis),
        why: impl Into<Fault>,
    ) -> Result<(), RuntimeError> {
        let effect = &leased.effect;
        if later.since(effect.created_at) <= longest {
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
    /// wait for. Otherwise returns the reason.
    async fn prepare(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Result<Prepared, NotPrepared>, RuntimeError> {
        let body = match self.completed(effect, body.clone()).await? {
            Ok(body) => body,
            Err(fault) => {
                return Ok(Err(Attempt::Rejected { text: fault.into(), errors: Vec::new() }.into()));
            }
        };
        let call = match &body {
            EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) | EffectBody::HostAct(call) => {
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
        let span = spans::request(body);
        let attempt = self.attempt_once(effect, body, ready).instrument(span.clone()).await?;
        spans::ended(&span, &attempt);
        Ok(attempt)
    }

    async fn attempt_once(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
        ready: Option<ReadyCall>,
    ) -> Result<Attempt<CallProgress>, RuntimeError> {
        if let (
            EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) | EffectBody::HostAct(call),
            Some(ready),
        ) = (body, ready)
        {
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
            | EffectBody::HostAct(_)
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
            EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) | EffectBody::HostAct(call) => self
                .ports
                .workers
                .get(&call.job.target())
                .map_or(Guarantee::Nothing, |worker| worker.guarantee()),
            _ => Guarantee::Nothing,
        }
    }
}
