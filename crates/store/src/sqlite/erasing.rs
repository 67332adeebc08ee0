//! Taking words out of the file: every row that may hold some is shown to a judge, and then the file is made anew, so
//! that nothing is left in free pages, in the gaps of pages or in the log.

use async_trait::async_trait;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use throughline_engine::effect::EffectClass;
use throughline_engine::{EffectId, LaneKey, Timestamp};

use super::codec::{effect_state, lane_key, lane_parts, moment};
use super::fault::Fault;
use super::spot::{Loaded, Spot, Word};
use super::writer::Tx;
use super::{SqliteStore, inbox, keeping, lane_number, settle};
use crate::contract::{EffectState, Erasing, ErasureRow, Fate, Holds, Judge, Kept, Look, Sifted, StoreError};
use crate::rules::payload_hash;

/// Where something that may hold words is kept.
enum At {
    Content(i64),
    Checkpoint(i64),
    Record(Spot),
    Event(i64),
    Payload(i64, EffectState, bool),
    Outcome(i64),
    Approval(i64),
    Decided(i64),
    Answer(String),
    Fact(i64, String),
    Document(String, String),
}

type Seen<'s> = &'s mut dyn FnMut(&Kept<'_>, At);

/// Shows what is kept of a lane.
fn each(sql: &Connection, lane: i64, seen: Seen<'_>) -> rusqlite::Result<()> {
    let mut rows = sql.prepare_cached(
        "SELECT n, revision, content FROM turns WHERE lane = ?1 AND content IS NOT NULL ORDER BY revision",
    )?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let what = Holds::Content { revision: unsigned(row, 1)? };
        seen(&Kept { what, text: text(row, 2)? }, At::Content(row.get(0)?));
    }
    let mut rows = sql.prepare_cached("SELECT revision, state FROM checkpoints WHERE lane = ?1")?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let what = Holds::Checkpoint { revision: unsigned(row, 0)? };
        seen(&Kept { what, text: text(row, 1)? }, At::Checkpoint(row.get(0)?));
    }
    each_record(sql, lane, seen)?;
    let mut rows =
        sql.prepare_cached("SELECT seq, event FROM handled WHERE lane = ?1 AND event IS NOT NULL")?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        seen(&Kept { what: Holds::Event, text: text(row, 1)? }, At::Event(row.get(0)?));
    }
    each_effect(sql, lane, seen)?;
    let mut rows = sql.prepare_cached("SELECT n, approval, change FROM approvals WHERE lane = ?1")?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let n = row.get(0)?;
        seen(&Kept { what: Holds::Approval, text: text(row, 1)? }, At::Approval(n));
        if !matches!(row.get_ref(2)?, ValueRef::Null) {
            seen(&Kept { what: Holds::Decided, text: text(row, 2)? }, At::Decided(n));
        }
    }
    Ok(())
}

/// The records that are not loaded. The channel's ids of messages lie among them, and are ids.
fn each_record(sql: &Connection, lane: i64, seen: Seen<'_>) -> rusqlite::Result<()> {
    let loaded = "SELECT loaded FROM lanes WHERE n = ?1";
    let loaded = sql.prepare_cached(loaded)?.query_row([lane], |row| Loaded::read(row, 0))?;
    let mut rows = sql.prepare_cached(
        "SELECT at, kind, body FROM records WHERE lane = ?1 AND kind <> '' AND kind <> 'sent'",
    )?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let spot = Spot { at: word(row, 0)?, kind: word(row, 1)? };
        if !loaded.iter().any(|loaded| *loaded == spot) {
            seen(&Kept { what: Holds::Record, text: text(row, 2)? }, At::Record(spot));
        }
    }
    Ok(())
}

/// A lane's effects, along their chain.
fn each_effect(sql: &Connection, lane: i64, seen: Seen<'_>) -> rusqlite::Result<()> {
    let mut next: Option<i64> = sql
        .prepare_cached("SELECT last_effect FROM lanes WHERE n = ?1")?
        .query_row([lane], |row| row.get(0))?;
    let mut select = sql.prepare_cached(
        "SELECT o.id, o.revision, o.class, o.state, o.outward, o.payload, o.prev, c.outcome \
         FROM outbox o LEFT JOIN outcomes c ON c.n = o.n WHERE o.n = ?1",
    )?;
    while let Some(n) = next {
        let mut rows = select.query([n])?;
        let Some(row) = rows.next()? else { break };
        let (id, revision) = (EffectId(row.get(0)?), unsigned(row, 1)?);
        let class = EffectClass::from_word(text(row, 2)?);
        if let (Some(class), payload) = (class, text(row, 5)?)
            && !payload.is_empty()
        {
            let state = effect_state(row.get(3)?)?;
            let what = Holds::Payload { id: &id, revision, class, state };
            seen(&Kept { what, text: payload }, At::Payload(n, state, row.get(4)?));
        }
        if !matches!(row.get_ref(7)?, ValueRef::Null) {
            seen(&Kept { what: Holds::Outcome { id: &id, revision }, text: text(row, 7)? }, At::Outcome(n));
        }
        next = row.get(6)?;
    }
    Ok(())
}

