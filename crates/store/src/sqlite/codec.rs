//! Conversion between the values of the contract and columns: states are small numbers, hashes are bytes.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, types::Value};
use throughline_engine::data::canonical_json::{hex, unhex};
use throughline_engine::{LaneKey, Timestamp};

use crate::contract::{EffectState, Performer, RowState};

/// Hex text that is stored as bytes. A text that is not lower-case hex is stored as text, so that each one comes back
/// unchanged.
pub(super) struct Hex<'a>(pub(super) &'a str);

impl ToSql for Hex<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match from_hex(self.0) {
            Some(bytes) => ToSqlOutput::Owned(Value::Blob(bytes)),
            None => ToSqlOutput::Borrowed(ValueRef::Text(self.0.as_bytes())),
        })
    }
}

/// Text of a column that was written as [`Hex`]; empty for NULL.
pub(super) struct HexText(pub(super) String);

impl FromSql for HexText {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Blob(bytes) => Ok(Self(hex(bytes))),
            ValueRef::Null => Ok(Self(String::new())),
            other => Ok(Self(other.as_str()?.to_owned())),
        }
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    unhex(text).filter(|bytes| !bytes.is_empty())
}

/// Converts a number of the contract to SQLite's signed one. None comes near the limit.
pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

pub(super) fn moment(row: &Row<'_>, column: &str) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp)
}

/// Reads the lane of a row that selects [`lane_parts!`].
pub(super) fn lane_key(row: &Row<'_>) -> rusqlite::Result<LaneKey> {
    Ok(LaneKey {
        tenant: row.get("lane_tenant")?,
        app: row.get("app")?,
        channel: row.get("channel")?,
        conversation: row.get("conversation")?,
        thread: row.get("thread")?,
    })
}

/// Columns that [`lane_key`] reads, from a table called `l`.
macro_rules! lane_parts {
    () => {
        "l.tenant AS lane_tenant, l.app, l.channel, l.conversation, l.thread"
    };
}
pub(super) use lane_parts;

/// Stores an enum as the position of its variant in this list. Files hold the positions, so a list only grows at its
/// end.
macro_rules! numbered {
    ($ty:ident, $to:ident, $from:ident, [$($variant:ident),*]) => {
        pub(super) fn $to(value: $ty) -> i64 {
            const ALL: &[$ty] = &[$($ty::$variant),*];
            ALL.iter().position(|each| *each == value).map_or(-1, |place| place as i64)
        }

        pub(super) fn $from(number: i64) -> FromSqlResult<$ty> {
            const ALL: &[$ty] = &[$($ty::$variant),*];
            usize::try_from(number).ok().and_then(|n| ALL.get(n)).copied().ok_or(FromSqlError::OutOfRange(number))
        }
    };
}

numbered!(RowState, row_state_number, row_state, [Received, Done, Ignored, Refused, Dead]);
numbered!(
    EffectState,
    effect_state_number,
    effect_state,
    [Planned, Attempted, Done, Failed, Uncertain, Cancelled]
);
numbered!(Performer, performer_number, performer, [Us, Host]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_comes_back_as_it_went_in() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for text in ["00ff", "deadbeef", "h1", "", "ABCD", "abc"] {
            let back: HexText = connection.query_row("SELECT ?1", [Hex(text)], |row| row.get(0)).unwrap();
            assert_eq!(back.0, text);
        }
    }

    #[test]
    fn numbers_are_what_the_schema_says() {
        assert_eq!(row_state_number(RowState::Done), 1);
        assert_eq!(row_state_number(RowState::Dead), 4);
        assert_eq!(effect_state_number(EffectState::Planned), 0);
        assert_eq!(effect_state_number(EffectState::Cancelled), 5);
        assert_eq!(performer_number(Performer::Host), 1);
        assert_eq!(effect_state(4).unwrap(), EffectState::Uncertain);
        assert!(effect_state(6).is_err());
    }
}
