//! Looking up approvals.

use async_trait::async_trait;
use throughline_engine::data::effect::ApprovalRef;
use throughline_engine::{CardId, LaneKey};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::{lane_key, lane_parts};
use super::error::TxError;
use super::session::{Params, Tx, transact};
use crate::contract::{ApprovalRow, ApprovalState, Approvals, StoreError};

const CURRENT: &str = concat!(
    "SELECT a.approval, a.state, a.change, ",
    lane_parts!(),
    " FROM approvals a JOIN lanes l ON l.tenant = a.tenant AND l.id = a.lane WHERE a.tenant = $1",
    " AND NOT EXISTS (SELECT 1 FROM approvals b WHERE b.tenant = $1 AND b.card = a.card AND b.version > a.version) "
);

fn decoded<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, TxError> {
    serde_json::from_str(text).map_err(|error| TxError::Value(error.to_string()))
}

fn approval_row(row: &Row) -> Result<ApprovalRow, TxError> {
    let state = match row.get::<_, i64>("state") {
        0 => ApprovalState::Pending,
        1 => ApprovalState::Decided { change: decoded(row.get("change"))? },
        2 => ApprovalState::Expired,
        3 => ApprovalState::Superseded,
        _ => ApprovalState::Cancelled,
    };
    Ok(ApprovalRow { approval: decoded(row.get("approval"))?, lane: lane_key(row), state })
}

async fn current(tx: &Tx, rest: &str, params: Params<'_>) -> Result<Vec<ApprovalRow>, TxError> {
    tx.read(&format!("{CURRENT}{rest}"), params).await?.iter().map(approval_row).collect()
}

#[async_trait]
impl Approvals for PostgresStore {
    async fn approval(&self, tenant: &str, card: &CardId) -> Result<Option<ApprovalRow>, StoreError> {
        let found = transact!(self, "look up an approval", tenant, |tx| {
            current(tx, "AND a.card = $2", &[&tx.tenant, &card.as_str()]).await
        })?;
        Ok(found.into_iter().next())
    }

    async fn approvals(
        &self,
        tenant: &str,
        pending: bool,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>, StoreError> {
        let rest = "AND (NOT $2 OR a.state = 0) ORDER BY a.n DESC LIMIT $3";
        transact!(self, "list approvals", tenant, |tx| {
            current(tx, rest, &[&tx.tenant, &pending, &i64::from(limit)]).await
        })
    }

    async fn awaited(&self, lane: &LaneKey) -> Result<Vec<ApprovalRow>, StoreError> {
        let rest = "AND a.lane = $2 AND a.state = 0 ORDER BY a.n";
        transact!(self, "list approvals", &lane.tenant, |tx| {
            current(tx, rest, &[&tx.tenant, &lane.id().as_str()]).await
        })
    }

    async fn released(
        &self,
        tenant: &str,
        approval: &ApprovalRef,
    ) -> Result<Option<Vec<String>>, StoreError> {
        let select = "SELECT payload_sha256 FROM releases WHERE tenant = $1 AND card = $2 AND version = $3 \
                      ORDER BY payload_sha256";
        let (card, version) = (approval.card.as_str(), i64::from(approval.version));
        let rows = transact!(self, "list releases", tenant, |tx| {
            tx.read(select, &[&tx.tenant, &card, &version]).await
        })?;
        Ok(Some(rows.iter().map(|row| row.get(0)).collect()))
    }
}
