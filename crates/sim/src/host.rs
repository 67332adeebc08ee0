//! The host of the virtual world, which runs options and lists, and the effects and model answers that a scenario holds
//! back. Like every remote party it outlives the process under test.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::data::ask::Answer;
use throughline_engine::data::effect::{Attempt, EffectBody, EffectClass, EffectResult, Outcome};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::data::record::Record;
use throughline_engine::{EffectId, LaneKey, Language, Timestamp};
use throughline_models::{Caller, Model, Spent};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::{EffectState, Leased, Performer, StoredEffect};
use throughline_testkit::driver::World;
use throughline_testkit::model::HostAnswer;

use crate::world::TENANT;

/// The scripted behaviour of hosts, and the answers that are held.
pub(crate) struct SimHost(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    script: BTreeMap<String, VecDeque<HostAnswer>>,
    /// Outcomes by effect. An effect is settled once, however often it is looked at.
    told: BTreeMap<EffectId, HostAnswer>,
    /// The purposes whose next answer of a model is held.
    holds: BTreeMap<String, VecDeque<bool>>,
    held: BTreeMap<EffectId, bool>,
    waiting: Vec<Leased>,
    /// Acts that the host performed, by class.
    ran: BTreeMap<EffectClass, usize>,
}

impl SimHost {
    pub(crate) fn new(world: &World) -> Self {
        let script = world.host.iter().map(|(class, list)| (class.clone(), list.iter().cloned().collect()));
        let mut holds: BTreeMap<String, VecDeque<bool>> = BTreeMap::new();
        for answer in world.script.iter().flatten() {
            holds.entry(answer.purpose.clone()).or_default().push_back(answer.held);
        }
        Self(Mutex::new(Inner { script: script.collect(), holds, ..Inner::default() }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of options that were run and of acts that were performed, by class.
    pub(crate) fn ran(&self) -> BTreeMap<EffectClass, usize> {
        self.inner().ran.clone()
    }

    /// Performs the host's effects that are not held. False if there were none.
    pub(crate) async fn work(&self, host: &Runtime) -> Result<bool, RuntimeError> {
        let mut open = host.store().effects(TENANT, None, Some(EffectState::Attempted), 1_000).await?;
        open.reverse();
        let mut busy = false;
        for effect in open.iter().filter(|effect| is_hosts(effect)) {
            let answer = self.answer(&effect.row.id, effect.row.class);
            let Some(outcome) = outcome(host, effect, &answer).await? else { continue };
            busy |= self.report(host, effect, outcome).await?;
        }
        Ok(busy)
    }

    /// Reports the outcome of a host's effect. False if it had ended already.
    pub(crate) async fn report(
        &self,
        host: &Runtime,
        effect: &StoredEffect,
        outcome: Outcome,
    ) -> Result<bool, RuntimeError> {
        let done = matches!(outcome, Outcome::Done { .. });
        let reported = host.report(effect, outcome).await?;
        if reported && done && effect.row.class.can_leave() {
            *self.inner().ran.entry(effect.row.class).or_default() += 1;
        }
        Ok(reported)
    }

    fn answer(&self, id: &EffectId, class: EffectClass) -> HostAnswer {
        let mut inner = self.inner();
        if let Some(told) = inner.told.get(id) {
            return told.clone();
        }
        let next = inner.script.get_mut(class.as_str()).and_then(VecDeque::pop_front);
        let next = next.unwrap_or(HostAnswer::Done);
        inner.told.insert(id.clone(), next.clone());
        next
    }

    /// True if the answer to a question waits for the scenario. Its lease is kept meanwhile.
    pub(crate) fn holds(&self, leased: &Leased) -> bool {
        let Some(purpose) = asks(leased) else { return false };
        let (mut inner, id) = (self.inner(), leased.effect.row.id.clone());
        let held = match inner.held.get(&id) {
            Some(held) => *held,
            None => inner.holds.get_mut(purpose.as_str()).and_then(VecDeque::pop_front).unwrap_or(false),
        };
        inner.held.insert(id.clone(), held);
        if held {
            inner.waiting.retain(|waiting| waiting.effect.row.id != id);
            inner.waiting.push(leased.clone());
        }
        held
    }

    /// Takes the held effect of that id.
    pub(crate) fn release(&self, id: &EffectId) -> Option<Leased> {
        let mut inner = self.inner();
        inner.held.insert(id.clone(), false);
        let at = inner.waiting.iter().position(|waiting| waiting.effect.row.id == *id)?;
        Some(inner.waiting.remove(at))
    }
}

/// Asks a model a question that was held.
pub(crate) async fn ask_held(model: &dyn Model, leased: &Leased, now: Timestamp) -> Option<Outcome> {
    let Ok(EffectBody::ModelAsk(ask)) = serde_json::from_str(&leased.effect.row.payload) else { return None };
    let (tenant, effect) = (leased.effect.lane.tenant.as_str(), &leased.effect.row.id);
    let answered = |answer| Outcome::Done { result: EffectResult::Answered(answer) };
    Some(
        match model
            .ask(&ask, &Caller { tenant, user: "", effect, now, spent: &Spent::default(), onlooker: None })
            .await
        {
            Attempt::Applied(answer) => answered(answer),
            Attempt::Rejected { text, .. } => answered(Answer::None { why: text.text(Language::En) }),
            Attempt::NotApplied { why, .. } | Attempt::Unknown { why } => {
                Outcome::Failed { reason: "gave_up".into(), text: why, errors: Vec::new() }
            }
        },
    )
}

/// True if only a host performs the effect.
pub(crate) fn is_hosts(effect: &StoredEffect) -> bool {
    effect.row.performer == Performer::Host && effect.row.class.is_host_only()
}

fn asks(leased: &Leased) -> Option<Purpose> {
    match serde_json::from_str(&leased.effect.row.payload) {
        Ok(EffectBody::ModelAsk(ask)) => Some(ask.purpose()),
        _ => None,
    }
}

/// Returns the outcome of a host's effect; none while it is held.
async fn outcome(
    host: &Runtime,
    effect: &StoredEffect,
    answer: &HostAnswer,
) -> Result<Option<Outcome>, RuntimeError> {
    Ok(Some(match answer {
        HostAnswer::Held => return Ok(None),
        HostAnswer::Done => done(host, effect).await?,
        HostAnswer::Failed => failed("the host cannot do this".into()),
        HostAnswer::Uncertain => Outcome::Uncertain { text: Fault::Said("the host does not know".into()) },
        HostAnswer::Handled(answer) => Outcome::Done { result: EffectResult::Handled(answer.clone()) },
        HostAnswer::Holds { options, focused } => {
            let result = EffectResult::Snapshot { options: options.clone(), focused: focused.clone() };
            Outcome::Done { result }
        }
    }))
}

pub(crate) fn failed(text: String) -> Outcome {
    Outcome::Failed { reason: "rejected".into(), text: Fault::Said(text), errors: Vec::new() }
}

/// Returns the outcome of an effect done as asked: an option run, a list shown.
pub(crate) async fn done(host: &Runtime, effect: &StoredEffect) -> Result<Outcome, RuntimeError> {
    let result = match serde_json::from_str(&effect.row.payload) {
        Ok(EffectBody::EvidenceFetch { set, .. }) => {
            let options = shown(host, &effect.lane, set.as_str()).await?;
            EffectResult::Snapshot { options, focused: None }
        }
        Ok(EffectBody::TurnHandover(_)) => EffectResult::Handled(Box::default()),
        _ => EffectResult::Said { text: String::new() },
    };
    Ok(Outcome::Done { result })
}

async fn shown(
    host: &Runtime,
    key: &LaneKey,
    id: &str,
) -> Result<Vec<throughline_engine::data::set_option::SetOption>, RuntimeError> {
    let lane: Lane = host.lane(key).await?;
    let set = lane.records.iter().find_map(|record| match record {
        Record::OptionSet(set) if set.id.as_str() == id => Some(set.options.to_vec()),
        _ => None,
    });
    Ok(set.unwrap_or_default())
}
