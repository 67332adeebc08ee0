//! Changes to a database file behind the store's back, for tests of what is noticed.

use std::path::Path;

use rusqlite::Connection;

use super::open::sqlite_error;
use crate::contract::StoreError;

/// Runs statements on a file that nobody has open, as whoever may write the file could. Returns how many rows the last one
/// changed.
///
/// # Errors
///
/// The file cannot be opened, or SQLite refuses a statement.
pub fn tamper(file: &Path, sql: &str) -> Result<u64, StoreError> {
    let changed = Connection::open(file).map_err(|error| sqlite_error(file, &error))?;
    changed.execute_batch(sql).map_err(|error| sqlite_error(file, &error))?;
    Ok(changed.changes())
}
