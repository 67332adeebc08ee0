//! Files that hold what people said: only their owner may read and write them, whatever the umask.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Suffixes of the files that SQLite keeps beside a database. It gives new ones the mode of the database.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// Opens a file to read and write it, and creates it if there is none.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    restrict(path);
    Ok(file)
}

/// Closes a database file and those beside it to others.
pub(super) fn close_to_others(database: &Path) {
    restrict(database);
    for suffix in BESIDE {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        restrict(&PathBuf::from(name));
    }
}

/// Takes the rights of others away. Some file systems keep no rights, and some files are another owner's: the start does
/// not fail for that.
fn restrict(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map(|found| found.permissions().mode() & 0o777);
        if mode.is_ok_and(|mode| mode != 0o600) {
            let _ = std::fs::set_permissions(path, PermissionsExt::from_mode(0o600));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    use crate::{SqliteStore, SystemClock};

    /// Files of every mode, as a umask or an earlier version left them.
    #[test]
    fn every_file_of_a_database_is_its_owners_alone() {
        for mode in [None, Some(0o666), Some(0o644), Some(0o640), Some(0o700)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.db");
            if let Some(mode) = mode {
                drop(SqliteStore::open(&path, Arc::new(SystemClock::default())).unwrap());
                for entry in fs::read_dir(folder.path()).unwrap() {
                    fs::set_permissions(entry.unwrap().path(), PermissionsExt::from_mode(mode)).unwrap();
                }
            }
            let store = SqliteStore::open(&path, Arc::new(SystemClock::default())).unwrap();
            let mut names = Vec::new();
            for entry in fs::read_dir(folder.path()).unwrap() {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{name} {mode:?}");
                names.push(name);
            }
            names.sort();
            assert_eq!(names, ["a.db", "a.db-shm", "a.db-wal", "a.db.lock"]);
            drop(store);
        }
    }
}
