//! A database file behind the store's back, for tests: what is in it, and changes to it that have to be noticed.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Value, json};

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

/// A row of any table: the table, and its cells with the names of their columns.
pub type RawRow = (String, Vec<(String, Value)>);

/// Returns every row of every table of a file, and of the log beside it. Bytes are lists of numbers.
///
/// # Errors
///
/// The file cannot be opened, or SQLite cannot read it.
pub fn raw_rows(file: &Path) -> Result<Vec<RawRow>, StoreError> {
    read_rows(file).map_err(|error| sqlite_error(file, &error))
}

fn read_rows(file: &Path) -> rusqlite::Result<Vec<RawRow>> {
    let sql = Connection::open(file)?;
    let mut tables =
        sql.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")?;
    let tables = tables.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for table in tables {
        let mut select = sql.prepare(&format!("SELECT * FROM \"{table}\""))?;
        let columns: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut found = select.query([])?;
        while let Some(row) = found.next()? {
            let cell = |(n, name): (usize, &String)| Ok((name.clone(), cell(row.get_ref(n)?)));
            let cells = columns.iter().enumerate().map(cell).collect::<rusqlite::Result<_>>()?;
            rows.push((table.clone(), cells));
        }
    }
    Ok(rows)
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => json!(bytes),
    }
}