/// Shows what is a tenant's and no lane's.
fn each_of_tenant(sql: &Connection, tenant: &str, seen: Seen<'_>) -> rusqlite::Result<()> {
    let mut rows =
        sql.prepare_cached("SELECT key, body FROM requests WHERE tenant = ?1 AND body IS NOT NULL")?;
    let mut rows = rows.query([tenant])?;
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        let what = Holds::Answer { turn: inbox::led_to(sql, tenant, &key)? };
        seen(&Kept { what, text: text(row, 1)? }, At::Answer(key));
    }
    let mut rows = sql.prepare_cached(
        "SELECT f.fact_set, f.id, f.body FROM facts f JOIN fact_sets s ON s.n = f.fact_set WHERE s.tenant = ?1",
    )?;
    let mut rows = rows.query([tenant])?;
    while let Some(row) = rows.next()? {
        seen(&Kept { what: Holds::Fact, text: text(row, 2)? }, At::Fact(row.get(0)?, row.get(1)?));
    }
    let mut rows = sql.prepare_cached("SELECT collection, key, body FROM documents WHERE tenant = ?1")?;
    let mut rows = rows.query([tenant])?;
    while let Some(row) = rows.next()? {
        let (collection, key): (String, String) = (row.get(0)?, row.get(1)?);
        let kept = Kept { what: Holds::Document { collection: &collection, key: &key }, text: text(row, 2)? };
        seen(&kept, At::Document(collection.clone(), key.clone()));
    }
    Ok(())
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<&'r str> {
    row.get_ref(column)?.as_str().map_err(Into::into)
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn word(row: &Row<'_>, column: usize) -> rusqlite::Result<Word> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => Word::Number(number),
        other => Word::Text(other.as_str()?.into()),
    })
}

/// What a judge wants changed, and how much that is of each kind.
fn judged(judge: &Judge, kept: &Kept<'_>, at: At, sifted: &mut Sifted, changes: &mut Vec<(At, Fate)>) {
    let fate = judge(kept);
    let same = matches!(&fate, Fate::Rewrite(text) if text == kept.text);
    if fate != Fate::Keep && !same {
        sifted.count(&kept.what);
        changes.push((at, fate));
    }
}

fn sift(tx: &mut Tx<'_, '_>, lane: &LaneKey, judge: &Judge) -> Result<Sifted, Fault> {
    let Some(n) = lane_number(tx.sql, lane)? else { return Ok(Sifted::default()) };
    let (mut sifted, mut changes) = (Sifted::default(), Vec::new());
    each(tx.sql, n, &mut |kept, at| judged(judge, kept, at, &mut sifted, &mut changes))?;
    for (at, fate) in changes {
        change(tx, &lane.tenant, n, &at, fate)?;
    }
    Ok(sifted)
}

fn sift_tenant(tx: &mut Tx<'_, '_>, tenant: &str, judge: &Judge) -> Result<Sifted, Fault> {
    let (mut sifted, mut changes) = (Sifted::default(), Vec::new());
    each_of_tenant(tx.sql, tenant, &mut |kept, at| judged(judge, kept, at, &mut sifted, &mut changes))?;
    for (at, fate) in changes {
        change(tx, tenant, 0, &at, fate)?;
    }
    Ok(sifted)
}

