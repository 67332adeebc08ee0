//! Opening: the server's version and role, and migrations under a lock.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::{Client, Config};

use super::error::words;
use super::session::{self, Address};
use super::tls;
use crate::contract::StoreError;
use crate::sqlite::SchemaVersion;

/// Migrations by number, numbered and named like those of SQLite.
pub(super) const MIGRATIONS: [&str; 12] = [
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_erasures.sql"),
    include_str!("migrations/0003_facts.sql"),
    include_str!("migrations/0004_releases.sql"),
    include_str!("migrations/0005_participants.sql"),
    include_str!("migrations/0006_document_subjects.sql"),
    include_str!("migrations/0007_last_time.sql"),
    include_str!("migrations/0008_replicas.sql"),
    include_str!("migrations/0009_delivery_keys.sql"),
    include_str!("migrations/0010_turn_positions.sql"),
    include_str!("migrations/0011_acts_of_hosts.sql"),
    include_str!("migrations/0012_answers.sql"),
];

/// Number of the advisory lock under which one process migrates.
const LOCK: i64 = 0x7468_726f_7567_686c;

/// Oldest server that is supported.
const OLDEST: i32 = 140_000;

fn refused(what: &str, why: impl Into<String>) -> StoreError {
    StoreError::Open { what: what.into(), why: why.into() }
}

/// Names a server and its database without a password.
pub(super) fn name_of(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    let database = config.get_dbname().or(config.get_user()).unwrap_or("throughline");
    format!("postgres {} on {}", database, hosts.join(", "))
}

/// Reads an address of a server. A connection to another machine is encrypted, unless the address says otherwise.
pub(super) fn address(url: &str, password: Option<&str>) -> Result<Address, StoreError> {
    let open = url.contains("sslmode=disable");
    let (url, tls) = tls::split(url).map_err(|why| refused("postgres", why))?;
    let mut config: Config =
        url.parse().map_err(|error: tokio_postgres::Error| refused("postgres", words(&error)))?;
    if tls.is_none() && !open && config.get_hosts().iter().any(is_elsewhere) {
        return Err(refused(&name_of(&config), ENCRYPT));
    }
    config.connect_timeout(Duration::from_secs(3)).application_name("throughline");
    // A half-open connection is noticed, whichever side is gone.
    config.tcp_user_timeout(Duration::from_secs(10)).keepalives_idle(Duration::from_secs(10));
    if config.get_hosts().len() > 1 {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    if config.get_password().is_none()
        && let Some(password) = password
    {
        config.password(password);
    }
    Ok(Address { config, tls })
}

const ENCRYPT: &str = "it is on another machine, and the connection would not be encrypted; add sslmode=require to its \
                       address, or sslmode=disable on a network that nobody else is on";

fn is_elsewhere(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let loopback = name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
            name != "localhost" && !loopback
        }
        #[cfg(unix)]
        Host::Unix(_) => false,
    }
}

/// Opens the first connection. A server that cannot be reached cannot be opened: there is nothing yet to be sent again.
pub(super) async fn connect(address: &Address, runtime: &Handle) -> Result<Client, StoreError> {
    session::connect(address, runtime, "open the database").await.map_err(|error| match error {
        StoreError::Backend { why, .. } => refused(&name_of(&address.config), why),
        error => error,
    })
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

/// Returns the version of the schema, and changes nothing.
pub(super) async fn schema_version(client: &Client, what: &str) -> Result<SchemaVersion, StoreError> {
    let there = "SELECT to_regclass('schema_versions') IS NOT NULL";
    let newest = "SELECT coalesce(max(number), 0) FROM schema_versions";
    let failed = |error: tokio_postgres::Error| refused(what, words(&error));
    let applied: i64 = match client.query_one(there, &[]).await.map_err(failed)?.get(0) {
        true => client.query_one(newest, &[]).await.map_err(failed)?.get(0),
        false => 0,
    };
    Ok(SchemaVersion { applied: usize::try_from(applied).unwrap_or(usize::MAX), newest: MIGRATIONS.len() })
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
