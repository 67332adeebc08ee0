//! Re-decides recorded turns and compares hashes. Dry: nothing is written and nothing is sent.

use throughline_engine::lane::Lane;
use throughline_engine::{LaneKey, Policy, Reason, canon, step};
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

/// How a re-decided turn compares.
#[derive(Clone, Debug, PartialEq)]
pub enum Same {
    /// Same decision, same state hash.
    Yes,
    /// Its content was erased, so it cannot be decided again. The chain still holds.
    ContentErased,
    /// Another decision.
    Decision(Reason),
    /// The same decision, another state.
    State {
        /// The recorded hash.
        recorded: String,
        /// The hash it has now.
        now: String,
    },
    /// The row does not hash to what the next one was chained to, or its content to what it holds.
    Tampered,
}

impl Runtime {
    /// Re-decides a lane's turns from the beginning, or from the nearest checkpoint before `from`, calling `seen`
    /// for each.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn replay(
        &self,
        key: &LaneKey,
        from: u64,
        mut seen: impl FnMut(&Replayed),
    ) -> Result<usize, Stop> {
        let (mut lane, mut prev) = self.start(key, from).await?;
        let mut count = 0;
        loop {
            let turns = self.store.turns(key, lane.revision, 200).await?;
            if turns.is_empty() {
                return Ok(count);
            }
            for stored in &turns {
                let replayed = self.again(&mut lane, stored, prev.as_deref()).await?;
                prev = Some(stored.log.hash.clone());
                count += 1;
                if stored.revision >= from {
                    seen(&replayed);
                }
            }
        }
    }

    /// Where a replay starts: the newest checkpoint before `from`, else the empty lane.
    async fn start(&self, key: &LaneKey, from: u64) -> Result<(Lane, Option<String>), Stop> {
        let lane = Lane::new(key.clone());
        if from <= 1 {
            return Ok((lane, Some(GENESIS.into())));
        }
        match self.store.checkpoint(key, from - 1).await? {
            None => Ok((lane, Some(GENESIS.into()))),
            Some((revision, stored)) => {
                let lane =
                    restore(lane, revision, &stored).map_err(|why| unreadable("a checkpoint", &why))?;
                Ok((lane, None))
            }
        }
    }

    async fn again(
        &self,
        lane: &mut Lane,
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
        let Some(content) = &turn.content else {
            // The state after it is known only from the next checkpoint.
            lane.revision = stored.revision;
            return Ok(replayed(if chained { Same::ContentErased } else { Same::Tampered }));
        };
        if !chained || content_hash(&log.salt, &log.content) != row.content {
            lane.revision = stored.revision;
            return Ok(replayed(Same::Tampered));
        }
        let policy = self.policy_of(&lane.key.tenant, &row.policy).await?;
        let again = step(lane, &content.event, &content.given, &policy);
        lane.apply(again.next, &again.changes);
        let now = canon::hex(&lane.state_hash());
        Ok(replayed(if again.decision.reason != row.decision.reason {
            Same::Decision(again.decision.reason)
        } else if now != row.after {
            Same::State { recorded: row.after.clone(), now }
        } else {
            Same::Yes
        }))
    }

    /// The policy a turn was decided under.
    async fn policy_of(&self, tenant: &str, version: &str) -> Result<Policy, Stop> {
        if version == self.policy_version {
            return Ok(self.policy.clone());
        }
        match self.store.policy(tenant, version).await? {
            Some(stored) => {
                serde_json::from_str(&stored).map_err(|e| unreadable("a recorded policy", &e.to_string()))
            }
            None => Ok(self.policy.clone()),
        }
    }
}
