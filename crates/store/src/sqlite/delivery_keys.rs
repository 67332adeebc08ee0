//! Identities of deliveries. The insert of a key decides whether a delivery is a duplicate.

use rusqlite::{Connection, OptionalExtension, Row};
use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::hex;

use super::codec::{Hex, HexText, row_state_number};
use super::error::TxError;
use super::writer::Tx;
use crate::contract::{DeliveryIdentity, Forgotten, RowState, Seq};
use crate::rules::kept_key;

/// A stored key.
pub(super) struct DeliveryKey {
    pub(super) seq: Option<Seq>,
    /// The turn that the delivery came with: lane, revision, state of the row.
    pub(super) turn: Option<(i64, i64, i64)>,
    pub(super) body_hash: Option<String>,
    pub(super) first: Option<String>,
}

impl DeliveryKey {
    pub(super) fn find(sql: &Connection, tenant: &str, key: &str) -> rusqlite::Result<Option<Self>> {
        let select = "SELECT seq, lane, revision, state, body_hash, first FROM delivery_keys WHERE key = ?1";
        let read = |row: &Row<'_>| {
            let (lane, revision, state): (Option<i64>, Option<i64>, Option<i64>) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Self {
                seq: row.get(0)?,
                turn: lane.zip(revision).zip(state).map(|((lane, revision), state)| (lane, revision, state)),
                body_hash: row.get::<_, Option<HexText>>(4)?.map(|hash| hash.0),
                first: row.get(5)?,
            })
        };
        sql.prepare_cached(select)?.query_row([kept_key(tenant, key)], read).optional()
    }
}

/// Leads the keys of a waiting delivery to its new position.
pub(super) fn move_to(sql: &Connection, tenant: &str, key: &str, from: Seq, to: Seq) -> rusqlite::Result<()> {
    let lead = "UPDATE delivery_keys SET seq = ?3 WHERE seq = ?2 AND (key = ?1 OR first = ?4)";
    sql.execute(lead, (kept_key(tenant, key), from, to, key))?;
    Ok(())
}

/// Owner of a delivery's keys.
#[derive(Clone, Copy)]
pub(super) enum KeyOwner {
    /// A row of the inbox.
    Row(Seq),
    /// The turn that the delivery comes with: lane, revision, state of the row.
    Turn(i64, i64, RowState),
}

/// Inserts every key of a delivery, or none if one is taken, which is then returned.
pub(super) fn take_keys<'a>(
    tx: &Tx<'_, '_>,
    identity: &'a DeliveryIdentity,
    taker: KeyOwner,
) -> Result<Option<&'a str>, TxError> {
    let tenant = &identity.lane.tenant;
    let keys: Vec<&String> = identity.keys().collect();
    let (seq, turn) = match taker {
        KeyOwner::Row(seq) => (Some(seq), None),
        KeyOwner::Turn(lane, revision, state) => (None, Some((lane, revision, row_state_number(state)))),
    };
    for (i, key) in keys.iter().enumerate().filter(|(i, key)| !keys[..*i].contains(key)) {
        let insert = "INSERT INTO delivery_keys (key, seq, lane, revision, state, body_hash, first) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (key) DO NOTHING";
        let body_hash = identity.body_hash.as_deref().filter(|_| i == 0);
        let params = (
            kept_key(tenant, key),
            seq,
            turn.map(|turn| turn.0),
            turn.map(|turn| turn.1),
            turn.map(|turn| turn.2),
            body_hash.map(Hex),
            (i > 0).then_some(&identity.key),
        );
        if tx.sql.execute(insert, params)? == 0 {
            for taken in &keys[..i] {
                tx.sql.execute("DELETE FROM delivery_keys WHERE key = ?1", [kept_key(tenant, taken)])?;
            }
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// Forgets deliveries that ended: their keys among the first `limit` behind `after`, and once there are no more of these, up to
/// `limit` of their rows. So no key ever leads to a row that is gone.
pub(super) fn forget_ended(
    tx: &Tx<'_, '_>,
    tenant: &str,
    before: Timestamp,
    after: &[u8],
    limit: u32,
) -> Result<Forgotten, TxError> {
    let select = "SELECT k.key, l.tenant = ?3 AND coalesce(h.received_at, t.decided_at) < ?4 FROM delivery_keys k \
                  LEFT JOIN handled h ON h.seq = k.seq LEFT JOIN turns t ON t.lane = k.lane AND t.revision = k.revision \
                  LEFT JOIN lanes l ON l.n = coalesce(k.lane, h.lane) WHERE k.key > ?1 ORDER BY k.key LIMIT ?2";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, Option<bool>>(1)?.unwrap_or(false)));
    let mut select = tx.sql.prepare_cached(select)?;
    let page = select.query_map((after, limit, tenant, before.0), read)?;
    let page = page.collect::<rusqlite::Result<Vec<(Vec<u8>, bool)>>>()?;
    let mut keys = 0;
    for (key, _) in page.iter().filter(|(_, old)| *old) {
        keys += tx.sql.execute("DELETE FROM delivery_keys WHERE key = ?1", [key])? as u64;
    }
    let last = page.last().map_or(after, |(key, _)| key);
    let more = page.len() == limit as usize || forget_rows(tx, tenant, before, limit)?;
    Ok(Forgotten { keys, next: more.then(|| hex(last)) })
}

/// Deletes rows of deliveries that ended and whose keys are forgotten. Returns true if there may be more.
fn forget_rows(tx: &Tx<'_, '_>, tenant: &str, before: Timestamp, limit: u32) -> Result<bool, TxError> {
    let delete = "DELETE FROM handled WHERE seq IN (SELECT h.seq FROM handled h JOIN lanes l ON l.n = h.lane \
                  WHERE l.tenant = ?1 AND h.received_at < ?2 ORDER BY h.seq LIMIT ?3)";
    Ok(tx.sql.execute(delete, (tenant, before.0, limit))? == limit as usize)
}
