//! Re-decides recorded turns and compares hashes. Dry: nothing is written and nothing is sent.

use throughline_engine::lane::Lane;
use throughline_engine::{Event, LaneKey, Policy, Reason, Step, canon, step};
use throughline_store::StoredTurn;

use crate::given::unreadable;
use crate::record::{GENESIS, Turn, chain, content_hash, restore};
use crate::{Runtime, Stop};

/// What came of re-deciding one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// The turn's id.
    pub turn: String,
    /// The revision it wrote.
    pub revision: u64,
    /// What was recorded.
    pub reason: Reason,
    /// How it compares.
    pub verdict: Same,
}

/// What another event would have come to.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    /// The state's hash before.
    pub before: String,
    /// The state's hash after.
    pub after: String,
    /// What would have been decided, and everything it would have written.
    pub step: Step,
}

/// How a re-decided turn compares.
#[derive(Clone, Debug, PartialEq)]
pub enum Same {
    /// Same decision, same state hash.
    Yes,
    /// Its content was erased, or that of a turn before it without which the lane as it was then is not known: so it cannot
    /// be decided again. The chain still holds.
    ContentErased,
    /// Another decision.
    Decision(Reason),
    /// The same decision, another state or other effects.
    State {
        /// The recorded hash.
        recorded: String,
        /// The hash it has now.
        now: String,
    },
    /// It could not be decided again: what it needs is not there any more.
    Unknown(&'static str),
    /// The row does not hash to what the next one was chained to, or its content to what it holds.
    Tampered,
}

impl Runtime {
    /// Re-decides a lane's turns from the beginning, or from the nearest checkpoint before `from`, calling `seen`
    /// for each.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn replay(&self, key: &LaneKey, from: u64, seen: impl FnMut(&Replayed)) -> Result<usize, Stop> {
        Ok(self.replay_between(key, from, u64::MAX, seen).await?.0)
    }

    /// Re-decides one turn. From the nearest checkpoint before it, so a hundred turns are read at most.
    ///
    /// # Errors
    /// As [`Self::replay`].
    pub async fn replay_turn(&self, key: &LaneKey, revision: u64) -> Result<Option<Replayed>, Stop> {
        let mut found = None;
        self.replay_between(key, revision, revision, |replayed| found = Some(replayed.clone())).await?;
        Ok(found)
    }

    /// What would have been decided, had another event come in place of the recorded one: on the lane as it was then,
    /// with what was looked up then. `None`: the state before, what was looked up or the policy is not known any more.
    ///
    /// # Errors
    /// As [`Self::replay`].
    pub async fn what_if(&self, stored: &StoredTurn, event: &Event) -> Result<Option<WhatIf>, Stop> {
        let turn = Turn::read(stored).map_err(|e| unreadable("a turn row", &e.to_string()))?;
        let (key, before) = (&stored.lane, stored.revision.saturating_sub(1));
        let (_, lane) = self.replay_between(key, stored.revision, before, |_| ()).await?;
        let policy = self.policy_of(&key.tenant, &turn.row.policy).await?;
        let (Some(mut lane), Some(content), Some(policy)) = (lane, turn.content, policy) else {
            return Ok(None);
        };
        let before = canon::hex(&lane.state_hash());
        let step = step(&lane, event, &content.given, &policy);
        lane.apply(step.next.clone(), &step.changes);
        Ok(Some(WhatIf { before, after: canon::hex(&lane.state_hash()), step }))
    }

    /// Re-decides the turns up to `to`, telling of those from `from` on: how many it was, and the lane as it came out,
    /// if that is known.
    async fn replay_between(
        &self,
        key: &LaneKey,
        from: u64,
        to: u64,
        mut seen: impl FnMut(&Replayed),
    ) -> Result<(usize, Option<Lane>), Stop> {
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
                let before = known.is_some();
                let mut replayed = self.again(key, &mut known, stored, prev.as_deref()).await?;
                if erased && !before && matches!(replayed.verdict, Same::Unknown(_)) {
                    replayed.verdict = Same::ContentErased;
                }
                erased = replayed.verdict == Same::ContentErased;
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

    /// The lane exactly as it was at a revision, if a checkpoint of it was kept.
    async fn checkpoint_at(&self, key: &LaneKey, revision: u64) -> Result<Option<Lane>, Stop> {
        match self.store.checkpoint(key, revision).await? {
            Some((at, stored)) if at == revision => {
                let lane = restore(key, at, &stored);
                lane.map(Some).map_err(|why| unreadable("a checkpoint", &why))
            }
            _ => Ok(None),
        }
    }

    /// Where a replay starts: the newest checkpoint before `from`, else the empty lane.
    async fn start(&self, key: &LaneKey, from: u64) -> Result<(Lane, Option<String>), Stop> {
        let checkpoint = if from <= 1 { None } else { self.store.checkpoint(key, from - 1).await? };
        match checkpoint {
            None => Ok((Lane::new(key.clone()), Some(GENESIS.into()))),
            Some((revision, stored)) => {
                let lane = restore(key, revision, &stored).map_err(|why| unreadable("a checkpoint", &why))?;
                Ok((lane, None))
            }
        }
    }

    /// Decides one turn again on the lane as it was; leaves the lane as it came out, or `None` when that is not
    /// known.
    async fn again(
        &self,
        key: &LaneKey,
        known: &mut Option<Lane>,
        stored: &StoredTurn,
        prev: Option<&str>,
    ) -> Result<Replayed, Stop> {
        let turn = Turn::read(stored).map_err(|e| unreadable("a turn row", &e.to_string()))?;
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
        let before = known.take();
        if !(chained && intact) {
            return Ok(replayed(Same::Tampered));
        }
        let Some(content) = &turn.content else { return Ok(replayed(Same::ContentErased)) };
        let Some(mut lane) = before else {
            return Ok(replayed(Same::Unknown("the state before it is not known: an earlier turn is gone")));
        };
        let Some(policy) = self.policy_of(&key.tenant, &row.policy).await? else {
            return Ok(replayed(Same::Unknown(
                "the policy it was decided under was not kept, or is another version's",
            )));
        };
        let again = step(&lane, &content.event, &content.given, &policy);
        let effects = again.effects.iter().map(|effect| (effect.body.class().word(), effect.id.as_str()));
        let same_effects = effects.eq(row.effects.iter().map(|(class, id)| (class.as_str(), id.as_str())));
        lane.apply(again.next, &again.changes);
        let now = canon::hex(&lane.state_hash());
        let verdict = if again.decision.reason != row.decision.reason {
            Same::Decision(again.decision.reason)
        } else if now != row.after || !same_effects {
            Same::State { recorded: row.after.clone(), now }
        } else {
            Same::Yes
        };
        *known = Some(lane);
        Ok(replayed(verdict))
    }

    /// The policy a turn was decided under, if it was kept and this version knows all of it.
    async fn policy_of(&self, tenant: &str, version: &str) -> Result<Option<Policy>, Stop> {
        if version == self.policy_version {
            return Ok(Some(self.policy.clone()));
        }
        let stored = self.store.policy(tenant, version).await?;
        Ok(stored.and_then(|stored| serde_json::from_str(&stored).ok()))
    }
}
