//! Where a record lies in its lane: at the place its id names, so that what one turn made lies together and the next
//! turn's stands behind it. A key that is no id of the lane lies under itself.

use std::collections::BTreeSet;

use rusqlite::types::{FromSqlError, ToSqlOutput, Value};
use rusqlite::{Row, ToSql};
use throughline_engine::LaneId;
use throughline_engine::id::{Made, made};

/// The kinds that are kept as a number: their place in this list. Places are never used again.
const KINDS: [&str; 6] = ["message", "task", "draft", "card", "held", "batch"];

/// The kind under which the channel's message ids lie beside the records.
const CHANNEL_IDS: &str = "";

/// The kind under which lies, by our id of a message, the list of the channel's.
const SENT: &str = "sent";

/// A record's place, in the order of the table: numbers before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) at: Word,
    pub(super) kind: Word,
}

/// A number where we have one for it, else the text itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    Number(i64),
    Text(String),
}

impl ToSql for Word {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
        })
    }
}

impl Spot {
    /// Where the channel's id of a message lies. It is never taken for one of ours.
    pub(super) fn channel_id(id: &str) -> Self {
        Self { at: Word::Text(id.into()), kind: Word::Text(CHANNEL_IDS.into()) }
    }

    /// Where the list of the channel's ids of a message of ours lies.
    pub(super) fn sent(message: &str) -> Self {
        Self { at: Word::Text(message.into()), kind: Word::Text(SENT.into()) }
    }

    pub(super) fn of(lane: &LaneId, kind: &str, key: &str) -> Self {
        let known = KINDS.iter().position(|known| *known == kind);
        let kind = known.map_or_else(|| Word::Text(kind.into()), |place| Word::Number(place as i64));
        let at = made(lane, key).and_then(number).map_or_else(|| Word::Text(key.into()), Word::Number);
        Self { at, kind }
    }
}

/// Revision, number in the turn, kind of the id: 50, 10 and 3 bits.
fn number(made: Made) -> Option<i64> {
    let Made { kind, revision, ordinal } = made;
    let fits = revision < 1 << 50 && ordinal < 1 << 10 && kind < 1 << 3;
    fits.then(|| i64::try_from(revision << 13 | u64::from(ordinal) << 3 | u64::from(kind)).ok()).flatten()
}

/// Which records are loaded with a lane. Kept in the lane's row, which every turn writes anyway: so a record that is
/// retired costs no write of its own.
///
/// As bytes: how many have numbers; for each of them how far its place is from the one before and its kind; then the
/// others as JSON, if there are any. Numbers are LEB128.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Loaded(BTreeSet<Spot>);

impl Loaded {
    pub(super) fn read(row: &Row<'_>, column: usize) -> rusqlite::Result<Self> {
        let bytes = row.get_ref(column)?.as_blob()?;
        Self::decode(bytes).ok_or_else(|| {
            let error = FromSqlError::Other("the list of a lane's loaded records is damaged".into());
            rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, Box::new(error))
        })
    }

    fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut loaded = BTreeSet::new();
        if bytes.is_empty() {
            return Some(Self(loaded));
        }
        let mut at = 0_i64;
        for _ in 0..take(&mut bytes)? {
            at = at.checked_add_unsigned(take(&mut bytes)?)?;
            let kind = i64::try_from(take(&mut bytes)?).ok()?;
            loaded.insert(Spot { at: Word::Number(at), kind: Word::Number(kind) });
        }
        if !bytes.is_empty() {
            let others: Vec<(Other, Other)> = serde_json::from_slice(bytes).ok()?;
            loaded.extend(others.into_iter().map(|(at, kind)| Spot { at: at.into(), kind: kind.into() }));
        }
        Some(Self(loaded))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let numbered = |spot: &&Spot| matches!((&spot.at, &spot.kind), (Word::Number(_), Word::Number(_)));
        let mut bytes = Vec::with_capacity(4 * self.0.len() + 2);
        put(&mut bytes, self.0.iter().filter(numbered).count() as u64);
        let mut before = 0;
        let mut others: Vec<(Other, Other)> = Vec::new();
        for Spot { at, kind } in &self.0 {
            if let (Word::Number(at), Word::Number(kind)) = (at, kind) {
                put(&mut bytes, at.abs_diff(before));
                put(&mut bytes, kind.unsigned_abs());
                before = *at;
            } else {
                others.push((at.clone().into(), kind.clone().into()));
            }
        }
        if !others.is_empty() {
            bytes.extend(serde_json::to_vec(&others).unwrap_or_default());
        }
        bytes
    }

    pub(super) fn add(&mut self, spot: &Spot) {
        if !self.0.contains(spot) {
            self.0.insert(spot.clone());
        }
    }

    pub(super) fn remove(&mut self, spot: &Spot) {
        self.0.remove(spot);
    }

    /// In the order of the table.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Spot> {
        self.0.iter()
    }
}

