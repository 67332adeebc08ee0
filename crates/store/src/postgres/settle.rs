//! The ends of effects, and their consequences for dependents.

use throughline_engine::data::effect::EffectClass;
use tokio_postgres::Row;

use super::codec::{class, effect_state_number};
use super::error::TxError;
use super::inbox::{self, Taking};
use super::records::MAP_SENT;
use super::session::{Query, Tx};
use crate::contract::{EffectState, SettleTo, Settlement};
use crate::rules::{dependency_outcome, drops_prompt, next_attempt};

/// An effect whose state was just changed.
pub(super) struct Changed {
    id: String,
    lane: String,
    class: EffectClass,
    payload: String,
    /// True if other effects depend on it.
    depended_on: bool,
}

/// Columns that [`Changed`] is read from, behind an update of `o`.
macro_rules! changed {
    () => {
        " RETURNING o.id, o.lane, o.class, o.payload, EXISTS (SELECT 1 FROM dependencies d WHERE d.tenant = o.tenant \
          AND d.on_effect = o.id) AS depended_on"
    };
}

impl Changed {
    fn read(row: &Row) -> Result<Self, TxError> {
        let (class, depended_on) = (class(row.get("class"))?, row.get("depended_on"));
        Ok(Self { id: row.get("id"), lane: row.get("lane"), class, payload: row.get("payload"), depended_on })
    }

    pub(super) fn read_all(rows: &[Row]) -> Result<Vec<Self>, TxError> {
        rows.iter().map(Self::read).collect()
    }
}

/// Ends an effect or plans it again. A worker settles what it leased, a host what it was offered. An uncertain effect may be
/// settled without a lease, by whoever finds out. The fence rises so that nobody settles it twice.
const SETTLE: &str = concat!(
    "UPDATE outbox o SET state = $4, wake = $5, leased_by = NULL, not_before = coalesce($5, not_before), fence = fence + 1, ",
    "outcome = coalesce($6, outcome) WHERE tenant = $1 AND id = $2 AND CASE WHEN $3::bigint IS NULL ",
    "THEN state = 4 OR (performer = 1 AND state = 1) ELSE fence = $3 AND fence > 0 AND state IN (0, 1) END",
    changed!()
);

/// Lets the dependents of effects that are done start. A host's effect is offered when its last dependency is done. The offer
/// counts as the mark.
const OFFER: &str = "UPDATE outbox o SET waits = o.waits - d.n, \
    attempts = o.attempts + (performer = 1 AND state = 0 AND waits = d.n)::int, \
    state = o.state + (performer = 1 AND state = 0 AND waits = d.n)::int \
    FROM (SELECT effect, count(*) AS n FROM dependencies WHERE tenant = $1 AND on_effect = ANY($2) GROUP BY effect) d \
    WHERE o.tenant = $1 AND o.id = d.effect";

const FAIL_DEPENDENTS: &str = concat!(
    "UPDATE outbox o SET state = 3, wake = NULL, fence = fence + 1, outcome = $3 WHERE tenant = $1 AND state = 0 ",
    "AND id IN (SELECT effect FROM dependencies WHERE tenant = $1 AND on_effect = ANY($2))",
    changed!()
);

const PUT_PAYLOADS: &str = "UPDATE outbox o SET payload = p.payload FROM unnest($2::text[], $3::text[]) AS p (id, payload) \
                            WHERE o.tenant = $1 AND o.id = p.id";

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
    let number = effect_state_number(state);
    let update: Query<'_> = (SETTLE, &[&tx.tenant, &id.as_str(), fence, &number, &wake, &outcome]);
    let taking = event.as_ref().map(|event| Taking::new(tx, &event.identity));
    let (taken, answer) = match &taking {
        Some(taking) => taking.send(tx, Some(update)).await.map(|(taken, answer)| (Some(taken), answer))?,
        None => (None, tx.all(&[update]).await?.pop()),
    };
    let Some(row) = answer.as_ref().and_then(|answer| answer.rows.first()) else {
        if let Some(taken) = &taken {
            taken.give_back(tx).await?;
        }
        return Ok(false);
    };
    let changed = Changed::read(row)?;
    let lane = changed.lane.clone();
    if matches!(to, SettleTo::End(..)) {
        after_ends(tx, vec![changed], state).await?;
    }
    let position = tx.position(1);
    let sent = message.as_ref().map(|(channel_id, ours)| (channel_id, ours));
    let (channel_id, ours) = sent.unzip();
    let sent: Query<'_> = (MAP_SENT, &[&tx.tenant, &lane, &channel_id, &ours, &position]);
    let with: Vec<Query<'_>> = message.iter().map(|_| sent).collect();
    match event.as_ref().zip(taking.as_ref()).zip(taken) {
        Some(((event, taking), taken)) => inbox::store_with(tx, taking, taken, event, &with).await?,
        None => tx.last(&with).await.map(|_| ())?,
    }
    Ok(true)
}

