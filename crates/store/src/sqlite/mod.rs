//! The contract on SQLite: one file, one process, one thread that writes, a few connections that read. Each trait of
//! the contract is in the file of its name.
//!
//! - Every write goes through `writer`, which commits many callers' operations with one sync.
//! - Reads run on the calling thread: they take about twenty microseconds, less than handing them to another would.
//! - The schema and its constraints are in `migrations/`.

mod approvals;
mod audit;
mod backup;
mod buttons;
mod codec;
mod commit;
mod delivery_keys;
mod documents;
mod effects;
mod erasure;
mod error;
mod export;
mod facts;
mod file_system;
mod inbox;
mod kill_switch;
mod lane_index;
mod lanes;
mod open;
mod outbox;
mod owned_file;
#[cfg(test)]
mod owner_tests;
mod policies;
mod private_file;
mod record_key;
mod records;
mod requests;
mod session;
mod settle;
#[cfg(feature = "conformance")]
pub(crate) mod tamper;
#[cfg(test)]
mod tests;
mod timers;
mod turn_log;
mod wal_checkpoint;
mod wal_damage;
mod write_conn;
mod writer;
mod writer_state;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension};
use throughline_engine::{LaneKey, Timestamp};

use crate::clock::Clock;
use crate::contract::{Counts, FAILING, LONGEST_PLAN, Store, StoreError};
pub use backup::{SchemaVersion, backup, schema_version};
pub(crate) use export::{Columns, Page};
use owned_file::OwnedFile;
pub use owned_file::{database_file, owner_address};
use writer::Writer;

/// Number of connections that read.
const READERS: usize = 3;

/// Time to wait for a lock that another program holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// A store in one SQLite file. Dropping it finishes the queued writes and closes the file.
pub struct SqliteStore {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    // Dropped in this order: the writer copies its log back, then the readers close, then the lock is released.
    writer: Writer,
    readers: Vec<Mutex<Connection>>,
    next_reader: AtomicUsize,
    file: Arc<OwnedFile>,
}

impl SqliteStore {
    /// Opens the file, creating it if there is none, and brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another process has the file open, [`StoreError::Open`] if it cannot be used.
    pub fn open(path: impl AsRef<Path>, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_with(path.as_ref(), clock, BUSY_TIMEOUT)
    }

    fn open_with(path: &Path, clock: Arc<dyn Clock>, busy_timeout: Duration) -> Result<Self, StoreError> {
        let cannot = |why: String| StoreError::Open { what: path.display().to_string(), why };
        open::check_version(rusqlite::version()).map_err(cannot)?;
        if let Some(kind) = file_system::network_file_system(&database_file(path)) {
            return Err(cannot(format!(
                "it lies on a network file system ({kind}), where it would be damaged"
            )));
        }
        let file = Arc::new(OwnedFile::take(path)?);
        let at = file.path();
        open::refuse_damaged_log(at)?;
        let connection = open::open_writer(at, busy_timeout)?;
        session::begin(&connection, clock.now()).map_err(|e| open::sqlite_error(at, &e))?;
        let readers = (0..READERS).map(|_| Ok(Mutex::new(open::open_reader(at, busy_timeout)?)));
        let readers = readers.collect::<Result<Vec<_>, StoreError>>()?;
        let checkpoints = wal_checkpoint::WalCheckpointer::start(at, busy_timeout)?;
        let writer = Writer::start(connection, clock.clone(), checkpoints, file.clone()).map_err(cannot)?;
        Ok(Self { path: path.into(), clock, writer, readers, next_reader: AtomicUsize::new(0), file })
    }

    /// Lets the connections close without touching the files beside the path, if these are not ours any more: the last
    /// one to close would remove the log that lies there.
    fn leave_foreign_files(&self) {
        if self.file.in_place().is_ok() {
            return;
        }
        for reader in &self.readers {
            let reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = reader.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) {
                tracing::warn!(%error, "the log beside the path of the database may be removed");
            }
        }
    }

    /// Runs a read in one transaction, on the calling thread.
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
        .map_err(|error| error::read_error(act, &error))
    }

    /// Runs `work` with a connection that is free, or waits for one.
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

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.leave_foreign_files();
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
        if let Some(why) = self.writer.recent_refusal() {
            return Err(StoreError::ReadOnly { act: writer::PROBE, why });
        }
        let probe = |tx: &mut writer::Tx<'_, '_>| {
            tx.sql.execute("UPDATE instance SET tried_at = ?1 WHERE one = 1", [tx.now.0])?;
            Ok(())
        };
        Ok(self.writer.call(writer::PROBE, probe).await?)
    }

    async fn damage(&self) -> Result<Vec<String>, StoreError> {
        self.read("check the database file", |sql| {
            let mut check = sql.prepare("PRAGMA integrity_check")?;
            let lines = check.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
            Ok(lines.into_iter().filter(|line| line != "ok").collect())
        })
    }

    fn session(&self) -> Option<u64> {
        Some(self.writer.session().unsigned_abs())
    }

    fn publish_address(&self, address: &str) {
        self.file.publish_address(address);
    }

    async fn taken_over(&self) {
        self.writer.taken_over().await;
    }

    async fn counts(&self) -> Result<Counts, StoreError> {
        let now = self.clock.now();
        self.read("count what there is", |sql| counts(sql, now))
    }
}

/// Returns the number of a lane in this file.
fn lane_number(sql: &Connection, lane: &LaneKey) -> rusqlite::Result<Option<i64>> {
    sql.prepare_cached("SELECT n FROM lanes WHERE tenant = ?1 AND id = ?2")?
        .query_row((&lane.tenant, lane.id().as_str()), |row| row.get(0))
        .optional()
}

fn counts(sql: &Connection, now: Timestamp) -> rusqlite::Result<Counts> {
    let select = "SELECT (SELECT count(*) FROM inbox), (SELECT count(*) FROM handled WHERE state = 4), \
                  (SELECT count(*) FROM outbox WHERE wake IS NOT NULL), \
                  (SELECT count(*) FROM outbox WHERE state > 2 AND state = 4), \
                  (SELECT count(*) FROM approvals WHERE state = 0), (SELECT count(*) FROM lanes), \
                  (SELECT min(not_before) FROM outbox WHERE wake IS NOT NULL AND state = 0 AND not_before <= ?1), \
                  (SELECT received_at FROM inbox ORDER BY seq LIMIT 1), \
                  (SELECT count(*) FROM outbox WHERE wake > ?2 AND performer = 0), \
                  (SELECT count(DISTINCT lane) FROM inbox WHERE failures >= ?3)";
    let params = (now.0, now.plus(LONGEST_PLAN).0, FAILING);
    sql.prepare_cached(select)?.query_row(params, |row| {
        let count = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
        let oldest: Option<i64> = row.get(6)?;
        Ok(Counts {
            waiting: count(0)?,
            dead: count(1)?,
            open_effects: count(2)?,
            uncertain: count(3)?,
            approvals: count(4)?,
            lanes: count(5)?,
            oldest_due: oldest.map_or(0, |at| now.since(Timestamp(at))),
            oldest_waiting: row.get::<_, Option<i64>>(7)?.map_or(0, |at| now.since(Timestamp(at)).max(0)),
            far_effects: count(8)?,
            failing_lanes: count(9)?,
        })
    })
}