fn change(tx: &Tx<'_, '_>, tenant: &str, lane: i64, at: &At, fate: Fate) -> Result<(), Fault> {
    let text = if let Fate::Rewrite(text) = fate { Some(text) } else { None };
    let sql = tx.sql;
    match (at, text) {
        (At::Content(n), _) => sql.execute("UPDATE turns SET content = NULL, salt = NULL WHERE n = ?1", [n])?,
        (At::Checkpoint(revision), _) => {
            sql.execute("DELETE FROM checkpoints WHERE lane = ?1 AND revision = ?2", (lane, revision))?
        }
        (At::Record(spot), Some(text)) => sql.execute(
            "UPDATE records SET body = ?4 WHERE lane = ?1 AND at = ?2 AND kind = ?3",
            (lane, &spot.at, &spot.kind, text),
        )?,
        (At::Record(spot), None) => sql.execute(
            "DELETE FROM records WHERE lane = ?1 AND at = ?2 AND kind = ?3",
            (lane, &spot.at, &spot.kind),
        )?,
        (At::Event(seq), text) => sql.execute("UPDATE handled SET event = ?2 WHERE seq = ?1", (seq, text))?,
        (At::Payload(n, ..), Some(text)) => sql.execute(
            "UPDATE outbox SET payload = ?2, payload_sha256 = ?3 WHERE n = ?1",
            (n, &text, payload_hash(&text)),
        )?,
        (At::Payload(n, state, outward), None) => {
            if *state != EffectState::Attempted || !outward {
                settle::drop_effect(tx, *n)?;
            }
            sql.execute("UPDATE outbox SET payload = '' WHERE n = ?1", [n])?
        }
        (At::Outcome(n), Some(text)) => {
            sql.execute("UPDATE outcomes SET outcome = ?2 WHERE n = ?1", (n, text))?
        }
        (At::Outcome(n), None) => sql.execute("DELETE FROM outcomes WHERE n = ?1", [n])?,
        (At::Approval(n), Some(text)) => sql.execute(
            "UPDATE approvals SET approval = ?2, state = CASE state WHEN 0 THEN 4 ELSE state END WHERE n = ?1",
            (n, text),
        )?,
        (At::Decided(n), Some(text)) => {
            sql.execute("UPDATE approvals SET change = ?2 WHERE n = ?1", (n, text))?
        }
        (At::Approval(_) | At::Decided(_), None) => {
            return Err(Fault::Refused("an approval is rewritten, never erased".into()));
        }
        (At::Answer(key), Some(text)) => {
            sql.execute("UPDATE requests SET body = ?3 WHERE tenant = ?1 AND key = ?2", (tenant, key, text))?
        }
        (At::Answer(key), None) => {
            sql.execute("DELETE FROM requests WHERE tenant = ?1 AND key = ?2", (tenant, key))?
        }
        (At::Fact(set, id), text) => {
            sql.execute("UPDATE fact_sets SET revision = revision + 1 WHERE n = ?1", [set])?;
            match text {
                Some(text) => sql
                    .execute("UPDATE facts SET body = ?3 WHERE fact_set = ?1 AND id = ?2", (set, id, text))?,
                None => sql.execute("DELETE FROM facts WHERE fact_set = ?1 AND id = ?2", (set, id))?,
            }
        }
        (At::Document(collection, key), Some(text)) => sql.execute(
            "UPDATE documents SET body = ?4, version = version + 1 \
             WHERE tenant = ?1 AND collection = ?2 AND key = ?3",
            (tenant, collection, key, text),
        )?,
        (At::Document(collection, key), None) => sql.execute(
            "DELETE FROM documents WHERE tenant = ?1 AND collection = ?2 AND key = ?3",
            (tenant, collection, key),
        )?,
    };
    Ok(())
}

/// One search through each table: most lanes hold nothing of anybody in particular.
fn lanes_with(sql: &Connection, tenant: &str, text: &str) -> rusqlite::Result<Vec<LaneKey>> {
    const SELECT: &str = concat!(
        "SELECT ",
        lane_parts!(),
        " FROM lanes l WHERE l.tenant = ?1 AND l.n IN (",
        "SELECT n FROM lanes WHERE instr(head, ?2) > 0",
        " UNION SELECT lane FROM turns WHERE instr(content, ?2) > 0",
        " UNION SELECT lane FROM checkpoints WHERE instr(state, ?2) > 0",
        " UNION SELECT lane FROM records WHERE instr(body, ?2) > 0",
        " UNION SELECT lane FROM inbox WHERE instr(event, ?2) > 0",
        " UNION SELECT lane FROM handled WHERE instr(event, ?2) > 0",
        " UNION SELECT lane FROM outbox WHERE instr(payload, ?2) > 0",
        " UNION SELECT o.lane FROM outcomes c JOIN outbox o ON o.n = c.n WHERE instr(c.outcome, ?2) > 0",
        " UNION SELECT lane FROM approvals WHERE instr(approval, ?2) > 0 OR instr(change, ?2) > 0",
        ") ORDER BY l.id"
    );
    sql.prepare_cached(SELECT)?.query_map((tenant, text), lane_key)?.collect()
}

