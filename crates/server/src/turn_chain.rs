//! Chains of turns: a turn, and the turns on the outcomes of its effects, followed as long as the request may wait.
//!
//! Watchers are registered before the store is read, so no outcome is missed; what counts is what the store holds.

use std::collections::BTreeMap;
use std::time::Duration;

use throughline_engine::data::effect::EffectClass;
use throughline_engine::{EffectId, LaneKey, Reason, TurnId, Verdict};
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Committed, Runtime, RuntimeError};
use throughline_store::{EffectState, Performer};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Time after which the store is read again, since an effect that another turn cancels ends without a turn.
pub(crate) const RECHECK: Duration = Duration::from_millis(500);

/// Turn with the turns on the outcomes of its effects.
pub(crate) struct TurnChain {
    pub(crate) lane: LaneKey,
    /// Turn of the event itself.
    pub(crate) own: Turn,
    /// Effects with the turn that took in their outcome, in the lane's order.
    pub(crate) settled: Vec<(EffectId, Turn)>,
}

impl TurnChain {
    /// Returns every turn, in the lane's order.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Turn> {
        std::iter::once(&self.own).chain(self.settled.iter().map(|(_, turn)| turn))
    }

    /// Returns the turn that decided: the event's own turn, unless it only asked a model. An answer that came too late
    /// decides nothing.
    pub(crate) fn deciding(&self) -> &Turn {
        let mut deciding = &self.own;
        while defers(deciding) {
            let answers = |(effect, turn): &&(EffectId, Turn)| asks(deciding, effect) && !in_vain(turn);
            let Some((_, next)) = self.settled.iter().find(answers) else { break };
            deciding = next;
        }
        deciding
    }

    /// Returns true if the event only asked a model and the answer has not arrived.
    pub(crate) fn undecided(&self) -> bool {
        defers(self.deciding())
    }

    /// Returns the newest turn.
    pub(crate) fn newest(&self) -> &Turn {
        self.settled.last().map_or(&self.own, |(_, turn)| turn)
    }
}

/// Returns true if the turn left its decision to a later turn: on the answer of a model, or of the host that was
/// asked for the content of a list.
fn defers(turn: &Turn) -> bool {
    let decision = &turn.row.decision;
    let chooses = || turn.row.trace.selection.as_ref().is_some_and(|account| account.cycle.is_some());
    decision.reason == Reason::IntentAsked || (decision.outcome == Verdict::Deferred && chooses())
}

/// Returns true if the effect is the question that the turn leaves its decision to. A summary, which a turn may ask for
/// beside, is none; a row of a version before 0.2 does not say which is which, and its question comes first.
fn asks(turn: &Turn, effect: &EffectId) -> bool {
    if let Some(asked) = &turn.row.asked {
        return asked == effect;
    }
    let kinds = [EffectClass::ModelAsk.as_str(), EffectClass::EvidenceFetch.as_str()];
    let first = turn.row.effects.iter().find(|(class, _)| kinds.contains(&class.as_str()));
    first.is_some_and(|(_, id)| *id == effect.0)
}

/// Returns true if the turn took in an outcome that nothing waited for any more, or a summary.
fn in_vain(turn: &Turn) -> bool {
    let reason = turn.row.decision.reason;
    matches!(reason, Reason::LateAnswer | Reason::EffectSuperseded) || reason.code().starts_with("summary.")
}

/// Returns the turn with what followed so far.
pub(crate) async fn so_far(
    runtime: &Runtime,
    tenant: &str,
    turn: &TurnId,
) -> Result<Option<TurnChain>, RuntimeError> {
    follow(runtime, tenant, turn, Instant::now()).await
}

/// Returns the turn with what follows until `deadline`; `None` if there is no such turn.
pub(crate) async fn follow(
    runtime: &Runtime,
    tenant: &str,
    turn: &TurnId,
    deadline: Instant,
) -> Result<Option<TurnChain>, RuntimeError> {
    let Some(mut following) = Following::begin(runtime, tenant, turn, Awaited::Ours).await? else {
        return Ok(None);
    };
    while following.advance().await? && Instant::now() < deadline {
        following.wait(deadline).await;
    }
    following.chain.settled.sort_by_key(|(_, turn)| turn.row.revision);
    Ok(Some(following.chain))
}

/// Effects that are waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Those that we perform, and the host's content of a list, which it gives at once.
    Ours,
    /// Those, and the answers of the host's agent.
    OursAndHandovers,
}

/// Chain of turns that is being followed.
pub(crate) struct Following<'r> {
    open: OpenEffects<'r>,
    /// Chain so far. Turns are in the order in which they were found.
    pub(crate) chain: TurnChain,
}

impl<'r> Following<'r> {
    /// Begins to follow a turn; `None` if there is no such turn.
    pub(crate) async fn begin(
        runtime: &'r Runtime,
        tenant: &str,
        turn: &TurnId,
        awaited: Awaited,
    ) -> Result<Option<Self>, RuntimeError> {
        let Some((lane, own)) = runtime.turn_record(tenant, turn.as_str()).await? else { return Ok(None) };
        let mut open = OpenEffects::new(runtime, awaited);
        open.add(&lane, &own);
        Ok(Some(Self { open, chain: TurnChain { lane, own, settled: Vec::new() } }))
    }

