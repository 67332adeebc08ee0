//! When the write-ahead log is copied back into the database.

use rusqlite::Connection;

use super::fault::stop_if_fatal;
use super::open::CHECKPOINT_PAGES;

/// Looked at once in so many groups: asking costs a few microseconds.
const EVERY: u32 = 8;

#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    groups: u32,
}

impl Checkpoints {
    /// Called between groups, after everybody was answered.
    pub(super) fn after_group(&mut self, sql: &Connection) {
        self.groups += 1;
        if self.groups.is_multiple_of(EVERY) && log_pages(sql) >= CHECKPOINT_PAGES {
            run(sql, "PRAGMA wal_checkpoint(PASSIVE)");
        }
    }

    /// Called when nobody will write any more.
    pub(super) fn at_close(&self, sql: &Connection) {
        run(sql, "PRAGMA wal_checkpoint(TRUNCATE)");
    }
}

fn log_pages(sql: &Connection) -> u32 {
    let pages = sql
        .prepare_cached("PRAGMA wal_checkpoint(NOOP)")
        .and_then(|mut ask| ask.query_row([], |row| row.get::<_, i64>(1)));
    pages.ok().and_then(|pages| u32::try_from(pages).ok()).unwrap_or(0)
}

/// A checkpoint that fails is tried again later: the log still has everything.
fn run(sql: &Connection, pragma: &str) {
    let ran = sql.prepare_cached(pragma).and_then(|mut run| run.query_row([], |_| Ok(())));
    if let Err(error) = ran {
        stop_if_fatal(pragma, &error);
        tracing::warn!(%error, "cannot copy the write-ahead log into the database; it grows until it can be");
    }
}
