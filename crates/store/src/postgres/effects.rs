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
        let lane = lane.map(|lane| lane.id().as_str().to_owned());
        let (state, limit) = (state.map(effect_state_number), i64::from(limit));
        let rest = "AND ($2::text IS NULL OR o.lane = $2) AND ($3::bigint IS NULL OR o.state = $3) \
                    ORDER BY o.n DESC LIMIT $4";
        transact!(self, "list effects", tenant, |tx| query(tx, rest, &[&tx.tenant, &lane, &state, &limit])
            .await)
    }

    async fn unfinished(&self, lane: &LaneKey) -> Result<Vec<StoredEffect>, StoreError> {
        let rest = "AND o.lane = $2 AND o.outward AND o.state IN (0, 1, 4) ORDER BY o.n";
        let id = lane.id();
        transact!(self, "list effects", &lane.tenant, |tx| query(tx, rest, &[&tx.tenant, &id.as_str()]).await)
    }
}
