//! The buttons that were shown: one row a turn, found by going back through the lane's newest turns.

use rusqlite::{Connection, Row};
use throughline_engine::canon::unhex;
use throughline_engine::{CardId, LaneKey};

use super::fault::Fault;
use super::lane_number;
use super::writer::Tx;
use crate::contract::TokenRow;

/// Bytes of a token's hash that are kept: as many as a token has.
const HASH: usize = 16;

/// Neighbouring buttons of one version of a card: card, version, item, their actions.
type Shown = (String, u32, String, Vec<String>);

/// Keeps the buttons of a turn.
pub(super) fn keep(tx: &Tx<'_, '_>, lane: i64, revision: i64, tokens: &[TokenRow]) -> Result<(), Fault> {
    let mut hashes = Vec::with_capacity(tokens.len() * HASH);
    let mut about: Vec<Shown> = Vec::new();
    for TokenRow { hash, card, version, item, action } in tokens {
        let kept =
            short(hash).ok_or_else(|| Fault::Refused(format!("{hash:?} is not the hash of a token")))?;
        hashes.extend(kept);
        match about.last_mut() {
            Some(last) if last.0 == card.0 && last.1 == *version && last.2 == *item => {
                last.3.push(action.clone());
            }
            _ => about.push((card.0.clone(), *version, item.clone(), vec![action.clone()])),
        }
    }
    if hashes.is_empty() {
        return Ok(());
    }
    let about = serde_json::to_string(&about).unwrap_or_default();
    let keep = "INSERT INTO buttons (lane, revision, hashes, about) VALUES (?1, ?2, ?3, ?4)";
    tx.sql.execute(keep, (lane, revision, hashes, about))?;
    Ok(())
}

/// The button of a token's hash, looked for from the lane's newest turn back.
pub(super) fn find(sql: &Connection, lane: &LaneKey, hash: &str) -> rusqlite::Result<Option<TokenRow>> {
    let (Some(n), Some(wanted)) = (lane_number(sql, lane)?, short(hash)) else { return Ok(None) };
    let select = "SELECT hashes, about FROM buttons WHERE lane = ?1 ORDER BY revision DESC";
    let mut select = sql.prepare_cached(select)?;
    let mut rows = select.query([n])?;
    while let Some(row) = rows.next()? {
        let hashes = row.get_ref(0)?.as_blob()?;
        if let Some(at) = hashes.chunks(HASH).position(|kept| same(kept, &wanted)) {
            return button(row, at, hash);
        }
    }
    Ok(None)
}

fn button(row: &Row<'_>, at: usize, hash: &str) -> rusqlite::Result<Option<TokenRow>> {
    let about: Vec<Shown> = serde_json::from_str(row.get_ref(1)?.as_str()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
    })?;
    let buttons = about.into_iter().flat_map(|(card, version, item, actions)| {
        actions.into_iter().map(move |action| (card.clone(), version, item.clone(), action))
    });
    let found = buttons.skip(at).map(|(card, version, item, action)| TokenRow {
        hash: hash.into(),
        card: CardId(card),
        version,
        item,
        action,
    });
    Ok({ found }.next())
}

fn short(hash: &str) -> Option<Vec<u8>> {
    let mut bytes = unhex(hash)?;
    bytes.truncate(HASH);
    (bytes.len() == HASH).then_some(bytes)
}

/// In constant time (`spec 06 §5.5`).
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
