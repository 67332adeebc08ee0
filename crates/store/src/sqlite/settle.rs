//! The ends of effects, and their consequences for dependents.

use rusqlite::Row;
use throughline_engine::EffectId;
use throughline_engine::data::effect::EffectClass;

use super::codec::effect_state_number;
use super::error::TxError;
use super::inbox;
use super::records::map_sent;
use super::writer::Tx;
use crate::contract::{EffectState, SettleTo, Settlement};
use crate::rules::{dependency_outcome, drops_prompt, next_attempt};

/// An effect whose state was just changed.
struct ChangedEffect {
    n: i64,
    lane: i64,
    dependents: bool,
    class: Option<EffectClass>,
}

impl ChangedEffect {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let class = row.get_ref(3)?.as_str().ok().and_then(EffectClass::parse);
        Ok(Self { n: row.get(0)?, lane: row.get(1)?, dependents: row.get(2)?, class })
    }
}

/// Ends the effect or plans it again. Returns false if nothing was written.
pub(super) fn settle(tx: &mut Tx<'_, '_>, settlement: &Settlement) -> Result<bool, TxError> {
    let Settlement { tenant, id, fence, to, message, event } = settlement;
    let (state, wake) = match to {
        SettleTo::End(state @ (EffectState::Planned | EffectState::Attempted), _) => {
            return Err(TxError::Refused(format!("{state:?} is not an end of effect {id}")));
        }
        SettleTo::End(state, _) => (*state, None),
        SettleTo::Retry(at) | SettleTo::Unsure(at, _) => {
            (EffectState::Planned, Some(next_attempt(*at, tx.now).0))
        }
    };
    // A worker settles what it leased, a host what it was offered. An uncertain effect may be settled without a lease,
    // by whoever finds out. The fence rises so that nobody settles it twice.
    let update = "UPDATE outbox SET state = ?4, wake = ?5, not_before = coalesce(?5, not_before), fence = fence + 1 \
                  WHERE tenant = ?1 AND id = ?2 AND CASE WHEN ?3 IS NULL \
                  THEN state = 4 OR (performer = 1 AND state = 1) \
                  ELSE fence = ?3 AND fence > 0 AND state IN (0, 1) END RETURNING n, lane, dependents, class";
    let params = (tenant, id.as_str(), fence, effect_state_number(state), wake);
    let found = tx.sql.first(update, params, ChangedEffect::read)?;
    let Some(found) = found else { return Ok(false) };
    tx.state.note_time(tx.sql, tx.now)?;
    match to {
        SettleTo::Retry(_) => {}
        SettleTo::Unsure(_, outcome) => store_outcome(tx, found.n, outcome)?,
        SettleTo::End(_, outcome) => {
            store_outcome(tx, found.n, outcome)?;
            after_end(tx, &found, state)?;
        }
    }
    if let Some((channel_id, ours)) = message {
        map_sent(tx, found.lane, channel_id, ours)?;
    }
    if let Some(event) = event {
        // An event whose key is taken is durable already.
        inbox::accept(tx, event)?;
    }
    Ok(true)
}

pub(super) fn store_outcome(tx: &Tx<'_, '_>, n: i64, outcome: &str) -> Result<(), TxError> {
    let keep = "INSERT INTO outcomes (n, outcome) VALUES (?1, ?2) \
                ON CONFLICT DO UPDATE SET outcome = excluded.outcome";
    tx.sql.execute(keep, (n, outcome))?;
    Ok(())
}

