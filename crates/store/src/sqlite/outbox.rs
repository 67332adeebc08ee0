//! Effects: planned by a turn, leased by a worker, marked before their first byte. Deadlines too.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use throughline_engine::canon::Hash;
use throughline_engine::effect::{ApprovalRef, EffectClass};
use throughline_engine::id::Mint;
use throughline_engine::{CardId, EffectId, LaneKey, TimerId, Timestamp};

use super::codec::{
    HexText, effect_state, effect_state_number, lane_key, lane_parts, moment, performer, performer_number,
};
use super::fault::Fault;
use super::memo::Place;
use super::writer::Tx;
use super::{SqliteStore, lane_number, settle};
use crate::contract::{
    EffectState, Leased, Mark, Outbox, OutboxRow, PauseRow, Performer, Settlement, StoreError, StoredEffect,
    TimerRow, TurnCommit, lease_of,
};
use crate::rules::{dependency_outcome, first_state, held_by, payload_hash};

/// A host that has no deadline is never overdue; the row is open all the same.
const NEVER: i64 = i64::MAX;

pub(super) const SELECT: &str = concat!(
    "SELECT o.n, o.id, o.ordinal, o.class, o.stream, o.payload, o.depends_on, o.card, o.version, o.performer, ",
    "o.deadline, o.revision, o.state, o.attempts, o.created_at, o.not_before, c.outcome, ",
    "o.payload_sha256, o.fence, o.prev, o.outward, ",
    lane_parts!(),
    " FROM outbox o JOIN lanes l ON l.n = o.lane",
    " LEFT JOIN outcomes c ON c.n = o.n "
);

