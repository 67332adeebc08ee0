//! Documents.

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row};

use super::SqliteStore;
use super::audit::append;
use super::error::TxError;
use super::writer::Tx;
use throughline_engine::LaneId;

use crate::contract::{Document, DocumentSubjects, Documents, StoreError};

fn document(row: &Row<'_>) -> rusqlite::Result<Document> {
    let (key, body) = (row.get("key")?, row.get("body")?);
    let version = row.get::<_, i64>("version")?.cast_unsigned();
    Ok(Document { key, version, body, about: subjects(row)? })
}

/// Reads the subjects of a document.
pub(super) fn subjects(row: &Row<'_>) -> rusqlite::Result<DocumentSubjects> {
    let people: String = row.get("people")?;
    let lane: Option<String> = row.get("lane")?;
    Ok(DocumentSubjects {
        people: serde_json::from_str(&people).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
        })?,
        lane: lane.map(LaneId),
        words: row.get("words")?,
    })
}

/// Writes a document if it is at the version it states.
fn write_document(
    tx: &Tx<'_, '_>,
    tenant: &str,
    collection: &str,
    document: &Document,
) -> Result<bool, TxError> {
    let Document { key, version, body, about } = document;
    let people = serde_json::to_string(&about.people).unwrap_or_default();
    let lane = about.lane.as_ref().map(LaneId::as_str);
    let written = if *version == 0 {
        let insert = "INSERT INTO documents (tenant, collection, key, version, body, people, lane, words) \
                      VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
        tx.sql.execute(insert, (tenant, collection, key, body, people, lane, about.words))?
    } else {
        let update = "UPDATE documents SET version = version + 1, body = ?5, people = ?6, lane = ?7, words = ?8 \
                      WHERE tenant = ?1 AND collection = ?2 AND key = ?3 AND version = ?4";
        let version = version.cast_signed();
        tx.sql.execute(update, (tenant, collection, key, version, body, people, lane, about.words))?
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
                "SELECT key, version, body, people, lane, words FROM documents WHERE tenant = ?1 AND collection = ?2 AND key = ?3";
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
            let select = "SELECT key, version, body, people, lane, words FROM documents WHERE tenant = ?1 AND collection = ?2 \
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
