//! Decides recorded turns again and compares hashes. Nothing is written and nothing is sent.

use std::ops::RangeInclusive;

use throughline_engine::data::canonical_json;
use throughline_engine::data::lane::Lane;
use throughline_engine::{Decision, Event, LaneKey, Policy, Reason, Step, step};
use throughline_store::StoredTurn;

use crate::turn_log::{Content, GENESIS, chain, content_hash, restore};
use crate::{Runtime, RuntimeError, stored};

/// A look at the lane before a turn, and at the turn's content.
type Before<'b> = dyn FnMut(&Lane, &Content) + Send + 'b;

/// The result of deciding one recorded turn again.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// The turn's id.
    pub turn: String,
    /// The revision it wrote.
    pub revision: u64,
    /// The recorded reason.
    pub reason: Reason,
    /// The comparison with what was recorded.
    pub verdict: Comparison,
}

/// The effect that another event would have had.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    /// The lane it was decided on.
    pub lane: Lane,
    /// The state's hash before.
    pub before: String,
    /// The state's hash after.
    pub after: String,
    /// The decision and everything it would have written.
    pub step: Step,
}

/// The comparison of a turn that was decided again with its record.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// Both the decision and the state hash are the recorded ones.
    Same,
    /// The turn cannot be decided again, because its content was erased, or that of an earlier turn without which the
    /// lane's state is not known. The chain still holds.
    ContentErased,
    /// Another decision.
    OtherDecision(Reason),
    /// The decision is the recorded one, but the state or the effects are not.
    OtherState {
        /// The recorded hash.
        recorded: String,
        /// The hash it has now.
        now: String,
    },
    /// The turn cannot be decided again: something it needs is not stored any more.
    Unknown(&'static str),
    /// The row does not have the hash that the next one was chained to, or its content not the hash that the row
    /// holds.
    Tampered,
}

