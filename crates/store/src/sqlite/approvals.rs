//! Approvals: one row for each version, consumed once.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::data::approval::{Approval, ApprovalChange, CloseReason};
use throughline_engine::data::effect::ApprovalRef;
use throughline_engine::{CardId, LaneKey};

use super::codec::{lane_key, lane_parts};
use super::error::TxError;
use super::writer::Tx;
use super::{SqliteStore, lane_number};
use crate::contract::{ApprovalRow, ApprovalState, Approvals, CommitResult, StoreError};
use crate::rules::other_release;

const SELECT: &str = concat!(
    "SELECT a.state, a.approval, a.change, ",
    lane_parts!(),
    " FROM approvals a JOIN lanes l ON l.n = a.lane WHERE a.tenant = ?1 AND "
);

/// Condition: no version of the card is newer.
const CURRENT: &str = "NOT EXISTS (SELECT 1 FROM approvals b WHERE b.tenant = ?1 AND b.card = a.card AND b.version > a.version)";

fn decoded<T: serde::de::DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

fn encoded<T: serde::Serialize>(value: &T) -> Result<String, TxError> {
    serde_json::to_string(value).map_err(|e| TxError::Refused(format!("an approval cannot be encoded: {e}")))
}

fn stored(row: &Row<'_>) -> rusqlite::Result<ApprovalRow> {
    let state = match row.get::<_, i64>(0)? {
        0 => ApprovalState::Pending,
        1 => ApprovalState::Decided { change: decoded(2, &row.get::<_, String>(2)?)? },
        2 => ApprovalState::Expired,
        3 => ApprovalState::Superseded,
        4 => ApprovalState::Cancelled,
        other => return Err(rusqlite::Error::IntegralValueOutOfRange(0, other)),
    };
    Ok(ApprovalRow { approval: decoded(1, &row.get::<_, String>(1)?)?, lane: lane_key(row)?, state })
}

fn current(sql: &Connection, tenant: &str, card: &CardId) -> rusqlite::Result<Option<ApprovalRow>> {
    let select = format!("{SELECT} a.card = ?2 ORDER BY a.version DESC LIMIT 1");
    sql.prepare_cached(&select)?.query_row((tenant, card.as_str()), stored).optional()
}

fn list(sql: &Connection, tenant: &str, pending: bool, limit: u32) -> rusqlite::Result<Vec<ApprovalRow>> {
    let which = if pending { "a.state = 0 AND" } else { "" };
    let select = format!("{SELECT} {which} {CURRENT} ORDER BY a.n DESC LIMIT ?2");
    sql.prepare_cached(&select)?.query_map((tenant, limit), stored)?.collect()
}

fn awaited(sql: &Connection, lane: &LaneKey) -> rusqlite::Result<Vec<ApprovalRow>> {
    let Some(n) = lane_number(sql, lane)? else { return Ok(Vec::new()) };
    let select = format!("{SELECT} a.state = 0 AND a.lane = ?2 AND {CURRENT} ORDER BY a.n");
    sql.prepare_cached(&select)?.query_map((&lane.tenant, n), stored)?.collect()
}

/// Applies one change of a turn.
pub(super) fn apply(
    tx: &Tx<'_, '_>,
    tenant: &str,
    lane: i64,
    change: &ApprovalChange,
) -> Result<(), TxError> {
    match change {
        ApprovalChange::Open(approval) => open(tx, tenant, lane, approval),
        ApprovalChange::Decide { card, version, action, releases, .. } => {
            shown(tx, tenant, card, *version, change)?;
            let decide = "UPDATE approvals SET state = 1, change = ?4 WHERE tenant = ?1 AND card = ?2 \
                          AND version = ?3 AND state = 0 AND (expires_at IS NULL OR expires_at >= ?5)";
            if tx.sql.execute(decide, (tenant, card.as_str(), version, encoded(change)?, tx.now.0))? == 0 {
                return Err(TxError::NotCommitted(CommitResult::ApprovalLost));
            }
            if action.releases() {
                let consume = "INSERT INTO consumptions (tenant, card, version) VALUES (?1, ?2, ?3)";
                tx.sql.execute(consume, (tenant, card.as_str(), version))?;
                list_releases(tx, tenant, card, *version, releases)?;
            }
            Ok(())
        }
        ApprovalChange::Close { card, version, how } => {
            let state = match how {
                CloseReason::Expired => 2,
                CloseReason::Superseded => 3,
                CloseReason::Cancelled => 4,
            };
            let close = "UPDATE approvals SET state = ?4 \
                         WHERE tenant = ?1 AND card = ?2 AND version = ?3 AND state = 0";
            tx.sql.execute(close, (tenant, card.as_str(), version, state))?;
            Ok(())
        }
    }
}

