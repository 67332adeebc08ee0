//! Calls tools and sub-agents, and follows work that goes on remotely.
//!
//! Long work holds no lease. Once the far side has named the task, its name is kept with the effect and the effect is
//! planned again for the next look. So a restart goes on looking, and nothing is sent a second time.

use std::sync::Arc;

use throughline_engine::data::call::{
    Call, CallOutcome, CallPhase, CallRequest, Job, RemoteQuestion, RemoteTask,
};
use throughline_engine::data::effect::{Attempt, EffectBody, EffectResult, Outcome};
use throughline_engine::data::fault::SendingFault;
use throughline_engine::data::policy::limits;
use throughline_engine::{EffectId, EventKind};
use throughline_store::{Delivery, EffectState, Leased, SettleTo, StoredEffect};

use super::NotPrepared;
use crate::{FailPoint, Inbound, NotReady, Permit, Runtime, RuntimeError, Worker};

/// The result of a call that was applied.
pub(super) enum CallProgress {
    /// The effect has ended.
    Ended(EffectResult),
    /// The work goes on remotely.
    Underway(RemoteTask),
}

/// The remote state of an effect that is underway.
pub(super) fn underway(effect: &StoredEffect) -> Option<RemoteTask> {
    serde_json::from_str(effect.outcome.as_deref()?).ok()
}

/// The remote task that an effect began, also of one that ended with a question back.
fn begun(effect: &StoredEffect) -> Option<RemoteTask> {
    let asked = || match serde_json::from_str(effect.outcome.as_deref()?).ok()? {
        Outcome::Done { result: EffectResult::Asked(RemoteQuestion { remote, .. }) } => Some(remote),
        _ => None,
    };
    underway(effect).or_else(|| Some(RemoteTask::at(asked()?, "")))
}

/// A call whose worker is ready for it.
pub(super) struct ReadyCall {
    worker: Arc<dyn Worker>,
    underway: Option<RemoteTask>,
    permit: Permit,
}

impl Runtime {
    /// Gets the worker of a call ready, before the attempt is marked, or returns the outcome of the attempt. A target that
    /// is not configured is refused for good: the person is told, and nothing is tried again.
    pub(super) async fn ready_call(
        &self,
        effect: &StoredEffect,
        call: &Call,
    ) -> Result<Result<ReadyCall, NotPrepared>, RuntimeError> {
        let target = call.job.target();
        let Some(worker) = self.ports.workers.get(&target).cloned() else {
            let fault = SendingFault::NoClient { target };
            return Ok(Err(Attempt::Rejected { text: fault.into(), errors: Vec::new() }.into()));
        };
        let underway = match &call.phase {
            CallPhase::Begin | CallPhase::Answer { .. } => underway(effect),
            CallPhase::Stop { effect: stopped } => match self.to_stop(effect, stopped).await? {
                Attempt::Applied(Some(underway)) => Some(underway),
                Attempt::Applied(None) => return Ok(Err(stopped_already().into())),
                other => {
                    let stopped = EffectResult::Stopped { text: String::new() };
                    return Ok(Err(other.map(|_| CallProgress::Ended(stopped)).into()));
                }
            },
        };
        let ready = worker.ready(&errand(effect, call, underway.as_ref())).await;
        Ok(match ready {
            Ok(permit) => Ok(ReadyCall { worker, underway, permit }),
            Err(NotReady::Known(early)) => Err(early.map(progress).into()),
            Err(NotReady::Busy) => Err(NotPrepared::Busy),
        })
    }

    /// Makes a call with what it was made ready with.
    pub(super) async fn call(
        &self,
        effect: &StoredEffect,
        call: &Call,
        ready: ReadyCall,
    ) -> Result<Attempt<CallProgress>, RuntimeError> {
        let class = effect.row.class.as_str();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let errand = errand(effect, call, ready.underway.as_ref());
        let sent = self.in_flight.begin(&effect.row.id);
        let outcome = tokio::select! {
            outcome = ready.worker.work(&errand, ready.permit) => outcome,
            // The lane waits no longer. What a sub-agent has begun is stopped by a request of its own.
            () = sent.given_up.notified(), if matches!(call.job, Job::Tool { .. }) => {
                Attempt::Applied(CallOutcome::Stopped(String::new()))
            }
        };
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        Ok(outcome.map(progress))
    }

