//! The content of a file as rows of the tables that PostgreSQL has (`docs/postgresql.md`): what is a number in the file only
//! gets its name, what is a list gets its rows, and hashes become text.

use std::collections::BTreeMap;

use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, Row};
use serde_json::{Map, Value, json};
use throughline_engine::data::canonical_json::{hex, unhex};
use throughline_engine::data::effect::EffectClass;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{LaneKey, TurnId};

use super::SqliteStore;
use super::buttons::{self, ButtonGroup};
use super::codec::lane_parts;
use super::delivery_keys::DeliveryKey;
use super::record_key::{KeyPart, LoadedRecords, RecordKey};
use crate::contract::StoreError;
use crate::rules::posted_card;

/// Most rows of a page.
const PAGE_ROWS: usize = 500;
/// Size of a page's texts in bytes at which it is full.
const PAGE_BYTES: usize = 1 << 20;

/// A row: its columns by name.
pub(crate) type Columns = Map<String, Value>;

/// Rows of one table and one tenant.
pub(crate) struct Page {
    /// The tenant.
    pub(crate) tenant: String,
    /// The table.
    pub(crate) table: &'static str,
    /// The rows, all with the same columns.
    pub(crate) rows: Vec<Columns>,
}

/// Makes the rows of the server's table from one row of the file.
type Make = fn(&Connection, Columns) -> rusqlite::Result<Vec<Columns>>;

/// A table of the server.
struct Table {
    name: &'static str,
    /// Selects from the file what its rows are made from; `?1` is the tenant.
    select: &'static str,
    make: Make,
}

const fn plain(name: &'static str, select: &'static str) -> Table {
    made(name, select, |_, row| Ok(vec![row]))
}

const fn made(name: &'static str, select: &'static str, make: Make) -> Table {
    Table { name, select, make }
}

