//! Tools and sub-agents: one call, to whoever answers under its name, and work that goes on over there.
//!
//! A long piece of work holds no lease. Once its far side has a name for it, that name is kept with the effect, and the
//! effect is planned again for the next look: a restart goes on looking, and nothing is sent a second time.

use throughline_engine::effect::{Attempt, EffectBody, EffectResult, Outcome};
use throughline_engine::given::Addressing;
use throughline_engine::policy::limits;
use throughline_engine::work::{Asked, Call, Errand, Phase, Report, Underway};
use throughline_engine::{EffectId, Event, EventKind};
use throughline_store::{Delivery, EffectState, Leased, SettleTo, StoredEffect};

use crate::intake::delivery;
use crate::{FailPoint, Inbound, Runtime, Stop};

/// What an attempt that was applied came to.
pub(super) enum Came {
    /// The effect's end.
    To(EffectResult),
    /// It goes on at the far side.
    GoesOn(Underway),
}

/// Where an effect stands at its far side, when that is known.
pub(super) fn underway(effect: &StoredEffect) -> Option<Underway> {
    serde_json::from_str(effect.outcome.as_deref()?).ok()
}

/// The far side's name for what an effect began, also of one that was asked back on.
fn begun(effect: &StoredEffect) -> Option<Underway> {
    let asked = || match serde_json::from_str(effect.outcome.as_deref()?).ok()? {
        Outcome::Done { result: EffectResult::Asked(Asked { remote, .. }) } => Some(remote),
        _ => None,
    };
    underway(effect).or_else(|| Some(Underway::at(asked()?, "")))
}

impl Runtime {
    /// A name that nobody answers under is refused for good: the person is told, and nothing is tried again.
    pub(super) async fn call(&self, effect: &StoredEffect, call: &Call) -> Result<Attempt<Came>, Stop> {
        let target = call.job.target();
        let Some(worker) = self.ports.workers.get(&target) else {
            let text = format!("no client for {target} is part of this installation");
            return Ok(Attempt::Rejected { text, errors: Vec::new() });
        };
        let underway = match &call.phase {
            Phase::Begin | Phase::Answer { .. } => underway(effect),
            Phase::Stop { effect: stopped } => match self.to_stop(effect, stopped).await? {
                Attempt::Applied(Some(underway)) => Some(underway),
                Attempt::Applied(None) => return Ok(stopped_already()),
                other => return Ok(other.map(|_| Came::To(EffectResult::Stopped { text: String::new() }))),
            },
        };
        let class = effect.row.class.word();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let errand = Errand { lane: &effect.lane, effect: &effect.row.id, call, underway: underway.as_ref() };
        let outcome = worker.work(&errand).await;
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        Ok(outcome.map(|report| match report {
            Report::Said(text) => Came::To(EffectResult::Said { text }),
            Report::Asked(asked) => Came::To(EffectResult::Asked(asked)),
            Report::Stopped(text) => Came::To(EffectResult::Stopped { text }),
            Report::Underway(now) => Came::GoesOn(now),
        }))
    }

    /// What is to be stopped: nothing, when it never got there. While it is being sent, nobody can know.
    async fn to_stop(
        &self,
        effect: &StoredEffect,
        stopped: &EffectId,
    ) -> Result<Attempt<Option<Underway>>, Stop> {
        let found = self.store.effect(&effect.lane.tenant, stopped).await?;
        Ok(match found {
            Some(found) if found.state == EffectState::Attempted => {
                let why = "what is to be stopped is just being sent".into();
                Attempt::NotApplied { why, hint: None }
            }
            found => Attempt::Applied(found.as_ref().and_then(begun)),
        })
    }

    /// The work goes on: the effect is planned again for the next look, after as long as it has taken so far, within
    /// bounds. News becomes an event, durable with it. A day is the end of it (`spec 07 §8`).
    pub(super) async fn goes_on(
        &self,
        leased: &Leased,
        body: &EffectBody,
        attempt: u32,
        now: Underway,
    ) -> Result<(), Stop> {
        let effect = &leased.effect;
        let age = self.store.now().since(effect.created_at);
        if age > body.gives_up().1 {
            let text = "it did not end within a day".to_owned();
            let outcome = if body.outward() {
                Outcome::Uncertain { text }
            } else {
                Outcome::Failed { reason: "gave_up".into(), text, errors: Vec::new() }
            };
            return self.end(leased, body, attempt, outcome).await;
        }
        let before = underway(effect);
        let told = before.as_ref().map_or(0, |before| before.news);
        let same = before.is_some_and(|before| before.told == now.told) || now.told.is_empty();
        let news = !same && told < limits::WORK_NEWS;
        let now = Underway { news: told + u32::from(news), ..now };
        let event = body.task().filter(|_| news).map(|task| {
            let key = format!("tool:{}:{}", effect.row.id, now.news);
            let kind = EventKind::EffectProgressed {
                effect: effect.row.id.clone(),
                task: task.clone(),
                text: now.told.clone(),
            };
            self.happened(effect, key, kind)
        });
        let next = self.store.now().plus(age.clamp(limits::LOOK_FIRST, limits::LOOK_LONGEST));
        let kept = serde_json::to_string(&now).unwrap_or_default();
        self.settle(leased, SettleTo::Unsure(next, kept), None, event).await
    }

    /// An event about an effect, to be durable with what is recorded of it.
    pub(super) fn happened(&self, effect: &StoredEffect, key: String, kind: EventKind) -> Delivery {
        let event = Event { id: key.clone(), received_at: self.store.now(), actor: String::new(), kind };
        let lane = effect.lane.clone();
        delivery(
            &Inbound { lane, keys: vec![key], event, addressing: Addressing::default(), body_hash: None },
            0,
        )
    }
}

fn stopped_already() -> Attempt<Came> {
    Attempt::Applied(Came::To(EffectResult::Stopped { text: String::new() }))
}
