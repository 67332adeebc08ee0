//! What the writer remembers between operations, so that it need not ask: it is the only one who writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;
use throughline_engine::{LaneKey, Timestamp};

use super::book::Book;
use super::fault::Fault;

/// Lanes remembered at most. An idle lane costs no memory for long.
const LANES: usize = 4_096;

/// A lane's number in the file and its newest effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) n: i64,
    pub(super) last_effect: Option<i64>,
}

/// What is remembered of a lane.
#[derive(Debug)]
struct LaneMemo {
    place: Place,
    waiting: u32,
    loaded: Loaded,
}

/// The names of the records that are loaded with a lane, by kind. Kept in the lane's row, which every turn
/// writes anyway: so a record that is retired costs no write of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Loaded(BTreeMap<String, BTreeSet<String>>);

impl Loaded {
    pub(super) fn decode(text: &str) -> rusqlite::Result<Self> {
        serde_json::from_str(text).map(Self).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
        })
    }

    pub(super) fn encode(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    pub(super) fn add(&mut self, kind: &str, key: &str) {
        match self.0.get_mut(kind) {
            Some(keys) if keys.contains(key) => {}
            Some(keys) => {
                keys.insert(key.into());
            }
            None => {
                self.0.insert(kind.into(), BTreeSet::from([key.into()]));
            }
        }
    }

    pub(super) fn remove(&mut self, kind: &str, key: &str) {
        if let Some(keys) = self.0.get_mut(kind) {
            keys.remove(key);
            if keys.is_empty() {
                self.0.remove(kind);
            }
        }
    }

    /// Kind and key, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(kind, keys)| keys.iter().map(move |key| (kind.as_str(), key.as_str())))
    }
}

/// See the module. Counters only rise, so a number that a rollback made free stays unused.
#[derive(Debug)]
pub(super) struct Memo {
    lanes: HashMap<LaneKey, LaneMemo>,
    session: i64,
    seq: i64,
    turn: i64,
    effect: i64,
}

impl Memo {
    /// Takes up the counters where the file left them.
    pub(super) fn read(sql: &Connection) -> rusqlite::Result<Self> {
        let newest = |select: &str| sql.query_row(select, [], |row| row.get::<_, i64>(0));
        let waits = newest("SELECT coalesce(max(seq), 0) FROM inbox")?;
        let ended = newest("SELECT coalesce(max(seq), 0) FROM handled")?;
        Ok(Self {
            lanes: HashMap::new(),
            session: newest("SELECT session FROM instance")?,
            seq: waits.max(ended),
            turn: newest("SELECT coalesce(max(n), 0) FROM turns")?,
            effect: newest("SELECT coalesce(max(n), 0) FROM outbox")?,
        })
    }

    /// Which opening of the file this is.
    pub(super) fn session(&self) -> i64 {
        self.session
    }

    pub(super) fn next_seq(&mut self) -> i64 {
        self.seq += 1;
        self.seq
    }

    pub(super) fn next_turn(&mut self) -> i64 {
        self.turn += 1;
        self.turn
    }

    pub(super) fn next_effect(&mut self) -> i64 {
        self.effect += 1;
        self.effect
    }

    /// The number of the newest effect.
    pub(super) fn last_effect(&self) -> i64 {
        self.effect
    }

    /// Forgets what a rollback may have made untrue.
    pub(super) fn forget(&mut self) {
        self.lanes.clear();
    }

    /// Forgets one lane: what was noted of it did not come to be.
    pub(super) fn forget_lane(&mut self, lane: &LaneKey) {
        self.lanes.remove(lane);
    }

    /// Notes a lane's newest effect.
    pub(super) fn effect_planned(&mut self, lane: &LaneKey, effect: i64) {
        if let Some(memo) = self.lanes.get_mut(lane) {
            memo.place.last_effect = Some(effect);
        }
    }

    /// Rows that wait in a lane that was found or made before.
    pub(super) fn waiting(&self, lane: &LaneKey) -> u32 {
        self.lanes.get(lane).map_or(0, |memo| memo.waiting)
    }

    /// Notes that a row waits more, or `by` rows less.
    pub(super) fn wait(&mut self, lane: &LaneKey, by: i32) {
        if let Some(memo) = self.lanes.get_mut(lane) {
            memo.waiting = memo.waiting.saturating_add_signed(by);
        }
    }

    /// The loaded records of a lane that was found or made before.
    pub(super) fn loaded(&mut self, lane: &LaneKey) -> Option<&mut Loaded> {
        self.lanes.get_mut(lane).map(|memo| &mut memo.loaded)
    }

    /// The lane of that name, if it is in the file.
    pub(super) fn find(&mut self, sql: &Book<'_>, lane: &LaneKey) -> Result<Option<Place>, Fault> {
        if let Some(memo) = self.lanes.get(lane) {
            return Ok(Some(memo.place));
        }
        let select = "SELECT n, last_effect, loaded, (SELECT count(*) FROM inbox WHERE lane = lanes.n) \
                      FROM lanes WHERE tenant = ?1 AND id = ?2";
        let found = sql.first(select, (&lane.tenant, lane.id().as_str()), |row| {
            Ok(LaneMemo {
                place: Place { n: row.get(0)?, last_effect: row.get(1)? },
                loaded: Loaded::decode(row.get_ref(2)?.as_str()?)?,
                waiting: row.get(3)?,
            })
        })?;
        let place = found.as_ref().map(|memo| memo.place);
        if let Some(memo) = found {
            self.remember(lane, memo);
        }
        Ok(place)
    }

    /// The lane of that name, made when it is new.
    pub(super) fn make(&mut self, sql: &Book<'_>, lane: &LaneKey, now: Timestamp) -> Result<Place, Fault> {
        if let Some(place) = self.find(sql, lane)? {
            return Ok(place);
        }
        let insert = "INSERT INTO lanes (tenant, id, app, channel, conversation, thread, updated_at) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [tenant, app, channel, conversation, thread] = lane.parts();
        let id = lane.id();
        sql.execute(insert, (tenant, id.as_str(), app, channel, conversation, thread, now.0))?;
        let place = Place { n: sql.last_insert_rowid(), last_effect: None };
        self.remember(lane, LaneMemo { place, waiting: 0, loaded: Loaded::default() });
        Ok(place)
    }

    fn remember(&mut self, lane: &LaneKey, memo: LaneMemo) {
        if self.lanes.len() >= LANES {
            self.lanes.clear();
        }
        self.lanes.insert(lane.clone(), memo);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_names_come_back_in_order() {
        let mut loaded = Loaded::default();
        for (kind, key) in [("task", "t_1"), ("message", "m_2"), ("message", "m_1"), ("message", "m_1")] {
            loaded.add(kind, key);
        }
        loaded.remove("task", "t_1");
        loaded.remove("task", "t_9");
        assert_eq!(loaded.encode(), r#"{"message":["m_1","m_2"]}"#);
        let back = Loaded::decode(&loaded.encode()).unwrap();
        assert_eq!(back.iter().collect::<Vec<_>>(), [("message", "m_1"), ("message", "m_2")]);
        assert!(Loaded::decode("[").is_err());
    }
}
