//! Facts of epics and channels.

use async_trait::async_trait;
use throughline_engine::data::fact::{FactKey, FactScope};
use throughline_engine::{FactId, Timestamp};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::signed;
use super::error::TxError;
use super::session::{Tx, transact};
use crate::contract::{FactBody, Facts, FactsVersion, FactsWrite, StoreError, StoredFacts, TurnCommit};

/// Writes the facts of a turn. Returns false if a set is at another revision.
pub(super) async fn write(tx: &Tx, turn: &TurnCommit) -> Result<bool, TxError> {
    let mut writes: Vec<&FactsWrite> = turn.facts.iter().collect();
    writes.sort_by_key(|write| (write.key.scope.as_str(), &write.key.scope_id));
    for write in writes {
        if write.key.tenant != tx.tenant {
            let why = format!("facts of tenant {} come with a turn of lane {}", write.key.tenant, turn.lane);
            return Err(TxError::Refused(why));
        }
        if !write_set(tx, write).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn write_set(tx: &Tx, write: &FactsWrite) -> Result<bool, TxError> {
    let FactsWrite { key, expected, entries, used, used_at } = write;
    let (scope, id) = (key.scope.as_str(), &key.scope_id);
    if !entries.is_empty() {
        let swap = match expected {
            0 => {
                "INSERT INTO fact_sets (tenant, scope, scope_id, revision, used) \
                 SELECT $1, $2, $3, 1, 0 WHERE $4::bigint = 0 ON CONFLICT DO NOTHING"
            }
            _ => {
                "UPDATE fact_sets SET revision = revision + 1 \
                 WHERE tenant = $1 AND scope = $2 AND scope_id = $3 AND revision = $4"
            }
        };
        if tx.execute(swap, &[&tx.tenant, &scope, id, &signed(*expected)]).await? != 1 {
            return Ok(false);
        }
        for (fact, body) in entries {
            put(tx, key, fact, body.as_ref()).await?;
        }
    }
    let used: Vec<&str> = used.iter().map(FactId::as_str).collect();
    let touch = "UPDATE facts SET used_at = $4 WHERE tenant = $1 AND scope = $2 AND scope_id = $3 AND id = ANY($5) \
                 AND coalesce(used_at, -1) < $4";
    if !used.is_empty() && tx.execute(touch, &[&tx.tenant, &scope, id, &used_at.0, &used]).await? > 0 {
        let count = "UPDATE fact_sets SET used = used + 1 WHERE tenant = $1 AND scope = $2 AND scope_id = $3";
        tx.execute(count, &[&tx.tenant, &scope, id]).await?;
    }
    Ok(true)
}

async fn put(tx: &Tx, key: &FactKey, id: &str, body: Option<&FactBody>) -> Result<(), TxError> {
    let scope = key.scope.as_str();
    let Some(FactBody { body, used_at }) = body else {
        let delete = "DELETE FROM facts WHERE tenant = $1 AND scope = $2 AND scope_id = $3 AND id = $4";
        tx.execute(delete, &[&tx.tenant, &scope, &key.scope_id, &id]).await?;
        return Ok(());
    };
    let put = "INSERT INTO facts (tenant, scope, scope_id, id, used_at, body) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (tenant, scope, scope_id, id) DO UPDATE SET body = excluded.body, \
               used_at = greatest(facts.used_at, excluded.used_at)";
    let used_at = used_at.map(|at| at.0);
    tx.execute(put, &[&tx.tenant, &scope, &key.scope_id, &id, &used_at, body]).await?;
    Ok(())
}

async fn read(tx: &Tx, key: &FactKey, known: Option<FactsVersion>) -> Result<Option<StoredFacts>, TxError> {
    let scope = key.scope.as_str();
    let set =
        "SELECT revision, used FROM fact_sets WHERE tenant = $1 AND scope = $2 AND scope_id = $3 FOR SHARE";
    let row = tx.first(set, &[&tx.tenant, &scope, &key.scope_id]).await?;
    let version = row.map(|row| FactsVersion {
        revision: row.get::<_, i64>(0).cast_unsigned(),
        used: row.get::<_, i64>(1).cast_unsigned(),
    });
    let version = version.unwrap_or_default();
    if known == Some(version) {
        return Ok(None);
    }
    let select =
        "SELECT id, used_at, body FROM facts WHERE tenant = $1 AND scope = $2 AND scope_id = $3 ORDER BY id";
    let rows = tx.rows(select, &[&tx.tenant, &scope, &key.scope_id]).await?;
    let entry = |row: &Row| {
        let used_at = row.get::<_, Option<i64>>(1).map(Timestamp);
        (row.get(0), FactBody { body: row.get(2), used_at })
    };
    Ok(Some(StoredFacts { version, entries: rows.iter().map(entry).collect() }))
}

fn key(tenant: &str, row: &Row) -> Option<FactKey> {
    let scope = FactScope::parse(row.get(0))?;
    Some(FactKey { tenant: tenant.into(), scope, scope_id: row.get(1) })
}

#[async_trait]
impl Facts for PostgresStore {
    async fn facts(
        &self,
        key: &FactKey,
        known: Option<FactsVersion>,
    ) -> Result<Option<StoredFacts>, StoreError> {
        transact!(self, "read facts", &key.tenant, |tx| read(tx, key, known).await)
    }

    async fn fact_sets(
        &self,
        tenant: &str,
        after: Option<&FactKey>,
        limit: u32,
    ) -> Result<Vec<FactKey>, StoreError> {
        let after = after.map_or(("", ""), |after| (after.scope.as_str(), after.scope_id.as_str()));
        let select = "SELECT scope, scope_id FROM fact_sets WHERE tenant = $1 AND (scope, scope_id) > ($2, $3) \
                      ORDER BY scope, scope_id LIMIT $4";
        let rows = transact!(self, "list facts", tenant, |tx| {
            tx.rows(select, &[&tx.tenant, &after.0, &after.1, &i64::from(limit)]).await
        })?;
        Ok(rows.iter().filter_map(|row| key(tenant, row)).collect())
    }

    async fn fact_set_of(&self, tenant: &str, fact: &FactId) -> Result<Option<FactKey>, StoreError> {
        let select = "SELECT scope, scope_id FROM facts WHERE tenant = $1 AND id = $2 LIMIT 1";
        let row = transact!(self, "look for a fact", tenant, |tx| {
            tx.first(select, &[&tx.tenant, &fact.as_str()]).await
        })?;
        Ok(row.and_then(|row| key(tenant, &row)))
    }
}
