//! Looking up effects.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use throughline_engine::data::effect::{ApprovalRef, EffectClass};
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{CardId, EffectId, LaneKey, Timestamp};

use super::codec::{HexText, effect_state, effect_state_number, lane_key, lane_parts, moment, performer};
use super::{SqliteStore, lane_number};
use crate::contract::{EffectState, Effects, OutboxRow, StoreError, StoredEffect};

pub(super) const SELECT: &str = concat!(
    "SELECT o.n, o.id, o.ordinal, o.class, o.stream, o.payload, o.depends_on, o.card, o.version, o.performer, ",
    "o.deadline, o.revision, o.state, o.attempts, o.created_at, o.not_before, c.outcome, ",
    "o.payload_sha256, o.fence, o.prev, o.outward, ",
    lane_parts!(),
    " FROM outbox o JOIN lanes l ON l.n = o.lane",
    " LEFT JOIN outcomes c ON c.n = o.n "
);

fn outbox_row(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    let card: Option<String> = row.get("card")?;
    let version: Option<u32> = row.get("version")?;
    let depends_on: Option<String> = row.get("depends_on")?;
    let class: String = row.get("class")?;
    let class = EffectClass::parse(&class).ok_or_else(|| {
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

pub(super) fn stored_effect(row: &Row<'_>) -> rusqlite::Result<StoredEffect> {
    let lane = lane_key(row)?;
    let revision = row.get::<_, i64>("revision")?.cast_unsigned();
    Ok(StoredEffect {
        row: outbox_row(row)?,
        turn: IdGenerator::new(&lane, revision).turn(),
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

pub(super) fn query(
    sql: &Connection,
    rest: &str,
    params: impl Params,
) -> rusqlite::Result<Vec<StoredEffect>> {
    sql.prepare_cached(&format!("{SELECT}{rest}"))?.query_map(params, stored_effect)?.collect()
}

/// Returns a lane's effects, from the newest back along `prev`.
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
        let read = |row: &Row<'_>| Ok((row.get("prev")?, stored_effect(row)?));
        let Some((prev, effect)) = select.query_row((at, &lane.tenant), read).optional()? else { break };
        if state.is_none_or(|state| effect.state == state) {
            found.push(effect);
        }
        next = prev;
    }
    Ok(found)
}

#[async_trait]
impl Effects for SqliteStore {
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
                // Most effects are done; the others have partial indexes, which these conditions select.
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

    async fn unfinished(&self, lane: &LaneKey) -> Result<Vec<StoredEffect>, StoreError> {
        self.read("look for unfinished effects", |sql| {
            let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
            // Each part has a partial index, of what is under way and of what has not ended well.
            let rest = "WHERE o.n IN (SELECT n FROM outbox WHERE wake IS NOT NULL AND state IN (0, 1) AND outward = 1 \
                        AND lane = ?2 UNION ALL SELECT n FROM outbox WHERE state > 2 AND state = 4 AND outward = 1 \
                        AND lane = ?2 AND tenant = ?1) AND o.tenant = ?1 ORDER BY o.n";
            query(sql, rest, (&lane.tenant, n))
        })
    }
}