fn planned(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    let card: Option<String> = row.get("card")?;
    let version: Option<u32> = row.get("version")?;
    let depends_on: Option<String> = row.get("depends_on")?;
    let class: String = row.get("class")?;
    let class = EffectClass::from_word(&class).ok_or_else(|| {
        rusqlite::types::FromSqlError::Other(format!("unknown effect class {class}").into())
    })?;
    Ok(OutboxRow {
        id: EffectId(row.get("id")?),
        ordinal: row.get("ordinal")?,
        class,
        outward: row.get("outward")?,
        stream: row.get("stream")?,
        payload: row.get("payload")?,
        depends_on: depends_on.map_or_else(Vec::new, |ids| ids.split(' ').map(EffectId::from).collect()),
        approval: card.zip(version).map(|(card, version)| ApprovalRef { card: CardId(card), version }),
        performer: performer(row.get("performer")?)?,
        deadline: row.get::<_, Option<i64>>("deadline")?.map(Timestamp),
    })
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredEffect> {
    let lane = lane_key(row)?;
    let revision = row.get::<_, i64>("revision")?.cast_unsigned();
    Ok(StoredEffect {
        row: planned(row)?,
        turn: Mint::new(&lane, revision).turn(),
        lane,
        revision,
        state: effect_state(row.get("state")?)?,
        attempts: row.get("attempts")?,
        created_at: moment(row, "created_at")?,
        not_before: moment(row, "not_before")?,
        outcome: row.get("outcome")?,
        payload_sha256: row.get::<_, HexText>("payload_sha256")?.0,
    })
}

fn query(sql: &Connection, rest: &str, params: impl Params) -> rusqlite::Result<Vec<StoredEffect>> {
    sql.prepare_cached(&format!("{SELECT}{rest}"))?.query_map(params, stored)?.collect()
}

/// Writes a turn's effects.
pub(super) fn plan(tx: &mut Tx<'_, '_>, lane: Place, revision: i64, turn: &TurnCommit) -> Result<(), Fault> {
    let mut prev = lane.last_effect;
    for row in &turn.outbox {
        if row.class == EffectClass::CardUpdate && row.performer == Performer::Us {
            settle::supersede(tx, lane.n, &row.stream)?;
        }
        let n = tx.memo.next_effect();
        insert(tx, n, prev, lane.n, revision, turn, row)?;
        prev = Some(n);
    }
    if let Some(newest) = prev {
        tx.memo.effect_planned(&turn.lane, newest);
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
) -> Result<(), Fault> {
    let tenant = &turn.lane.tenant;
    let depends = depend(tx, tenant, n, row)?;
    let (mut state, attempts) = first_state(row.performer, depends.waits > 0);
    let lost = depends.lost && state == EffectState::Planned;
    if lost {
        state = EffectState::Failed;
    }
    let wake = match row.performer {
        Performer::Us => (!lost).then_some(tx.now.0),
        Performer::Host => (!lost).then(|| row.deadline.map_or(NEVER, |at| at.0)),
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
            row.class.word(),
            row.outward,
            performer_number(row.performer),
            effect_state_number(state),
            attempts,
            wake,
            tx.now.0,
            row.deadline.map(|at| at.0),
            row.stream,
            approval.map(|a| a.card.as_str()),
            approval.map(|a| a.version),
            depends.waits,
            prev,
            on,
            payload_hash(&row.payload),
            row.payload,
        ],
    )?;
    if lost {
        settle::keep_outcome(tx, n, &dependency_outcome())?;
    }
    Ok(())
}

#[derive(Default)]
struct Depends {
    /// So many are not done yet.
    waits: u32,
    /// One of them never will be.
    lost: bool,
}

/// Enters what a new effect waits for.
fn depend(tx: &Tx<'_, '_>, tenant: &str, n: i64, row: &OutboxRow) -> Result<Depends, Fault> {
    let mut depends = Depends::default();
    for id in &row.depends_on {
        let note = "UPDATE outbox SET dependents = 1 WHERE tenant = ?1 AND id = ?2 RETURNING n, state";
        let read = |r: &Row<'_>| Ok((r.get::<_, i64>(0)?, effect_state(r.get(1)?)?));
        let found = tx.sql.first(note, (tenant, id.as_str()), read)?;
        let Some((on, state)) = found else {
            return Err(Fault::Refused(format!("effect {} depends on {id}, which is not there", row.id)));
        };
        let enter = "INSERT INTO dependencies (on_effect, effect) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        let entered = tx.sql.execute(enter, (on, n))?;
        depends.lost |= matches!(state, EffectState::Failed | EffectState::Cancelled);
        depends.waits += u32::from(state != EffectState::Done && entered == 1);
    }
    Ok(depends)
}

/// Heads of streams whose time has come and whose dependencies are done, oldest need first.
fn lease(tx: &Tx<'_, '_>, limit: u32) -> Result<Vec<Leased>, Fault> {
    let select = format!(
        "{SELECT} WHERE o.wake <= ?1 AND o.performer = 0 AND o.waits = 0 AND (o.stream = '' OR NOT EXISTS ( \
         SELECT 1 FROM outbox b WHERE b.lane = o.lane AND b.stream = o.stream AND b.n < o.n \
         AND b.wake IS NOT NULL AND b.performer = 0 AND b.stream <> '')) ORDER BY o.wake, o.n LIMIT ?2"
    );
    let mut select = tx.sql.prepare_cached(&select)?;
    let found = select
        .query_map((tx.now.0, limit), |row| {
            Ok((row.get::<_, i64>("n")?, row.get::<_, i64>("fence")? + 1, stored(row)?))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut leased = Vec::with_capacity(found.len());
    for (n, fence, effect) in found {
        let take = "UPDATE outbox SET fence = ?2, wake = ?3 WHERE n = ?1";
        tx.sql.execute(take, (n, fence, tx.now.plus(lease_of(effect.row.class)).0))?;
        let found_attempted = effect.state == EffectState::Attempted;
        leased.push(Leased { effect, fence, found_attempted });
    }
    Ok(leased)
}

/// What [`mark`] judges by, read in one go.
struct ToMark {
    n: i64,
    class: EffectClass,
    outward: bool,
    attempts: u32,
    payload: String,
    payload_sha256: Hash,
    pause: Option<PauseRow>,
    consumed: bool,
}

fn to_mark(tx: &Tx<'_, '_>, tenant: &str, id: &EffectId, fence: i64) -> Result<Option<ToMark>, Fault> {
    let select = "SELECT o.n, o.class, o.attempts, o.payload, o.payload_sha256, o.card IS NULL AND o.outward = 0 \
                  OR c.card IS NOT NULL, p.pause_by, p.pause_since, p.pause_reason, p.pause_everything, o.outward \
                  FROM outbox o LEFT JOIN tenants p ON p.tenant = ?1 \
                  LEFT JOIN consumptions c ON c.tenant = ?1 AND c.card = o.card AND c.version = o.version \
                  WHERE o.tenant = ?1 AND o.id = ?2 AND o.fence = ?3 AND o.fence > 0 AND o.state IN (0, 1) \
                  AND o.wake > ?4";
    let read = |row: &Row<'_>| {
        let class: String = row.get(1)?;
        let class = EffectClass::from_word(&class).ok_or_else(|| {
            rusqlite::types::FromSqlError::Other(format!("unknown effect class {class}").into())
        })?;
        Ok(ToMark {
            n: row.get(0)?,
            class,
            outward: row.get(10)?,
            attempts: row.get(2)?,
            payload: row.get(3)?,
            payload_sha256: row.get(4)?,
            consumed: row.get(5)?,
            pause: super::keeping::pause_row(row, 6)?,
        })
    };
    Ok(tx.sql.first(select, (tenant, id.as_str(), fence, tx.now.0), read)?)
}

fn mark(tx: &Tx<'_, '_>, tenant: &str, id: &EffectId, fence: i64) -> Result<Mark, Fault> {
    let Some(effect) = to_mark(tx, tenant, id, fence)? else { return Ok(Mark::LeaseLost) };
    if effect.pause.is_some_and(|pause| held_by(&pause, effect.class, effect.outward)) {
        return Ok(Mark::Paused);
    }
    if !effect.consumed {
        return Ok(Mark::NoApproval);
    }
    if payload_hash(&effect.payload) != effect.payload_sha256 {
        return Ok(Mark::PayloadDiffers);
    }
    let attempts = effect.attempts + 1;
    let mark = "UPDATE outbox SET state = 1, attempts = ?2, wake = ?3 WHERE n = ?1";
    tx.sql.execute(mark, (effect.n, attempts, tx.now.plus(lease_of(effect.class)).0))?;
    Ok(Mark::Attempt(attempts))
}

/// A lane's effects from the newest back, along their chain.
fn of_lane(
    sql: &Connection,
    lane: &LaneKey,
    state: Option<EffectState>,
    limit: u32,
) -> rusqlite::Result<Vec<StoredEffect>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let mut next: Option<i64> =
        sql.prepare_cached("SELECT last_effect FROM lanes WHERE n = ?1")?.query_row([n], |row| row.get(0))?;
    let mut select = sql.prepare_cached(&format!("{SELECT} WHERE o.n = ?1 AND o.tenant = ?2"))?;
    let mut found = Vec::new();
    while let Some(at) = next.filter(|_| found.len() < limit as usize) {
        let read = |row: &Row<'_>| Ok((row.get("prev")?, stored(row)?));
        let Some((prev, effect)) = select.query_row((at, &lane.tenant), read).optional()? else { break };
        if state.is_none_or(|state| effect.state == state) {
            found.push(effect);
        }
        next = prev;
    }
    Ok(found)
}

pub(super) fn clear_timer(tx: &Tx<'_, '_>, tenant: &str, id: &TimerId) -> Result<(), Fault> {
    tx.sql.execute("DELETE FROM timers WHERE tenant = ?1 AND id = ?2", (tenant, id.as_str()))?;
    Ok(())
}

fn due_timers(sql: &Connection, now: Timestamp, limit: u32) -> rusqlite::Result<Vec<TimerRow>> {
    const SELECT: &str = concat!(
        "SELECT t.id, t.due, t.about, ",
        lane_parts!(),
        " FROM timers t JOIN lanes l ON l.n = t.lane",
        " WHERE t.due <= ?1 ORDER BY t.due, t.tenant, t.id LIMIT ?2"
    );
    let read = |row: &Row<'_>| {
        let (id, due) = (TimerId(row.get("id")?), moment(row, "due")?);
        Ok(TimerRow { id, lane: lane_key(row)?, due, about: row.get("about")? })
    };
    sql.prepare_cached(SELECT)?.query_map((now.0, limit), read)?.collect()
}

