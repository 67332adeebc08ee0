//! Opening a file: SQLite version, settings, schema.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{private_file, wal_damage};
use crate::contract::StoreError;

/// Migrations in their order. `PRAGMA user_version` is the number of those that were applied.
pub(super) const MIGRATIONS: &[&str] = &[
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

/// Marks a file as ours, so that another program's database is never written to: `thl`, and the number of the series of
/// migrations.
pub(super) const APPLICATION_ID: i32 = 0x7468_6c32;

/// The series before the first release. Its rows mean something else, so its files are refused.
const UNRELEASED: i32 = 0x7468_6c31;

/// Oldest version of SQLite. Earlier ones have bugs that can corrupt a database with a write-ahead log.
const OLDEST: [u32; 3] = [3, 51, 3];

/// Pages in the write-ahead log at which it is copied back: 64 MiB. Copying slows turns down, and the longer the log,
/// the more often a page that changed several times is copied once.
pub(super) const CHECKPOINT_PAGES: i64 = 16_384;

/// KiB of pages that the writer keeps. A group changes a tenth of that at most; pages that it reads again are in the
/// system's cache, and a larger one of its own made no turn cheaper.
const WRITER_CACHE: i64 = 8_192;

/// Returns an error if that version of SQLite is too old.
pub(super) fn check_version(version: &str) -> Result<(), String> {
    let mut parts = version.split('.').map(str::parse::<u32>);
    let mut next = || parts.next().and_then(Result::ok).unwrap_or(0);
    let linked = [next(), next(), next()];
    if linked >= OLDEST {
        return Ok(());
    }
    let [major, minor, patch] = OLDEST;
    Err(format!("SQLite {version} is too old, {major}.{minor}.{patch} is the oldest that is safe (TL-6101)"))
}

pub(super) fn open_error(path: &Path, why: impl ToString) -> StoreError {
    StoreError::Open { what: path.display().to_string(), why: why.to_string() }
}

/// Returns an error if the write-ahead log is damaged in its middle: SQLite would undo what is behind it.
pub(super) fn refuse_damaged_log(path: &Path) -> Result<(), StoreError> {
    let Some(damage) = wal_damage::find(path) else { return Ok(()) };
    let log = wal_damage::log_of(path);
    Err(open_error(
        path,
        format!(
            "its log {log} is damaged at byte {at}, and {commits} commits behind that would be undone; restore a backup, or \
             go on without them: `truncate -s {at} {log}`",
            log = log.display(),
            at = damage.whole,
            commits = damage.commits
        ),
    ))
}

/// Opens the connection that writes, and brings the schema up to date.
pub(super) fn open_writer(path: &Path, busy_timeout: Duration) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    private_file::close_to_others(path);
    let mut connection = connect(path, flags, busy_timeout)?;
    let set_up = || -> rusqlite::Result<()> {
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "secure_delete", true)?;
        connection.pragma_update(None, "temp_store", "memory")?;
        connection.pragma_update(None, "cache_size", -WRITER_CACHE)?;
        // Checkpoints are run by the writer thread between groups, never inside a commit.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.pragma_update(None, "journal_size_limit", CHECKPOINT_PAGES * 4_096)?;
        Ok(())
    };
    set_up().map_err(|e| sqlite_error(path, &e))?;
    migrate(path, &mut connection)?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(super) fn open_reader(path: &Path, busy_timeout: Duration) -> Result<Connection, StoreError> {
    // Not SQLITE_OPEN_READ_ONLY: a reader of a write-ahead log writes a lock into the log's index.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = connect(path, flags, busy_timeout)?;
    let set_up = || -> rusqlite::Result<String> {
        connection.pragma_update(None, "query_only", true)?;
        connection.pragma_update(None, "cache_size", -4_096)?;
        connection.pragma_query_value(None, "journal_mode", |row| row.get(0))
    };
    let mode = set_up().map_err(|e| sqlite_error(path, &e))?;
    // The connection that writes is told that it has a log before that is synced; where the sync fails nobody is told, and
    // writes would go on in the mode of before. Only another connection sees the mode of the file.
    if mode != "wal" {
        let why = format!("it cannot be given a write-ahead log, and stays in journal mode {mode}");
        return Err(open_error(path, why));
    }
    Ok(connection)
}

/// Opens a connection that only copies the write-ahead log back.
pub(super) fn open_copier(path: &Path, busy_timeout: Duration) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = connect(path, flags, busy_timeout)?;
    let set_up = || -> rusqlite::Result<()> {
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "cache_size", -256)
    };
    set_up().map_err(|e| sqlite_error(path, &e))?;
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags, busy_timeout: Duration) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags).map_err(|e| sqlite_error(path, &e))?;
    let set_up = || -> rusqlite::Result<()> {
        connection.busy_timeout(busy_timeout)?;
        connection.set_prepared_statement_cache_capacity(256);
        // Without it SQLite plans a statement with `LIMIT ?` again whenever the value is bound.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.pragma_update(None, "mmap_size", 0)
    };
    set_up().map_err(|e| sqlite_error(path, &e))?;
    Ok(connection)
}

pub(super) fn sqlite_error(path: &Path, error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::InUse { what: path.display().to_string() }
        }
        _ => open_error(path, error),
    }
}

fn migrate(path: &Path, connection: &mut Connection) -> Result<(), StoreError> {
    let applied = applied_migrations(path, connection)?;
    let run = |connection: &mut Connection| -> rusqlite::Result<()> {
        for (number, sql) in (1_i64..).zip(MIGRATIONS).skip(applied) {
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            transaction.execute_batch(sql)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", number)?;
            transaction.commit()?;
        }
        Ok(())
    };
    run(connection).map_err(|e| sqlite_error(path, &e))
}

/// Returns the number of migrations that there are.
pub(super) const fn newest_schema() -> usize {
    MIGRATIONS.len()
}

/// Returns the number of applied migrations, or an error if the file is not ours or of a newer version.
pub(super) fn applied_migrations(path: &Path, connection: &Connection) -> Result<usize, StoreError> {
    let read = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let read = |name: &str| read(name).map_err(|e| sqlite_error(path, &e));
    let (application, version) = (read("application_id")?, read("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|e| sqlite_error(path, &e))?;
    if application == i64::from(UNRELEASED) {
        let why = "it was written by a version before the first release, which this one cannot read; move it away and \
                   a new one is made (TL-6103)";
        return Err(open_error(path, why));
    }
    if tables > 0 && application != i64::from(APPLICATION_ID) {
        return Err(open_error(path, "it is the database of another program"));
    }
    match usize::try_from(version) {
        Ok(version) if version <= MIGRATIONS.len() => Ok(version),
        _ => Err(open_error(path, format!("it was written by a newer version (schema {version}) (TL-6103)"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_sqlite_is_refused() {
        assert_eq!(check_version("3.51.3"), Ok(()));
        assert_eq!(check_version("3.52.0"), Ok(()));
        assert_eq!(check_version("4.0.0"), Ok(()));
        for old in ["3.51.2", "3.50.9", "3.9.10", "2.99.99", "x"] {
            let why = check_version(old).unwrap_err();
            assert!(why.contains("TL-6101") && why.contains(old), "{why}");
        }
    }

    #[test]
    fn the_linked_sqlite_is_new_enough() {
        assert_eq!(check_version(rusqlite::version()), Ok(()));
    }
}
