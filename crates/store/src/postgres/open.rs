//! Opening: the server's version and role, and migrations under a lock.

use tokio_postgres::{Client, Config};

use super::error::words;
use crate::contract::StoreError;

/// Migrations by number, numbered and named like those of SQLite.
const MIGRATIONS: [&str; 7] = [
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_erasures.sql"),
    include_str!("migrations/0003_facts.sql"),
    include_str!("migrations/0004_releases.sql"),
    include_str!("migrations/0005_participants.sql"),
    include_str!("migrations/0006_document_subjects.sql"),
    include_str!("migrations/0007_last_time.sql"),
];

/// Number of the advisory lock under which one process migrates.
const LOCK: i64 = 0x7468_726f_7567_686c;

/// Oldest server that is supported.
const OLDEST: i32 = 140_000;

fn refused(what: &str, why: impl Into<String>) -> StoreError {
    StoreError::Open { what: what.into(), why: why.into() }
}

/// Names a database without its password.
pub(super) fn name_of(config: &Config) -> String {
    format!("postgres {}", config.get_dbname().or(config.get_user()).unwrap_or("throughline"))
}

/// Checks the server and brings its schema up to date.
pub(super) async fn prepare(client: &Client, what: &str) -> Result<(), StoreError> {
    let failed = |error: tokio_postgres::Error| refused(what, words(&error));
    check(client, what).await?;
    client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await.map_err(failed)?;
    let migrated = migrate(client, what).await;
    client.execute("SELECT pg_advisory_unlock($1)", &[&LOCK]).await.map_err(failed)?;
    migrated
}

async fn check(client: &Client, what: &str) -> Result<(), StoreError> {
    let ask = "SELECT current_setting('server_version_num')::int, current_setting('synchronous_commit'), \
               (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)";
    let row = client.query_one(ask, &[]).await.map_err(|error| refused(what, words(&error)))?;
    if row.get::<_, i32>(0) < OLDEST {
        return Err(refused(what, "the server is older than PostgreSQL 14"));
    }
    if row.get::<_, &str>(1) == "off" {
        return Err(refused(what, "synchronous_commit is off, so an answered write could be lost"));
    }
    if row.get(2) {
        return Err(refused(what, "its role is above row-level security; use one that is no superuser"));
    }
    Ok(())
}

async fn migrate(client: &Client, what: &str) -> Result<(), StoreError> {
    let failed = |error: tokio_postgres::Error| refused(what, words(&error));
    let table = "CREATE TABLE IF NOT EXISTS schema_versions (number BIGINT PRIMARY KEY)";
    client.batch_execute(table).await.map_err(failed)?;
    let newest = "SELECT coalesce(max(number), 0) FROM schema_versions";
    let newest: i64 = client.query_one(newest, &[]).await.map_err(failed)?.get(0);
    let done = usize::try_from(newest).unwrap_or(usize::MAX);
    if done > MIGRATIONS.len() {
        let why =
            format!("its schema is version {newest}, and this program knows {} (TL-6103)", MIGRATIONS.len());
        return Err(refused(what, why));
    }
    for (number, sql) in (1..).zip(MIGRATIONS).skip(done) {
        let step = format!("BEGIN; {sql}; INSERT INTO schema_versions VALUES ({number}); COMMIT");
        client.batch_execute(&step).await.map_err(failed)?;
    }
    Ok(())
}