/// Removes the prompts of effects that ended in that state, and lets their dependents start or fail.
pub(super) async fn after_ends(
    tx: &Tx,
    mut ended: Vec<Changed>,
    mut state: EffectState,
) -> Result<(), TxError> {
    while !ended.is_empty() {
        drop_prompts(tx, &ended, state).await?;
        let depended_on = ended.iter().filter(|each| each.depended_on);
        let ids: Vec<&str> = depended_on.map(|each| each.id.as_str()).collect();
        ended = match state {
            _ if ids.is_empty() => Vec::new(),
            EffectState::Done => {
                tx.execute(OFFER, &[&tx.tenant, &ids]).await?;
                Vec::new()
            }
            EffectState::Failed | EffectState::Cancelled => {
                let rows = tx.rows(FAIL_DEPENDENTS, &[&tx.tenant, &ids, &dependency_outcome()]).await?;
                Changed::read_all(&rows)?
            }
            EffectState::Planned | EffectState::Attempted | EffectState::Uncertain => Vec::new(),
        };
        state = EffectState::Failed;
    }
    Ok(())
}

async fn drop_prompts(tx: &Tx, ended: &[Changed], state: EffectState) -> Result<(), TxError> {
    let drops = ended.iter().filter(|each| drops_prompt(each.class, state));
    let (ids, payloads): (Vec<&str>, Vec<String>) =
        drops.filter_map(|each| Some((each.id.as_str(), without_prompt(&each.payload)?))).unzip();
    if !ids.is_empty() {
        tx.execute(PUT_PAYLOADS, &[&tx.tenant, &ids, &payloads]).await?;
    }
    Ok(())
}

/// Returns a payload without its prompt and its messages.
fn without_prompt(payload: &str) -> Option<String> {
    let mut body = serde_json::from_str::<serde_json::Value>(payload).ok()?;
    if let Some(prompt) = body.get_mut("prompt").and_then(serde_json::Value::as_object_mut) {
        prompt.remove("sections");
    }
    if let Some(body) = body.as_object_mut() {
        body.remove("messages");
    }
    Some(body.to_string())
}

/// Cancels effects that are planned or uncertain, and turns that a host was handed.
pub(super) const CANCEL: &str = concat!(
    "UPDATE outbox o SET state = 5, wake = NULL, fence = fence + 1, outcome = NULL ",
    "WHERE tenant = $1 AND id = ANY($2) AND (state IN (0, 4) OR state = 1 AND class = 'turn.handover')",
    changed!()
);

/// Ends uncertain effects as done, with the outcomes that a person found.
pub(super) const ADOPT: &str = concat!(
    "UPDATE outbox o SET state = 2, wake = NULL, fence = fence + 1, outcome = a.outcome ",
    "FROM unnest($2::text[], $3::text[]) AS a (id, outcome) WHERE o.tenant = $1 AND o.id = a.id AND o.state = 4",
    changed!()
);

/// Cancels the updates of cards that have not begun, because newer ones replace them.
pub(super) const SUPERSEDE: &str = concat!(
    "UPDATE outbox o SET state = 5, wake = NULL, fence = fence + 1 FROM unnest($2::text[], $3::text[]) AS s (lane, stream) ",
    "WHERE o.tenant = $1 AND o.lane = s.lane AND o.stream = s.stream AND o.state = 0 AND o.wake IS NOT NULL ",
    "AND o.performer = 0",
    changed!()
);

/// Cancels an effect whose payload is erased, unless it has ended. A worker that holds it loses the lease.
pub(super) async fn cancel_erased(tx: &Tx, id: &str) -> Result<(), TxError> {
    const CANCEL_ERASED: &str = concat!(
        "UPDATE outbox o SET state = 5, wake = NULL, fence = fence + 1 ",
        "WHERE tenant = $1 AND id = $2 AND state IN (0, 1, 4)",
        changed!()
    );
    let ended = Changed::read_all(&tx.rows(CANCEL_ERASED, &[&tx.tenant, &id]).await?)?;
    after_ends(tx, ended, EffectState::Cancelled).await
}
