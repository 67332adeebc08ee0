//! Documents of a tenant.

use async_trait::async_trait;
use throughline_engine::LaneId;
use tokio_postgres::Row;

use super::codec::signed;
use super::error::TxError;
use super::session::{Tx, transact};
use super::{PostgresStore, audit};
use crate::contract::{Document, DocumentSubjects, Documents, StoreError};

const SELECT: &str =
    "SELECT key, version, body, people, lane, words FROM documents WHERE tenant = $1 AND collection = $2";

pub(super) fn document(row: &Row) -> Document {
    Document {
        key: row.get("key"),
        version: row.get::<_, i64>("version").cast_unsigned(),
        body: row.get("body"),
        about: DocumentSubjects {
            people: row.get("people"),
            lane: row.get::<_, Option<String>>("lane").map(LaneId),
            words: row.get("words"),
        },
    }
}

/// Writes one document. Returns false if it is at another version.
async fn write(tx: &Tx, collection: &str, document: &Document) -> Result<bool, TxError> {
    let Document { key, version, body, about } = document;
    let (old, new) = (signed(*version), signed(version.saturating_add(1)));
    let lane = about.lane.as_ref().map(LaneId::as_str);
    let sql = match version {
        0 => {
            "INSERT INTO documents (tenant, collection, key, version, body, people, lane, words) \
             SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE $9::bigint = 0 ON CONFLICT DO NOTHING"
        }
        _ => {
            "UPDATE documents SET version = $4, body = $5, people = $6, lane = $7, words = $8 \
             WHERE tenant = $1 AND collection = $2 AND key = $3 AND version = $9"
        }
    };
    let params: super::session::Params<'_> =
        &[&tx.tenant, &collection, key, &new, body, &about.people, &lane, &about.words, &old];
    Ok(tx.execute(sql, params).await? == 1)
}

async fn write_all(tx: &Tx, writes: &[(String, Document)], row: Option<&str>) -> Result<bool, TxError> {
    tx.enter_tenant().await?;
    tx.batch("SAVEPOINT documents").await?;
    for (collection, document) in writes {
        if !write(tx, collection, document).await? {
            tx.batch("ROLLBACK TO documents").await?;
            return Ok(false);
        }
    }
    if let Some(row) = row {
        audit::append(tx, row).await?;
    }
    Ok(true)
}

#[async_trait]
impl Documents for PostgresStore {
    async fn document(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, StoreError> {
        let select = format!("{SELECT} AND key = $3");
        let row = transact!(self, "read a document", tenant, |tx| {
            tx.read_first(&select, &[&tx.tenant, &collection, &key]).await
        })?;
        Ok(row.as_ref().map(document))
    }

    async fn documents(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, StoreError> {
        let select = format!("{SELECT} AND ($3::text IS NULL OR key > $3) ORDER BY key LIMIT $4");
        let rows = transact!(self, "list documents", tenant, |tx| {
            tx.read(&select, &[&tx.tenant, &collection, &after, &i64::from(limit)]).await
        })?;
        Ok(rows.iter().map(document).collect())
    }

    async fn write_documents(
        &self,
        tenant: &str,
        writes: Vec<(String, Document)>,
        audit: Option<&str>,
    ) -> Result<bool, StoreError> {
        transact!(self, "write documents", tenant, |tx| write_all(tx, &writes, audit).await)
    }
}
