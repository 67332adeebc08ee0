//! Keys of the `records` table. A record is stored at the place that its id names, so that the records of one turn lie
//! together and the next turn's lie behind them (`docs/design/0006-what-a-turn-writes.md`). A key that is no id of the
//! lane is stored as it is.

use std::collections::BTreeSet;

use rusqlite::types::{FromSqlError, ToSqlOutput, Value};
use rusqlite::{Row, ToSql};
use serde::{Deserialize, Serialize};
use throughline_engine::data::id::{IdOrigin, KINDS, id_origin};
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{LaneId, LaneKey};

/// Record kinds that are stored as a number, which is their position here.
///
/// The list is closed. It has the kinds of the first release; records of a later kind are stored under its name. A
/// number for one of those would hide the rows that files have under the name, and save a few bytes a record.
const NUMBERED_KINDS: [&str; 6] = ["message", "task", "draft", "card", "held", "batch"];

/// Kind of the rows that map a channel's message id to ours.
const CHANNEL_IDS: &str = "";

/// Kind of the rows that list, by our message id, the channel's.
const SENT: &str = "sent";

/// Primary key of a record within its lane, in the order of the table: numbers before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RecordKey {
    pub(super) at: KeyPart,
    pub(super) kind: KeyPart,
}

/// A column of the key: a number where there is one for the text, else the text itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum KeyPart {
    Number(i64),
    Text(String),
}

impl ToSql for KeyPart {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
        })
    }
}

impl RecordKey {
    /// Returns the key of a record.
    pub(super) fn of(lane: &LaneId, kind: &str, key: &str) -> Self {
        let number = NUMBERED_KINDS.iter().position(|numbered| *numbered == kind);
        let kind = number.map_or_else(|| KeyPart::Text(kind.into()), |number| KeyPart::Number(number as i64));
        let at =
            id_origin(lane, key).and_then(place).map_or_else(|| KeyPart::Text(key.into()), KeyPart::Number);
        Self { at, kind }
    }

    /// Returns kind and key of the record; `None` if no record has such a key.
    pub(super) fn names(&self, lane: &LaneKey) -> Option<(String, String)> {
        let kind = match &self.kind {
            KeyPart::Number(number) => NUMBERED_KINDS.get(usize::try_from(*number).ok()?).copied()?.into(),
            KeyPart::Text(name) => name.clone(),
        };
        let key = match &self.at {
            KeyPart::Number(place) => id_at(lane, *place)?,
            KeyPart::Text(key) => key.clone(),
        };
        Some((kind, key))
    }

    /// Returns the key of the row that maps a channel's message id to ours. A channel's id is never taken for one of
    /// ours, even if it looks like one.
    pub(super) fn channel_id(id: &str) -> Self {
        Self { at: KeyPart::Text(id.into()), kind: KeyPart::Text(CHANNEL_IDS.into()) }
    }

    /// Returns the key of the row that lists the channel's ids of a message of ours.
    pub(super) fn sent(message: &str) -> Self {
        Self { at: KeyPart::Text(message.into()), kind: KeyPart::Text(SENT.into()) }
    }
}

/// Packs an id into a number that rises with the turns: revision, position in the turn and kind of the id, in 50, 10
/// and 3 bits. `None` if one of them does not fit.
fn place(made: IdOrigin) -> Option<i64> {
    let IdOrigin { kind, revision, ordinal } = made;
    let fits = revision < 1 << 50 && ordinal < 1 << 10 && kind < 1 << 3;
    fits.then(|| i64::try_from(revision << 13 | u64::from(ordinal) << 3 | u64::from(kind)).ok()).flatten()
}

/// Returns the id that [`place`] packed.
fn id_at(lane: &LaneKey, place: i64) -> Option<String> {
    let place = u64::try_from(place).ok()?;
    let (revision, ordinal, kind) = (place >> 13, place >> 3 & 1023, place & 7);
    let (prefix, _) = KINDS.get(usize::try_from(kind).ok()?)?;
    Some(IdGenerator::new(lane, revision).other(prefix, u32::try_from(ordinal).ok()?))
}

/// Keys of the records that are loaded with a lane. They are a column of the lane's row, which every turn writes
/// anyway, so retiring a record costs no write of its own.
///
/// Encoded as: the count of keys of two numbers; for each of these the difference of its place to the one before, and
/// its kind; then the other keys as JSON, if there are any. Numbers are LEB128.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LoadedRecords(BTreeSet<RecordKey>);

