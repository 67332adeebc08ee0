//! What can go wrong inside an operation, and how a caller is told.

use rusqlite::ErrorCode;

use crate::contract::{CommitResult, StoreError};

/// Why an operation inside the writer's transaction stops. Whatever it wrote is undone.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite said no.
    Sql(rusqlite::Error),
    /// The caller asked for something that cannot be: a bug of the caller.
    Refused(String),
    /// A turn is not written after all, for this reason, but some of it was.
    Lost(CommitResult),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// What the caller of a writing operation is told.
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
        _ => StoreError::Backend { act, why },
    }
}

/// What the caller of a reading operation is told.
pub(super) fn read_error(act: &'static str, error: &rusqlite::Error) -> StoreError {
    StoreError::Backend { act, why: error.to_string() }
}

/// A failed sync leaves nobody knowing what is on the disk, and asking again may wrongly say "fine": the kernel
/// forgets the pages it could not write. Only a fresh start from the log is safe (`spec 06 §10`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    /// This operation failed; the next may succeed.
    Passing,
    /// Stop the process.
    Fatal,
}

pub(super) fn severity(error: &rusqlite::Error) -> Severity {
    const FATAL: [i32; 2] = [rusqlite::ffi::SQLITE_IOERR_FSYNC, rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC];
    match error.sqlite_error() {
        Some(error) if FATAL.contains(&error.extended_code) => Severity::Fatal,
        _ => Severity::Passing,
    }
}

/// Stops the process when a sync failed.
pub(super) fn stop_if_fatal(act: &str, error: &rusqlite::Error) {
    if severity(error) == Severity::Fatal {
        tracing::error!(act, %error, "cannot sync the database to disk; stopping so that nothing is told to be kept");
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
            StoreError::Backend { .. }
        ));
    }
}