/// Makes the file anew and empties the log. Deleting alone leaves traces: where SQLite moves a row to another page, the
/// gap it leaves is not overwritten. The copy goes to a temporary file, because it may not fit into memory.
fn scour(tx: &Tx<'_, '_>) -> Result<(), Fault> {
    let run = |pragma: &str| tx.sql.execute_batch(pragma);
    run("PRAGMA temp_store = file")?;
    let made = run("VACUUM");
    run("PRAGMA temp_store = memory")?;
    made?;
    let busy: i64 = tx.sql.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy != 0 {
        return Err(Fault::Refused(
            "somebody reads the database, so its log cannot be emptied; try again".into(),
        ));
    }
    Ok(())
}

/// Enters an erasure, unless the same is there and not done.
pub(super) fn ask(tx: &Tx<'_, '_>, tenant: &str, what: &str) -> Result<i64, Fault> {
    let open = "SELECT number FROM erasures WHERE tenant = ?1 AND what = ?2 AND done_at IS NULL";
    if let Some(number) = tx.sql.first(open, (tenant, what), |row| row.get(0))? {
        return Ok(number);
    }
    let next = "SELECT coalesce(max(number), 0) + 1 FROM erasures WHERE tenant = ?1";
    let number: i64 = tx.sql.first(next, [tenant], |row| row.get(0))?.unwrap_or(1);
    let insert = "INSERT INTO erasures (tenant, number, what, asked_at) VALUES (?1, ?2, ?3, ?4)";
    tx.sql.execute(insert, (tenant, number, what, tx.now.0))?;
    Ok(number)
}

fn done(tx: &Tx<'_, '_>, tenant: &str, number: i64, audit: &str) -> Result<bool, Fault> {
    let done = "UPDATE erasures SET done_at = ?3 WHERE tenant = ?1 AND number = ?2 AND done_at IS NULL";
    if tx.sql.execute(done, (tenant, number, tx.now.0))? == 0 {
        return Ok(false);
    }
    keeping::append_audit(tx, tenant, audit)?;
    Ok(true)
}

fn list(sql: &Connection, tenant: &str, open: bool) -> rusqlite::Result<Vec<ErasureRow>> {
    let select = "SELECT number, what, asked_at, done_at FROM erasures \
                  WHERE tenant = ?1 AND (?2 = 0 OR done_at IS NULL) ORDER BY number";
    let read = |row: &Row<'_>| {
        Ok(ErasureRow {
            number: row.get(0)?,
            what: row.get(1)?,
            asked_at: moment(row, "asked_at")?,
            done_at: row.get::<_, Option<i64>>(3)?.map(Timestamp),
        })
    };
    sql.prepare_cached(select)?.query_map((tenant, open), read)?.collect()
}

#[async_trait]
impl Erasing for SqliteStore {
    async fn lanes_with(&self, tenant: &str, text: &str) -> Result<Vec<LaneKey>, StoreError> {
        self.read("look for lanes that hold a text", |sql| lanes_with(sql, tenant, text))
    }

    async fn look(&self, lane: &LaneKey, seen: &mut Look<'_>) -> Result<(), StoreError> {
        self.read("look through a lane", |sql| match lane_number(sql, lane)? {
            Some(n) => each(sql, n, &mut |kept, _| seen(kept)),
            None => Ok(()),
        })
    }

    async fn sift(&self, lane: &LaneKey, judge: Judge) -> Result<Sifted, StoreError> {
        let lane = lane.clone();
        Ok(self.writer.call("erase from a lane", move |tx| sift(tx, &lane, &judge)).await?)
    }

    async fn sift_tenant(&self, tenant: &str, judge: Judge) -> Result<Sifted, StoreError> {
        let tenant = tenant.to_owned();
        Ok(self.writer.call("erase from a tenant", move |tx| sift_tenant(tx, &tenant, &judge)).await?)
    }

    async fn scour(&self) -> Result<(), StoreError> {
        Ok(self.writer.call_alone("clean the database file", |tx| scour(tx)).await?)
    }

    async fn ask_erasure(&self, tenant: &str, what: &str) -> Result<i64, StoreError> {
        let (tenant, what) = (tenant.to_owned(), what.to_owned());
        Ok(self.writer.call("enter an erasure", move |tx| ask(tx, &tenant, &what)).await?)
    }

    async fn erasure_done(&self, tenant: &str, number: i64, audit: &str) -> Result<bool, StoreError> {
        let (tenant, audit) = (tenant.to_owned(), audit.to_owned());
        Ok(self.writer.call("record an erasure", move |tx| done(tx, &tenant, number, &audit)).await?)
    }

    async fn erasures(&self, tenant: &str, open: bool) -> Result<Vec<ErasureRow>, StoreError> {
        self.read("list erasures", |sql| list(sql, tenant, open))
    }
}