impl LoadedRecords {
    pub(super) fn read(row: &Row<'_>, column: usize) -> rusqlite::Result<Self> {
        let bytes = row.get_ref(column)?.as_blob()?;
        Self::decode(bytes).ok_or_else(|| {
            let error = FromSqlError::Other("the list of a lane's loaded records is damaged".into());
            rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, Box::new(error))
        })
    }

    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut loaded = BTreeSet::new();
        if bytes.is_empty() {
            return Some(Self(loaded));
        }
        let mut at = 0_i64;
        for _ in 0..take(&mut bytes)? {
            at = at.checked_add_unsigned(take(&mut bytes)?)?;
            let kind = i64::try_from(take(&mut bytes)?).ok()?;
            loaded.insert(RecordKey { at: KeyPart::Number(at), kind: KeyPart::Number(kind) });
        }
        if !bytes.is_empty() {
            let others: Vec<(KeyPart, KeyPart)> = serde_json::from_slice(bytes).ok()?;
            loaded.extend(others.into_iter().map(|(at, kind)| RecordKey { at, kind }));
        }
        Some(Self(loaded))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let numbered =
            |key: &&RecordKey| matches!((&key.at, &key.kind), (KeyPart::Number(_), KeyPart::Number(_)));
        let mut bytes = Vec::with_capacity(4 * self.0.len() + 2);
        put(&mut bytes, self.0.iter().filter(numbered).count() as u64);
        let mut before = 0;
        let mut others: Vec<(&KeyPart, &KeyPart)> = Vec::new();
        for RecordKey { at, kind } in &self.0 {
            if let (KeyPart::Number(at), KeyPart::Number(kind)) = (at, kind) {
                put(&mut bytes, at.abs_diff(before));
                put(&mut bytes, kind.unsigned_abs());
                before = *at;
            } else {
                others.push((at, kind));
            }
        }
        if !others.is_empty() {
            bytes.extend(serde_json::to_vec(&others).unwrap_or_default());
        }
        bytes
    }

    pub(super) fn add(&mut self, key: &RecordKey) {
        if !self.0.contains(key) {
            self.0.insert(key.clone());
        }
    }

    pub(super) fn remove(&mut self, key: &RecordKey) {
        self.0.remove(key);
    }

    /// Iterates in the order of the table.
    pub(super) fn iter(&self) -> impl Iterator<Item = &RecordKey> {
        self.0.iter()
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte & 128 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane() -> LaneKey {
        LaneKey::new("acme", "A1", "slack", "C1", "")
    }

    #[test]
    fn keys_are_in_the_order_in_which_ids_were_made() {
        let (key, id) = (lane(), lane().id());
        let minted = |revision, ordinal, prefix: &str, kind: &str| {
            RecordKey::of(&id, kind, &IdGenerator::new(&key, revision).other(prefix, ordinal))
        };
        let made = [
            minted(1, 0, "m_", "message"),
            minted(1, 1, "cd_", "card"),
            minted(9, 0, "m_", "message"),
            minted(9, 0, "m_", "held"),
            minted(10, 0, "ap_", "card"),
            minted(10, 1, "m_", "message"),
            RecordKey::of(&id, "message", "17.1"),
        ];
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]), "{made:?}");
        assert!(matches!(made[5].at, KeyPart::Number(_)));
        for (prefix, _) in KINDS {
            for (kind, ordinal) in [("message", 0), ("card", 1023), ("view", 1024)] {
                let id = IdGenerator::new(&key, (1 << 50) - 1).other(prefix, ordinal);
                assert_eq!(RecordKey::of(&lane().id(), kind, &id).names(&key), Some((kind.into(), id)));
            }
        }
        let foreign = IdGenerator::new(&LaneKey::new("acme", "A1", "slack", "C2", ""), 1).other("cd_", 1);
        assert_eq!(RecordKey::of(&id, "card", &foreign).at, KeyPart::Text(foreign));
        let far = IdGenerator::new(&key, 1).other("m_", 1 << 10);
        assert_eq!(RecordKey::of(&id, "message", &far).at, KeyPart::Text(far));
    }

    /// Files hold these numbers, and the names of all other kinds.
    #[test]
    fn kinds_keep_their_column() {
        let kind = |name| RecordKey::of(&lane().id(), name, "k").kind;
        for (number, name) in (0..).zip(["message", "task", "draft", "card", "held", "batch"]) {
            assert_eq!(kind(name), KeyPart::Number(number));
        }
        for name in ["review", "decision", "option_set", "view", "fact"] {
            assert_eq!(kind(name), KeyPart::Text(name.into()));
        }
    }

    #[test]
    fn loaded_records_survive_encoding() {
        let id = lane().id();
        let mut loaded = LoadedRecords::default();
        assert_eq!(LoadedRecords::decode(&[]), Some(LoadedRecords::default()));
        for (kind, key) in [
            ("message", "m_500_1"),
            ("task", "t_3_0"),
            ("message", "m_3_1"),
            ("other", "m_7_0"),
            ("draft", "x"),
        ] {
            loaded.add(&RecordKey::of(&id, kind, key));
            loaded.add(&RecordKey::of(&id, kind, key));
        }
        let bytes = loaded.encode();
        assert_eq!(LoadedRecords::decode(&bytes), Some(loaded.clone()));
        for (kind, key) in [("other", "m_7_0"), ("draft", "x"), ("card", "m_500_1")] {
            loaded.remove(&RecordKey::of(&id, kind, key));
        }
        let numbers = loaded.encode();
        assert!(numbers.len() < 15, "{numbers:?}");
        assert_eq!(LoadedRecords::decode(&numbers), Some(loaded.clone()));
        assert_eq!(loaded.iter().count(), 3);
        for cut in 1..numbers.len() {
            assert_eq!(LoadedRecords::decode(&numbers[..cut]), None);
        }
    }
}
