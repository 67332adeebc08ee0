//! Facts of epics and channels.

use async_trait::async_trait;
use throughline_engine::data::fact::{FactKey, FactScope};
use throughline_engine::{FactId, Timestamp};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::signed;
use super::error::TxError;
use super::session::{Tx, transact};
use crate::contract::{FactBody, Facts, FactsVersion, StoreError, StoredFacts};

/// Reads a set in one statement, and so as one moment left it. Of a known version only the version comes.
async fn read(tx: &Tx, key: &FactKey, known: Option<FactsVersion>) -> Result<Option<StoredFacts>, TxError> {
    let select = "SELECT s.revision, s.used, f.id, f.used_at, f.body FROM fact_sets s LEFT JOIN facts f \
        ON f.tenant = s.tenant AND f.scope = s.scope AND f.scope_id = s.scope_id \
        AND (s.revision, s.used) IS DISTINCT FROM ($4::bigint, $5::bigint) \
        WHERE s.tenant = $1 AND s.scope = $2 AND s.scope_id = $3 ORDER BY f.id";
    let (revision, used) = known.map(|known| (signed(known.revision), signed(known.used))).unzip();
    let rows = tx.read(select, &[&tx.tenant, &key.scope.as_str(), &key.scope_id, &revision, &used]).await?;
    let version = rows.first().map(|row| FactsVersion {
        revision: row.get::<_, i64>(0).cast_unsigned(),
        used: row.get::<_, i64>(1).cast_unsigned(),
    });
    let version = version.unwrap_or_default();
    if known == Some(version) {
        return Ok(None);
    }
    let entry = |row: &Row| {
        let used_at = row.get::<_, Option<i64>>(3).map(Timestamp);
        Some((row.get::<_, Option<String>>(2)?, FactBody { body: row.get(4), used_at }))
    };
    Ok(Some(StoredFacts { version, entries: rows.iter().filter_map(entry).collect() }))
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
            tx.read(select, &[&tx.tenant, &after.0, &after.1, &i64::from(limit)]).await
        })?;
        Ok(rows.iter().filter_map(|row| key(tenant, row)).collect())
    }

    async fn fact_set_of(&self, tenant: &str, fact: &FactId) -> Result<Option<FactKey>, StoreError> {
        let select = "SELECT scope, scope_id FROM facts WHERE tenant = $1 AND id = $2 LIMIT 1";
        let row = transact!(self, "look for a fact", tenant, |tx| {
            tx.read_first(select, &[&tx.tenant, &fact.as_str()]).await
        })?;
        Ok(row.and_then(|row| key(tenant, &row)))
    }
}
