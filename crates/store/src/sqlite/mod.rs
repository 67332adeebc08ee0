//! The contract on SQLite: one file, one process, one thread that writes, a few connections that read.
//!
//! - `writer` is the group commit; everything that writes goes through it.
//! - Reads run on the calling thread: they take some twenty microseconds, less than handing them over would.
//! - The schema and its constraints are in `migrations/`.

mod approvals;
mod book;
mod buttons;
mod checkpoint;
mod codec;
mod commit;
mod erasing;
mod facts;
mod fault;
mod inbox;
mod keeping;
mod lanes;
mod memo;
mod open;
mod outbox;
mod place;
mod settle;
mod spot;
#[cfg(test)]
mod tests;
mod turns;
mod writer;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension};
use throughline_engine::{LaneKey, Timestamp};

use crate::contract::{Clock, Store, StoreError};
use writer::Writer;

/// Connections that read.
const READERS: usize = 3;

/// How long a lock held by another program is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A store in one SQLite file. Dropping it finishes what waits and closes the file.
pub struct SqliteStore {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    // Dropped in this order: the writer copies its log back, then the readers close, then the lock is let go.
    writer: Writer,
    readers: Vec<Mutex<Connection>>,
    next_reader: AtomicUsize,
    _lock: File,
}

impl SqliteStore {
    /// Opens the file, makes it when it is new, and brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another process has it open, [`StoreError::Open`] when it cannot be used.
    pub fn open(path: impl AsRef<Path>, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_with(path.as_ref(), clock, PATIENCE)
    }

    fn open_with(path: &Path, clock: Arc<dyn Clock>, patience: Duration) -> Result<Self, StoreError> {
        let cannot = |why: String| StoreError::Open { what: path.display().to_string(), why };
        open::check_version(rusqlite::version()).map_err(cannot)?;
        if let Some(kind) = place::network_file_system(path) {
            return Err(cannot(format!(
                "it lies on a network file system ({kind}), where it would be damaged"
            )));
        }
        let lock = open::take_lock(path)?;
        let connection = open::open_writer(path, patience)?;
        open::begin_session(path, &connection, clock.now())?;
        let readers = (0..READERS).map(|_| Ok(Mutex::new(open::open_reader(path, patience)?)));
        let readers = readers.collect::<Result<Vec<_>, StoreError>>()?;
        let checkpoints = checkpoint::Checkpoints::start(path, patience)?;
        let writer = Writer::start(connection, clock.clone(), checkpoints).map_err(cannot)?;
        Ok(Self { path: path.into(), clock, writer, readers, next_reader: AtomicUsize::new(0), _lock: lock })
    }

    /// Reads from one moment's state of the file, on the calling thread.
    fn read<T>(
        &self,
        act: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with_reader(|sql| {
            let control = |what: &str| sql.prepare_cached(what)?.execute([]);
            control("BEGIN")?;
            let found = work(sql);
            control("COMMIT")?;
            found
        })
        .map_err(|error| fault::read_error(act, &error))
    }

    /// Hands out a reader that is free, or waits for the next one in turn.
    fn with_reader<T>(&self, work: impl FnOnce(&Connection) -> T) -> T {
        let first = self.next_reader.fetch_add(1, Ordering::Relaxed);
        for i in 0..READERS {
            match self.readers[(first + i) % READERS].try_lock() {
                Ok(reader) => return work(&reader),
                Err(TryLockError::Poisoned(reader)) => return work(&reader.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        work(&self.readers[first % READERS].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for SqliteStore {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn describe(&self) -> String {
        format!("sqlite {}", self.path.display())
    }

    async fn writable(&self) -> Result<(), StoreError> {
        if let Some(why) = self.writer.refused_lately() {
            return Err(StoreError::ReadOnly { act: writer::PROBE, why });
        }
        let probe = |tx: &mut writer::Tx<'_, '_>| {
            tx.sql.execute("UPDATE instance SET tried_at = ?1 WHERE one = 1", [tx.now.0])?;
            Ok(())
        };
        Ok(self.writer.call(writer::PROBE, probe).await?)
    }
}

/// The number of a lane in this file.
fn lane_number(sql: &Connection, lane: &LaneKey) -> rusqlite::Result<Option<i64>> {
    sql.prepare_cached("SELECT n FROM lanes WHERE tenant = ?1 AND id = ?2")?
        .query_row((&lane.tenant, lane.id().as_str()), |row| row.get(0))
        .optional()
}
