//! Erasure of personal words: every row that may hold some is shown to the caller's function, and changed as that
//! returns. Afterwards the file is rebuilt, so that nothing is left in free pages, in gaps within pages or in the log.

use async_trait::async_trait;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use throughline_engine::data::effect::EffectClass;
use throughline_engine::{EffectId, LaneKey, Timestamp};

use super::codec::{effect_state, lane_key, lane_parts, moment};
use super::documents::subjects;
use super::error::TxError;
use super::record_key::{KeyPart, LoadedRecords, RecordKey};
use super::writer::Tx;
use super::{SqliteStore, audit, inbox, lane_number, settle};
use crate::contract::{
    EffectState, Erasure, ErasureRow, Redaction, RedactionCounts, Redactor, StoreError, StoredText,
    TextSource, TextVisitor,
};
use crate::rules::payload_hash;

/// The row and column of a text, by the keys of its table.
enum TextLocation {
    Content(i64),
    Checkpoint(i64),
    Record(RecordKey),
    Participant(String),
    Event(i64),
    Payload(i64, EffectState, bool),
    Outcome(i64),
    Approval(i64),
    Decision(i64),
    Response(String),
    Fact(i64, String),
    Document(String, String),
}

type Visitor<'s> = &'s mut dyn FnMut(&StoredText<'_>, TextLocation);

/// Visits the texts of a lane.
fn visit_lane(sql: &Connection, lane: i64, visit: Visitor<'_>) -> rusqlite::Result<()> {
    let mut rows = sql.prepare_cached(
        "SELECT n, revision, content FROM turns WHERE lane = ?1 AND content IS NOT NULL ORDER BY revision",
    )?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let source = TextSource::Content { revision: unsigned(row, 1)? };
        visit(&StoredText { source, text: text(row, 2)? }, TextLocation::Content(row.get(0)?));
    }
    let mut rows = sql.prepare_cached("SELECT revision, state FROM checkpoints WHERE lane = ?1")?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let source = TextSource::Checkpoint { revision: unsigned(row, 0)? };
        visit(&StoredText { source, text: text(row, 1)? }, TextLocation::Checkpoint(row.get(0)?));
    }
    visit_records(sql, lane, visit)?;
    visit_participants(sql, lane, visit)?;
    let mut rows =
        sql.prepare_cached("SELECT seq, event FROM handled WHERE lane = ?1 AND event IS NOT NULL")?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        visit(
            &StoredText { source: TextSource::Event, text: text(row, 1)? },
            TextLocation::Event(row.get(0)?),
        );
    }
    visit_effects(sql, lane, visit)?;
    let mut rows = sql.prepare_cached("SELECT n, approval, change FROM approvals WHERE lane = ?1")?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let n = row.get(0)?;
        visit(&StoredText { source: TextSource::Approval, text: text(row, 1)? }, TextLocation::Approval(n));
        if !matches!(row.get_ref(2)?, ValueRef::Null) {
            visit(
                &StoredText { source: TextSource::Decision, text: text(row, 2)? },
                TextLocation::Decision(n),
            );
        }
    }
    Ok(())
}

/// Visits the retired records. The ids that a channel gave to messages share their table and are left out: they hold no
/// words.
fn visit_records(sql: &Connection, lane: i64, visit: Visitor<'_>) -> rusqlite::Result<()> {
    let loaded = "SELECT loaded FROM lanes WHERE n = ?1";
    let loaded = sql.prepare_cached(loaded)?.query_row([lane], |row| LoadedRecords::read(row, 0))?;
    let mut rows = sql.prepare_cached(
        "SELECT at, kind, body FROM records WHERE lane = ?1 AND kind <> '' AND kind <> 'sent'",
    )?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let key = RecordKey { at: key_part(row, 0)?, kind: key_part(row, 1)? };
        if !loaded.iter().any(|loaded| *loaded == key) {
            visit(&StoredText { source: TextSource::Record, text: text(row, 2)? }, TextLocation::Record(key));
        }
    }
    Ok(())
}

fn visit_participants(sql: &Connection, lane: i64, visit: Visitor<'_>) -> rusqlite::Result<()> {
    let mut rows =
        sql.prepare_cached("SELECT person, json_quote(person) FROM participants WHERE lane = ?1")?;
    let mut rows = rows.query([lane])?;
    while let Some(row) = rows.next()? {
        let at = TextLocation::Participant(row.get(0)?);
        visit(&StoredText { source: TextSource::Participant, text: text(row, 1)? }, at);
    }
    Ok(())
}