fn next_due(sql: &Connection, now: Timestamp) -> rusqlite::Result<Option<Timestamp>> {
    // Two searches of one index each; a union of both would be read as a whole.
    let first = |select: &str| -> rusqlite::Result<Option<i64>> {
        let at: Option<i64> = sql.prepare_cached(select)?.query_row([now.0], |row| row.get(0))?;
        Ok(at.filter(|at| *at != NEVER))
    };
    let timer = first("SELECT min(due) FROM timers WHERE due > ?1")?;
    let effect = first("SELECT min(wake) FROM outbox WHERE wake > ?1")?;
    Ok(timer.into_iter().chain(effect).min().map(Timestamp))
}

#[async_trait]
impl Outbox for SqliteStore {
    async fn lease(&self, _owner: &str, limit: u32) -> Result<Vec<Leased>, StoreError> {
        Ok(self.writer.call("lease effects", move |tx| lease(tx, limit)).await?)
    }

    async fn mark(&self, tenant: &str, id: &EffectId, fence: i64) -> Result<Mark, StoreError> {
        let (tenant, id) = (tenant.to_owned(), id.clone());
        Ok(self.writer.call("mark an attempt", move |tx| mark(tx, &tenant, &id, fence)).await?)
    }

    async fn settle(&self, settlement: Settlement) -> Result<bool, StoreError> {
        Ok(self.writer.call("settle an effect", move |tx| settle::settle(tx, &settlement)).await?)
    }