impl Runtime {
    /// Decides a lane's turns again, from the first one or from the nearest checkpoint before `from`, and calls
    /// `seen` for each from `from` on. Returns the number of turns decided.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn replay(
        &self,
        key: &LaneKey,
        from: u64,
        seen: impl FnMut(&Replayed),
    ) -> Result<usize, RuntimeError> {
        Ok(self.replay_between(key, from..=u64::MAX, seen, &mut |_, _| ()).await?.0)
    }

    /// Decides a lane's turns as [`Self::replay`] does, and each of them once more under each of some policies: on the lane as it was
    /// before that turn, with what was looked up then. Calls `decided` with each turn's revision, the policy's place and the
    /// decision; a turn whose state or content is not known any more is left out.
    ///
    /// # Errors
    /// As [`Self::replay`].
    pub async fn replay_under(
        &self,
        key: &LaneKey,
        policies: &[Policy],
        mut decided: impl FnMut(u64, usize, Decision) + Send,
    ) -> Result<(), RuntimeError> {
        let mut again = |lane: &Lane, content: &Content| {
            for (at, policy) in policies.iter().enumerate() {
                decided(lane.revision + 1, at, step(lane, &content.event, &content.given, policy).decision);
            }
        };
        self.replay_between(key, 1..=u64::MAX, |_| (), &mut again).await?;
        Ok(())
    }

    /// Decides one turn again. It starts at the nearest checkpoint, so at most a hundred turns are read.
    ///
    /// # Errors
    /// As [`Self::replay`].
    pub async fn replay_turn(&self, key: &LaneKey, revision: u64) -> Result<Option<Replayed>, RuntimeError> {
        let mut found = None;
        let seen = |replayed: &Replayed| found = Some(replayed.clone());
        self.replay_between(key, revision..=revision, seen, &mut |_, _| ()).await?;
        Ok(found)
    }

    /// Decides another event in place of the recorded one: on the lane as it was, with what was looked up then.
    /// `None` if the state, the lookups or the policy of that turn are not known any more.
    ///
    /// # Errors
    /// As [`Self::replay`].
    pub async fn what_if(&self, stored: &StoredTurn, event: &Event) -> Result<Option<WhatIf>, RuntimeError> {
        let turn = stored::turn(stored)?;
        let (key, before) = (&stored.lane, stored.revision.saturating_sub(1));
        let (_, lane) = self.replay_between(key, stored.revision..=before, |_| (), &mut |_, _| ()).await?;
        let policy = self.policy_of(&key.tenant, &turn.row.policy).await?;
        let (Some(lane), Some(content), Some(policy)) = (lane, turn.content, policy) else {
            return Ok(None);
        };
        let step = step(&lane, event, &content.given, &policy);
        let mut next = lane.clone();
        next.apply(step.next.clone(), &step.changes);
        let hash = |lane: &Lane| canonical_json::hex(&lane.state_hash());
        Ok(Some(WhatIf { before: hash(&lane), after: hash(&next), lane, step }))
    }

    /// Decides the turns up to the end of `range` again and reports those from its start on. Calls `before` with the
    /// lane before each turn and the turn's content. Returns how many turns were decided, and the lane after them if it is known.
    async fn replay_between(
        &self,
        key: &LaneKey,
        range: RangeInclusive<u64>,
        mut seen: impl FnMut(&Replayed),
        before: &mut Before<'_>,
    ) -> Result<(usize, Option<Lane>), RuntimeError> {
        let (from, to) = range.into_inner();
        let (lane, mut prev) = self.start(key, from).await?;
        let mut at = lane.revision;
        // `None` after a turn that could not be decided again, until the next checkpoint.
        let mut known = Some(lane);
        let mut erased = false;
        let mut count = 0;
        while at < to {
            let turns = self.store.turns(key, at, (to - at).min(200) as u32).await?;
            if turns.is_empty() {
                break;
            }
            for stored in &turns {
                if known.is_none() {
                    known = self.checkpoint_at(key, stored.revision - 1).await?;
                }
                let was_known = known.is_some();
                let mut replayed = self.again(key, &mut known, stored, prev.as_deref(), before).await?;
                if erased && !was_known && matches!(replayed.verdict, Comparison::Unknown(_)) {
                    replayed.verdict = Comparison::ContentErased;
                }
                erased = replayed.verdict == Comparison::ContentErased;
                prev = Some(stored.log.hash.clone());
                at = stored.revision;
                count += 1;
                if stored.revision >= from {
                    seen(&replayed);
                }
            }
        }
        if known.is_none() {
            known = self.checkpoint_at(key, at).await?;
        }
        Ok((count, known))
    }

    /// The lane as it was at exactly that revision, if there is a checkpoint of it.
    async fn checkpoint_at(&self, key: &LaneKey, revision: u64) -> Result<Option<Lane>, RuntimeError> {
        match self.store.checkpoint(key, revision).await? {
            Some((at, stored)) if at == revision => {
                let lane = restore(key, at, &stored);
                lane.map(Some).map_err(|why| RuntimeError::unreadable("a checkpoint", &why))
            }
            _ => Ok(None),
        }
    }

    /// The start of a replay: the newest checkpoint before `from`, else the empty lane.
    async fn start(&self, key: &LaneKey, from: u64) -> Result<(Lane, Option<String>), RuntimeError> {
        let checkpoint = if from <= 1 { None } else { self.store.checkpoint(key, from - 1).await? };
        match checkpoint {
            None => Ok((Lane::new(key.clone()), Some(GENESIS.into()))),
            Some((revision, stored)) => {
                let lane = restore(key, revision, &stored)
                    .map_err(|why| RuntimeError::unreadable("a checkpoint", &why))?;
                Ok((lane, None))
            }
        }
    }

    /// Decides one turn again. `known` is the lane before it, and becomes the lane after it, or `None` when that is
    /// not known.
    async fn again(
        &self,
        key: &LaneKey,
        known: &mut Option<Lane>,
        stored: &StoredTurn,
        prev: Option<&str>,
        before: &mut Before<'_>,
    ) -> Result<Replayed, RuntimeError> {
        let turn = stored::turn(stored)?;
        let row = &turn.row;
        let replayed = |verdict| Replayed {
            turn: row.turn.0.clone(),
            revision: stored.revision,
            reason: row.decision.reason,
            verdict,
        };
        let log = &stored.log;
        let chained =
            prev.is_none_or(|prev| prev == log.prev_hash) && chain(&log.prev_hash, &log.row) == log.hash;
        let intact = turn.content.is_none() || content_hash(&log.salt, &log.content) == row.content;
        let lane = known.take();
        if !(chained && intact) {
            return Ok(replayed(Comparison::Tampered));
        }
        let Some(content) = &turn.content else { return Ok(replayed(Comparison::ContentErased)) };
        let Some(mut lane) = lane else {
            return Ok(replayed(Comparison::Unknown(
                "the state before it is not known: an earlier turn is gone",
            )));
        };
        let Some(policy) = self.policy_of(&key.tenant, &row.policy).await? else {
            return Ok(replayed(Comparison::Unknown(
                "the policy it was decided under was not kept, or is another version's",
            )));
        };
        before(&lane, content);
        let again = step(&lane, &content.event, &content.given, &policy);
        let effects = again.effects.iter().map(|effect| (effect.body.class().as_str(), effect.id.as_str()));
        let same_effects = effects.eq(row.effects.iter().map(|(class, id)| (class.as_str(), id.as_str())));
        lane.apply(again.next, &again.changes);
        let now = canonical_json::hex(&lane.state_hash());
        let verdict = if again.decision.reason != row.decision.reason {
            Comparison::OtherDecision(again.decision.reason)
        } else if now != row.after || !same_effects {
            Comparison::OtherState { recorded: row.after.clone(), now }
        } else {
            Comparison::Same
        };
        *known = Some(lane);
        Ok(replayed(verdict))
    }

    /// The policy of a turn, if it was kept and this version knows all of it.
    async fn policy_of(&self, tenant: &str, version: &str) -> Result<Option<Policy>, RuntimeError> {
        let in_force = self.in_force(tenant);
        if version == in_force.version {
            return Ok(Some(in_force.policy.clone()));
        }
        let stored = self.store.policy(tenant, version).await?;
        Ok(stored.and_then(|stored| serde_json::from_str(&stored).ok()))
    }
}
