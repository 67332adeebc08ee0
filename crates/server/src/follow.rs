//! Following a turn to the turns on its effects' outcomes, as far as the time allows (`spec 07 §5.2`: the wait
//! covers the settling turns).
//!
//! Watchers are registered before the store is looked at, so nothing falls between; the store is what is believed.

use std::collections::BTreeMap;
use std::time::Duration;

use throughline_engine::effect::EffectClass;
use throughline_engine::{EffectId, LaneKey, Reason, TurnId, Verdict};
use throughline_runtime::record::Turn;
use throughline_runtime::{Committed, Runtime, Stop};
use throughline_store::{EffectState, Performer};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// How long nothing is looked at: an effect can end without a turn when another turn cancels it.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A turn, and the turns on the outcomes of its effects.
pub(crate) struct Chain {
    pub(crate) lane: LaneKey,
    /// The event's own turn.
    pub(crate) own: Turn,
    /// The effects whose outcome was taken in, each with the turn that did, in the lane's order.
    pub(crate) settled: Vec<(EffectId, Turn)>,
}

impl Chain {
    /// Every turn, in the lane's order.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Turn> {
        std::iter::once(&self.own).chain(self.settled.iter().map(|(_, turn)| turn))
    }

    /// The turn whose decision is told: the event's own, unless it only asked a model.
    pub(crate) fn deciding(&self) -> &Turn {
        let mut deciding = &self.own;
        while defers(deciding) {
            let Some((_, next)) = self.settled.iter().find(|(effect, _)| asked(deciding, effect)) else {
                break;
            };
            deciding = next;
        }
        deciding
    }

    /// The event only asked a model, and the answer is not there yet.
    pub(crate) fn undecided(&self) -> bool {
        defers(self.deciding())
    }
}

/// The turn left its decision to the turn on an answer: of a model, or of the host it asked what a list holds now.
fn defers(turn: &Turn) -> bool {
    let decision = &turn.row.decision;
    let chooses = || turn.row.trace.selection.as_ref().is_some_and(|account| account.cycle.is_some());
    decision.reason == Reason::IntentAsked || (decision.outcome == Verdict::Deferred && chooses())
}

/// Whether the turn asked that.
fn asked(turn: &Turn, effect: &EffectId) -> bool {
    let asks = [EffectClass::ModelAsk.word(), EffectClass::EvidenceFetch.word()];
    turn.row.effects.iter().any(|(class, id)| asks.contains(&class.as_str()) && *id == effect.0)
}

/// The turn and what came of it so far.
pub(crate) async fn so_far(runtime: &Runtime, tenant: &str, turn: &TurnId) -> Result<Option<Chain>, Stop> {
    follow(runtime, tenant, turn, Instant::now()).await
}

/// The turn and what comes of it until `deadline`. `None`: there is no such turn.
pub(crate) async fn follow(
    runtime: &Runtime,
    tenant: &str,
    turn: &TurnId,
    deadline: Instant,
) -> Result<Option<Chain>, Stop> {
    let Some((lane, own)) = runtime.turn_record(tenant, turn.as_str()).await? else { return Ok(None) };
    let mut open = Watched::new(runtime);
    open.add(&lane, &own);
    let mut chain = Chain { lane, own, settled: Vec::new() };
    while open.look(&mut chain).await? && Instant::now() < deadline {
        open.wait(deadline).await;
    }
    chain.settled.sort_by_key(|(_, turn)| turn.row.revision);
    Ok(Some(chain))
}

/// Effects whose outcome is awaited.
struct Watched<'r> {
    runtime: &'r Runtime,
    effects: BTreeMap<EffectId, oneshot::Receiver<Committed>>,
}

impl<'r> Watched<'r> {
    fn new(runtime: &'r Runtime) -> Self {
        Self { runtime, effects: BTreeMap::new() }
    }

    /// Watches every effect of a turn whose outcome returns as a turn and that we perform.
    fn add(&mut self, lane: &LaneKey, turn: &Turn) {
        for (class, id) in &turn.row.effects {
            let Some(class) = EffectClass::from_word(class).filter(|class| class.reports_success()) else {
                continue;
            };
            // A host is not waited for, but where its answer is what a model is asked with: that takes no time.
            let ours = self.runtime.ports().performer(lane, class) == Some(Performer::Us);
            if ours || class == EffectClass::EvidenceFetch {
                self.effects.insert(EffectId::from(id.as_str()), self.runtime.wakes().watch(id));
            }
        }
    }

    /// Takes in what has settled; says whether anything is still open.
    async fn look(&mut self, chain: &mut Chain) -> Result<bool, Stop> {
        loop {
            let waiting: Vec<EffectId> = self.effects.keys().cloned().collect();
            let before = chain.settled.len();
            for id in waiting {
                match self.settle_turn(&chain.lane, &id).await? {
                    Settled::Open => {}
                    Settled::Without => self.forget(&id),
                    Settled::By(turn) => {
                        self.forget(&id);
                        self.add(&chain.lane, &turn);
                        chain.settled.push((id, *turn));
                    }
                }
            }
            if chain.settled.len() == before {
                return Ok(!self.effects.is_empty());
            }
        }
    }

    async fn settle_turn(&self, lane: &LaneKey, id: &EffectId) -> Result<Settled, Stop> {
        let store = self.runtime.store();
        let Some(effect) = store.effect(&lane.tenant, id).await? else { return Ok(Settled::Without) };
        match effect.state {
            EffectState::Planned | EffectState::Attempted => return Ok(Settled::Open),
            EffectState::Cancelled => return Ok(Settled::Without),
            EffectState::Done | EffectState::Failed | EffectState::Uncertain => {}
        }
        let key = format!("fx:{id}:{}", effect.attempts);
        let Some(row) = store.delivery(&lane.tenant, &key).await? else {
            // Ended without an event of its own: what it depended on failed.
            return Ok(Settled::Without);
        };
        let Some(turn) = row.turn else { return Ok(Settled::Open) };
        let read = self.runtime.turn_record(&lane.tenant, turn.as_str()).await?;
        Ok(read.map_or(Settled::Open, |(_, turn)| Settled::By(Box::new(turn))))
    }

    fn forget(&mut self, id: &EffectId) {
        self.effects.remove(id);
        self.runtime.wakes().unwatch(id.as_str());
    }

    /// Until one of them is heard of, the time is up, or it is time to look again anyway.
    async fn wait(&mut self, deadline: Instant) {
        let until = deadline.min(Instant::now() + LOOK_AGAIN);
        let heard = futures_util::future::select_all(self.effects.values_mut());
        let _ = tokio::time::timeout_at(until, heard).await;
        // Whoever was told once is not told again.
        let ids: Vec<EffectId> = self.effects.keys().cloned().collect();
        for id in ids {
            let receiver = self.runtime.wakes().watch(id.as_str());
            self.effects.insert(id, receiver);
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        for (id, receiver) in std::mem::take(&mut self.effects) {
            drop(receiver);
            self.runtime.wakes().unwatch(id.as_str());
        }
    }
}

enum Settled {
    Open,
    Without,
    By(Box<Turn>),
}
