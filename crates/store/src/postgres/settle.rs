//! The ends of effects, and their consequences for dependents.

use throughline_engine::EffectId;
use throughline_engine::data::effect::EffectClass;
use tokio_postgres::Row;

use super::codec::{class, effect_state_number};
use super::error::TxError;
use super::inbox;
use super::records::map_sent;
use super::session::{Params, Tx};
use crate::contract::{EffectState, SettleTo, Settlement};
use crate::rules::{dependency_outcome, drops_prompt, next_attempt};

/// An effect whose state was just changed.
struct Changed {
    id: String,
    lane: String,
    class: EffectClass,
}

impl Changed {
    fn read(row: &Row) -> Result<Self, TxError> {
        Ok(Self { id: row.get("id"), lane: row.get("lane"), class: class(row.get("class"))? })
    }
}

/// Ends the effect or plans it again. Returns false if nothing was written.
pub(super) async fn settle(tx: &Tx, settlement: &Settlement) -> Result<bool, TxError> {
    let Settlement { id, fence, to, message, event, .. } = settlement;
    let (state, wake, outcome) = match to {
        SettleTo::End(state @ (EffectState::Planned | EffectState::Attempted), _) => {
            return Err(TxError::Refused(format!("{state:?} is not an end of effect {id}")));
        }
        SettleTo::End(state, outcome) => (*state, None, Some(outcome)),
        SettleTo::Retry(at) => (EffectState::Planned, Some(next_attempt(*at, tx.now).0), None),
        SettleTo::Unsure(at, outcome) => {
            (EffectState::Planned, Some(next_attempt(*at, tx.now).0), Some(outcome))
        }
    };
    // A worker settles what it leased, a host what it was offered. An uncertain effect may be settled without a lease,
    // by whoever finds out. The fence rises so that nobody settles it twice.
    let update = "UPDATE outbox SET state = $4, wake = $5, not_before = coalesce($5, not_before), fence = fence + 1, \
                  outcome = coalesce($6, outcome) WHERE tenant = $1 AND id = $2 AND CASE WHEN $3::bigint IS NULL \
                  THEN state = 4 OR (performer = 1 AND state = 1) \
                  ELSE fence = $3 AND fence > 0 AND state IN (0, 1) END RETURNING id, lane, class";
    let number = effect_state_number(state);
    let row = tx.first(update, &[&tx.tenant, &id.as_str(), fence, &number, &wake, &outcome]).await?;
    let Some(row) = row else { return Ok(false) };
    let changed = Changed::read(&row)?;
    let lane = changed.lane.clone();
    if let SettleTo::End(state, _) = to {
        after_end(tx, changed, *state).await?;
    }
    if let Some((channel_id, ours)) = message {
        map_sent(tx, &lane, channel_id, ours).await?;
    }
    if let Some(event) = event {
        // An event whose key is taken is durable already.
        inbox::accept(tx, event).await?;
    }
    Ok(true)
}

/// Removes the prompts of ended effects, and lets their dependents start or fail.
async fn after_end(tx: &Tx, ended: Changed, state: EffectState) -> Result<(), TxError> {
    let mut ends = vec![(ended, state)];
    while let Some((ended, state)) = ends.pop() {
        if drops_prompt(ended.class, state) {
            drop_prompt(tx, &ended.id).await?;
        }
        match state {
            EffectState::Done => {
                // A host's effect is offered when its last dependency is done. The offer counts as the mark.
                let offer = "UPDATE outbox SET waits = waits - 1, \
                    attempts = attempts + CASE WHEN performer = 1 AND state = 0 AND waits = 1 THEN 1 ELSE 0 END, \
                    state = state + CASE WHEN performer = 1 AND state = 0 AND waits = 1 THEN 1 ELSE 0 END \
                    WHERE tenant = $1 AND id IN (SELECT effect FROM dependencies WHERE tenant = $1 AND on_effect = $2)";
                tx.execute(offer, &[&tx.tenant, &ended.id]).await?;
            }
            EffectState::Failed | EffectState::Cancelled => {
                let fail = "UPDATE outbox SET state = 3, wake = NULL, fence = fence + 1, outcome = $3 \
                    WHERE tenant = $1 AND state = 0 \
                    AND id IN (SELECT effect FROM dependencies WHERE tenant = $1 AND on_effect = $2) \
                    RETURNING id, lane, class";
                for row in tx.rows(fail, &[&tx.tenant, &ended.id, &dependency_outcome()]).await? {
                    ends.push((Changed::read(&row)?, EffectState::Failed));
                }
            }
            EffectState::Planned | EffectState::Attempted | EffectState::Uncertain => {}
        }
    }
    Ok(())
}

