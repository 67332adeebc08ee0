//! Pause, documents, the audit chain, counts.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::Timestamp;
use throughline_engine::canon::Hash;

use super::SqliteStore;
use super::fault::Fault;
use super::writer::Tx;
use crate::audit::{GENESIS, first_break, link};
use crate::contract::{Counts, Document, Keeping, PauseRow, StoreError};

/// The pause in four columns from `first` on.
pub(super) fn pause_row(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<PauseRow>> {
    let Some(by) = row.get(first)? else { return Ok(None) };
    Ok(Some(PauseRow {
        by,
        since: Timestamp(row.get(first + 1)?),
        reason: row.get(first + 2)?,
        everything: row.get(first + 3)?,
    }))
}

fn pause(sql: &Connection, tenant: &str) -> rusqlite::Result<Option<PauseRow>> {
    let select =
        "SELECT pause_by, pause_since, pause_reason, pause_everything FROM tenants WHERE tenant = ?1";
    let row = sql.prepare_cached(select)?.query_row([tenant], |row| pause_row(row, 0)).optional()?;
    Ok(row.flatten())
}

fn set_pause(tx: &Tx<'_, '_>, tenant: &str, pause: Option<&PauseRow>, audit: &str) -> Result<(), Fault> {
    append_audit(tx, tenant, audit)?;
    let set = "UPDATE tenants SET pause_by = ?2, pause_since = ?3, pause_reason = ?4, pause_everything = ?5 \
               WHERE tenant = ?1";
    let params = (
        tenant,
        pause.map(|p| &p.by),
        pause.map(|p| p.since.0),
        pause.map(|p| &p.reason),
        pause.map(|p| p.everything),
    );
    tx.sql.execute(set, params)?;
    Ok(())
}

/// Adds a row to a tenant's chain and moves the chain's head.
pub(super) fn append_audit(tx: &Tx<'_, '_>, tenant: &str, row: &str) -> Result<(), Fault> {
    let (number, prev) = chain_head(tx.sql, tenant)?;
    let (number, hash) = (number + 1, link(&prev, row));
    tx.sql.execute(
        "INSERT INTO audit (tenant, number, hash, row) VALUES (?1, ?2, ?3, ?4)",
        (tenant, number, hash, row),
    )?;
    let head = "INSERT INTO tenants (tenant, audit_number, audit_hash) VALUES (?1, ?2, ?3) \
                ON CONFLICT DO UPDATE SET audit_number = excluded.audit_number, audit_hash = excluded.audit_hash";
    tx.sql.execute(head, (tenant, number, hash))?;
    Ok(())
}

fn chain_head(sql: &Connection, tenant: &str) -> rusqlite::Result<(i64, Hash)> {
    let select = "SELECT audit_number, audit_hash FROM tenants WHERE tenant = ?1";
    let head = sql.prepare_cached(select)?.query_row([tenant], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(head.optional()?.unwrap_or((0, GENESIS)))
}

fn verify_audit(sql: &Connection, tenant: &str) -> rusqlite::Result<Option<i64>> {
    let head = chain_head(sql, tenant)?;
    let mut rows =
        sql.prepare_cached("SELECT number, row, hash FROM audit WHERE tenant = ?1 ORDER BY number")?;
    let rows = rows
        .query_map([tenant], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(i64, String, Hash)>>>()?;
    Ok(first_break(rows.iter().map(|(n, row, hash)| (*n, row.as_str(), *hash)), head))
}

fn document(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document { key: row.get(0)?, version: row.get::<_, i64>(1)?.cast_unsigned(), body: row.get(2)? })
}

/// Writes one document if it is at the version it names.
fn write_document(
    tx: &Tx<'_, '_>,
    tenant: &str,
    collection: &str,
    document: &Document,
) -> Result<bool, Fault> {
    let Document { key, version, body } = document;
    let written = if *version == 0 {
        let insert = "INSERT INTO documents (tenant, collection, key, version, body) VALUES (?1, ?2, ?3, 1, ?4) \
                      ON CONFLICT DO NOTHING";
        tx.sql.execute(insert, (tenant, collection, key, body))?
    } else {
        let update = "UPDATE documents SET version = version + 1, body = ?5 \
                      WHERE tenant = ?1 AND collection = ?2 AND key = ?3 AND version = ?4";
        tx.sql.execute(update, (tenant, collection, key, version.cast_signed(), body))?
    };
    Ok(written == 1)
}

/// Looks at every version before it writes any, so that losing leaves nothing to undo.
fn write_documents(
    tx: &Tx<'_, '_>,
    tenant: &str,
    writes: &[(String, Document)],
    audit: Option<&str>,
) -> Result<bool, Fault> {
    for (i, (collection, document)) in writes.iter().enumerate() {
        let same = |(c, d): &&(String, Document)| c == collection && d.key == document.key;
        let select = "SELECT version FROM documents WHERE tenant = ?1 AND collection = ?2 AND key = ?3";
        let kept = tx.sql.first(select, (tenant, collection, &document.key), |row| row.get(0))?;
        let kept: i64 = kept.unwrap_or(0);
        let earlier = writes[..i].iter().rev().find(same).map(|(_, d)| d.version + 1);
        if earlier.unwrap_or(kept.cast_unsigned()) != document.version {
            return Ok(false);
        }
    }
    for (collection, document) in writes {
        if !write_document(tx, tenant, collection, document)? {
            return Err(Fault::Refused(format!("document {} changed while it was written", document.key)));
        }
    }
    if let Some(row) = audit {
        append_audit(tx, tenant, row)?;
    }
    Ok(true)
}

fn counts(sql: &Connection, now: Timestamp) -> rusqlite::Result<Counts> {
    let select = "SELECT (SELECT count(*) FROM inbox), (SELECT count(*) FROM handled WHERE state = 4), \
                  (SELECT count(*) FROM outbox WHERE wake IS NOT NULL), \
                  (SELECT count(*) FROM outbox WHERE state > 2 AND state = 4), \
                  (SELECT count(*) FROM approvals WHERE state = 0), (SELECT count(*) FROM lanes), \
                  (SELECT min(not_before) FROM outbox WHERE wake IS NOT NULL AND state = 0 AND not_before <= ?1)";
    sql.prepare_cached(select)?.query_row([now.0], |row| {
        let count = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
        let oldest: Option<i64> = row.get(6)?;
        Ok(Counts {
            waiting: count(0)?,
            dead: count(1)?,
            open_effects: count(2)?,
            uncertain: count(3)?,
            approvals: count(4)?,
            lanes: count(5)?,
            oldest_due: oldest.map_or(0, |at| now.since(Timestamp(at))),
        })
    })
}

#[async_trait]
impl Keeping for SqliteStore {
    async fn pause(&self, tenant: &str) -> Result<Option<PauseRow>, StoreError> {
        self.read("read the kill switch", |sql| pause(sql, tenant))
    }

    async fn set_pause(&self, tenant: &str, pause: Option<PauseRow>, audit: &str) -> Result<(), StoreError> {
        let (tenant, audit) = (tenant.to_owned(), audit.to_owned());
        let call =
            self.writer.call("set the kill switch", move |tx| set_pause(tx, &tenant, pause.as_ref(), &audit));
        Ok(call.await?)
    }

    async fn document(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, StoreError> {
        self.read("read a document", |sql| {
            let select =
                "SELECT key, version, body FROM documents WHERE tenant = ?1 AND collection = ?2 AND key = ?3";
            sql.prepare_cached(select)?.query_row((tenant, collection, key), document).optional()
        })
    }

    async fn documents(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, StoreError> {
        self.read("list documents", |sql| {
            let select = "SELECT key, version, body FROM documents WHERE tenant = ?1 AND collection = ?2 \
                          AND (?3 IS NULL OR key > ?3) ORDER BY key LIMIT ?4";
            sql.prepare_cached(select)?.query_map((tenant, collection, after, limit), document)?.collect()
        })
    }

    async fn write_documents(
        &self,
        tenant: &str,
        writes: Vec<(String, Document)>,
        audit: Option<&str>,
    ) -> Result<bool, StoreError> {
        let (tenant, audit) = (tenant.to_owned(), audit.map(str::to_owned));
        let write = move |tx: &mut Tx<'_, '_>| write_documents(tx, &tenant, &writes, audit.as_deref());
        Ok(self.writer.call("write documents", write).await?)
    }

    async fn audit(&self, tenant: &str, after: i64, limit: u32) -> Result<Vec<(i64, String)>, StoreError> {
        self.read("read the audit chain", |sql| {
            let select =
                "SELECT number, row FROM audit WHERE tenant = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            sql.prepare_cached(select)?.query_map((tenant, after, limit), read)?.collect()
        })
    }

    async fn verify_audit(&self, tenant: &str) -> Result<Option<i64>, StoreError> {
        self.read("verify the audit chain", |sql| verify_audit(sql, tenant))
    }

    async fn counts(&self) -> Result<Counts, StoreError> {
        let now = self.clock.now();
        self.read("count what there is", |sql| counts(sql, now))
    }
}
