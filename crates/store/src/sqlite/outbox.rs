//! The outbox: effects are planned by a turn, leased by a worker, marked before their first byte.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use rusqlite::{Row, params};
use throughline_engine::EffectId;
use throughline_engine::data::canonical_json::Hash;
use throughline_engine::data::effect::{EffectBody, EffectClass};

use super::codec::{effect_state, effect_state_number, performer_number};
use super::effects::{SELECT, query, stored_effect};
use super::error::TxError;
use super::writer::Tx;
use super::writer_state::LaneRow;
use super::{SqliteStore, kill_switch, settle};
use crate::contract::{
    EffectState, Leased, Mark, Outbox, OutboxRow, PauseRow, Performer, Settlement, StoreError, StoredEffect,
    ToMark, TurnCommit, lease_of,
};
use crate::rules::{deadline, dependency_outcome, first_state, pause_holds, payload_hash};

/// Value of `wake` for a host's effect without a deadline: never due, and not NULL, because the effect has not ended.
pub(super) const NEVER: i64 = i64::MAX;

/// Inserts the effects of a turn.
pub(super) fn plan(
    tx: &mut Tx<'_, '_>,
    lane: LaneRow,
    revision: i64,
    turn: &TurnCommit,
) -> Result<(), TxError> {
    let mut prev = lane.last_effect;
    for row in &turn.outbox {
        if row.class == EffectClass::CardUpdate && row.performer == Performer::Us {
            settle::supersede(tx, lane.n, &row.stream)?;
        }
        let n = tx.state.next_effect();
        insert(tx, n, prev, lane.n, revision, turn, row)?;
        prev = Some(n);
    }
    if let Some(newest) = prev {
        tx.state.set_last_effect(&turn.lane, newest);
    }
    Ok(())
}

fn insert(
    tx: &Tx<'_, '_>,
    n: i64,
    prev: Option<i64>,
    lane: i64,
    revision: i64,
    turn: &TurnCommit,
    row: &OutboxRow,
) -> Result<(), TxError> {
    let tenant = &turn.lane.tenant;
    let ends = row.deadline.map(|at| deadline(at, turn.log.at, tx.now));
    let dependencies = add_dependencies(tx, tenant, n, row)?;
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
    let on = (!on.is_empty()).then(|| on.join(" "));
    let approval = row.approval.as_ref();
    tx.sql.execute(
        "INSERT INTO outbox (n, tenant, id, lane, revision, ordinal, class, outward, performer, state, attempts, \
         wake, created_at, not_before, deadline, stream, card, version, waits, prev, depends_on, payload_sha256, \
         payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13, ?14, ?15, ?16, ?17, ?18, \
         ?19, ?20, ?21, ?22)",
        params![
            n,
            tenant,
            row.id.as_str(),
            lane,
            revision,
            row.ordinal,
            row.class.as_str(),
            row.outward,
            performer_number(row.performer),
            effect_state_number(state),
            attempts,
            wake,
            tx.now.0,
            ends.map(|at| at.0),
            row.stream,
            approval.map(|a| a.card.as_str()),
            approval.map(|a| a.version),
            dependencies.unfinished,
            prev,
            on,
            payload_hash(&row.payload),
            row.payload,
        ],
    )?;
    if lost {
        settle::store_outcome(tx, n, &dependency_outcome())?;
    }
    Ok(())
}