/// A word as JSON.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Other {
    Number(i64),
    Text(String),
}

impl From<Word> for Other {
    fn from(word: Word) -> Self {
        match word {
            Word::Number(number) => Self::Number(number),
            Word::Text(text) => Self::Text(text),
        }
    }
}

impl From<Other> for Word {
    fn from(other: Other) -> Self {
        match other {
            Other::Number(number) => Self::Number(number),
            Other::Text(text) => Self::Text(text),
        }
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
    use throughline_engine::LaneKey;
    use throughline_engine::id::Mint;

    use super::*;

    fn lane() -> LaneKey {
        LaneKey::new("acme", "A1", "slack", "C1", "")
    }

    #[test]
    fn ids_lie_in_the_order_they_were_made() {
        let (key, id) = (lane(), lane().id());
        let spot = |revision, ordinal, prefix: &str, kind: &str| {
            Spot::of(&id, kind, &Mint::new(&key, revision).other(prefix, ordinal))
        };
        let made = [
            spot(1, 0, "m_", "message"),
            spot(1, 1, "cd_", "card"),
            spot(9, 0, "m_", "message"),
            spot(9, 0, "m_", "held"),
            spot(10, 0, "ap_", "card"),
            spot(10, 1, "m_", "message"),
            Spot::of(&id, "message", "17.1"),
        ];
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]), "{made:?}");
        assert!(matches!(made[5].at, Word::Number(_)));
        let foreign = Mint::new(&LaneKey::new("acme", "A1", "slack", "C2", ""), 1).other("cd_", 1);
        assert_eq!(Spot::of(&id, "card", &foreign).at, Word::Text(foreign));
        let far = Mint::new(&key, 1).other("m_", 1 << 10);
        assert_eq!(Spot::of(&id, "message", &far).at, Word::Text(far));
    }

    #[test]
    fn the_loaded_come_back() {
        let id = lane().id();
        let mut loaded = Loaded::default();
        assert_eq!(Loaded::decode(&[]), Some(Loaded::default()));
        for (kind, key) in [
            ("message", "m_500_1"),
            ("task", "t_3_0"),
            ("message", "m_3_1"),
            ("other", "m_7_0"),
            ("draft", "x"),
        ] {
            loaded.add(&Spot::of(&id, kind, key));
            loaded.add(&Spot::of(&id, kind, key));
        }
        let bytes = loaded.encode();
        assert_eq!(Loaded::decode(&bytes), Some(loaded.clone()));
        for (kind, key) in [("other", "m_7_0"), ("draft", "x"), ("card", "m_500_1")] {
            loaded.remove(&Spot::of(&id, kind, key));
        }
        let numbers = loaded.encode();
        assert!(numbers.len() < 15, "{numbers:?}");
        assert_eq!(Loaded::decode(&numbers), Some(loaded.clone()));
        assert_eq!(loaded.iter().count(), 3);
        for cut in 1..numbers.len() {
            assert_eq!(Loaded::decode(&numbers[..cut]), None);
        }
    }
}