/// Every table of a tenant, each behind those that its foreign keys lead to.
const TABLES: [Table; 25] = [
    plain("directory", "SELECT ?1 AS tenant"),
    plain(
        "tenants",
        "SELECT ?1 AS tenant, coalesce(t.audit_number, 0) AS audit_number, coalesce(t.audit_hash, zeroblob(32)) AS audit_hash, \
         t.pause_by, t.pause_since, t.pause_reason, t.pause_everything FROM (SELECT ?1 AS name) \
         LEFT JOIN tenants t ON t.tenant = name",
    ),
    plain(
        "lanes",
        "SELECT l.tenant, l.id, l.app, l.channel, l.conversation, l.thread, l.revision, l.epoch, l.updated_at, l.log_hash, \
         l.head, (SELECT count(*) FROM inbox i WHERE i.lane = l.n) AS waiting FROM lanes l WHERE l.tenant = ?1",
    ),
    made(
        "records",
        concat!(
            "SELECT r.at, r.kind, r.body, l.loaded, l.id AS lane, ",
            lane_parts!(),
            " FROM lanes l JOIN records r ON r.lane = l.n WHERE l.tenant = ?1 AND r.kind NOT IN ('', 'sent')"
        ),
        record,
    ),
    plain(
        "messages",
        "SELECT l.tenant, l.id AS lane, r.at AS channel_id, r.body AS ours FROM lanes l JOIN records r ON r.lane = l.n \
         WHERE l.tenant = ?1 AND r.kind = ''",
    ),
    made(
        "sent",
        "SELECT l.tenant, l.id AS lane, r.at AS ours, r.body AS list FROM lanes l JOIN records r ON r.lane = l.n \
         WHERE l.tenant = ?1 AND r.kind = 'sent'",
        sent,
    ),
    made(
        "delivery_keys",
        "SELECT l.tenant, l.id AS lane, k.key, k.first, k.seq, k.revision, k.state, k.body_hash FROM delivery_keys k \
         LEFT JOIN inbox i ON i.seq = k.seq LEFT JOIN handled h ON h.seq = k.seq \
         JOIN lanes l ON l.n = coalesce(k.lane, i.lane, h.lane) WHERE l.tenant = ?1",
        delivery_key,
    ),
    made(
        "inbox",
        "WITH k AS (SELECT seq, json_group_array(lower(hex(key))) AS keys FROM delivery_keys WHERE seq IS NOT NULL GROUP BY seq) \
         SELECT l.tenant, l.id AS lane, i.seq, i.key, coalesce(k.keys, '[]') AS keys, i.received_at, i.failures, 0 AS state, \
         NULL AS revision, i.kind, i.event FROM lanes l JOIN inbox i ON i.lane = l.n LEFT JOIN k ON k.seq = i.seq \
         WHERE l.tenant = ?1 UNION ALL \
         SELECT l.tenant, l.id, h.seq, NULL, coalesce(k.keys, '[]'), h.received_at, h.failures, h.state, h.revision, \
         coalesce(h.kind, ''), h.event FROM handled h JOIN lanes l ON l.n = h.lane \
         LEFT JOIN k ON k.seq = h.seq WHERE l.tenant = ?1",
        |_, row| list_column(row, "keys"),
    ),
    plain("requests", "SELECT tenant, key, body_hash, status, body FROM requests WHERE tenant = ?1"),
    made(
        "turns",
        concat!(
            "SELECT l.id AS lane, t.revision, t.n AS position, t.decided_at, t.hash, t.row, t.content, t.salt, ",
            "lag(t.hash, 1, zeroblob(32)) OVER (PARTITION BY t.lane ORDER BY t.revision) AS prev_hash, c.state AS checkpoint, ",
            lane_parts!(),
            " FROM lanes l JOIN turns t ON t.lane = l.n ",
            "LEFT JOIN checkpoints c ON c.lane = t.lane AND c.revision = t.revision WHERE l.tenant = ?1"
        ),
        turn,
    ),
    plain(
        "turn_positions",
        "SELECT ?1 AS tenant, max(t.n) AS position FROM turns t JOIN lanes l ON l.n = t.lane WHERE l.tenant = ?1 \
         HAVING count(*) > 0",
    ),
    plain(
        "approvals",
        "SELECT a.tenant, a.card, a.version, a.n, l.id AS lane, a.state, a.expires_at, a.approval, a.change \
         FROM approvals a JOIN lanes l ON l.n = a.lane WHERE a.tenant = ?1",
    ),
    plain("consumptions", "SELECT tenant, card, version FROM consumptions WHERE tenant = ?1"),
    plain(
        "releases",
        // An approval that a version without lists consumed releases what was planned then.
        "SELECT tenant, card, version, payload_sha256 FROM releases WHERE tenant = ?1 UNION \
         SELECT o.tenant, o.card, o.version, o.payload_sha256 FROM outbox o JOIN consumptions c \
         ON c.tenant = o.tenant AND c.card = o.card AND c.version = o.version \
         WHERE o.tenant = ?1 AND o.outward = 1 AND c.unlisted = 1",
    ),
    made(
        "outbox",
        "SELECT o.tenant, o.id, o.n, l.id AS lane, o.revision, o.ordinal, o.class, o.outward, o.performer, o.state, \
         o.attempts, o.fence, o.wake, o.created_at, o.not_before, o.deadline, o.stream, o.card, o.version, o.waits, \
         o.depends_on, o.payload_sha256, o.payload, c.outcome, CASE WHEN o.outward = 1 THEN o.payload_sha256 END AS released \
         FROM outbox o JOIN lanes l ON l.n = o.lane LEFT JOIN outcomes c ON c.n = o.n WHERE o.tenant = ?1",
        effect,
    ),
    plain(
        "dependencies",
        "SELECT b.tenant, b.id AS on_effect, e.id AS effect FROM dependencies d JOIN outbox b ON b.n = d.on_effect \
         JOIN outbox e ON e.n = d.effect WHERE b.tenant = ?1",
    ),
    plain(
        "timers",
        "SELECT t.tenant, t.id, l.id AS lane, t.due, t.about FROM timers t JOIN lanes l ON l.n = t.lane WHERE t.tenant = ?1",
    ),
    made(
        "buttons",
        "SELECT l.tenant, l.id AS lane, json_group_array(json_array(lower(hex(b.hashes)), json(b.about)) \
         ORDER BY b.revision DESC) AS turns FROM lanes l JOIN buttons b ON b.lane = l.n WHERE l.tenant = ?1 GROUP BY l.n",
        buttons,
    ),
    plain("audit", "SELECT tenant, number, hash, row FROM audit WHERE tenant = ?1"),
    plain("policies", "SELECT tenant, version, policy FROM policies WHERE tenant = ?1"),
    made(
        "documents",
        "SELECT tenant, collection, key, version, body, people, lane, words FROM documents WHERE tenant = ?1",
        |_, row| list_column(row, "people"),
    ),
    plain("erasures", "SELECT tenant, number, what, asked_at, done_at FROM erasures WHERE tenant = ?1"),
    plain("fact_sets", "SELECT tenant, scope, scope_id, revision, used FROM fact_sets WHERE tenant = ?1"),
    plain(
        "facts",
        "SELECT s.tenant, s.scope, s.scope_id, f.id, f.used_at, f.body FROM facts f JOIN fact_sets s ON s.n = f.fact_set \
         WHERE s.tenant = ?1",
    ),
    plain(
        "participants",
        "SELECT l.tenant, l.id AS lane, p.person FROM participants p JOIN lanes l ON l.n = p.lane WHERE l.tenant = ?1",
    ),
];

