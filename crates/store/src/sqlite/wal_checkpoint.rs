//! Checkpoints of the write-ahead log: copying it back into the database.
//!
//! Copying 64 MiB back takes tens of milliseconds, for which every caller would wait if the writer did it. So a second
//! thread copies most of it while turns go on. The writer then copies the little that was written meanwhile, and its
//! next write begins the log from the start. A log that is never copied back as a whole would grow for ever.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::error::stop_if_fatal;
use super::open::{CHECKPOINT_PAGES, open_copier};
use crate::contract::StoreError;

/// Number of groups between two looks at the log. A look costs a few microseconds.
const GROUPS_BETWEEN_LOOKS: u32 = 8;

/// Pages that the writer copies back itself: 8 MiB.
const WRITER_PAGES: i64 = 2_048;

/// Pages in the log at which the writer copies all of it, because the other thread does not keep up.
const FALLBACK_PAGES: i64 = 8 * CHECKPOINT_PAGES;

/// Decides when the log is copied back, and by which thread.
pub(super) struct WalCheckpointer {
    groups: u32,
    /// True from an order to the thread until the writer has looked at the result.
    ordered: bool,
    busy: Arc<AtomicBool>,
    orders: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl WalCheckpointer {
    /// Starts the thread that copies.
    pub(super) fn start(path: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        let connection = open_copier(path, busy_timeout)?;
        let busy = Arc::new(AtomicBool::new(false));
        let (orders, received) = channel();
        let work = {
            let busy = busy.clone();
            move || copy_on_order(&connection, &received, &busy)
        };
        let thread = std::thread::Builder::new().name("sqlite-copy".into()).spawn(work).map_err(|e| {
            let why = format!("the thread that copies its log cannot be started: {e}");
            StoreError::Open { what: path.display().to_string(), why }
        })?;
        Ok(Self { groups: 0, ordered: false, busy, orders: Some(orders), thread: Some(thread) })
    }

    /// Called by the writer between groups, after it has answered the callers.
    pub(super) fn after_group(&mut self, sql: &Connection) {
        self.groups += 1;
        let just_copied = self.ordered && !self.busy.load(Ordering::Acquire);
        if !just_copied && (self.ordered || !self.groups.is_multiple_of(GROUPS_BETWEEN_LOOKS)) {
            return;
        }
        self.ordered = false;
        let (pages, copied) = log_pages(sql);
        if pages < CHECKPOINT_PAGES {
            return;
        }
        if pages - copied <= WRITER_PAGES || pages >= FALLBACK_PAGES {
            run_checkpoint(sql, "PRAGMA wal_checkpoint(PASSIVE)");
        } else if let Some(orders) = &self.orders {
            self.ordered = true;
            self.busy.store(true, Ordering::Release);
            // The thread is there: it ends only after `at_close`, when nobody writes any more.
            let _ended = orders.send(());
        }
    }

    /// Called by the writer after its last write.
    pub(super) fn at_close(&mut self, sql: &Connection) {
        self.orders = None;
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the thread that copies the write-ahead log panicked");
        }
        run_checkpoint(sql, "PRAGMA wal_checkpoint(TRUNCATE)");
    }
}

fn copy_on_order(sql: &Connection, orders: &Receiver<()>, busy: &AtomicBool) {
    while orders.recv().is_ok() {
        run_checkpoint(sql, "PRAGMA wal_checkpoint(PASSIVE)");
        busy.store(false, Ordering::Release);
    }
}

/// Returns the number of pages in the log, and how many of them are copied back.
fn log_pages(sql: &Connection) -> (i64, i64) {
    let asked = sql
        .prepare_cached("PRAGMA wal_checkpoint(NOOP)")
        .and_then(|mut ask| ask.query_row([], |row| Ok((row.get(1)?, row.get(2)?))));
    asked.unwrap_or((0, 0))
}

/// Runs a checkpoint. One that fails is tried again later: the log still has everything.
fn run_checkpoint(sql: &Connection, pragma: &str) {
    let ran = sql.prepare_cached(pragma).and_then(|mut run| run.query_row([], |_| Ok(())));
    if let Err(error) = ran {
        stop_if_fatal(pragma, &error);
        tracing::warn!(%error, "cannot copy the write-ahead log into the database; it grows until it can be");
    }
}