    /// Adds what has settled to the chain; returns true if anything is still open.
    pub(crate) async fn advance(&mut self) -> Result<bool, RuntimeError> {
        self.open.take_settled(&mut self.chain).await
    }

    /// Waits until an outcome is announced, the deadline passes, or it is time to read the store again.
    pub(crate) async fn wait(&mut self, deadline: Instant) {
        self.open.wait(deadline).await;
    }

    /// Returns the effects that are waited for, with their classes.
    pub(crate) fn waits_for(&self) -> impl Iterator<Item = (&EffectId, EffectClass)> {
        self.open.effects.iter().map(|(id, (class, _))| (id, *class))
    }
}

/// Effects whose outcomes are awaited.
struct OpenEffects<'r> {
    runtime: &'r Runtime,
    awaited: Awaited,
    effects: BTreeMap<EffectId, (EffectClass, oneshot::Receiver<Committed>)>,
}

impl<'r> OpenEffects<'r> {
    fn new(runtime: &'r Runtime, awaited: Awaited) -> Self {
        Self { runtime, awaited, effects: BTreeMap::new() }
    }

    /// Watches every effect of a turn that we perform and whose outcome becomes a turn.
    fn add(&mut self, lane: &LaneKey, turn: &Turn) {
        for (class, id) in &turn.row.effects {
            let Some(class) = EffectClass::parse(class).filter(|class| class.reports_success()) else {
                continue;
            };
            // A summary goes on beside the turn, and nobody waits for it.
            let beside =
                class == EffectClass::ModelAsk && turn.row.asked.as_ref().is_none_or(|asked| asked.0 != *id);
            if beside {
                continue;
            }
            // Hosts are not waited for, except where a model needs their answer: a host gives that at once.
            let ours =
                self.runtime.ports().performer(self.runtime.policy(), lane, class) == Some(Performer::Us);
            let handed = class == EffectClass::TurnHandover && self.awaited == Awaited::OursAndHandovers;
            if ours || handed || class == EffectClass::EvidenceFetch {
                self.effects.insert(EffectId::from(id.as_str()), (class, self.runtime.wakes().watch(id)));
            }
        }
    }

    /// Adds the effects that have settled to the chain; returns true if any is still open.
    async fn take_settled(&mut self, chain: &mut TurnChain) -> Result<bool, RuntimeError> {
        loop {
            let waiting: Vec<EffectId> = self.effects.keys().cloned().collect();
            let before = chain.settled.len();
            for id in waiting {
                match self.settle_turn(&chain.lane, &id).await? {
                    Settlement::Open => {}
                    Settlement::WithoutTurn => self.forget(&id),
                    Settlement::By(turn) => {
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

    async fn settle_turn(&self, lane: &LaneKey, id: &EffectId) -> Result<Settlement, RuntimeError> {
        let store = self.runtime.store();
        let Some(effect) = store.effect(&lane.tenant, id).await? else { return Ok(Settlement::WithoutTurn) };
        match effect.state {
            EffectState::Planned | EffectState::Attempted => return Ok(Settlement::Open),
            EffectState::Cancelled => return Ok(Settlement::WithoutTurn),
            EffectState::Done | EffectState::Failed | EffectState::Uncertain => {}
        }
        let key = format!("fx:{id}:{}", effect.attempts);
        let Some(row) = store.delivery(&lane.tenant, &key).await? else {
            // It ended without an event because an effect it depended on failed.
            return Ok(Settlement::WithoutTurn);
        };
        let Some(turn) = row.turn else { return Ok(Settlement::Open) };
        let read = self.runtime.turn_record(&lane.tenant, turn.as_str()).await?;
        Ok(read.map_or(Settlement::Open, |(_, turn)| Settlement::By(Box::new(turn))))
    }

    fn forget(&mut self, id: &EffectId) {
        self.effects.remove(id);
        self.runtime.wakes().unwatch(id.as_str());
    }

    /// Waits until an outcome is announced, the deadline passes, or it is time to read the store again.
    async fn wait(&mut self, deadline: Instant) {
        let until = deadline.min(Instant::now() + RECHECK);
        let heard = futures_util::future::select_all(self.effects.values_mut().map(|(_, heard)| heard));
        let _ = tokio::time::timeout_at(until, heard).await;
        // A watcher is notified only once, so each is registered anew.
        for (id, (_, receiver)) in &mut self.effects {
            *receiver = self.runtime.wakes().watch(id.as_str());
        }
    }
}

impl Drop for OpenEffects<'_> {
    fn drop(&mut self) {
        for (id, receiver) in std::mem::take(&mut self.effects) {
            drop(receiver);
            self.runtime.wakes().unwatch(id.as_str());
        }
    }
}

enum Settlement {
    Open,
    WithoutTurn,
    By(Box<Turn>),
}
