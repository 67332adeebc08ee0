//! The limits of a durable turn: loops that write as much and decide nothing.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use rusqlite::{Connection, Transaction, params};

use super::rows::Rows;
use crate::frame::mixed;

/// A loop over SQLite under the store's own settings: `group` lanes at once, each turn of all of them in one
/// transaction. It holds the lanes in memory, as our actors do, and so reads nothing.
pub(crate) struct Bare {
    db: Connection,
    /// The newest outbox row of each lane.
    lanes: Vec<i64>,
    /// Turns written so far.
    done: u64,
}

/// The tables of a plain implementation: rows that are found by a key are kept by it, the others are appended.
const TABLES: &str = "
    CREATE TABLE delivery (key TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE lane (n INTEGER PRIMARY KEY, revision INTEGER NOT NULL, head TEXT NOT NULL);
    CREATE TABLE record (lane INTEGER, key INTEGER, body TEXT NOT NULL, PRIMARY KEY (lane, key)) WITHOUT ROWID;
    CREATE TABLE log (n INTEGER PRIMARY KEY, lane INTEGER, revision INTEGER, row TEXT, UNIQUE (lane, revision));
    CREATE TABLE outbox (n INTEGER PRIMARY KEY, lane INTEGER, state INTEGER NOT NULL, payload TEXT NOT NULL);";

/// The store's own settings. 16,384 pages are its 64 MiB between checkpoints.
const SETTINGS: &str = "
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 16384;";

impl Bare {
    pub(crate) fn open(path: &Path, group: usize) -> anyhow::Result<Self> {
        let db = Connection::open(path)?;
        db.set_prepared_statement_cache_capacity(64);
        db.execute_batch(SETTINGS)?;
        db.execute_batch(TABLES)?;
        for lane in 0..group {
            db.execute("INSERT INTO lane VALUES (?1, 0, '')", [lane as i64])?;
        }
        Ok(Self { db, lanes: vec![0; group], done: 0 })
    }

    /// Messages a second: `each` in every lane, each of them as many turns as there are rows.
    pub(crate) fn run(&mut self, turns: &[Rows], each: usize) -> anyhow::Result<f64> {
        let began = Instant::now();
        for _ in 0..each {
            for rows in turns {
                let all: Vec<usize> = (0..self.lanes.len()).collect();
                self.write_group(&all, rows)?;
            }
        }
        Ok((self.lanes.len() * each) as f64 / began.elapsed().as_secs_f64())
    }

    /// Writes one turn of each of these lanes in one transaction.
    pub(crate) fn write_group(&mut self, lanes: &[usize], rows: &Rows) -> anyhow::Result<()> {
        let transaction = self.db.transaction()?;
        for lane in lanes {
            write(&transaction, *lane as i64, &mut self.lanes[*lane], self.done, rows)?;
            self.done += 1;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Turns written so far.
    pub(crate) fn turns(&self) -> u64 {
        self.done
    }
}

/// One turn: the statements a plain implementation has, each prepared.
fn write(db: &Transaction<'_>, lane: i64, newest: &mut i64, n: u64, rows: &Rows) -> anyhow::Result<()> {
    let key = format!("{:k>width$x}", mixed(n), width = rows.key);
    db.prepare_cached("INSERT INTO delivery VALUES (?1)")?.execute([key])?;
    db.prepare_cached("UPDATE lane SET revision = revision + 1, head = ?2 WHERE n = ?1")?
        .execute(params![lane, text(rows.head)])?;
    let put = "INSERT INTO record VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET body = excluded.body";
    let n = n as i64;
    for (i, bytes) in rows.new.iter().enumerate() {
        db.prepare_cached(put)?.execute(params![lane, n * 8 + i as i64, text(*bytes)])?;
    }
    for (i, bytes) in rows.again.iter().enumerate() {
        db.prepare_cached(put)?.execute(params![lane, -1 - i as i64, text(*bytes)])?;
    }
    db.prepare_cached("INSERT INTO log (lane, revision, row) VALUES (?1, ?2, ?3)")?.execute(params![
        lane,
        n,
        text(rows.log)
    ])?;
    if rows.settles {
        db.prepare_cached("UPDATE outbox SET state = 2 WHERE n = ?1")?.execute([*newest])?;
    }
    for bytes in &rows.outbox {
        db.prepare_cached("INSERT INTO outbox (lane, state, payload) VALUES (?1, 0, ?2)")?
            .execute(params![lane, text(*bytes)])?;
        *newest = db.last_insert_rowid();
    }
    Ok(())
}

/// Returns a blob of that length.
fn text(bytes: usize) -> &'static str {
    static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| "x".repeat(65_536));
    &TEXT[..bytes.min(TEXT.len())]
}

/// Appends of so many bytes a second, `group` of them in one write and one `fdatasync`, into a file whose room was
/// taken before.
pub(crate) fn append(path: &Path, bytes: usize, group: usize, syncs: usize) -> anyhow::Result<f64> {
    let block = vec![b'x'; bytes * group];
    let mut file = File::create(path)?;
    for _ in 0..syncs {
        file.write_all(&block)?;
    }
    file.sync_all()?;
    file.seek(SeekFrom::Start(0))?;
    let began = Instant::now();
    for _ in 0..syncs {
        file.write_all(&block)?;
        file.sync_data()?;
    }
    Ok((group * syncs) as f64 / began.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_loop_writes_the_rows_it_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let mut bare = Bare::open(&folder.path().join("bare.db"), 3).unwrap();
        let turn = Rows {
            key: 40,
            head: 100,
            new: vec![10, 20],
            again: vec![30],
            log: 50,
            outbox: vec![60],
            settles: false,
        };
        let settled = Rows { key: 24, head: 90, log: 40, settles: true, ..Rows::default() };
        bare.run(&[turn, settled], 2).unwrap();
        assert_eq!(bare.turns(), 12);
        let count = |sql: &str| bare.db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM delivery"), 12);
        assert_eq!(count("SELECT count(*) FROM log"), 12);
        assert_eq!(count("SELECT sum(length(row)) FROM log"), 6 * 50 + 6 * 40);
        assert_eq!(count("SELECT sum(length(body)) FROM record"), 3 * 30 + 6 * 30);
        assert_eq!(count("SELECT sum(length(head)) FROM lane"), 3 * 90);
        assert_eq!(count("SELECT count(*) FROM outbox WHERE length(payload) = 60"), 6);
        assert_eq!(count("SELECT count(*) FROM outbox WHERE state = 2"), 6);
    }
}
