//! Errors inside the writer's transaction, and what they become for the caller.

use std::time::Duration;

use rusqlite::ErrorCode;

use crate::contract::{CommitResult, StoreError};

/// Error of an operation in the writer's transaction. The operation's writes are rolled back.
#[derive(Debug)]
pub(super) enum TxError {
    /// SQLite returned an error.
    Sql(rusqlite::Error),
    /// The caller asked for something impossible, because of a bug.
    Refused(String),
    /// Another process has begun a session on the file.
    TakenOver,
    /// The path no longer leads to the file: its path, and the reason as a clause.
    Moved(String, String),
    /// A commit found out that it must not be made after it had begun to write.
    NotCommitted(CommitResult),
}

impl From<rusqlite::Error> for TxError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// Converts the error of a write for its caller.
pub(super) fn write_error(act: &'static str, error: &rusqlite::Error) -> StoreError {
    let why = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let why = format!("another program holds a lock on the database file: {why}");
            StoreError::ReadOnly { act, why }
        }
        Some(
            ErrorCode::DiskFull | ErrorCode::SystemIoFailure | ErrorCode::ReadOnly | ErrorCode::CannotOpen,
        ) => StoreError::ReadOnly { act, why },
        Some(ErrorCode::ConstraintViolation) => StoreError::Refused { act, why },
        _ => read_error(act, error),
    }
}

/// Converts the error of a read for its caller.
pub(super) fn read_error(act: &'static str, error: &rusqlite::Error) -> StoreError {
    let why = error.to_string();
    if is_damage(error) { StoreError::Damaged { act, why } } else { StoreError::Backend { act, why } }
}

/// Returns true if SQLite found a page damaged, or found a value that this store never writes there.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    match error {
        FromSqlConversionFailure(..)
        | IntegralValueOutOfRange(..)
        | InvalidColumnType(..)
        | Utf8Error(..) => true,
        _ => matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)),
    }
}

/// Severity of an error of SQLite.
///
/// After a failed sync the contents of the disk are unknown, and a second sync may wrongly succeed, because the kernel
/// forgets pages that it could not write. Only a new start, which reads the log from disk, is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    /// The operation failed; the next one may succeed.
    Passing,
    /// The process has to stop.
    Fatal,
}

pub(super) fn severity(error: &rusqlite::Error) -> Severity {
    const FATAL: [i32; 2] = [rusqlite::ffi::SQLITE_IOERR_FSYNC, rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC];
    match error.sqlite_error() {
        Some(error) if FATAL.contains(&error.extended_code) => Severity::Fatal,
        _ => Severity::Passing,
    }
}

/// Time that the log has to be written before the process stops. Whoever writes it may be another thread.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Stops the process if a sync failed.
pub(super) fn stop_if_fatal(act: &str, error: &rusqlite::Error) {
    if severity(error) == Severity::Fatal {
        tracing::error!(
            act,
            %error,
            code = "TL-6207",
            "cannot sync the database to disk; stopping, because nothing more can be promised to be kept"
        );
        std::thread::sleep(LAST_WORDS);
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
    }

    #[test]
    fn only_a_failed_sync_stops_the_process() {
        assert_eq!(severity(&failure(rusqlite::ffi::SQLITE_IOERR_FSYNC)), Severity::Fatal);
        assert_eq!(severity(&failure(rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC)), Severity::Fatal);
        assert_eq!(severity(&failure(rusqlite::ffi::SQLITE_IOERR_WRITE)), Severity::Passing);
        assert_eq!(severity(&failure(rusqlite::ffi::SQLITE_FULL)), Severity::Passing);
    }

    #[test]
    fn what_takes_no_writes_is_told_apart_from_what_was_refused() {
        for code in [
            rusqlite::ffi::SQLITE_FULL,
            rusqlite::ffi::SQLITE_IOERR_WRITE,
            rusqlite::ffi::SQLITE_READONLY,
            rusqlite::ffi::SQLITE_CANTOPEN,
            rusqlite::ffi::SQLITE_BUSY,
        ] {
            assert!(matches!(write_error("try", &failure(code)), StoreError::ReadOnly { .. }), "{code}");
        }
        let constraint = write_error("try", &failure(rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE));
        assert!(matches!(constraint, StoreError::Refused { .. }));
        assert!(matches!(
            write_error("try", &failure(rusqlite::ffi::SQLITE_CORRUPT)),
            StoreError::Damaged { .. }
        ));
    }

    #[test]
    fn a_value_that_is_never_written_is_damage() {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        let read = |sql: &str| db.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap_err();
        for sql in ["SELECT 1", "SELECT NULL", "SELECT CAST(x'ff' AS TEXT)"] {
            assert!(matches!(read_error("try", &read(sql)), StoreError::Damaged { .. }), "{sql}");
        }
        let negative = db.query_row("SELECT -1", [], |row| row.get::<_, u32>(0)).unwrap_err();
        assert!(matches!(read_error("try", &negative), StoreError::Damaged { .. }));
        let absent = db.query_row("SELECT 1 WHERE 0", [], |row| row.get::<_, u32>(0)).unwrap_err();
        assert!(matches!(read_error("try", &absent), StoreError::Backend { .. }));
    }
}