/// Visits a lane's effects, from the newest back along `prev`.
fn visit_effects(sql: &Connection, lane: i64, visit: Visitor<'_>) -> rusqlite::Result<()> {
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
        let class = EffectClass::parse(text(row, 2)?);
        if let (Some(class), payload) = (class, text(row, 5)?)
            && !payload.is_empty()
        {
            let state = effect_state(row.get(3)?)?;
            let source = TextSource::Payload { id: &id, revision, class, state };
            visit(&StoredText { source, text: payload }, TextLocation::Payload(n, state, row.get(4)?));
        }
        if !matches!(row.get_ref(7)?, ValueRef::Null) {
            visit(
                &StoredText { source: TextSource::Outcome { id: &id, revision }, text: text(row, 7)? },
                TextLocation::Outcome(n),
            );
        }
        next = row.get(6)?;
    }
    Ok(())
}

/// Visits the texts that belong to a tenant and to no lane.
fn visit_tenant(sql: &Connection, tenant: &str, visit: Visitor<'_>) -> rusqlite::Result<()> {
    let mut rows =
        sql.prepare_cached("SELECT key, body FROM requests WHERE tenant = ?1 AND body IS NOT NULL")?;
    let mut rows = rows.query([tenant])?;
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        let source = TextSource::Response { turn: inbox::turn_of(sql, tenant, &key)? };
        visit(&StoredText { source, text: text(row, 1)? }, TextLocation::Response(key));
    }
    let mut rows = sql.prepare_cached(
        "SELECT f.fact_set, f.id, f.body FROM facts f JOIN fact_sets s ON s.n = f.fact_set WHERE s.tenant = ?1",
    )?;
    let mut rows = rows.query([tenant])?;
    while let Some(row) = rows.next()? {
        visit(
            &StoredText { source: TextSource::Fact, text: text(row, 2)? },
            TextLocation::Fact(row.get(0)?, row.get(1)?),
        );
    }
    let mut rows = sql.prepare_cached(
        "SELECT collection, key, body, people, lane, words FROM documents WHERE tenant = ?1",
    )?;
    let mut rows = rows.query([tenant])?;
    while let Some(row) = rows.next()? {
        let (collection, key): (String, String) = (row.get(0)?, row.get(1)?);
        let about = subjects(row)?;
        let document = StoredText {
            source: TextSource::Document { collection: &collection, key: &key, about: &about },
            text: text(row, 2)?,
        };
        visit(&document, TextLocation::Document(collection.clone(), key.clone()));
    }
    Ok(())
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<&'r str> {
    row.get_ref(column)?.as_str().map_err(Into::into)
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn key_part(row: &Row<'_>, column: usize) -> rusqlite::Result<KeyPart> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => KeyPart::Number(number),
        other => KeyPart::Text(other.as_str()?.into()),
    })
}

/// Asks what becomes of a text, and notes and counts it if it changes.
fn decide(
    redactor: &Redactor,
    text: &StoredText<'_>,
    at: TextLocation,
    counts: &mut RedactionCounts,
    changes: &mut Vec<(TextLocation, Redaction)>,
) {
    let redaction = redactor(text);
    let unchanged = matches!(&redaction, Redaction::Rewrite(new) if new == text.text);
    if redaction != Redaction::Keep && !unchanged {
        counts.count(&text.source);
        changes.push((at, redaction));
    }
}

fn redact(tx: &mut Tx<'_, '_>, lane: &LaneKey, redactor: &Redactor) -> Result<RedactionCounts, TxError> {
    let Some(n) = lane_number(tx.sql, lane)? else { return Ok(RedactionCounts::default()) };
    let (mut counts, mut changes) = (RedactionCounts::default(), Vec::new());
    visit_lane(tx.sql, n, &mut |text, at| decide(redactor, text, at, &mut counts, &mut changes))?;
    for (at, redaction) in changes {
        change(tx, &lane.tenant, n, &at, redaction)?;
    }
    Ok(counts)
}

fn redact_tenant(tx: &mut Tx<'_, '_>, tenant: &str, redactor: &Redactor) -> Result<RedactionCounts, TxError> {
    let (mut counts, mut changes) = (RedactionCounts::default(), Vec::new());
    visit_tenant(tx.sql, tenant, &mut |text, at| decide(redactor, text, at, &mut counts, &mut changes))?;
    for (at, redaction) in changes {
        change(tx, tenant, 0, &at, redaction)?;
    }
    Ok(counts)
}

