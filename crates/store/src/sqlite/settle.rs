//! How effects end, and what ends with them.

use rusqlite::Row;
use throughline_engine::EffectId;
use throughline_engine::effect::EffectClass;

use super::codec::effect_state_number;
use super::fault::Fault;
use super::inbox;
use super::lanes::map_sent;
use super::writer::Tx;
use crate::contract::{EffectState, SettleTo, Settlement};
use crate::rules::{dependency_outcome, forgets};

/// An effect that is about to change.
struct Found {
    n: i64,
    lane: i64,
    dependents: bool,
    class: Option<EffectClass>,
}

impl Found {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let class = row.get_ref(3)?.as_str().ok().and_then(EffectClass::from_word);
        Ok(Self { n: row.get(0)?, lane: row.get(1)?, dependents: row.get(2)?, class })
    }
}

pub(super) fn settle(tx: &mut Tx<'_, '_>, settlement: &Settlement) -> Result<bool, Fault> {
    let ended = end(tx, settlement)?;
    if let Some(event) = settlement.event.as_ref().filter(|_| ended) {
        // A duplicate changes nothing: the event is durable already.
        inbox::accept(tx, event)?;
    }
    Ok(ended)
}

/// Ends the effect, or plans it again. Its event is the caller's to take in. `false`: nothing was written.
pub(super) fn end(tx: &Tx<'_, '_>, settlement: &Settlement) -> Result<bool, Fault> {
    let Settlement { tenant, id, fence, to, message, event: _ } = settlement;
    let (state, wake) = match to {
        SettleTo::End(state @ (EffectState::Planned | EffectState::Attempted), _) => {
            return Err(Fault::Refused(format!("{state:?} is not an end of effect {id}")));
        }
        SettleTo::End(state, _) => (*state, None),
        SettleTo::Retry(at) | SettleTo::Unsure(at, _) => (EffectState::Planned, Some(at.0)),
    };
    // A worker settles what it holds the lease of; a host what it was offered. An effect nobody knows the
    // outcome of may be settled by whoever found out. The fence rises so that nobody settles it twice.
    let update = "UPDATE outbox SET state = ?4, wake = ?5, not_before = coalesce(?5, not_before), fence = fence + 1 \
                  WHERE tenant = ?1 AND id = ?2 AND CASE WHEN ?3 IS NULL \
                  THEN state = 4 OR (performer = 1 AND state = 1) \
                  ELSE fence = ?3 AND fence > 0 AND state IN (0, 1) END RETURNING n, lane, dependents, class";
    let params = (tenant, id.as_str(), fence, effect_state_number(state), wake);
    let found = tx.sql.first(update, params, Found::read)?;
    let Some(found) = found else { return Ok(false) };
    match to {
        SettleTo::Retry(_) => {}
        SettleTo::Unsure(_, outcome) => keep_outcome(tx, found.n, outcome)?,
        SettleTo::End(_, outcome) => {
            keep_outcome(tx, found.n, outcome)?;
            follow(tx, &found, state)?;
        }
    }
    if let Some((channel_id, ours)) = message {
        map_sent(tx, found.lane, channel_id, ours)?;
    }
    Ok(true)
}

pub(super) fn keep_outcome(tx: &Tx<'_, '_>, n: i64, outcome: &str) -> Result<(), Fault> {
    let keep = "INSERT INTO outcomes (n, outcome) VALUES (?1, ?2) \
                ON CONFLICT DO UPDATE SET outcome = excluded.outcome";
    tx.sql.execute(keep, (n, outcome))?;
    Ok(())
}

/// What an end means for what it was to do, and for the effects that depend on it.
fn follow(tx: &Tx<'_, '_>, ended: &Found, state: EffectState) -> Result<(), Fault> {
    if ended.class.is_some_and(|class| forgets(class, state)) {
        let forget = "UPDATE outbox SET payload = json_remove(payload, '$.prompt.sections', '$.messages') \
                      WHERE n = ?1 AND json_valid(payload)";
        tx.sql.execute(forget, [ended.n])?;
    }
    if !ended.dependents {
        return Ok(());
    }
    match state {
        EffectState::Done => {
            // The last one done offers an effect that a host performs: that is its mark.
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
            for dependent in tx.sql.all(fail, [ended.n], Found::read)? {
                keep_outcome(tx, dependent.n, &dependency_outcome())?;
                follow(tx, &dependent, EffectState::Failed)?;
            }
        }
        EffectState::Planned | EffectState::Attempted | EffectState::Uncertain => {}
    }
    Ok(())
}

/// Cancels an effect that has not begun or that nobody knows the outcome of.
pub(super) fn cancel(tx: &Tx<'_, '_>, tenant: &str, id: &EffectId) -> Result<(), Fault> {
    let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 \
                  WHERE tenant = ?1 AND id = ?2 AND state IN (0, 4) RETURNING n, lane, dependents, class";
    end_one(tx, cancel, (tenant, id.as_str()), EffectState::Cancelled)?;
    Ok(())
}

/// Cancels an effect whose payload is gone, however far it is: whoever is at it has lost the lease.
pub(super) fn drop_effect(tx: &Tx<'_, '_>, n: i64) -> Result<(), Fault> {
    let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 \
                  WHERE n = ?1 AND state IN (0, 1, 4) RETURNING n, lane, dependents, class";
    end_one(tx, cancel, [n], EffectState::Cancelled)?;
    Ok(())
}

/// A person says what came of an effect that nobody knew the outcome of.
pub(super) fn adopt(tx: &Tx<'_, '_>, tenant: &str, id: &EffectId, outcome: &str) -> Result<(), Fault> {
    let adopt = "UPDATE outbox SET state = 2, fence = fence + 1 \
                 WHERE tenant = ?1 AND id = ?2 AND state = 4 RETURNING n, lane, dependents, class";
    if let Some(n) = end_one(tx, adopt, (tenant, id.as_str()), EffectState::Done)? {
        keep_outcome(tx, n, outcome)?;
    }
    Ok(())
}

/// A newer update of a card takes the place of the ones that have not begun.
pub(super) fn supersede(tx: &Tx<'_, '_>, lane: i64, stream: &str) -> Result<(), Fault> {
    let older = "SELECT n FROM outbox WHERE lane = ?1 AND stream = ?2 AND state = 0 \
                 AND wake IS NOT NULL AND performer = 0 AND stream <> ''";
    let older: Vec<i64> = tx.sql.all(older, (lane, stream), |row| row.get(0))?;
    for n in older {
        let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 WHERE n = ?1 \
                      RETURNING n, lane, dependents, class";
        end_one(tx, cancel, [n], EffectState::Cancelled)?;
    }
    Ok(())
}

fn end_one(
    tx: &Tx<'_, '_>,
    update: &'static str,
    params: impl rusqlite::Params,
    state: EffectState,
) -> Result<Option<i64>, Fault> {
    let found = tx.sql.first(update, params, Found::read)?;
    let Some(found) = found else { return Ok(None) };
    follow(tx, &found, state)?;
    Ok(Some(found.n))
}
