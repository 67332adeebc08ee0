//! Copies of a database while a process works on it, and the version of a file's schema.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::open::{applied_migrations, newest_schema, open_error, sqlite_error};
use super::{BUSY_TIMEOUT, database_file, private_file};
use crate::contract::StoreError;

/// Versions of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaVersion {
    /// Migrations that were applied to the database.
    pub applied: usize,
    /// Migrations that this program knows. Opening a store applies them all.
    pub newest: usize,
}

/// Returns the version of a file's schema, and changes nothing.
///
/// # Errors
/// The file cannot be read, is not ours, or a newer version wrote it.
pub fn schema_version(path: &Path) -> Result<SchemaVersion, StoreError> {
    let path = &database_file(path);
    let connection = read(path)?;
    Ok(SchemaVersion { applied: applied_migrations(path, &connection)?, newest: newest_schema() })
}

/// Copies the database as it is at this moment, whoever works on it meanwhile, and looks the copy over. The copy is one
/// file without a log, and its owner's alone.
///
/// # Errors
/// The database cannot be read, the copy cannot be written or is damaged, or there is something in its place.
pub fn backup(path: &Path, to: &Path) -> Result<(), StoreError> {
    let path = &database_file(path);
    let connection = read(path)?;
    applied_migrations(path, &connection)?;
    let new = beside(to);
    let _ = std::fs::remove_file(&new);
    let cannot = |error: std::io::Error| open_error(to, format!("the copy cannot be written: {error}"));
    // Created first, so that nobody else may ever read it.
    drop(private_file::open(&new).map_err(cannot)?);
    let copied = copy(path, &connection, &new).and_then(|()| {
        // A link and no renaming, which would replace what is there.
        std::fs::hard_link(&new, to).map_err(cannot)?;
        sync_folder(to).map_err(cannot)
    });
    let _ = std::fs::remove_file(&new);
    copied
}

fn read(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| sqlite_error(path, &error))?;
    let set_up = || -> rusqlite::Result<()> {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "query_only", true)
    };
    set_up().map_err(|error| sqlite_error(path, &error))?;
    Ok(connection)
}

fn copy(path: &Path, connection: &Connection, new: &Path) -> Result<(), StoreError> {
    let file = new.to_str().ok_or_else(|| open_error(new, "its path is not UTF-8"))?;
    connection.pragma_update(None, "query_only", false).map_err(|error| sqlite_error(path, &error))?;
    connection.execute("VACUUM INTO ?1", [file]).map_err(|error| sqlite_error(path, &error))?;
    let copy = Connection::open_with_flags(new, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| sqlite_error(new, &error))?;
    let found: String = copy
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .map_err(|error| sqlite_error(new, &error))?;
    if found != "ok" {
        return Err(open_error(new, format!("the copy is damaged: {found}")));
    }
    let synced = std::fs::File::open(new).and_then(|file| file.sync_all());
    synced.map_err(|error| open_error(new, format!("the copy cannot be synced: {error}")))
}

/// Returns the name under which a copy is made.
fn beside(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

fn sync_folder(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    std::fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::conformance::block_on;
    use crate::conformance::fixture::{LaneWriter, lane};
    use crate::{Lanes, SqliteStore, SystemClock};

    fn open(path: &Path) -> SqliteStore {
        SqliteStore::open(path, Arc::new(SystemClock::default())).unwrap()
    }

    #[test]
    fn a_copy_has_what_was_committed_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("a.db"), folder.path().join("copy.db"));
        let store = open(&path);
        let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
        block_on(writer.commit(writer.turn()));
        backup(&path, &to).unwrap();
        block_on(writer.commit(writer.turn()));
        let revision = |store: &SqliteStore| block_on(store.load(&lane("C1"))).unwrap().unwrap().revision;
        assert_eq!((revision(&store), revision(&open(&to))), (2, 1));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(to.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn nothing_is_replaced_and_no_other_file_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("a.db"), folder.path().join("copy.db"));
        drop(open(&path));
        std::fs::write(&to, "mine").unwrap();
        assert!(backup(&path, &to).is_err());
        assert_eq!(std::fs::read(&to).unwrap(), b"mine");
        std::fs::remove_file(&to).unwrap();
        assert!(backup(&folder.path().join("none.db"), &to).is_err());
        let other = folder.path().join("other.db");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
        assert!(backup(&other, &to).unwrap_err().to_string().contains("another program"));
        assert!(!to.exists());
        let left = std::fs::read_dir(folder.path()).unwrap().flatten();
        assert!(left.into_iter().all(|file| !file.file_name().to_string_lossy().ends_with(".new")));
    }

    #[test]
    fn a_schema_is_told_without_opening_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        drop(open(&path));
        let version = schema_version(&path).unwrap();
        assert!(version.applied == version.newest && version.newest >= 8, "{version:?}");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 3).unwrap();
        assert_eq!(schema_version(&path).unwrap().applied, 3);
    }
}
