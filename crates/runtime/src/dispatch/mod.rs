//! Effects: leased, marked before the first byte, performed, and their outcome recorded (`spec 06 §4`).

mod message;
mod model;
mod post;
mod tracker;
mod work;

use std::pin::pin;

use futures_util::future::{Either, select};
use throughline_channels::Delivered;
use throughline_engine::EventKind;
use throughline_engine::effect::{
    AfterUnknown, Attempt, EffectBody, EffectClass, EffectResult, FieldError, Guarantee, Outcome,
    after_unknown, retry_delay,
};
use throughline_engine::policy::limits;
use throughline_store::{Delivery, EffectState, Leased, Mark, SettleTo, Settlement, StoredEffect};

pub(crate) use model::Asks;
use work::{Came, underway};

use message::{Outgoing, shows};

use crate::given::unreadable;
use crate::{FailPoint, Runtime, Stop};

impl Runtime {
    /// Leases effects that may be performed now. Hand each to [`Self::perform`].
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn lease_effects(&self, limit: u32) -> Result<Vec<Leased>, Stop> {
        Ok(self.store.lease(&self.owner, limit).await?)
    }

    /// Leases and performs one after the other; says how many. What the simulator calls.
    ///
    /// # Errors
    /// The store failed or a fail point was reached; the leases run out and others go on.
    pub async fn dispatch(&self) -> Result<usize, Stop> {
        let leased = self.lease_effects(16).await?;
        let count = leased.len();
        for effect in leased {
            self.perform(effect).await?;
        }
        Ok(count)
    }

    /// Performs one leased effect: once, from the mark to the recorded outcome.
    ///
    /// # Errors
    /// The store failed or a fail point was reached; the lease runs out and the attempt counts as unknown.
    pub async fn perform(&self, leased: Leased) -> Result<(), Stop> {
        let effect = &leased.effect;
        let class = effect.row.class.word();
        self.faults.at(FailPoint::EffectClaimed, class)?;
        if effect.row.payload.is_empty() {
            // Erased while it was on its way: it is not sent again, and nobody is asked about it.
            let outcome =
                Outcome::Failed { reason: "erased".into(), text: String::new(), errors: Vec::new() };
            let outcome = serde_json::to_string(&outcome).unwrap_or_default();
            return self.settle(&leased, SettleTo::End(EffectState::Failed, outcome), None, None).await;
        }
        let body: EffectBody = serde_json::from_str(&effect.row.payload)
            .map_err(|e| unreadable("a stored effect", &e.to_string()))?;
        let guarantee = self.guarantee(&body);
        let outgoing = self.outgoing(effect, &body).await?;
        let parts_out = outgoing.as_ref().map_or(0, Outgoing::parts_out);
        if leased.found_attempted {
            if underway(effect).is_some() {
                // The far side has it: that is looked at again, and nothing is sent.
                return self.settle(&leased, SettleTo::Retry(self.store.now()), None, None).await;
            }
            // Its worker is gone, and with it the answer: nobody knows whether it was applied.
            let why = "the worker that tried it is gone".to_owned();
            let attempts = effect.attempts.saturating_sub(parts_out);
            return self.ended(&leased, &body, attempts, Attempt::Unknown { why }, guarantee).await;
        }
        if let Some(later) = outgoing.as_ref().and_then(|outgoing| outgoing.not_before(self.store.now())) {
            return self.settle(&leased, SettleTo::Retry(later), None, None).await;
        }
        let tenant = &effect.lane.tenant;
        let attempt = match self.store.mark(tenant, &effect.row.id, leased.fence).await? {
            Mark::Attempt(n) => n,
            Mark::LeaseLost => return Ok(()),
            Mark::Paused => {
                let later = SettleTo::Retry(self.store.now().plus(limits::PAUSED_LOOK));
                return self.settle(&leased, later, None, None).await;
            }
            Mark::NoApproval => return self.refuse(&leased, &body, "no approval was consumed for it").await,
            Mark::PayloadDiffers => {
                tracing::error!(effect = %effect.row.id, code = "TL-4107", "the stored payload is not what was approved");
                return self
                    .refuse(&leased, &body, "the stored request is not what was shown (TL-4107)")
                    .await;
            }
        };
        self.faults.at(FailPoint::AttemptMarked, class)?;
        let outcome = match &outgoing {
            None => match self.attempt_shown(effect, &body).await? {
                Attempt::Applied(Came::GoesOn(now)) => {
                    return self.goes_on(&leased, &body, attempt, now).await;
                }
                Attempt::Applied(Came::To(result)) => Attempt::Applied(result),
                Attempt::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
                Attempt::Rejected { text, errors } => Attempt::Rejected { text, errors },
                Attempt::Unknown { why } => Attempt::Unknown { why },
            },
            Some(outgoing) => match self.send(outgoing).await? {
                Attempt::Applied(Delivered { id, more: true }) => {
                    return self.part_out(&leased, &body, id).await;
                }
                outcome => outcome.map(|delivered| EffectResult::Delivered { channel_id: delivered.id }),
            },
        };
        self.ended(&leased, &body, attempt.saturating_sub(parts_out), outcome, guarantee).await
    }