/// Changes one text. The lane is 0 for a text that belongs to none.
fn change(
    tx: &Tx<'_, '_>,
    tenant: &str,
    lane: i64,
    at: &TextLocation,
    redaction: Redaction,
) -> Result<(), TxError> {
    let text = if let Redaction::Rewrite(text) = redaction { Some(text) } else { None };
    let sql = tx.sql;
    match (at, text) {
        (TextLocation::Content(n), _) => sql.execute("UPDATE turns SET content = NULL, salt = NULL WHERE n = ?1", [n])?,
        (TextLocation::Checkpoint(revision), _) => {
            sql.execute("DELETE FROM checkpoints WHERE lane = ?1 AND revision = ?2", (lane, revision))?
        }
        (TextLocation::Record(key), Some(text)) => sql.execute(
            "UPDATE records SET body = ?4 WHERE lane = ?1 AND at = ?2 AND kind = ?3",
            (lane, &key.at, &key.kind, text),
        )?,
        (TextLocation::Record(key), None) => sql.execute(
            "DELETE FROM records WHERE lane = ?1 AND at = ?2 AND kind = ?3",
            (lane, &key.at, &key.kind),
        )?,
        (TextLocation::Participant(_), Some(_)) => {
            return Err(TxError::Refused("a participant is erased, never rewritten".into()));
        }
        (TextLocation::Participant(person), None) => {
            sql.execute("DELETE FROM participants WHERE lane = ?1 AND person = ?2", (lane, person))?
        }
        (TextLocation::Event(seq), text) => sql.execute("UPDATE handled SET event = ?2 WHERE seq = ?1", (seq, text))?,
        (TextLocation::Payload(n, ..), Some(text)) => sql.execute(
            "UPDATE outbox SET payload = ?2, payload_sha256 = ?3 WHERE n = ?1",
            (n, &text, payload_hash(&text)),
        )?,
        (TextLocation::Payload(n, state, outward), None) => {
            if *state != EffectState::Attempted || !outward {
                settle::cancel_erased(tx, *n)?;
            }
            sql.execute("UPDATE outbox SET payload = '' WHERE n = ?1", [n])?
        }
        (TextLocation::Outcome(n), Some(text)) => {
            sql.execute("UPDATE outcomes SET outcome = ?2 WHERE n = ?1", (n, text))?
        }
        (TextLocation::Outcome(n), None) => sql.execute("DELETE FROM outcomes WHERE n = ?1", [n])?,
        (TextLocation::Approval(n), Some(text)) => sql.execute(
            "UPDATE approvals SET approval = ?2, state = CASE state WHEN 0 THEN 4 ELSE state END WHERE n = ?1",
            (n, text),
        )?,
        (TextLocation::Decision(n), Some(text)) => {
            sql.execute("UPDATE approvals SET change = ?2 WHERE n = ?1", (n, text))?
        }
        (TextLocation::Approval(_) | TextLocation::Decision(_), None) => {
            return Err(TxError::Refused("an approval is rewritten, never erased".into()));
        }
        (TextLocation::Response(key), Some(text)) => {
            sql.execute("UPDATE requests SET body = ?3 WHERE tenant = ?1 AND key = ?2", (tenant, key, text))?
        }
        (TextLocation::Response(key), None) => {
            sql.execute("DELETE FROM requests WHERE tenant = ?1 AND key = ?2", (tenant, key))?
        }
        (TextLocation::Fact(set, id), text) => {
            sql.execute("UPDATE fact_sets SET revision = revision + 1 WHERE n = ?1", [set])?;
            match text {
                Some(text) => sql
                    .execute("UPDATE facts SET body = ?3 WHERE fact_set = ?1 AND id = ?2", (set, id, text))?,
                None => sql.execute("DELETE FROM facts WHERE fact_set = ?1 AND id = ?2", (set, id))?,
            }
        }
        (TextLocation::Document(collection, key), Some(text)) => sql.execute(
            "UPDATE documents SET body = ?4, version = version + 1 \
             WHERE tenant = ?1 AND collection = ?2 AND key = ?3",
            (tenant, collection, key, text),
        )?,
        (TextLocation::Document(collection, key), None) => sql.execute(
            "DELETE FROM documents WHERE tenant = ?1 AND collection = ?2 AND key = ?3",
            (tenant, collection, key),
        )?,
    };
    Ok(())
}

