//! Erases what has grown old: contents of turns, full states, records that lanes no longer load, and deliveries. The rows of turns,
//! the audit chain, effects, approvals and facts stay, so every chain verifies.

use throughline_engine::{LaneKey, Millis, Timestamp};
use throughline_store::{Forgotten, LaneInfo, RedactionCounts};

use super::{Erased, PAGE, Subject, Wanted, judge};
use crate::{FailPoint, Runtime, RuntimeError};

/// Age up to which a delivery is recognised when it comes again, whatever is erased.
const REPEATED: Millis = 2 * Timestamp::DAY;
/// Keys of deliveries that are looked at in one transaction.
const KEYS: u32 = 1_000;

impl Runtime {
    /// Erases what the policy keeps no longer, once a day for each tenant. Returns true if there was anything to do.
    ///
    /// # Errors
    /// As [`Self::erase`].
    pub async fn erase_old(&self, tenant: &str) -> Result<bool, RuntimeError> {
        let Some(keep) = self.policy().retention.keep() else { return Ok(false) };
        let today = self.store.now().0.div_euclid(Timestamp::DAY) * Timestamp::DAY;
        let subject = Subject::Before { at: Timestamp(today).plus(-keep) };
        // Of processes that share the store, and of starts on one day, only the first does it.
        let asked = self.store.erasures(tenant, false).await?;
        let same =
            |what: &str| serde_json::from_str(what).is_ok_and(|wanted: Wanted| wanted.subject == subject);
        if asked.iter().any(|row| same(&row.what)) {
            return Ok(false);
        }
        self.erase(tenant, &subject, "policy").await?;
        Ok(true)
    }

    /// Erases what was said before a time.
    pub(super) async fn erase_before(
        &self,
        tenant: &str,
        at: Timestamp,
        erased: &mut Erased,
    ) -> Result<(), RuntimeError> {
        let mut after = None;
        loop {
            let lanes = self.store.lanes(tenant, after.as_ref(), PAGE).await?;
            let Some(last) = lanes.last() else { break };
            after = Some(last.id.clone());
            for lane in &lanes {
                let sifted = self.age_lane(lane, at).await?;
                erased.lanes += u64::from(sifted != RedactionCounts::default());
                erased.add(sifted);
            }
        }
        self.forget_deliveries(tenant, at, erased).await
    }

    async fn age_lane(&self, lane: &LaneInfo, at: Timestamp) -> Result<RedactionCounts, RuntimeError> {
        let revision = self.newest_before(lane, at).await?;
        if revision == 0 {
            return Ok(RedactionCounts::default());
        }
        let start = self.store.checkpoint(&lane.key, revision).await?.map_or(0, |(start, _)| start);
        self.sift(&lane.key, judge::of_age(lane.id.clone(), revision, start)).await
    }

    /// Returns the newest revision that was decided before a time, by halving: times rise with revisions. 0 if none was.
    async fn newest_before(&self, lane: &LaneInfo, at: Timestamp) -> Result<u64, RuntimeError> {
        let (mut old, mut new) = (0, lane.revision + 1);
        while new - old > 1 {
            let middle = old + (new - old) / 2;
            match self.decided_at(&lane.key, middle).await? {
                Some(decided) if decided < at => old = middle,
                _ => new = middle,
            }
        }
        Ok(old)
    }

    async fn decided_at(&self, lane: &LaneKey, revision: u64) -> Result<Option<Timestamp>, RuntimeError> {
        let turns = self.store.turns(lane, revision - 1, 1).await?;
        Ok(turns.first().filter(|turn| turn.revision == revision).map(|turn| turn.log.at))
    }

    async fn forget_deliveries(
        &self,
        tenant: &str,
        at: Timestamp,
        erased: &mut Erased,
    ) -> Result<(), RuntimeError> {
        let before = at.min(self.store.now().plus(-REPEATED));
        let mut after = None;
        loop {
            let Forgotten { keys, next } =
                self.store.forget_ended(tenant, before, after.as_deref(), KEYS).await?;
            self.faults.at(FailPoint::ContentErased, "")?;
            erased.deliveries += keys;
            after = next;
            if after.is_none() {
                break;
            }
        }
        loop {
            after = self.store.forget_answers(tenant, after.as_deref(), KEYS).await?.next;
            self.faults.at(FailPoint::ContentErased, "")?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}
