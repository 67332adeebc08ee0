//! Erasure of personal words, and the list of erasures.

use std::collections::BTreeSet;

use async_trait::async_trait;
use throughline_engine::{LaneKey, Timestamp};

use super::codec::{lane_key, lane_parts};
use super::erasure_texts::{Found, Place, of_lane, of_tenant, write};
use super::error::{TxError, told};
use super::session::{Tx, transact};
use super::{PostgresStore, audit};
use crate::contract::{
    Erasure, ErasureRow, Redaction, RedactionCounts, Redactor, StoreError, StoredText, TextVisitor,
};

const CONTAINING: &str = concat!(
    "SELECT ",
    lane_parts!(),
    " FROM lanes l WHERE l.tenant = $1 AND (strpos(l.head, $2) > 0",
    " OR EXISTS (SELECT 1 FROM records r WHERE r.tenant = $1 AND r.lane = l.id AND strpos(r.body, $2) > 0)",
    " OR EXISTS (SELECT 1 FROM turns t WHERE t.tenant = $1 AND t.lane = l.id",
    " AND (strpos(t.content, $2) > 0 OR strpos(t.checkpoint, $2) > 0))",
    " OR EXISTS (SELECT 1 FROM participants p WHERE p.tenant = $1 AND p.lane = l.id",
    " AND strpos(to_json(p.person)::text, $2) > 0)",
    " OR EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = $1 AND o.lane = l.id",
    " AND (strpos(o.payload, $2) > 0 OR strpos(o.outcome, $2) > 0))",
    " OR EXISTS (SELECT 1 FROM inbox i WHERE i.tenant = $1 AND i.lane = l.id AND strpos(i.event, $2) > 0)",
    " OR EXISTS (SELECT 1 FROM approvals a WHERE a.tenant = $1 AND a.lane = l.id",
    " AND (strpos(a.approval, $2) > 0 OR strpos(a.change, $2) > 0))) ORDER BY l.id"
);

/// Enters an erasure and returns its number; one equal to an open one gets that one's. The tenant's row is locked.
pub(super) async fn request(tx: &Tx, what: &str) -> Result<i64, TxError> {
    tx.enter_tenant().await?;
    tx.first("SELECT 1 FROM tenants WHERE tenant = $1 FOR UPDATE", &[&tx.tenant]).await?;
    let open = "SELECT number FROM erasures WHERE tenant = $1 AND what = $2 AND done_at IS NULL";
    if let Some(row) = tx.first(open, &[&tx.tenant, &what]).await? {
        return Ok(row.get(0));
    }
    let insert = "INSERT INTO erasures (tenant, number, what, asked_at) SELECT $1, coalesce(max(number), 0) + 1, $2, $3 \
                  FROM erasures WHERE tenant = $1 RETURNING number";
    let row = tx.first(insert, &[&tx.tenant, &what, &tx.now.0]).await?;
    row.map(|row| row.get(0)).ok_or_else(|| TxError::Refused("the erasure has no number".into()))
}

async fn finish(tx: &Tx, number: i64, row: &str) -> Result<bool, TxError> {
    let end = "UPDATE erasures SET done_at = $3 WHERE tenant = $1 AND number = $2 AND done_at IS NULL";
    if tx.execute(end, &[&tx.tenant, &number, &tx.now.0]).await? == 0 {
        return Ok(false);
    }
    audit::append(tx, row).await?;
    Ok(true)
}

/// Applies a redaction to the texts, and counts what it changed.
async fn redact(
    tx: &Tx,
    lane: &str,
    texts: &[Found],
    redactor: &Redactor,
) -> Result<RedactionCounts, TxError> {
    let mut counts = RedactionCounts::default();
    let mut sets = BTreeSet::new();
    for Found { place, text } in texts {
        let new = match redactor(&StoredText { source: place.source(), text }) {
            Redaction::Keep => continue,
            Redaction::Rewrite(new) if new == *text => continue,
            Redaction::Rewrite(new) => Some(new),
            Redaction::Erase => None,
        };
        counts.count(&place.source());
        write(tx, lane, place, new.as_deref()).await?;
        if let Place::Fact { scope, scope_id, .. } = place {
            sets.insert((scope, scope_id));
        }
    }
    for (scope, scope_id) in sets {
        let raise =
            "UPDATE fact_sets SET revision = revision + 1 WHERE tenant = $1 AND scope = $2 AND scope_id = $3";
        tx.execute(raise, &[&tx.tenant, scope, scope_id]).await?;
    }
    Ok(counts)
}

#[async_trait]
impl Erasure for PostgresStore {
    async fn lanes_containing(&self, tenant: &str, text: &str) -> Result<Vec<LaneKey>, StoreError> {
        let rows = transact!(self, "look for a text", tenant, |tx| {
            tx.read(CONTAINING, &[&tx.tenant, &text]).await
        })?;
        Ok(rows.iter().map(lane_key).collect())
    }

    async fn visit(&self, lane: &LaneKey, visitor: &mut TextVisitor<'_>) -> Result<(), StoreError> {
        let texts = transact!(self, "read the texts of a lane", &lane.tenant, |tx| of_lane(tx, lane).await)?;
        for Found { place, text } in &texts {
            visitor(&StoredText { source: place.source(), text });
        }
        Ok(())
    }

    async fn redact(&self, lane: &LaneKey, redactor: Redactor) -> Result<RedactionCounts, StoreError> {
        transact!(self, "erase from a lane", &lane.tenant, |tx| {
            let texts = of_lane(tx, lane).await?;
            redact(tx, lane.id().as_str(), &texts, &redactor).await
        })
    }

    async fn redact_tenant(&self, tenant: &str, redactor: Redactor) -> Result<RedactionCounts, StoreError> {
        transact!(self, "erase from a tenant", tenant, |tx| {
            let texts = of_tenant(tx).await?;
            redact(tx, "", &texts, &redactor).await
        })
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        // Rows that were deleted leave their pages with the next vacuum of the server; asked for here so that it is now.
        let act = "vacuum the database";
        let client = self.shared.pool.connect(act).await?;
        client.batch_execute("VACUUM").await.map_err(|error| told(&error, act))
    }

    async fn request_erasure(&self, tenant: &str, what: &str) -> Result<i64, StoreError> {
        transact!(self, "request an erasure", tenant, |tx| request(tx, what).await)
    }

    async fn finish_erasure(&self, tenant: &str, number: i64, audit: &str) -> Result<bool, StoreError> {
        transact!(self, "finish an erasure", tenant, |tx| finish(tx, number, audit).await)
    }

    async fn erasures(&self, tenant: &str, open: bool) -> Result<Vec<ErasureRow>, StoreError> {
        let select = "SELECT number, what, asked_at, done_at FROM erasures WHERE tenant = $1 \
                      AND (NOT $2 OR done_at IS NULL) ORDER BY number";
        let rows =
            transact!(self, "list erasures", tenant, |tx| tx.rows(select, &[&tx.tenant, &open]).await)?;
        let row = |row: &tokio_postgres::Row| ErasureRow {
            number: row.get(0),
            what: row.get(1),
            asked_at: Timestamp(row.get(2)),
            done_at: row.get::<_, Option<i64>>(3).map(Timestamp),
        };
        Ok(rows.iter().map(row).collect())
    }
}