    /// A part is out and on record; the next is an attempt of its own, so that a restart continues with it.
    async fn part_out(&self, leased: &Leased, body: &EffectBody, id: Option<String>) -> Result<(), Stop> {
        let message = id.zip(shows(body).map(|message| message.0.clone()));
        self.settle(leased, SettleTo::Retry(self.store.now()), message, None).await
    }

    /// An attempt at what somebody waits for an answer of is shown as work, where the channel can; showing it delays
    /// nothing.
    async fn attempt_shown(&self, effect: &StoredEffect, body: &EffectBody) -> Result<Attempt<Came>, Stop> {
        // A look at what goes on elsewhere is no work of ours.
        let asks =
            matches!(body, EffectBody::ModelAsk(_) | EffectBody::ToolCall(_) | EffectBody::AgentDelegate(_))
                && underway(effect).is_none();
        let channel = self.ports.channels.get(&effect.lane.channel).filter(|_| asks);
        let Some(channel) = channel else { return self.attempt(effect, body).await };
        let (attempt, shown) =
            (pin!(self.attempt(effect, body)), channel.working(&effect.lane, self.store.now()));
        // The attempt is looked at first: what answers at once is not shown at all.
        match select(attempt, shown).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), attempt)) => attempt.await,
        }
    }

    async fn attempt(&self, effect: &StoredEffect, body: &EffectBody) -> Result<Attempt<Came>, Stop> {
        if let EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) = body {
            return self.call(effect, call).await;
        }
        Ok(self.attempt_ours(effect, body).await?.map(Came::To))
    }

    async fn attempt_ours(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Attempt<EffectResult>, Stop> {
        match body {
            EffectBody::ModelAsk(ask) => self.ask_model(effect, ask).await,
            EffectBody::TrackerCheck { .. }
            | EffectBody::TrackerFind { .. }
            | EffectBody::TrackerSeek { .. }
            | EffectBody::TrackerUpdate { .. }
            | EffectBody::TrackerCreate { .. } => self.track(effect, body).await,
            EffectBody::PostChannel { to, text, .. } => self.post(effect, to, text).await,
            EffectBody::ToolCall(_)
            | EffectBody::AgentDelegate(_)
            | EffectBody::OptionExecute(_)
            | EffectBody::EvidenceFetch { .. } => {
                let text = "only a host can do this".into();
                Ok(Attempt::Rejected { text, errors: Vec::new() })
            }
            EffectBody::Reply { .. }
            | EffectBody::CardPost { .. }
            | EffectBody::CardUpdate { .. }
            | EffectBody::Notice { .. } => {
                let text = format!("there is no channel {} here", effect.lane.channel);
                Ok(Attempt::Rejected { text, errors: Vec::new() })
            }
        }
    }

    fn guarantee(&self, body: &EffectBody) -> Guarantee {
        match body {
            EffectBody::TrackerCreate { target, .. } | EffectBody::TrackerUpdate { target, .. } => self
                .ports
                .trackers
                .get(&target.tracker)
                .map_or(Guarantee::Nothing, |tracker| tracker.guarantee()),
            EffectBody::PostChannel { to, .. } if self.posts_once(to) => Guarantee::Idempotent,
            EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) => self
                .ports
                .workers
                .get(&call.job.target())
                .map_or(Guarantee::Nothing, |worker| worker.guarantee()),
            _ => Guarantee::Nothing,
        }
    }

    /// From the outcome of an attempt to the effect's next state (`spec 06 §4.3`, `§4.4`).
    async fn ended(
        &self,
        leased: &Leased,
        body: &EffectBody,
        attempt: u32,
        outcome: Attempt<EffectResult>,
        guarantee: Guarantee,
    ) -> Result<(), Stop> {
        let effect = &leased.effect;
        let class = body.class();
        let failed = |reason: &str, text: String, errors: Vec<FieldError>| Outcome::Failed {
            reason: reason.into(),
            text,
            errors,
        };
        let (max, age) = body.gives_up();
        let now = self.store.now();
        let again = |hint| now.plus(retry_delay(&effect.row.id, attempt, hint));
        let retry = |hint| SettleTo::Retry(again(hint));
        // A question's second try is inside of its time, or there is none.
        let latest = match (&outcome, class) {
            (Attempt::NotApplied { hint, .. }, EffectClass::ModelAsk) => again(*hint),
            (_, EffectClass::ModelAsk) => again(None),
            _ => now,
        };
        let may_retry = attempt < max && latest.since(effect.created_at) <= age;
        // What leaves the thread and may have arrived, now or at an earlier attempt, has not failed when trying ends:
        // asked for again under another id it could be there twice. A refusal is another matter, it is an answer.
        let unknown = matches!(outcome, Attempt::Unknown { .. });
        let unsure = body.outward() && (unknown || effect.outcome.is_some());
        let gave_up = |why: String| match unsure {
            true => Outcome::Uncertain { text: why },
            false => failed("gave_up", why, Vec::new()),
        };
        let outcome = match outcome {
            Attempt::Applied(result) => Outcome::Done { result },
            Attempt::Rejected { text, errors } => failed("rejected", text, errors),
            Attempt::NotApplied { hint, .. } if may_retry => {
                return self.settle(leased, retry(hint), None, None).await;
            }
            Attempt::NotApplied { why, .. } => gave_up(why),
            Attempt::Unknown { why } => match after_unknown(body, guarantee) {
                AfterUnknown::Retry if may_retry => {
                    let kept =
                        || serde_json::to_string(&Outcome::Uncertain { text: why }).unwrap_or_default();
                    let to = if unsure { SettleTo::Unsure(again(None), kept()) } else { retry(None) };
                    return self.settle(leased, to, None, None).await;
                }
                AfterUnknown::RetryOnce if attempt < 2 => {
                    return self.settle(leased, retry(None), None, None).await;
                }
                AfterUnknown::Retry | AfterUnknown::RetryOnce => gave_up(why),
                AfterUnknown::Park => Outcome::Uncertain { text: why },
            },
        };
        self.end(leased, body, attempt, outcome).await
    }

    /// Ends a leased effect as told: how a scenario says what a far side did.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn end_as(&self, leased: &Leased, outcome: Outcome) -> Result<(), Stop> {
        let body: EffectBody = serde_json::from_str(&leased.effect.row.payload)
            .map_err(|e| unreadable("a stored effect", &e.to_string()))?;
        self.end(leased, &body, leased.effect.attempts, outcome).await
    }

    async fn refuse(&self, leased: &Leased, body: &EffectBody, text: &str) -> Result<(), Stop> {
        let outcome = Outcome::Failed { reason: "refused".into(), text: text.into(), errors: Vec::new() };
        self.end(leased, body, leased.effect.attempts, outcome).await
    }

    async fn end(
        &self,
        leased: &Leased,
        body: &EffectBody,
        attempt: u32,
        outcome: Outcome,
    ) -> Result<(), Stop> {
        let class = body.class();
        let message = match (&outcome, body) {
            (Outcome::Done { result: EffectResult::Delivered { channel_id } }, body) => {
                channel_id.clone().zip(shows(body).map(|message| message.0.clone()))
            }
            _ => None,
        };
        let done = matches!(outcome, Outcome::Done { .. });
        let event =
            (!done || class.reports_success()).then(|| self.settled_event(leased, body, attempt, &outcome));
        let (state, word) = match &outcome {
            Outcome::Done { .. } => (EffectState::Done, "done"),
            Outcome::Failed { .. } => (EffectState::Failed, "failed"),
            Outcome::Uncertain { .. } => (EffectState::Uncertain, "uncertain"),
        };
        metrics::counter!("throughline_effects_total", "class" => class.word(), "outcome" => word)
            .increment(1);
        let outcome = serde_json::to_string(&outcome).unwrap_or_default();
        self.settle(leased, SettleTo::End(state, outcome), message, event).await
    }

    fn settled_event(&self, leased: &Leased, body: &EffectBody, attempt: u32, outcome: &Outcome) -> Delivery {
        let id = &leased.effect.row.id;
        let key = format!("fx:{id}:{attempt}");
        let kind = EventKind::EffectSettled {
            effect: id.clone(),
            outcome: outcome.clone(),
            card: body.card().cloned(),
            task: body.task().cloned(),
        };
        self.happened(&leased.effect, key, kind)
    }

    async fn settle(
        &self,
        leased: &Leased,
        to: SettleTo,
        message: Option<(String, String)>,
        event: Option<Delivery>,
    ) -> Result<(), Stop> {
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
        self.faults.at(FailPoint::ResultCommitted, leased.effect.row.class.word())?;
        if ours && wakes_lane {
            self.wakes.wake(lane);
        }
        if !ours {
            // Another worker took it over in the meantime and has parked or tried it; this result comes too late.
            tracing::error!(effect = %leased.effect.row.id, "an attempt outlived its lease");
            metrics::counter!("throughline_lease_lost_total").increment(1);
        }
        // What waited for this one in its stream, or depends on it, may be due now.
        self.wakes.effects.notify_one();
        Ok(())
    }

    /// A host's report on an effect it performs: settles it once. `false`: it had ended already.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn report(&self, effect: &StoredEffect, outcome: Outcome) -> Result<bool, Stop> {
        let body: EffectBody = serde_json::from_str(&effect.row.payload)
            .map_err(|e| unreadable("a stored effect", &e.to_string()))?;
        let leased = Leased { effect: effect.clone(), fence: 0, found_attempted: false };
        let state = match &outcome {
            Outcome::Done { .. } => EffectState::Done,
            Outcome::Failed { .. } => EffectState::Failed,
            Outcome::Uncertain { .. } => EffectState::Uncertain,
        };
        // What ends an uncertain effect is another event than what made it uncertain.
        let n = if effect.state == EffectState::Uncertain { 2 } else { 1 };
        let event = self.settled_event(&leased, &body, n, &outcome);
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

    /// Host effects that nobody reported in time: outward ones become uncertain, the rest failed.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn overdue(&self) -> Result<usize, Stop> {
        let overdue = self.store.overdue(64).await?;
        for effect in &overdue {
            let text = "the host did not report in time".to_owned();
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
