//! The outbox: effects are planned by a turn, leased by a worker, marked before their first byte.

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::canonical_json::{Hash, hex};
use throughline_engine::data::effect::EffectBody;

use super::codec::{EFFECTS, class, small, stored_effect};
use super::error::TxError;
use super::session::{Query, Tx, transact};
use super::{PostgresStore, kill_switch, settle};
use crate::contract::{EffectState, Leased, Mark, Outbox, Settlement, StoreError, StoredEffect, lease_of};
use crate::rules::{pause_holds, payload_hash};

/// Value of `wake` for a host's effect without a deadline: never due, and not NULL, because the effect has not ended.
pub(super) const NEVER: i64 = i64::MAX;

/// Leases the due effects that are first in their stream and whose dependencies are done, longest due first. What
/// another worker is about to lease is passed over.
async fn lease(tx: &Tx, limit: i64) -> Result<Vec<Leased>, TxError> {
    let select = format!(
        "{EFFECTS} AND o.wake <= $2 AND o.performer = 0 AND o.waits = 0 AND (o.stream = '' OR NOT EXISTS ( \
         SELECT 1 FROM outbox b WHERE b.tenant = $1 AND b.lane = o.lane AND b.stream = o.stream AND b.n < o.n \
         AND b.wake IS NOT NULL AND b.performer = 0)) AND NOT (o.class = 'card.update' AND EXISTS ( \
         SELECT 1 FROM outbox p WHERE p.tenant = $1 AND p.lane = o.lane AND p.stream = $4 AND p.class = 'card.post' \
         AND p.n < o.n AND p.wake IS NOT NULL AND p.performer = 0 AND $5 || p.posts_card = o.stream)) \
         ORDER BY o.wake, o.n LIMIT $3 FOR UPDATE OF o SKIP LOCKED"
    );
    let (lane, card) = (EffectBody::LANE_STREAM, EffectBody::CARD_STREAM);
    let rows = tx.rows(&select, &[&tx.tenant, &tx.now.0, &limit, &lane, &card]).await?;
    let mut leased = Vec::with_capacity(rows.len());
    for row in rows {
        let (effect, fence) = (stored_effect(&row)?, row.get::<_, i64>("fence") + 1);
        let found_attempted = effect.state == EffectState::Attempted;
        leased.push(Leased { effect, fence, found_attempted });
    }
    if !leased.is_empty() {
        let ids: Vec<&str> = leased.iter().map(|each| each.effect.row.id.as_str()).collect();
        let until = leased.iter().map(|each| tx.now.plus(lease_of(each.effect.row.class)).0);
        let until: Vec<i64> = until.collect();
        let take = "UPDATE outbox o SET fence = o.fence + 1, wake = t.wake, leased_by = $4 \
                    FROM unnest($2::text[], $3::bigint[]) AS t (id, wake) WHERE o.tenant = $1 AND o.id = t.id";
        tx.last(&[(take, &[&tx.tenant, &ids, &until, &&*tx.replica])]).await?;
    }
    Ok(leased)
}

async fn mark(tx: &Tx, id: &EffectId, fence: i64, held: &Hash) -> Result<Mark, TxError> {
    // The switch is read under a lock, so that a mark comes before it or sees it.
    let switch = format!("{} FOR SHARE", kill_switch::PAUSE);
    let select = "SELECT o.class, o.outward, o.attempts, o.payload, o.payload_sha256, \
        o.card IS NULL AND NOT o.outward OR EXISTS (SELECT 1 FROM consumptions c WHERE c.tenant = $1 \
        AND c.card = o.card AND c.version = o.version) AS consumed, NOT o.outward OR EXISTS (SELECT 1 FROM releases r \
        WHERE r.tenant = $1 AND r.card = o.card AND r.version = o.version AND r.payload_sha256 = o.payload_sha256) \
        AS released FROM outbox o WHERE o.tenant = $1 AND o.id = $2 AND o.fence = $3 AND o.fence > 0 \
        AND o.state IN (0, 1) AND o.wake > $4 FOR UPDATE OF o";
    let effect: Query<'_> = (select, &[&tx.tenant, &id.as_str(), &fence, &tx.now.0]);
    // The effect is locked first, as by everybody.
    let found = tx.all(&[effect, (&switch, &[&tx.tenant])]).await?;
    let [effect, switch] = [0, 1].map(|n| found.get(n).and_then(|answer| answer.rows.first()));
    let Some(row) = effect else { return Ok(Mark::LeaseLost) };
    let class = class(row.get("class"))?;
    if switch.and_then(kill_switch::pause).is_some_and(|pause| pause_holds(&pause, class, row.get("outward")))
    {
        return Ok(Mark::Paused);
    }
    if !row.get::<_, bool>("consumed") {
        return Ok(Mark::NoApproval);
    }
    let stored = payload_hash(row.get("payload"));
    if stored != *held
        || hex(&stored) != row.get::<_, &str>("payload_sha256")
        || !row.get::<_, bool>("released")
    {
        return Ok(Mark::PayloadDiffers);
    }
    let attempts = small(row, "attempts") + 1;
    let update = "UPDATE outbox SET state = 1, attempts = $3, wake = $4 WHERE tenant = $1 AND id = $2";
    let until = tx.now.plus(lease_of(class)).0;
    tx.last(&[(update, &[&tx.tenant, &id.as_str(), &i64::from(attempts), &until])]).await?;
    Ok(Mark::Attempt(attempts))
}

async fn overdue(tx: &Tx, limit: u32) -> Result<Vec<StoredEffect>, TxError> {
    let select = format!(
        "{EFFECTS} AND o.wake <= $2 AND o.performer = 1 AND o.state = 1 ORDER BY o.wake, o.n LIMIT $3"
    );
    let rows = tx.read(&select, &[&tx.tenant, &tx.now.0, &i64::from(limit)]).await?;
    rows.iter().map(stored_effect).collect()
}

#[async_trait]
impl Outbox for PostgresStore {
    async fn lease(&self, _owner: &str, limit: u32) -> Result<Vec<Leased>, StoreError> {
        let act = "lease effects";
        let mut leased = Vec::new();
        for tenant in self.tenants(act).await? {
            let more = i64::from(limit) - i64::try_from(leased.len()).unwrap_or(i64::MAX);
            if more <= 0 {
                break;
            }
            leased.extend(transact!(self, act, &tenant, |tx| lease(tx, more).await)?);
        }
        Ok(leased)
    }

    async fn mark(&self, tenant: &str, id: &EffectId, fence: i64, held: &Hash) -> Result<Mark, StoreError> {
        transact!(self, "mark an attempt", tenant, |tx| mark(tx, id, fence, held).await)
    }

    async fn settle(&self, settlement: Settlement) -> Result<bool, StoreError> {
        let tenant = &settlement.tenant;
        transact!(self, "settle an effect", tenant, |tx| settle::settle(tx, &settlement).await)
    }

    async fn overdue(&self, limit: u32) -> Result<Vec<StoredEffect>, StoreError> {
        let act = "look for overdue effects";
        let mut found = Vec::new();
        for tenant in self.tenants(act).await? {
            found.extend(transact!(self, act, &tenant, |tx| overdue(tx, limit).await)?);
        }
        found.truncate(limit as usize);
        Ok(found)
    }
}
