//! Facts: sets with a revision.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::data::fact::{FactKey, FactScope};
use throughline_engine::{FactId, Timestamp};

use super::SqliteStore;
use super::error::TxError;
use super::writer::Tx;
use crate::contract::{FactBody, Facts, FactsVersion, FactsWrite, StoreError, StoredFacts, TurnCommit};

const SELECT_SET: &str =
    "SELECT n, revision, used FROM fact_sets WHERE tenant = ?1 AND scope = ?2 AND scope_id = ?3";

/// Reads number and version of a set.
fn set_version(row: &Row<'_>) -> rusqlite::Result<(i64, FactsVersion)> {
    let count = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
    Ok((row.get(0)?, FactsVersion { revision: count(1)?, used: count(2)? }))
}

/// Returns true if every set that the turn writes is at the revision it read. Called before anything is written.
pub(super) fn revisions_match(tx: &Tx<'_, '_>, turn: &TurnCommit) -> Result<bool, TxError> {
    for write in turn.facts.iter().filter(|write| !write.entries.is_empty()) {
        let FactKey { tenant, scope, scope_id } = &write.key;
        if *tenant != turn.lane.tenant {
            return Err(TxError::Refused(format!(
                "facts of tenant {tenant} come with a turn of lane {}",
                turn.lane
            )));
        }
        let found = tx.sql.first(SELECT_SET, (tenant, scope.as_str(), scope_id), set_version)?;
        if found.map_or(0, |(_, version)| version.revision) != write.expected {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes the facts of a turn.
pub(super) fn write(tx: &Tx<'_, '_>, turn: &TurnCommit) -> Result<(), TxError> {
    for write in &turn.facts {
        let FactsWrite { key: FactKey { tenant, scope, scope_id }, entries, used, used_at, .. } = write;
        let key = (tenant, scope.as_str(), scope_id);
        if !entries.is_empty() {
            let rise = "INSERT INTO fact_sets (tenant, scope, scope_id, revision, used) VALUES (?1, ?2, ?3, 1, 0) \
                        ON CONFLICT DO UPDATE SET revision = revision + 1";
            tx.sql.execute(rise, key)?;
        }
        let Some((n, _)) = tx.sql.first(SELECT_SET, key, set_version)? else { continue };
        for (id, body) in entries {
            put(tx, n, id, body.as_ref())?;
        }
        if touch(tx, n, used, *used_at)? {
            tx.sql.execute("UPDATE fact_sets SET used = used + 1 WHERE n = ?1", [n])?;
        }
    }
    Ok(())
}

fn put(tx: &Tx<'_, '_>, n: i64, id: &str, body: Option<&FactBody>) -> Result<(), TxError> {
    let Some(FactBody { body, used_at }) = body else {
        tx.sql.execute("DELETE FROM facts WHERE fact_set = ?1 AND id = ?2", (n, id))?;
        return Ok(());
    };
    let put = "INSERT INTO facts (fact_set, id, used_at, body) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT DO UPDATE SET body = excluded.body, \
               used_at = nullif(max(coalesce(used_at, -1), coalesce(excluded.used_at, -1)), -1)";
    tx.sql.execute(put, (n, id, used_at.map(|at| at.0), body))?;
    Ok(())
}

/// Raises the times of last use. Returns false if none was raised.
fn touch(tx: &Tx<'_, '_>, n: i64, used: &[FactId], at: Timestamp) -> Result<bool, TxError> {
    let touch =
        "UPDATE facts SET used_at = ?3 WHERE fact_set = ?1 AND id = ?2 AND coalesce(used_at, -1) < ?3";
    let mut newer = 0;
    for id in used {
        newer += tx.sql.execute(touch, (n, id.as_str(), at.0))?;
    }
    Ok(newer > 0)
}

fn read(
    sql: &Connection,
    key: &FactKey,
    known: Option<FactsVersion>,
) -> rusqlite::Result<Option<StoredFacts>> {
    let set = (&key.tenant, key.scope.as_str(), &key.scope_id);
    let found = sql.prepare_cached(SELECT_SET)?.query_row(set, set_version).optional()?;
    let (n, version) = found.unwrap_or_default();
    if known == Some(version) {
        return Ok(None);
    }
    let entry = |row: &Row<'_>| {
        let used_at = row.get::<_, Option<i64>>(1)?.map(Timestamp);
        Ok((row.get(0)?, FactBody { body: row.get(2)?, used_at }))
    };
    let select = "SELECT id, used_at, body FROM facts WHERE fact_set = ?1 ORDER BY id";
    let entries = sql.prepare_cached(select)?.query_map([n], entry)?.collect::<Result<_, _>>()?;
    Ok(Some(StoredFacts { version, entries }))
}

fn key(tenant: &str, row: &Row<'_>) -> rusqlite::Result<Option<FactKey>> {
    let scope = FactScope::parse(&row.get::<_, String>(0)?);
    let scope_id = row.get(1)?;
    Ok(scope.map(|scope| FactKey { tenant: tenant.into(), scope, scope_id }))
}

fn sets(
    sql: &Connection,
    tenant: &str,
    after: Option<&FactKey>,
    limit: u32,
) -> rusqlite::Result<Vec<FactKey>> {
    let after = after.map_or(("", ""), |after| (after.scope.as_str(), after.scope_id.as_str()));
    let select = "SELECT scope, scope_id FROM fact_sets WHERE tenant = ?1 AND (scope, scope_id) > (?2, ?3) \
                  ORDER BY scope, scope_id LIMIT ?4";
    let mut statement = sql.prepare_cached(select)?;
    let found = statement.query_map((tenant, after.0, after.1, limit), |row| key(tenant, row))?;
    found.filter_map(Result::transpose).collect()
}

fn set_of(sql: &Connection, tenant: &str, fact: &FactId) -> rusqlite::Result<Option<FactKey>> {
    let select = "SELECT s.scope, s.scope_id FROM facts f JOIN fact_sets s ON s.n = f.fact_set \
                  WHERE f.id = ?2 AND s.tenant = ?1";
    let found =
        sql.prepare_cached(select)?.query_row((tenant, fact.as_str()), |row| key(tenant, row)).optional()?;
    Ok(found.flatten())
}

#[async_trait]
impl Facts for SqliteStore {
    async fn facts(
        &self,
        key: &FactKey,
        known: Option<FactsVersion>,
    ) -> Result<Option<StoredFacts>, StoreError> {
        self.read("read facts", |sql| read(sql, key, known))
    }

    async fn fact_sets(
        &self,
        tenant: &str,
        after: Option<&FactKey>,
        limit: u32,
    ) -> Result<Vec<FactKey>, StoreError> {
        self.read("list facts", |sql| sets(sql, tenant, after, limit))
    }

    async fn fact_set_of(&self, tenant: &str, fact: &FactId) -> Result<Option<FactKey>, StoreError> {
        self.read("look for a fact", |sql| set_of(sql, tenant, fact))
    }
}