    async fn effect(&self, tenant: &str, id: &EffectId) -> Result<Option<StoredEffect>, StoreError> {
        self.read("read an effect", |sql| {
            Ok(query(sql, "WHERE o.tenant = ?1 AND o.id = ?2", (tenant, id.as_str()))?.pop())
        })
    }

    async fn effects(
        &self,
        tenant: &str,
        lane: Option<&LaneKey>,
        state: Option<EffectState>,
        limit: u32,
    ) -> Result<Vec<StoredEffect>, StoreError> {
        self.read("list effects", |sql| match (lane, state) {
            (Some(lane), _) if lane.tenant != tenant => Ok(Vec::new()),
            (Some(lane), _) => of_lane(sql, lane, state, limit),
            (None, None) => query(sql, "WHERE o.tenant = ?1 ORDER BY o.n DESC LIMIT ?2", (tenant, limit)),
            (None, Some(state)) => {
                // Each of these has an index that holds only such rows; most effects are done.
                let which = match state {
                    EffectState::Planned | EffectState::Attempted => "o.wake IS NOT NULL AND",
                    EffectState::Done => "",
                    EffectState::Failed | EffectState::Uncertain | EffectState::Cancelled => {
                        "o.state > 2 AND"
                    }
                };
                let rest = format!("WHERE {which} o.state = ?3 AND o.tenant = ?1 ORDER BY o.n DESC LIMIT ?2");
                query(sql, &rest, (tenant, limit, effect_state_number(state)))
            }
        })
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

    async fn due_timers(&self, limit: u32) -> Result<Vec<TimerRow>, StoreError> {
        let now = self.clock.now();
        self.read("look for deadlines", |sql| due_timers(sql, now, limit))
    }

    async fn clear_timer(&self, tenant: &str, id: &TimerId) -> Result<(), StoreError> {
        let (tenant, id) = (tenant.to_owned(), id.clone());
        Ok(self.writer.call("clear a deadline", move |tx| clear_timer(tx, &tenant, &id)).await?)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let now = self.clock.now();
        self.read("look for the next deadline", |sql| next_due(sql, now))
    }
}