/// Removes the prompt of an ended effect, and lets its dependents start or fail.
fn after_end(tx: &Tx<'_, '_>, ended: &ChangedEffect, state: EffectState) -> Result<(), TxError> {
    if ended.class.is_some_and(|class| drops_prompt(class, state)) {
        let forget = "UPDATE outbox SET payload = json_remove(payload, '$.prompt.sections', '$.messages') \
                      WHERE n = ?1 AND json_valid(payload)";
        tx.sql.execute(forget, [ended.n])?;
    }
    if !ended.dependents {
        return Ok(());
    }
    match state {
        EffectState::Done => {
            // A host's effect is offered when its last dependency is done. The offer counts as the mark.
            let count = "UPDATE outbox SET waits = waits - 1, \
                         attempts = attempts + (performer = 1 AND state = 0 AND waits = 1), \
                         state = state + (performer = 1 AND state = 0 AND waits = 1) \
                         WHERE n IN (SELECT effect FROM dependencies WHERE on_effect = ?1)";
            tx.sql.execute(count, [ended.n])?;
        }
        EffectState::Failed | EffectState::Cancelled => {
            let fail = "UPDATE outbox SET state = 3, wake = NULL, fence = fence + 1 WHERE state = 0 \
                        AND n IN (SELECT effect FROM dependencies WHERE on_effect = ?1) \
                        RETURNING n, lane, dependents, class";
            for dependent in tx.sql.all(fail, [ended.n], ChangedEffect::read)? {
                store_outcome(tx, dependent.n, &dependency_outcome())?;
                after_end(tx, &dependent, EffectState::Failed)?;
            }
        }
        EffectState::Planned | EffectState::Attempted | EffectState::Uncertain => {}
    }
    Ok(())
}

/// Cancels an effect that is planned or uncertain, or a turn that a host was handed.
pub(super) fn cancel(tx: &Tx<'_, '_>, tenant: &str, id: &EffectId) -> Result<(), TxError> {
    let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 \
                  WHERE tenant = ?1 AND id = ?2 AND (state IN (0, 4) OR state = 1 AND class = 'turn.handover') \
                  RETURNING n, lane, dependents, class";
    end_with(tx, cancel, (tenant, id.as_str()), EffectState::Cancelled)?;
    Ok(())
}

/// Cancels an effect whose payload is erased, unless it has ended. A worker that holds it loses the lease.
pub(super) fn cancel_erased(tx: &Tx<'_, '_>, n: i64) -> Result<(), TxError> {
    let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 \
                  WHERE n = ?1 AND state IN (0, 1, 4) RETURNING n, lane, dependents, class";
    end_with(tx, cancel, [n], EffectState::Cancelled)?;
    Ok(())
}

/// Ends an uncertain effect as done, with the outcome that a person found.
pub(super) fn adopt(tx: &Tx<'_, '_>, tenant: &str, id: &EffectId, outcome: &str) -> Result<(), TxError> {
    let adopt = "UPDATE outbox SET state = 2, fence = fence + 1 \
                 WHERE tenant = ?1 AND id = ?2 AND state = 4 RETURNING n, lane, dependents, class";
    if let Some(n) = end_with(tx, adopt, (tenant, id.as_str()), EffectState::Done)? {
        store_outcome(tx, n, outcome)?;
    }
    Ok(())
}

/// Cancels the updates of a card that have not begun, because a newer one replaces them.
pub(super) fn supersede(tx: &Tx<'_, '_>, lane: i64, stream: &str) -> Result<(), TxError> {
    let older = "SELECT n FROM outbox WHERE lane = ?1 AND stream = ?2 AND state = 0 \
                 AND wake IS NOT NULL AND performer = 0 AND stream <> ''";
    let older: Vec<i64> = tx.sql.all(older, (lane, stream), |row| row.get(0))?;
    for n in older {
        let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 WHERE n = ?1 \
                      RETURNING n, lane, dependents, class";
        end_with(tx, cancel, [n], EffectState::Cancelled)?;
    }
    Ok(())
}

fn end_with(
    tx: &Tx<'_, '_>,
    update: &'static str,
    params: impl rusqlite::Params,
    state: EffectState,
) -> Result<Option<i64>, TxError> {
    let found = tx.sql.first(update, params, ChangedEffect::read)?;
    let Some(found) = found else { return Ok(None) };
    after_end(tx, &found, state)?;
    Ok(Some(found.n))
}
