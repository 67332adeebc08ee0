//! Looking up effects.

use async_trait::async_trait;
use throughline_engine::{EffectId, LaneKey};

use super::PostgresStore;
use super::codec::{EFFECTS, effect_state_number, stored_effect};
use super::error::TxError;
use super::session::{Params, Tx, transact};
use crate::contract::{EffectState, Effects, StoreError, StoredEffect};

async fn query(tx: &Tx, rest: &str, params: Params<'_>) -> Result<Vec<StoredEffect>, TxError> {
    tx.read(&format!("{EFFECTS}{rest}"), params).await?.iter().map(stored_effect).collect()
}

#[async_trait]
impl Effects for PostgresStore {
    async fn effect(&self, tenant: &str, id: &EffectId) -> Result<Option<StoredEffect>, StoreError> {
        let found = transact!(self, "look up an effect", tenant, |tx| {
            query(tx, "AND o.id = $2", &[&tx.tenant, &id.as_str()]).await
        })?;
        Ok(found.into_iter().next())
    }

    async fn effects(
        &self,
        tenant: &str,
        lane: Option<&LaneKey>,
        state: Option<EffectState>,
        limit: u32,
    ) -> Result<Vec<StoredEffect>, StoreError> {
        let (state, limit) = (state.map(effect_state_number), i64::from(limit));
        let Some(lane) = lane else {
            let rest = "AND ($2::bigint IS NULL OR o.state = $2) ORDER BY o.n DESC LIMIT $3";
            return transact!(self, "list effects", tenant, |tx| {
                query(tx, rest, &[&tx.tenant, &state, &limit]).await
            });
        };
        // Another text, so that the server plans it by the lane's index.
        let rest = "AND o.lane = $4 AND ($2::bigint IS NULL OR o.state = $2) ORDER BY o.n DESC LIMIT $3";
        let lane = lane.id();
        transact!(self, "list effects", tenant, |tx| {
            query(tx, rest, &[&tx.tenant, &state, &limit, &lane.as_str()]).await
        })
    }

    async fn unfinished(&self, lane: &LaneKey) -> Result<Vec<StoredEffect>, StoreError> {
        let rest = "AND o.lane = $2 AND o.outward AND o.state IN (0, 1, 4) ORDER BY o.n";
        let id = lane.id();
        transact!(self, "list effects", &lane.tenant, |tx| query(tx, rest, &[&tx.tenant, &id.as_str()]).await)
    }
}
