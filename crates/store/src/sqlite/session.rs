//! A session: one opening of the file by one process. Its begin ends what earlier ones held, and repairs what two writers
//! or a wrong clock left (`docs/design/0045-one-owner-of-a-store.md`).

use rusqlite::Connection;
use throughline_engine::{LaneKey, Millis, Timestamp};

use super::codec::{lane_key, lane_parts};
use super::delivery_keys;
use super::outbox::NEVER;
use crate::contract::{LONGEST_PLAN, Seq};
use crate::rules::set_back_by;

/// Begins a session, in one transaction.
pub(super) fn begin(connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let sql = connection.unchecked_transaction()?;
    // Ends every claim, because a claim names its session: there may be very many lanes, too many to update.
    sql.execute("UPDATE instance SET session = session + 1 WHERE one = 1", [])?;
    renumber_shared_positions(&sql)?;
    let last = last_time(&sql)?;
    if let Some(by) = last.and_then(|last| set_back_by(last, now)) {
        set_back(&sql, now, by)?;
    }
    // Leases of effects are few. Their holders are gone.
    sql.execute(
        "UPDATE outbox SET wake = ?1 WHERE wake > ?1 AND performer = 0 AND (state = 1 OR wake <> not_before)",
        [now.0],
    )?;
    // No attempt is planned as far ahead as this: the clock that it was planned by was wrong.
    sql.execute(
        "UPDATE outbox SET wake = ?1, not_before = ?1 WHERE wake > ?2 AND performer = 0",
        (now.0, now.plus(LONGEST_PLAN).0),
    )?;
    sql.execute("UPDATE inbox SET received_at = ?1 WHERE received_at > ?1", [now.0])?;
    sql.execute("UPDATE instance SET last_at = ?1 WHERE one = 1", [now.0])?;
    sql.commit()
}

/// Returns the last time that the file knows of.
fn last_time(sql: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let select = "SELECT coalesce((SELECT last_at FROM instance), \
                  (SELECT decided_at FROM turns WHERE n = (SELECT max(n) FROM turns)))";
    Ok(sql.query_row(select, [], |row| row.get::<_, Option<i64>>(0))?.map(Timestamp))
}

/// Moves what waits for a later time back with the clock, so that it waits as long as it would have. What began in the
/// future begins now.
pub(super) fn set_back(sql: &Connection, now: Timestamp, by: Millis) -> rusqlite::Result<()> {
    tracing::warn!(by_ms = by, "the clock was set back; what waits is moved with it");
    sql.execute(
        "UPDATE outbox SET created_at = min(?1, created_at), deadline = max(?1, deadline - ?2), \
         not_before = CASE WHEN not_before > ?1 THEN max(?1, not_before - ?2) ELSE not_before END, \
         wake = CASE WHEN wake > ?1 AND wake <> ?3 THEN max(?1, wake - ?2) ELSE wake END WHERE wake IS NOT NULL",
        (now.0, by, NEVER),
    )?;
    sql.execute("UPDATE timers SET due = max(?1, due - ?2) WHERE due > ?1", (now.0, by))?;
    sql.execute("UPDATE inbox SET received_at = ?1 WHERE received_at > ?1", [now.0])?;
    sql.execute("UPDATE instance SET last_at = ?1 WHERE one = 1", [now.0])?;
    Ok(())
}

/// A waiting row whose lane has rows at a position that another row has, too.
struct SharedRow {
    seq: Seq,
    lane: LaneKey,
    key: String,
}

/// Gives waiting rows new positions if a row that has ended has the position, too: two processes that wrote into the file
/// at once gave each position twice, and such a row can never end. The lane's rows keep their order.
fn renumber_shared_positions(sql: &Connection) -> rusqlite::Result<()> {
    const SELECT: &str = concat!(
        "SELECT w.seq, w.key, ",
        lane_parts!(),
        " FROM inbox w JOIN lanes l ON l.n = w.lane WHERE w.lane IN",
        " (SELECT i.lane FROM inbox i JOIN handled h ON h.seq = i.seq) ORDER BY w.received_at, w.seq"
    );
    let read = |row: &rusqlite::Row<'_>| {
        Ok(SharedRow { seq: row.get("seq")?, lane: lane_key(row)?, key: row.get("key")? })
    };
    let rows = sql.prepare(SELECT)?.query_map([], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    tracing::error!(
        rows = rows.len(),
        code = "TL-6106",
        "two processes wrote into the database; its inbox is repaired"
    );
    let newest =
        "SELECT max((SELECT coalesce(max(seq), 0) FROM inbox), (SELECT coalesce(max(seq), 0) FROM handled))";
    let mut seq: Seq = sql.query_row(newest, [], |row| row.get(0))?;
    for row in rows {
        seq += 1;
        sql.execute("UPDATE inbox SET seq = ?2 WHERE seq = ?1", (row.seq, seq))?;
        delivery_keys::move_to(sql, &row.lane.tenant, &row.key, row.seq, seq)?;
    }
    Ok(())
}
