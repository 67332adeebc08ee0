//! The outbox: effects are planned by a turn, leased by a worker, marked before their first byte.

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::canonical_json::{Hash, hex};
use throughline_engine::data::effect::{EffectBody, EffectClass};

use super::codec::{
    EFFECTS, class, effect_state, effect_state_number, performer_number, small, stored_effect,
};
use super::error::TxError;
use super::session::{Tx, transact};
use super::{PostgresStore, kill_switch, settle};
use crate::contract::{
    EffectState, Leased, Mark, Outbox, OutboxRow, Performer, Settlement, StoreError, StoredEffect,
    TurnCommit, lease_of,
};
use crate::rules::{deadline, dependency_outcome, first_state, pause_holds, payload_hash};

/// Value of `wake` for a host's effect without a deadline: never due, and not NULL, because the effect has not ended.
pub(super) const NEVER: i64 = i64::MAX;

/// Inserts the effects of a turn.
pub(super) async fn plan(tx: &Tx, lane: &str, revision: i64, turn: &TurnCommit) -> Result<(), TxError> {
    for row in &turn.outbox {
        if row.class == EffectClass::CardUpdate && row.performer == Performer::Us {
            settle::supersede(tx, lane, &row.stream).await?;
        }
        plan_one(tx, lane, revision, turn, row).await?;
    }
    Ok(())
}

/// Returns the id of the card that an effect posts.
fn posted_card(row: &OutboxRow) -> Option<String> {
    let body = serde_json::from_str::<serde_json::Value>(&row.payload).ok()?;
    (row.class == EffectClass::CardPost).then(|| body["card"]["id"].as_str().map(str::to_owned))?
}

async fn plan_one(
    tx: &Tx,
    lane: &str,
    revision: i64,
    turn: &TurnCommit,
    row: &OutboxRow,
) -> Result<(), TxError> {
    let ends = row.deadline.map(|at| deadline(at, turn.log.at, tx.now));
    let dependencies = add_dependencies(tx, row).await?;
    let (mut state, attempts) = first_state(row.performer, dependencies.unfinished > 0);
    let lost = dependencies.failed && state == EffectState::Planned;
    if lost {
        state = EffectState::Failed;
    }
    let wake = match row.performer {
        Performer::Us => (!lost).then_some(tx.now.0),
        Performer::Host => (!lost).then(|| ends.map_or(NEVER, |at| at.0)),
    };
    let on: Vec<&str> = row.depends_on.iter().map(EffectId::as_str).collect();
    let hash = hex(&payload_hash(&row.payload));
    let released = row.outward.then_some(&hash);
    let (card, version) = row.approval.as_ref().map(|a| (a.card.as_str(), i64::from(a.version))).unzip();
    let insert = "INSERT INTO outbox (tenant, id, lane, revision, ordinal, class, outward, performer, state, attempts, \
        wake, created_at, not_before, deadline, stream, card, version, waits, depends_on, posts_card, payload_sha256, \
        payload, outcome, released) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $15, \
        $16, $17, $18, $19, $20, $21, $22, $23)";
    tx.execute(
        insert,
        &[
            &tx.tenant,
            &row.id.as_str(),
            &lane,
            &revision,
            &i64::from(row.ordinal),
            &row.class.as_str(),
            &row.outward,
            &performer_number(row.performer),
            &effect_state_number(state),
            &i64::from(attempts),
            &wake,
            &tx.now.0,
            &ends.map(|at| at.0),
            &row.stream,
            &card,
            &version,
            &dependencies.unfinished,
            &on,
            &posted_card(row),
            &hash,
            &row.payload,
            &lost.then(dependency_outcome),
            &released,
        ],
    )
    .await?;
    Ok(())
}

#[derive(Default)]
struct Dependencies {
    /// Number that is not done yet.
    unfinished: i64,
    /// True if one of them failed or was cancelled.
    failed: bool,
}