const TENANTS: &str = "SELECT tenant FROM tenants UNION SELECT tenant FROM lanes UNION SELECT tenant FROM documents UNION \
                       SELECT tenant FROM requests UNION SELECT tenant FROM policies UNION SELECT tenant FROM audit UNION \
                       SELECT tenant FROM erasures UNION SELECT tenant FROM fact_sets ORDER BY tenant";

fn record(_: &Connection, mut row: Columns) -> rusqlite::Result<Vec<Columns>> {
    let lane = lane_of(&mut row);
    let key = RecordKey { at: key_part(row.remove("at"))?, kind: key_part(row.remove("kind"))? };
    let loaded = text(&mut row, "loaded");
    let loaded = unhex(&loaded).as_deref().and_then(LoadedRecords::decode);
    let loaded = loaded.ok_or_else(|| damaged("the list of a lane's loaded records"))?;
    let (kind, name) = key.names(&lane).ok_or_else(|| damaged("the key of a record"))?;
    row.insert("tenant".into(), lane.tenant.into());
    row.insert("kind".into(), kind.into());
    row.insert("key".into(), name.into());
    row.insert("loaded".into(), loaded.iter().any(|each| *each == key).into());
    Ok(vec![row])
}

fn key_part(value: Option<Value>) -> rusqlite::Result<KeyPart> {
    serde_json::from_value(value.unwrap_or_default()).map_err(|_| damaged("the key of a record"))
}

fn sent(_: &Connection, mut row: Columns) -> rusqlite::Result<Vec<Columns>> {
    let list: Vec<String> = parsed(&text(&mut row, "list"), "the list of a message's ids")?;
    let each = (1..).zip(list).map(|(n, channel_id)| {
        let mut row = row.clone();
        row.insert("channel_id".into(), channel_id.into());
        row.insert("n".into(), json!(n));
        row
    });
    Ok(each.collect())
}

/// Gives every key of a delivery the hash of its request, which the file keeps with the first.
fn delivery_key(sql: &Connection, mut row: Columns) -> rusqlite::Result<Vec<Columns>> {
    if let (Some(first), Some(tenant)) = (row["first"].as_str(), row["tenant"].as_str()) {
        let first = DeliveryKey::find(sql, tenant, first)?;
        row.insert("body_hash".into(), first.and_then(|first| first.body_hash).into());
    }
    if row["revision"].is_null() {
        row.insert("state".into(), Value::Null);
    }
    Ok(vec![row])
}

fn turn(_: &Connection, mut row: Columns) -> rusqlite::Result<Vec<Columns>> {
    let lane = lane_of(&mut row);
    let TurnId(id) = IdGenerator::new(&lane, row["revision"].as_u64().unwrap_or(0)).turn();
    row.insert("turn".into(), id.into());
    row.insert("tenant".into(), lane.tenant.into());
    Ok(vec![row])
}

fn effect(_: &Connection, mut row: Columns) -> rusqlite::Result<Vec<Columns>> {
    let on = row["depends_on"].as_str().unwrap_or_default();
    let on: Vec<&str> = on.split(' ').filter(|id| !id.is_empty()).collect();
    let on = json!(on);
    let class = row["class"].as_str().and_then(EffectClass::parse);
    let payload = row["payload"].as_str().unwrap_or_default();
    let card = class.and_then(|class| posted_card(class, payload));
    row.insert("posts_card".into(), card.into());
    row.insert("depends_on".into(), on);
    Ok(vec![row])
}

