//! The outbox: effects are planned by a turn, leased by a worker, marked before their first byte.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::canonical_json::{Hash, hex};
use throughline_engine::data::effect::EffectBody;
use tokio_postgres::Row;

use super::codec::{EFFECTS, class, signed, small, stored_effect};
use super::error::TxError;
use super::session::{Query, Tx, transact};
use super::{PostgresStore, kill_switch, settle};
use crate::contract::{
    EffectState, Leased, Mark, Outbox, PauseRow, Settlement, StoreError, StoredEffect, ToMark, lease_of,
};
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
    take(tx, &rows).await
}

/// Leases the effects of these rows.
async fn take(tx: &Tx, rows: &[Row]) -> Result<Vec<Leased>, TxError> {
    let mut leased = Vec::with_capacity(rows.len());
    for row in rows {
        let (effect, fence) = (stored_effect(row)?, row.get::<_, i64>("fence") + 1);
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

/// Leases the effects that go with a leased one: those behind it in its stream, up to the first that does not.
async fn lease_behind(tx: &Tx, first: &Leased, count: &RangeInclusive<u32>) -> Result<Vec<Leased>, TxError> {
    let held = "SELECT o.n FROM outbox o WHERE o.tenant = $1 AND o.id = $2 AND o.fence = $3 AND o.fence > 0 \
                AND o.state = 0 AND o.wake > $4 AND o.stream <> '' FOR UPDATE OF o";
    let (row, lane) = (&first.effect.row, first.effect.lane.id());
    let held = tx.first(held, &[&tx.tenant, &row.id.as_str(), &first.fence, &tx.now.0]).await?;
    let Some(head) = held.map(|held| held.get::<_, i64>(0)) else { return Ok(Vec::new()) };
    let on: Vec<&str> = row.depends_on.iter().map(EffectId::as_str).collect();
    // With the dependencies of the first one it waits for nothing that the first one does not.
    let select = format!(
        "{EFFECTS} AND o.lane = $2 AND o.stream = $3 AND o.n > $4 AND o.wake <= $5 AND o.state = 0 AND o.performer = 0 \
         AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.tenant = $1 AND b.lane = $2 AND b.stream = $3 AND b.n > $4 \
         AND b.n <= o.n AND b.wake IS NOT NULL AND b.performer = 0 AND (b.state <> 0 OR b.wake > $5 \
         OR b.revision <> $6 OR b.class <> $7 OR b.depends_on <> $8::text[])) ORDER BY o.n LIMIT $9 FOR UPDATE OF o"
    );
    let (revision, class) = (signed(first.effect.revision), row.class.as_str());
    let (lane, most) = (lane.as_str(), i64::from(*count.end()));
    let behind: Query<'_> =
        (&select, &[&tx.tenant, &lane, &row.stream, &head, &tx.now.0, &revision, &class, &on, &most]);
    let rows = tx.rows(behind.0, behind.1).await?;
    if rows.len() < *count.start() as usize {
        return Ok(Vec::new());
    }
    take(tx, &rows).await
}

/// Marks attempts, each if nothing is in its way.
async fn mark(tx: &Tx, attempts: &[ToMark]) -> Result<Vec<Mark>, TxError> {
    // The switch is read under a lock, so that a mark comes before it or sees it.
    let switch = format!("{} FOR SHARE", kill_switch::PAUSE);
    let select = "SELECT o.id, o.class, o.outward, o.attempts, o.payload, o.payload_sha256, \
        o.card IS NULL AND NOT o.outward OR EXISTS (SELECT 1 FROM consumptions c WHERE c.tenant = $1 \
        AND c.card = o.card AND c.version = o.version) AS consumed, NOT o.outward OR EXISTS (SELECT 1 FROM releases r \
        WHERE r.tenant = $1 AND r.card = o.card AND r.version = o.version AND r.payload_sha256 = o.payload_sha256) \
        AS released FROM unnest($2::text[], $3::bigint[]) AS t (id, fence) JOIN outbox o ON o.id = t.id \
        WHERE o.tenant = $1 AND o.fence = t.fence AND o.fence > 0 AND o.state IN (0, 1) AND o.wake > $4 \
        ORDER BY o.n FOR UPDATE OF o";
    let (ids, fences): (Vec<&str>, Vec<i64>) =
        attempts.iter().map(|attempt| (attempt.id.as_str(), attempt.fence)).unzip();
    let effects: Query<'_> = (select, &[&tx.tenant, &ids, &fences, &tx.now.0]);
    // The effects are locked first, as by everybody.
    let found = tx.all(&[effects, (&switch, &[&tx.tenant])]).await?;
    let pause = found.get(1).and_then(|answer| answer.rows.first()).and_then(kill_switch::pause);
    let rows = found.first().map(|answer| answer.rows.as_slice()).unwrap_or_default();
    let (mut marks, mut marked, mut until) = (Vec::with_capacity(attempts.len()), Vec::new(), Vec::new());
    for attempt in attempts {
        let row = rows.iter().find(|row| row.get::<_, &str>("id") == attempt.id.as_str());
        let Some(row) = row else {
            marks.push(Mark::LeaseLost);
            continue;
        };
        let mark = may_begin(row, &attempt.held, pause.as_ref())?;
        if matches!(mark, Mark::Attempt(_)) {
            marked.push(attempt.id.as_str());
            until.push(tx.now.plus(lease_of(class(row.get("class"))?)).0);
        }
        marks.push(mark);
    }
    if !marked.is_empty() {
        let update = "UPDATE outbox o SET state = 1, attempts = o.attempts + 1, wake = t.wake \
                      FROM unnest($2::text[], $3::bigint[]) AS t (id, wake) WHERE o.tenant = $1 AND o.id = t.id";
        tx.last(&[(update, &[&tx.tenant, &marked, &until])]).await?;
    }
    Ok(marks)
}

/// Returns the mark of a locked effect.
fn may_begin(row: &Row, held: &Hash, pause: Option<&PauseRow>) -> Result<Mark, TxError> {
    let class = class(row.get("class"))?;
    if pause.is_some_and(|pause| pause_holds(pause, class, row.get("outward"))) {
        return Ok(Mark::Paused);
    }
    if !row.get::<_, bool>("consumed") {
        return Ok(Mark::NoApproval);
    }
    let stored = payload_hash(row.get("payload"));
    let planned = hex(&stored) == row.get::<_, &str>("payload_sha256");
    if stored != *held || !planned || !row.get::<_, bool>("released") {
        return Ok(Mark::PayloadDiffers);
    }
    Ok(Mark::Attempt(small(row, "attempts") + 1))
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
        let attempt = [ToMark { id: id.clone(), fence, held: *held }];
        let marks = transact!(self, "mark an attempt", tenant, |tx| mark(tx, &attempt).await)?;
        Ok(marks.first().copied().unwrap_or(Mark::LeaseLost))
    }

    async fn lease_behind(
        &self,
        first: &Leased,
        count: RangeInclusive<u32>,
    ) -> Result<Vec<Leased>, StoreError> {
        let tenant = &first.effect.lane.tenant;
        transact!(self, "lease effects", tenant, |tx| lease_behind(tx, first, &count).await)
    }

    async fn mark_together(&self, tenant: &str, attempts: &[ToMark]) -> Result<Vec<Mark>, StoreError> {
        transact!(self, "mark attempts", tenant, |tx| mark(tx, attempts).await)
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