/// Inserts the dependencies of a new effect. Their rows are locked, so none of them ends meanwhile.
async fn add_dependencies(tx: &Tx, row: &OutboxRow) -> Result<Dependencies, TxError> {
    let mut dependencies = Dependencies::default();
    for id in &row.depends_on {
        let select = "SELECT state FROM outbox WHERE tenant = $1 AND id = $2 FOR UPDATE";
        let Some(found) = tx.first(select, &[&tx.tenant, &id.as_str()]).await? else {
            return Err(TxError::Refused(format!("effect {} depends on {id}, which is not there", row.id)));
        };
        let state = effect_state(found.get(0))?;
        let enter =
            "INSERT INTO dependencies (tenant, on_effect, effect) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        let entered = tx.execute(enter, &[&tx.tenant, &id.as_str(), &row.id.as_str()]).await?;
        dependencies.failed |= matches!(state, EffectState::Failed | EffectState::Cancelled);
        dependencies.unfinished += i64::from(state != EffectState::Done && entered == 1);
    }
    Ok(dependencies)
}

/// Returns true if an attempt at one of these effects was marked. Their rows stay locked.
pub(super) async fn any_begun(tx: &Tx, effects: &[EffectId]) -> Result<bool, TxError> {
    for id in effects {
        let select =
            "SELECT attempts > 0 AND state <> 5 FROM outbox WHERE tenant = $1 AND id = $2 FOR UPDATE";
        let row = tx.first(select, &[&tx.tenant, &id.as_str()]).await?;
        if row.is_some_and(|row| row.get(0)) {
            return Ok(true);
        }
    }
    Ok(false)
}

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
        let take = "UPDATE outbox SET fence = $3, wake = $4 WHERE tenant = $1 AND id = $2";
        let until = tx.now.plus(lease_of(effect.row.class)).0;
        tx.execute(take, &[&tx.tenant, &effect.row.id.as_str(), &fence, &until]).await?;
        let found_attempted = effect.state == EffectState::Attempted;
        leased.push(Leased { effect, fence, found_attempted });
    }
    Ok(leased)
}

async fn mark(tx: &Tx, id: &EffectId, fence: i64, held: &Hash) -> Result<Mark, TxError> {
    // The switch is read under a lock, so that a mark comes before it or sees it.
    let pause = kill_switch::pause(tx, true).await?;
    let select = "SELECT o.class, o.outward, o.attempts, o.payload, o.payload_sha256, \
        o.card IS NULL AND NOT o.outward OR EXISTS (SELECT 1 FROM consumptions c WHERE c.tenant = $1 \
        AND c.card = o.card AND c.version = o.version) AS consumed, NOT o.outward OR EXISTS (SELECT 1 FROM releases r \
        WHERE r.tenant = $1 AND r.card = o.card AND r.version = o.version AND r.payload_sha256 = o.payload_sha256) \
        AS released FROM outbox o WHERE o.tenant = $1 AND o.id = $2 AND o.fence = $3 AND o.fence > 0 \
        AND o.state IN (0, 1) AND o.wake > $4 FOR UPDATE OF o";
    let Some(row) = tx.first(select, &[&tx.tenant, &id.as_str(), &fence, &tx.now.0]).await? else {
        return Ok(Mark::LeaseLost);
    };
    let class = class(row.get("class"))?;
    if pause.is_some_and(|pause| pause_holds(&pause, class, row.get("outward"))) {
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
    let attempts = small(&row, "attempts") + 1;
    let update = "UPDATE outbox SET state = 1, attempts = $3, wake = $4 WHERE tenant = $1 AND id = $2";
    let until = tx.now.plus(lease_of(class)).0;
    tx.execute(update, &[&tx.tenant, &id.as_str(), &i64::from(attempts), &until]).await?;
    Ok(Mark::Attempt(attempts))
}

async fn overdue(tx: &Tx, limit: u32) -> Result<Vec<StoredEffect>, TxError> {
    let select = format!(
        "{EFFECTS} AND o.wake <= $2 AND o.performer = 1 AND o.state = 1 ORDER BY o.wake, o.n LIMIT $3"
    );
    let rows = tx.rows(&select, &[&tx.tenant, &tx.now.0, &i64::from(limit)]).await?;
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
