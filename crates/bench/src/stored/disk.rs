//! The size of a database on the disk.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// Returns the bytes of a closed database: its write-ahead log was copied back when it was closed.
pub(crate) fn bytes(database: &Path) -> anyhow::Result<u64> {
    Ok(std::fs::metadata(database)?.len())
}

/// Returns the bytes by table and index, most first.
pub(crate) fn parts(database: &Path) -> anyhow::Result<Vec<(String, i64)>> {
    let db = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut pages = db.prepare("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC")?;
    let parts = pages.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(parts.collect::<Result<_, _>>()?)
}
