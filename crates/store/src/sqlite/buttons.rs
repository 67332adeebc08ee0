//! Buttons that were shown: one row for each turn, searched from the lane's newest turn back.

use rusqlite::{Connection, Row};
use throughline_engine::data::canonical_json::unhex;
use throughline_engine::{CardId, LaneKey};

use super::error::TxError;
use super::lane_number;
use super::writer::Tx;
use crate::contract::TokenRow;

/// Number of bytes stored of a token's hash: as many as a token has.
pub(super) const HASH: usize = 16;

/// Neighbouring buttons of one item: card, version, item, actions.
pub(super) type ButtonGroup = (String, u32, String, Vec<String>);

/// Stores the buttons of a turn.
pub(super) fn store(tx: &Tx<'_, '_>, lane: i64, revision: i64, tokens: &[TokenRow]) -> Result<(), TxError> {
    let mut hashes = Vec::with_capacity(tokens.len() * HASH);
    let mut about: Vec<ButtonGroup> = Vec::new();
    for TokenRow { hash, card, version, item, action } in tokens {
        let kept = stored_hash(hash)
            .ok_or_else(|| TxError::Refused(format!("{hash:?} is not the hash of a token")))?;
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
    let insert = "INSERT INTO buttons (lane, revision, hashes, about) VALUES (?1, ?2, ?3, ?4)";
    tx.sql.execute(insert, (lane, revision, hashes, about))?;
    Ok(())
}

/// Returns the button with that token hash.
pub(super) fn find(sql: &Connection, lane: &LaneKey, hash: &str) -> rusqlite::Result<Option<TokenRow>> {
    let (Some(n), Some(wanted)) = (lane_number(sql, lane)?, stored_hash(hash)) else { return Ok(None) };
    let select = "SELECT hashes, about FROM buttons WHERE lane = ?1 ORDER BY revision DESC";
    let mut select = sql.prepare_cached(select)?;
    let mut rows = select.query([n])?;
    while let Some(row) = rows.next()? {
        let hashes = row.get_ref(0)?.as_blob()?;
        if let Some(at) = hashes.chunks(HASH).position(|kept| constant_time_eq(kept, &wanted)) {
            return button(row, at, hash);
        }
    }
    Ok(None)
}

fn button(row: &Row<'_>, at: usize, hash: &str) -> rusqlite::Result<Option<TokenRow>> {
    let about: Vec<ButtonGroup> = serde_json::from_str(row.get_ref(1)?.as_str()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
    })?;
    let found = each(about).skip(at).map(|(card, version, item, action)| TokenRow {
        hash: hash.into(),
        card: CardId(card),
        version,
        item,
        action,
    });
    Ok({ found }.next())
}

/// Returns card, version, item and action of every button.
pub(super) fn each(about: Vec<ButtonGroup>) -> impl Iterator<Item = (String, u32, String, String)> {
    about.into_iter().flat_map(|(card, version, item, actions)| {
        actions.into_iter().map(move |action| (card.clone(), version, item.clone(), action))
    })
}

fn stored_hash(hash: &str) -> Option<Vec<u8>> {
    let mut bytes = unhex(hash)?;
    bytes.truncate(HASH);
    (bytes.len() == HASH).then_some(bytes)
}

/// Compares in constant time, so that the time of an answer does not tell how many bytes of a guess were right.
fn constant_time_eq(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
