//! The limit of the durable turn: a loop over SQLite that writes as many bytes a turn, in groups of as many turns,
//! and decides nothing.

use std::time::Instant;

use rusqlite::{Connection, params};

use crate::turn::Turns;

/// Turns a second of the bare loop: one delivery row, one lane row, one log row, one outbox row each, with as many
/// bytes between them as `like` took.
pub(crate) fn run(group: usize, groups: usize, like: &Turns) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let mut db = Connection::open(folder.path().join("bare.db"))?;
    db.execute_batch(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;
         CREATE TABLE delivery (key TEXT PRIMARY KEY) WITHOUT ROWID;
         CREATE TABLE lane (id INTEGER PRIMARY KEY, revision INTEGER, head TEXT);
         CREATE TABLE log (lane INTEGER, revision INTEGER, row TEXT, PRIMARY KEY (lane, revision)) WITHOUT ROWID;
         CREATE TABLE outbox (id TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID;",
    )?;
    let text = |share: usize| "x".repeat((like.bytes_per_turn * share / 100).max(1));
    let (head, log, outbox) = (text(30), text(50), text(20));
    for lane in 0..group {
        db.execute("INSERT INTO lane VALUES (?1, 0, ?2)", params![lane as i64, head])?;
    }
    let begun = Instant::now();
    for n in 0..groups {
        let transaction = db.transaction()?;
        for lane in 0..group {
            let key = format!("bench:{lane}:{n}");
            let lane = lane as i64;
            transaction.prepare_cached("INSERT INTO delivery VALUES (?1)")?.execute(params![key])?;
            let revision: i64 = transaction
                .prepare_cached("SELECT revision FROM lane WHERE id = ?1")?
                .query_row(params![lane], |row| row.get(0))?;
            transaction
                .prepare_cached("UPDATE lane SET revision = ?2, head = ?3 WHERE id = ?1")?
                .execute(params![lane, revision + 1, head])?;
            transaction.prepare_cached("INSERT INTO log VALUES (?1, ?2, ?3)")?.execute(params![
                lane,
                revision + 1,
                log
            ])?;
            transaction
                .prepare_cached("INSERT INTO outbox VALUES (?1, ?2)")?
                .execute(params![key, outbox])?;
        }
        transaction.commit()?;
    }
    Ok((group * groups) as f64 / begun.elapsed().as_secs_f64())
}