fn lanes_containing(sql: &Connection, tenant: &str, text: &str) -> rusqlite::Result<Vec<LaneKey>> {
    // One scan of each table for all lanes together: most lanes do not hold the text.
    const SELECT: &str = concat!(
        "SELECT ",
        lane_parts!(),
        " FROM lanes l WHERE l.tenant = ?1 AND l.n IN (",
        "SELECT n FROM lanes WHERE instr(head, ?2) > 0",
        " UNION SELECT lane FROM turns WHERE instr(content, ?2) > 0",
        " UNION SELECT lane FROM checkpoints WHERE instr(state, ?2) > 0",
        " UNION SELECT lane FROM records WHERE instr(body, ?2) > 0",
        " UNION SELECT lane FROM participants WHERE instr(json_quote(person), ?2) > 0",
        " UNION SELECT lane FROM inbox WHERE instr(event, ?2) > 0",
        " UNION SELECT lane FROM handled WHERE instr(event, ?2) > 0",
        " UNION SELECT lane FROM outbox WHERE instr(payload, ?2) > 0",
        " UNION SELECT o.lane FROM outcomes c JOIN outbox o ON o.n = c.n WHERE instr(c.outcome, ?2) > 0",
        " UNION SELECT lane FROM approvals WHERE instr(approval, ?2) > 0 OR instr(change, ?2) > 0",
        ") ORDER BY l.id"
    );
    sql.prepare_cached(SELECT)?.query_map((tenant, text), lane_key)?.collect()
}

/// Rebuilds the file and empties the log. Deleting is not enough: when SQLite moves a row to another page, it does not
/// overwrite the gap that stays behind.
fn vacuum(tx: &Tx<'_, '_>) -> Result<(), TxError> {
    let run = |pragma: &str| tx.sql.execute_batch(pragma);
    // The copy may not fit into memory.
    run("PRAGMA temp_store = file")?;
    let rebuilt = run("VACUUM");
    run("PRAGMA temp_store = memory")?;
    rebuilt?;
    let busy: i64 = tx.sql.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy != 0 {
        return Err(TxError::Refused(
            "somebody reads the database, so its log cannot be emptied; try again".into(),
        ));
    }
    Ok(())
}

/// Enters an erasure, unless an open one with the same subject is there.
pub(super) fn request(tx: &Tx<'_, '_>, tenant: &str, what: &str) -> Result<i64, TxError> {
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

fn finish(tx: &Tx<'_, '_>, tenant: &str, number: i64, audit: &str) -> Result<bool, TxError> {
    let done = "UPDATE erasures SET done_at = ?3 WHERE tenant = ?1 AND number = ?2 AND done_at IS NULL";
    if tx.sql.execute(done, (tenant, number, tx.now.0))? == 0 {
        return Ok(false);
    }
    audit::append(tx, tenant, audit)?;
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
impl Erasure for SqliteStore {
    async fn lanes_containing(&self, tenant: &str, text: &str) -> Result<Vec<LaneKey>, StoreError> {
        self.read("look for lanes that hold a text", |sql| lanes_containing(sql, tenant, text))
    }

    async fn visit(&self, lane: &LaneKey, visitor: &mut TextVisitor<'_>) -> Result<(), StoreError> {
        self.read("look through a lane", |sql| match lane_number(sql, lane)? {
            Some(n) => visit_lane(sql, n, &mut |text, _| visitor(text)),
            None => Ok(()),
        })
    }

    async fn redact(&self, lane: &LaneKey, redactor: Redactor) -> Result<RedactionCounts, StoreError> {
        let lane = lane.clone();
        Ok(self.writer.call("erase from a lane", move |tx| redact(tx, &lane, &redactor)).await?)
    }

    async fn redact_tenant(&self, tenant: &str, redactor: Redactor) -> Result<RedactionCounts, StoreError> {
        let tenant = tenant.to_owned();
        Ok(self.writer.call("erase from a tenant", move |tx| redact_tenant(tx, &tenant, &redactor)).await?)
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        Ok(self.writer.call_alone("clean the database file", |tx| vacuum(tx)).await?)
    }

    async fn request_erasure(&self, tenant: &str, what: &str) -> Result<i64, StoreError> {
        let (tenant, what) = (tenant.to_owned(), what.to_owned());
        Ok(self.writer.call("enter an erasure", move |tx| request(tx, &tenant, &what)).await?)
    }

    async fn finish_erasure(&self, tenant: &str, number: i64, audit: &str) -> Result<bool, StoreError> {
        let (tenant, audit) = (tenant.to_owned(), audit.to_owned());
        Ok(self.writer.call("record an erasure", move |tx| finish(tx, &tenant, number, &audit)).await?)
    }

    async fn erasures(&self, tenant: &str, open: bool) -> Result<Vec<ErasureRow>, StoreError> {
        self.read("list erasures", |sql| list(sql, tenant, open))
    }
}
