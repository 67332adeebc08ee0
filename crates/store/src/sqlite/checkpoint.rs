//! When the write-ahead log is copied back into the database.
//!
//! Copying 64 MiB back takes tens of milliseconds, which every caller would wait for if the writer did it. So a
//! thread of its own does the bulk while turns go on; the writer then copies what was written meanwhile, which is
//! little, and its next write begins the log anew. A log that is never copied back as a whole would grow for ever.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::fault::stop_if_fatal;
use super::open::{CHECKPOINT_PAGES, open_copier};
use crate::contract::StoreError;

/// Looked at once in so many groups: asking costs a few microseconds.
const EVERY: u32 = 8;

/// What the writer copies back itself: eight mebibytes.
const LITTLE: i64 = 2_048;

/// When the writer copies everything back itself, because the other thread does not keep up.
const TOO_MUCH: i64 = 8 * CHECKPOINT_PAGES;

pub(super) struct Checkpoints {
    groups: u32,
    /// The thread was told to copy, and what it left has not been looked at.
    ordered: bool,
    busy: Arc<AtomicBool>,
    orders: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Starts the thread that copies.
    pub(super) fn start(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let connection = open_copier(path, patience)?;
        let busy = Arc::new(AtomicBool::new(false));
        let (orders, received) = channel();
        let work = {
            let busy = busy.clone();
            move || copy_when_told(&connection, &received, &busy)
        };
        let thread = std::thread::Builder::new().name("sqlite-copy".into()).spawn(work).map_err(|e| {
            let why = format!("the thread that copies its log cannot be started: {e}");
            StoreError::Open { what: path.display().to_string(), why }
        })?;
        Ok(Self { groups: 0, ordered: false, busy, orders: Some(orders), thread: Some(thread) })
    }

    /// Called by the writer between groups, after everybody was answered.
    pub(super) fn after_group(&mut self, sql: &Connection) {
        self.groups += 1;
        let just_copied = self.ordered && !self.busy.load(Ordering::Acquire);
        if !just_copied && (self.ordered || !self.groups.is_multiple_of(EVERY)) {
            return;
        }
        self.ordered = false;
        let (pages, copied) = log_pages(sql);
        if pages < CHECKPOINT_PAGES {
            return;
        }
        if pages - copied <= LITTLE || pages >= TOO_MUCH {
            run(sql, "PRAGMA wal_checkpoint(PASSIVE)");
        } else if let Some(orders) = &self.orders {
            self.ordered = true;
            self.busy.store(true, Ordering::Release);
            // The thread ends only when it is told to, which is when nobody writes any more.
            let _ended = orders.send(());
        }
    }

    /// Called by the writer when nobody will write any more.
    pub(super) fn at_close(&mut self, sql: &Connection) {
        self.orders = None;
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the thread that copies the write-ahead log panicked");
        }
        run(sql, "PRAGMA wal_checkpoint(TRUNCATE)");
    }
}

fn copy_when_told(sql: &Connection, orders: &Receiver<()>, busy: &AtomicBool) {
    while orders.recv().is_ok() {
        run(sql, "PRAGMA wal_checkpoint(PASSIVE)");
        busy.store(false, Ordering::Release);
    }
}

/// Pages in the log, and how many of them are copied back.
fn log_pages(sql: &Connection) -> (i64, i64) {
    let asked = sql
        .prepare_cached("PRAGMA wal_checkpoint(NOOP)")
        .and_then(|mut ask| ask.query_row([], |row| Ok((row.get(1)?, row.get(2)?))));
    asked.unwrap_or((0, 0))
}

/// A checkpoint that fails is tried again later: the log still has everything.
fn run(sql: &Connection, pragma: &str) {
    let ran = sql.prepare_cached(pragma).and_then(|mut run| run.query_row([], |_| Ok(())));
    if let Err(error) = ran {
        stop_if_fatal(pragma, &error);
        tracing::warn!(%error, "cannot copy the write-ahead log into the database; it grows until it can be");
    }
}