    /// The remote task to stop; nothing if the call never arrived. While the call is being sent, nobody can know.
    async fn to_stop(
        &self,
        effect: &StoredEffect,
        stopped: &EffectId,
    ) -> Result<Attempt<Option<RemoteTask>>, RuntimeError> {
        let found = self.store.effect(&effect.lane.tenant, stopped).await?;
        Ok(match found {
            Some(found) if found.state == EffectState::Attempted => {
                let why = SendingFault::BeingSent.into();
                Attempt::NotApplied { why, hint: None }
            }
            found => Attempt::Applied(found.as_ref().and_then(begun)),
        })
    }

    /// Plans an effect again for its next look: after as long as it has taken so far, within bounds. News becomes an
    /// event, durable with the plan. After the class's longest age the effect ends
    /// (`docs/design/0037-models-and-tools.md`).
    pub(super) async fn record_progress(
        &self,
        leased: &Leased,
        body: &EffectBody,
        attempt: u32,
        now: RemoteTask,
    ) -> Result<(), RuntimeError> {
        let effect = &leased.effect;
        let age = self.store.now().since(effect.created_at);
        if age > body.retry_limits().1 {
            let text = SendingFault::NoEnd.into();
            let outcome = if body.is_outward() {
                Outcome::Uncertain { text }
            } else {
                Outcome::Failed { reason: "gave_up".into(), text, errors: Vec::new() }
            };
            return self.end(leased, Some(body), attempt, outcome).await;
        }
        let before = underway(effect);
        let told = before.as_ref().map_or(0, |before| before.news);
        let same = before.is_some_and(|before| before.told == now.told) || now.told.is_empty();
        let news = !same && told < limits::WORK_NEWS;
        let now = RemoteTask { news: told + u32::from(news), ..now };
        let event = body.task().filter(|_| news).map(|task| {
            let key = format!("tool:{}:{}", effect.row.id, now.news);
            let kind = EventKind::EffectProgressed {
                effect: effect.row.id.clone(),
                task: task.clone(),
                text: now.told.clone(),
            };
            self.effect_event(effect, key, kind)
        });
        let next = self.store.now().plus(age.clamp(limits::LOOK_FIRST, limits::LOOK_LONGEST));
        let kept = serde_json::to_string(&now).unwrap_or_default();
        self.settle(leased, SettleTo::Unsure(next, kept), None, event).await
    }

    /// The delivery of an event about an effect, to be stored with what is recorded of the effect.
    pub(super) fn effect_event(&self, effect: &StoredEffect, key: String, kind: EventKind) -> Delivery {
        Inbound::internal(effect.lane.clone(), key, kind, self.store.now()).waits(None)
    }
}

fn errand<'a>(effect: &'a StoredEffect, call: &'a Call, underway: Option<&'a RemoteTask>) -> CallRequest<'a> {
    CallRequest { lane: &effect.lane, effect: &effect.row.id, call, underway }
}

fn progress(report: CallOutcome) -> CallProgress {
    match report {
        CallOutcome::Said(text) => CallProgress::Ended(EffectResult::Said { text }),
        CallOutcome::Asked(asked) => CallProgress::Ended(EffectResult::Asked(asked)),
        CallOutcome::Stopped(text) => CallProgress::Ended(EffectResult::Stopped { text }),
        CallOutcome::Underway(now) => CallProgress::Underway(now),
    }
}

fn stopped_already() -> Attempt<CallProgress> {
    Attempt::Applied(CallProgress::Ended(EffectResult::Stopped { text: String::new() }))
}