/// Returns true if an attempt at one of these effects was marked.
pub(super) fn any_begun(tx: &Tx<'_, '_>, tenant: &str, effects: &[EffectId]) -> Result<bool, TxError> {
    let select = "SELECT 1 FROM outbox WHERE tenant = ?1 AND id = ?2 AND attempts > 0 AND state <> 5";
    for id in effects {
        if tx.sql.first(select, (tenant, id.as_str()), |_| Ok(()))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[derive(Default)]
struct Dependencies {
    /// Number that is not done yet.
    unfinished: u32,
    /// True if one of them failed or was cancelled.
    failed: bool,
}

/// Inserts the dependencies of a new effect.
fn add_dependencies(tx: &Tx<'_, '_>, tenant: &str, n: i64, row: &OutboxRow) -> Result<Dependencies, TxError> {
    let mut dependencies = Dependencies::default();
    for id in &row.depends_on {
        let note = "UPDATE outbox SET dependents = 1 WHERE tenant = ?1 AND id = ?2 RETURNING n, state";
        let read = |r: &Row<'_>| Ok((r.get::<_, i64>(0)?, effect_state(r.get(1)?)?));
        let found = tx.sql.first(note, (tenant, id.as_str()), read)?;
        let Some((on, state)) = found else {
            return Err(TxError::Refused(format!("effect {} depends on {id}, which is not there", row.id)));
        };
        let enter = "INSERT INTO dependencies (on_effect, effect) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        let entered = tx.sql.execute(enter, (on, n))?;
        dependencies.failed |= matches!(state, EffectState::Failed | EffectState::Cancelled);
        dependencies.unfinished += u32::from(state != EffectState::Done && entered == 1);
    }
    Ok(dependencies)
}

/// Leases the due effects that are first in their stream and whose dependencies are done, longest due first.
fn lease(tx: &Tx<'_, '_>, limit: u32) -> Result<Vec<Leased>, TxError> {
    let select = format!(
        "{SELECT} WHERE o.wake <= ?1 AND o.performer = 0 AND o.waits = 0 AND (o.stream = '' OR NOT EXISTS ( \
         SELECT 1 FROM outbox b WHERE b.lane = o.lane AND b.stream = o.stream AND b.n < o.n \
         AND b.wake IS NOT NULL AND b.performer = 0 AND b.stream <> '')) AND NOT (o.class = 'card.update' AND EXISTS ( \
         SELECT 1 FROM outbox p WHERE p.lane = o.lane AND p.stream = ?3 AND p.class = 'card.post' AND p.n < o.n \
         AND p.wake IS NOT NULL AND p.performer = 0 AND p.stream <> '' \
         AND ?4 || CASE WHEN json_valid(p.payload) THEN json_extract(p.payload, '$.card.id') END = o.stream)) ORDER BY o.wake, o.n LIMIT ?2"
    );
    let mut select = tx.sql.prepare_cached(&select)?;
    let found = select
        .query_map((tx.now.0, limit, EffectBody::LANE_STREAM, EffectBody::CARD_STREAM), Free::read)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    found.into_iter().map(|free| free.take(tx)).collect()
}

/// An effect that may be leased.
struct Free {
    n: i64,
    fence: i64,
    effect: StoredEffect,
}

impl Free {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { n: row.get("n")?, fence: row.get("fence")?, effect: stored_effect(row)? })
    }

    fn take(self, tx: &Tx<'_, '_>) -> Result<Leased, TxError> {
        let Self { n, fence, effect } = self;
        let take = "UPDATE outbox SET fence = ?2, wake = ?3 WHERE n = ?1";
        tx.sql.execute(take, (n, fence + 1, tx.now.plus(lease_of(effect.row.class)).0))?;
        let found_attempted = effect.state == EffectState::Attempted;
        Ok(Leased { effect, fence: fence + 1, found_attempted })
    }
}

/// Leases the effects that go with a leased one: those behind it in its stream, up to the first that does not.
fn lease_behind(
    tx: &Tx<'_, '_>,
    first: &Leased,
    count: &RangeInclusive<u32>,
) -> Result<Vec<Leased>, TxError> {
    let held = "SELECT n, lane FROM outbox WHERE tenant = ?1 AND id = ?2 AND fence = ?3 AND fence > 0 AND state = 0 \
                AND wake > ?4 AND stream <> ''";
    let row = &first.effect.row;
    let params = (&first.effect.lane.tenant, row.id.as_str(), first.fence, tx.now.0);
    let held = tx.sql.first(held, params, |found| Ok((found.get::<_, i64>(0)?, found.get::<_, i64>(1)?)))?;
    let Some((head, lane)) = held else { return Ok(Vec::new()) };
    // With the dependencies of the first one it waits for nothing that the first one does not.
    let select = format!(
        "{SELECT} JOIN outbox f ON f.n = ?1 WHERE o.lane = ?2 AND o.stream = ?3 AND o.n > ?1 AND o.wake IS NOT NULL \
         AND o.performer = 0 AND o.stream <> '' AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.lane = ?2 \
         AND b.stream = ?3 AND b.n > ?1 AND b.n <= o.n AND b.wake IS NOT NULL AND b.performer = 0 AND b.stream <> '' \
         AND (b.state <> 0 OR b.wake > ?4 OR b.revision <> f.revision OR b.class <> f.class \
         OR b.depends_on IS NOT f.depends_on)) ORDER BY o.n LIMIT ?5"
    );
    let mut select = tx.sql.prepare_cached(&select)?;
    let found = select.query_map((head, lane, &row.stream, tx.now.0, count.end()), Free::read)?;
    let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
    if found.len() < *count.start() as usize {
        return Ok(Vec::new());
    }
    found.into_iter().map(|free| free.take(tx)).collect()
}

/// An effect with everything that [`mark`] checks.
struct MarkCandidate {
    n: i64,
    class: EffectClass,
    outward: bool,
    attempts: u32,
    payload: String,
    payload_sha256: Hash,
    pause: Option<PauseRow>,
    consumed: bool,
    /// True if its approval lists its hash, or was consumed by a version that kept no list, or if it needs none.
    released: bool,
}

