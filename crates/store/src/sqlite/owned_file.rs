//! Ownership of the database file: one process at a time, whatever path leads to it
//! (`docs/design/0045-one-owner-of-a-store.md`).
//!
//! - The lock is on the file itself, so links, mounts and a removed lock file lead to the same one.
//! - The lock beside the path is for a file that was replaced under the same name: the newcomer would read the log of the
//!   old one.
//! - A file with several names is refused: SQLite derives its log's name from the path, and two logs damage a database.

use std::collections::BTreeSet;
use std::fs::{File, Metadata, TryLockError};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::private_file;
use crate::contract::StoreError;

/// Most symbolic links that are followed from one path.
const MOST_LINKS: usize = 40;

/// Returns the path of the database that `path` leads to: symbolic links of the file itself are followed, also to a file
/// that is not there yet. Whatever is named after a database, its key for one, is named after this path.
#[must_use]
pub fn database_file(path: &Path) -> PathBuf {
    let mut file = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = std::fs::read_link(&file) else { break };
        file = file.parent().unwrap_or(Path::new("")).join(target);
    }
    file
}

/// Returns the address that the process wrote down which owns a database, if it serves at one. It holds only while the
/// database is [`StoreError::InUse`]: a new owner takes the address of the last one away first.
#[must_use]
pub fn owner_address(path: &Path) -> Option<String> {
    let written = std::fs::read_to_string(lock_file(&database_file(path))).ok()?;
    Some(written.trim().to_owned()).filter(|address| !address.is_empty())
}

/// Returns the path of the lock beside a database.
fn lock_file(database: &Path) -> PathBuf {
    let mut beside = database.as_os_str().to_owned();
    beside.push(".lock");
    PathBuf::from(beside)
}

/// Identity of a file on this machine: its device and its number there.
type FileId = (u64, u64);

#[cfg(unix)]
fn id_of(about: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn id_of(_: &Metadata) -> Option<FileId> {
    None
}

#[cfg(unix)]
fn names_of(about: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(about)
}

#[cfg(not(unix))]
fn names_of(_: &Metadata) -> u64 {
    1
}

/// Files that this process owns. To close any descriptor of a file ends every lock that SQLite holds on it in this
/// process, so a second opening must be refused before it opens the file.
static OWNED: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());

fn owned() -> std::sync::MutexGuard<'static, BTreeSet<FileId>> {
    OWNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The database file of this process, locked until it is dropped. It has to outlive every connection to the file.
#[derive(Debug)]
pub(super) struct OwnedFile {
    path: PathBuf,
    id: Option<FileId>,
    _file: File,
    beside: File,
}

impl OwnedFile {
    /// Locks the database, creating an empty file if there is none.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another owner has it, [`StoreError::HardLinked`] if the file has several names,
    /// [`StoreError::Open`] if it cannot be used.
    pub(super) fn take(path: &Path) -> Result<Self, StoreError> {
        let shown = || path.display().to_string();
        let cannot = |why: String| StoreError::Open { what: shown(), why };
        let in_use = || StoreError::InUse { what: shown() };
        let file = database_file(path);
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder
            .canonicalize()
            .map_err(|e| cannot(format!("its folder {} cannot be used: {e}", folder.display())))?;
        let name = file.file_name().ok_or_else(|| cannot("it is not the path of a file".into()))?;
        let file = folder.join(name);

        let beside = lock_file(&file);
        let opened = private_file::open(&beside)
            .map_err(|e| cannot(format!("its lock file {} cannot be opened: {e}", beside.display())))?;
        lock(&opened, in_use, |e| {
            cannot(format!("its lock file {} cannot be locked: {e}", beside.display()))
        })?;
        // A process that was killed left its address.
        write_address(&opened, "")
            .map_err(|e| cannot(format!("its lock file {} cannot be written: {e}", beside.display())))?;

        let unusable = |e: std::io::Error| cannot(e.to_string());
        if let Ok(about) = file.metadata() {
            if !about.is_file() {
                return Err(cannot("it is not a file".into()));
            }
            if id_of(&about).is_some_and(|id| owned().contains(&id)) {
                return Err(in_use());
            }
        }
        let database = private_file::open(&file).map_err(unusable)?;
        // Elsewhere such a lock would keep SQLite's own away, so there the lock beside and the session stand alone.
        if cfg!(target_os = "linux") {
            lock(&database, in_use, unusable)?;
        }
        let about = database.metadata().map_err(unusable)?;
        let names = names_of(&about);
        if names > 1 {
            return Err(StoreError::HardLinked { what: shown(), names });
        }
        let id = id_of(&about);
        owned().extend(id);
        let taken = Self { path: file, id, _file: database, beside: opened };
        taken.in_place().map_err(cannot)?;
        Ok(taken)
    }

    /// Writes the address at which this process serves into the lock file. A failure is logged: whoever looks for the
    /// server then has to be told where it is.
    pub(super) fn publish_address(&self, address: &str) {
        if let Err(error) = write_address(&self.beside, address) {
            tracing::warn!(%error, "the address of this server cannot be written into the lock file");
        }
    }

    /// Returns the path of the file, without symbolic links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the path still leads to the file that was locked.
    ///
    /// # Errors
    /// The reason, as a clause: the file is gone, or another one has taken its place.
    pub(super) fn in_place(&self) -> Result<(), String> {
        match self.path.metadata() {
            Ok(about) if id_of(&about) == self.id => Ok(()),
            Ok(_) => Err("another file has taken its place".into()),
            Err(error) => Err(format!("it is gone from its place ({error})")),
        }
    }
}

impl Drop for OwnedFile {
    fn drop(&mut self) {
        // An address that stays is taken away by the next owner.
        let _ = write_address(&self.beside, "");
        if let Some(id) = self.id {
            owned().remove(&id);
        }
    }
}

fn write_address(mut lock: &File, address: &str) -> std::io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    lock.write_all(address.as_bytes())
}

fn lock(
    file: &File,
    in_use: impl FnOnce() -> StoreError,
    cannot: impl FnOnce(std::io::Error) -> StoreError,
) -> Result<(), StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(in_use()),
        Err(TryLockError::Error(error)) => Err(cannot(error)),
    }
}