/// Returns the buttons of a lane. One that several turns showed is that of the last.
fn buttons(_: &Connection, mut row: Columns) -> rusqlite::Result<Vec<Columns>> {
    let turns: Vec<(String, Vec<ButtonGroup>)> =
        parsed(&text(&mut row, "turns"), "the list of a lane's buttons")?;
    let mut shown = BTreeMap::new();
    for (hashes, about) in &turns {
        let hashes = hashes.as_bytes().chunks(2 * buttons::HASH).map(String::from_utf8_lossy);
        for (hash, button) in hashes.zip(buttons::each(about.clone())) {
            shown.entry(hash).or_insert(button);
        }
    }
    let each = shown.into_iter().map(|(hash, (card, version, item, action))| {
        let mut row = row.clone();
        let texts = [("hash", hash.into_owned()), ("card", card), ("item", item), ("action", action)];
        row.extend(texts.map(|(name, text)| (name.to_owned(), text.into())));
        row.insert("version".into(), version.into());
        row
    });
    Ok(each.collect())
}

/// Turns a column that holds a list as JSON into the list.
fn list_column(mut row: Columns, name: &str) -> rusqlite::Result<Vec<Columns>> {
    let list: Value = parsed(&text(&mut row, name), "a list")?;
    row.insert(name.into(), list);
    Ok(vec![row])
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|_| damaged(what))
}

fn damaged(what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, format!("{what} is damaged").into())
}

/// Takes a text out of a row.
fn text(row: &mut Columns, name: &str) -> String {
    match row.remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Takes the parts of a lane's key out of a row.
fn lane_of(row: &mut Columns) -> LaneKey {
    let mut part = |name| text(row, name);
    LaneKey {
        tenant: part("lane_tenant"),
        app: part("app"),
        channel: part("channel"),
        conversation: part("conversation"),
        thread: part("thread"),
    }
}

/// Reads a row: numbers, texts, and bytes as hex.
fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    let statement: &rusqlite::Statement<'_> = row.as_ref();
    let mut columns = Columns::new();
    for (at, name) in statement.column_names().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Blob(bytes) => hex(bytes).into(),
            text @ ValueRef::Text(_) => text.as_str()?.into(),
        };
        columns.insert(name.into(), value);
    }
    Ok(columns)
}

/// Returns the length of a row's texts.
fn size(row: &Columns) -> usize {
    row.values().map(|value| value.as_str().map_or(8, str::len)).sum()
}

/// Shows the rows of a table in pages. Returns false once `show` wants no more.
fn show_table(
    sql: &Connection,
    tenant: &str,
    table: &Table,
    show: &mut dyn FnMut(Page) -> bool,
) -> rusqlite::Result<bool> {
    let page = |rows| Page { tenant: tenant.to_owned(), table: table.name, rows };
    let mut statement = sql.prepare(table.select)?;
    let mut found = statement.query([tenant])?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        for made in (table.make)(sql, columns(row)?)? {
            bytes += size(&made);
            rows.push(made);
        }
        if rows.len() >= PAGE_ROWS || bytes >= PAGE_BYTES {
            bytes = 0;
            if !show(page(std::mem::take(&mut rows))) {
                return Ok(false);
            }
        }
    }
    Ok(rows.is_empty() || show(page(rows)))
}

fn tenants(sql: &Connection) -> rusqlite::Result<Vec<String>> {
    sql.prepare(TENANTS)?.query_map([], |row| row.get(0))?.collect()
}

impl SqliteStore {
    /// Returns the names of all tenants of which anything is stored.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn tenants(&self) -> Result<Vec<String>, StoreError> {
        self.read("list tenants", tenants)
    }

    /// Shows everything in the file, as it is at one moment, until `show` returns false.
    pub(crate) fn export(&self, show: &mut dyn FnMut(Page) -> bool) -> Result<(), StoreError> {
        self.read("read the database", |sql| {
            for tenant in &tenants(sql)? {
                for table in &TABLES {
                    if !show_table(sql, tenant, table, show)? {
                        return Ok(());
                    }
                }
            }
            Ok(())
        })
    }
}