async fn drop_prompt(tx: &Tx, id: &str) -> Result<(), TxError> {
    let select = "SELECT payload FROM outbox WHERE tenant = $1 AND id = $2";
    let Some(row) = tx.first(select, &[&tx.tenant, &id]).await? else { return Ok(()) };
    let Ok(mut body) = serde_json::from_str::<serde_json::Value>(row.get(0)) else { return Ok(()) };
    if let Some(prompt) = body.get_mut("prompt").and_then(serde_json::Value::as_object_mut) {
        prompt.remove("sections");
    }
    if let Some(body) = body.as_object_mut() {
        body.remove("messages");
    }
    let update = "UPDATE outbox SET payload = $3 WHERE tenant = $1 AND id = $2";
    tx.execute(update, &[&tx.tenant, &id, &body.to_string()]).await?;
    Ok(())
}

/// Cancels an effect that is planned or uncertain.
pub(super) async fn cancel(tx: &Tx, id: &EffectId) -> Result<(), TxError> {
    let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1, outcome = NULL \
                  WHERE tenant = $1 AND id = $2 AND state IN (0, 4) RETURNING id, lane, class";
    end_with(tx, cancel, &[&tx.tenant, &id.as_str()], EffectState::Cancelled).await
}

/// Cancels an effect whose payload is erased, unless it has ended. A worker that holds it loses the lease.
pub(super) async fn cancel_erased(tx: &Tx, id: &str) -> Result<(), TxError> {
    let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 \
                  WHERE tenant = $1 AND id = $2 AND state IN (0, 1, 4) RETURNING id, lane, class";
    end_with(tx, cancel, &[&tx.tenant, &id], EffectState::Cancelled).await
}

/// Ends an uncertain effect as done, with the outcome that a person found.
pub(super) async fn adopt(tx: &Tx, id: &EffectId, outcome: &str) -> Result<(), TxError> {
    let adopt = "UPDATE outbox SET state = 2, wake = NULL, fence = fence + 1, outcome = $3 \
                 WHERE tenant = $1 AND id = $2 AND state = 4 RETURNING id, lane, class";
    end_with(tx, adopt, &[&tx.tenant, &id.as_str(), &outcome], EffectState::Done).await
}

/// Cancels the updates of a card that have not begun, because a newer one replaces them.
pub(super) async fn supersede(tx: &Tx, lane: &str, stream: &str) -> Result<(), TxError> {
    let cancel = "UPDATE outbox SET state = 5, wake = NULL, fence = fence + 1 WHERE tenant = $1 AND lane = $2 \
                  AND stream = $3 AND stream <> '' AND state = 0 AND wake IS NOT NULL AND performer = 0 \
                  RETURNING id, lane, class";
    end_with(tx, cancel, &[&tx.tenant, &lane, &stream], EffectState::Cancelled).await
}

async fn end_with(tx: &Tx, update: &str, params: Params<'_>, state: EffectState) -> Result<(), TxError> {
    for row in tx.rows(update, params).await? {
        after_end(tx, Changed::read(&row)?, state).await?;
    }
    Ok(())
}
