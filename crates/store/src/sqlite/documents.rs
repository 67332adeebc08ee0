//! Documents.

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row};

use super::SqliteStore;
use super::audit::append;
use super::error::TxError;
use super::writer::Tx;
use crate::contract::{Document, Documents, StoreError};

fn document(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document { key: row.get(0)?, version: row.get::<_, i64>(1)?.cast_unsigned(), body: row.get(2)? })
}

/// Writes a document if it is at the version it states.
fn write_document(
    tx: &Tx<'_, '_>,
    tenant: &str,
    collection: &str,
    document: &Document,
) -> Result<bool, TxError> {
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

/// Compares every version before it writes any document, so that a mismatch leaves nothing to undo.
fn write_documents(
    tx: &Tx<'_, '_>,
    tenant: &str,
    writes: &[(String, Document)],
    audit: Option<&str>,
) -> Result<bool, TxError> {
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
            return Err(TxError::Refused(format!("document {} changed while it was written", document.key)));
        }
    }
    if let Some(row) = audit {
        append(tx, tenant, row)?;
    }
    Ok(true)
}

#[async_trait]
impl Documents for SqliteStore {
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
}