/// Refuses a decision on something else than the approval shows. One that cannot be decided any more is lost, not refused.
fn shown(
    tx: &Tx<'_, '_>,
    tenant: &str,
    card: &CardId,
    version: u32,
    change: &ApprovalChange,
) -> Result<(), TxError> {
    let select =
        "SELECT approval FROM approvals WHERE tenant = ?1 AND card = ?2 AND version = ?3 AND state = 0";
    let read = |row: &Row<'_>| decoded::<Approval>(0, &row.get::<_, String>(0)?);
    let Some(approval) = tx.sql.first(select, (tenant, card.as_str(), version), read)? else {
        return Ok(());
    };
    other_release(&approval, change).map_or(Ok(()), |why| Err(TxError::Refused(why)))
}

fn list_releases(
    tx: &Tx<'_, '_>,
    tenant: &str,
    card: &CardId,
    version: u32,
    releases: &[String],
) -> Result<(), TxError> {
    let insert =
        "INSERT INTO releases (tenant, card, version, payload_sha256) VALUES (?1, ?2, ?3, unhex(?4))";
    for hash in releases {
        tx.sql.execute(insert, (tenant, card.as_str(), version, hash))?;
    }
    Ok(())
}

fn releases_of(
    sql: &Connection,
    tenant: &str,
    approval: &ApprovalRef,
) -> rusqlite::Result<Option<Vec<String>>> {
    let (card, version) = (approval.card.as_str(), approval.version);
    let unlisted = "SELECT unlisted FROM consumptions WHERE tenant = ?1 AND card = ?2 AND version = ?3";
    let unlisted =
        sql.prepare_cached(unlisted)?.query_row((tenant, card, version), |row| row.get(0)).optional()?;
    if unlisted == Some(true) {
        return Ok(None);
    }
    let select = "SELECT lower(hex(payload_sha256)) FROM releases \
                  WHERE tenant = ?1 AND card = ?2 AND version = ?3 ORDER BY payload_sha256";
    let mut select = sql.prepare_cached(select)?;
    let hashes = select.query_map((tenant, card, version), |row| row.get(0))?;
    hashes.collect::<rusqlite::Result<Vec<_>>>().map(Some)
}

fn open(tx: &Tx<'_, '_>, tenant: &str, lane: i64, approval: &Approval) -> Result<(), TxError> {
    let supersede = "UPDATE approvals SET state = 3 \
                     WHERE tenant = ?1 AND card = ?2 AND version < ?3 AND state = 0";
    tx.sql.execute(supersede, (tenant, approval.card.as_str(), approval.version))?;
    let insert = "INSERT INTO approvals (tenant, card, version, lane, expires_at, approval) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let expires = approval.expires_at.map(|at| at.0);
    let body = encoded(approval)?;
    tx.sql.execute(insert, (tenant, approval.card.as_str(), approval.version, lane, expires, body))?;
    Ok(())
}

#[async_trait]
impl Approvals for SqliteStore {
    async fn approval(&self, tenant: &str, card: &CardId) -> Result<Option<ApprovalRow>, StoreError> {
        self.read("read an approval", |sql| current(sql, tenant, card))
    }

    async fn approvals(
        &self,
        tenant: &str,
        pending: bool,
        limit: u32,
    ) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read("list approvals", |sql| list(sql, tenant, pending, limit))
    }

    async fn awaited(&self, lane: &LaneKey) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read("look for a lane's approvals", |sql| awaited(sql, lane))
    }

    async fn released(
        &self,
        tenant: &str,
        approval: &ApprovalRef,
    ) -> Result<Option<Vec<String>>, StoreError> {
        self.read("read what an approval releases", |sql| releases_of(sql, tenant, approval))
    }
}