fn to_mark(
    tx: &Tx<'_, '_>,
    tenant: &str,
    id: &EffectId,
    fence: i64,
) -> Result<Option<MarkCandidate>, TxError> {
    let select = "SELECT o.n, o.class, o.attempts, o.payload, o.payload_sha256, o.card IS NULL AND o.outward = 0 \
                  OR c.card IS NOT NULL, p.pause_by, p.pause_since, p.pause_reason, p.pause_everything, o.outward, \
                  o.outward = 0 OR c.unlisted = 1 OR EXISTS (SELECT 1 FROM releases r WHERE r.tenant = ?1 \
                  AND r.card = o.card AND r.version = o.version AND r.payload_sha256 = o.payload_sha256) \
                  FROM outbox o LEFT JOIN tenants p ON p.tenant = ?1 \
                  LEFT JOIN consumptions c ON c.tenant = ?1 AND c.card = o.card AND c.version = o.version \
                  WHERE o.tenant = ?1 AND o.id = ?2 AND o.fence = ?3 AND o.fence > 0 AND o.state IN (0, 1) \
                  AND o.wake > ?4";
    let read = |row: &Row<'_>| {
        let class: String = row.get(1)?;
        let class = EffectClass::parse(&class).ok_or_else(|| {
            rusqlite::types::FromSqlError::Other(format!("unknown effect class {class}").into())
        })?;
        Ok(MarkCandidate {
            n: row.get(0)?,
            class,
            outward: row.get(10)?,
            attempts: row.get(2)?,
            payload: row.get(3)?,
            payload_sha256: row.get(4)?,
            consumed: row.get(5)?,
            released: row.get(11)?,
            pause: kill_switch::pause_row(row, 6)?,
        })
    };
    Ok(tx.sql.first(select, (tenant, id.as_str(), fence, tx.now.0), read)?)
}

fn mark(tx: &Tx<'_, '_>, tenant: &str, id: &EffectId, fence: i64, held: &Hash) -> Result<Mark, TxError> {
    let Some(effect) = to_mark(tx, tenant, id, fence)? else { return Ok(Mark::LeaseLost) };
    if effect.pause.is_some_and(|pause| pause_holds(&pause, effect.class, effect.outward)) {
        return Ok(Mark::Paused);
    }
    if !effect.consumed {
        return Ok(Mark::NoApproval);
    }
    let stored = payload_hash(&effect.payload);
    if stored != *held || stored != effect.payload_sha256 || !effect.released {
        return Ok(Mark::PayloadDiffers);
    }
    let attempts = effect.attempts + 1;
    let mark = "UPDATE outbox SET state = 1, attempts = ?2, wake = ?3 WHERE n = ?1";
    tx.sql.execute(mark, (effect.n, attempts, tx.now.plus(lease_of(effect.class)).0))?;
    Ok(Mark::Attempt(attempts))
}

#[async_trait]
impl Outbox for SqliteStore {
    async fn lease(&self, _owner: &str, limit: u32) -> Result<Vec<Leased>, StoreError> {
        Ok(self.writer.call("lease effects", move |tx| lease(tx, limit)).await?)
    }

    async fn mark(&self, tenant: &str, id: &EffectId, fence: i64, held: &Hash) -> Result<Mark, StoreError> {
        let (tenant, id, held) = (tenant.to_owned(), id.clone(), *held);
        Ok(self.writer.call("mark an attempt", move |tx| mark(tx, &tenant, &id, fence, &held)).await?)
    }

    async fn lease_behind(
        &self,
        first: &Leased,
        count: RangeInclusive<u32>,
    ) -> Result<Vec<Leased>, StoreError> {
        let first = first.clone();
        Ok(self.writer.call("lease effects", move |tx| lease_behind(tx, &first, &count)).await?)
    }

    async fn mark_together(&self, tenant: &str, attempts: &[ToMark]) -> Result<Vec<Mark>, StoreError> {
        let (tenant, attempts) = (tenant.to_owned(), attempts.to_vec());
        let marks = move |tx: &mut Tx<'_, '_>| {
            let mark = |ToMark { id, fence, held }: &ToMark| mark(tx, &tenant, id, *fence, held);
            attempts.iter().map(mark).collect::<Result<Vec<_>, _>>()
        };
        Ok(self.writer.call("mark attempts", marks).await?)
    }

    async fn settle(&self, settlement: Settlement) -> Result<bool, StoreError> {
        Ok(self.writer.call("settle an effect", move |tx| settle::settle(tx, &settlement)).await?)
    }

    async fn overdue(&self, limit: u32) -> Result<Vec<StoredEffect>, StoreError> {
        let now = self.clock.now().0;
        self.read("look for overdue effects", |sql| {
            query(
                sql,
                "WHERE o.wake <= ?1 AND o.performer = 1 AND o.state = 1 ORDER BY o.wake, o.n LIMIT ?2",
                (now, limit),
            )
        })
    }
}
