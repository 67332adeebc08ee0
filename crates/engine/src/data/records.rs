//! The loaded records of a lane, with their hashes.

use crate::data::canonical_json::Hash;
use crate::data::card::Card;
use crate::data::id::TaskId;
use crate::data::proposal::Proposal;
use crate::data::record::{Change, Record, RecordKey, RecordKind, Stored};
use crate::data::record_map::RecordMap;
use crate::data::review::Review;
use crate::data::snapshot;
use crate::data::ticket::Draft;

/// The loaded records. Their hashes are kept beside them, so that a turn costs only what it changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    pub(crate) map: RecordMap<Loaded>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loaded {
    pub(crate) record: Record,
    pub(crate) hash: Hash,
}

impl Records {
    /// Inserts one record, as the loader does.
    pub fn insert(&mut self, record: Record) {
        let key = record.key();
        let hash = snapshot::record_hash(&key, &snapshot::encode_record(&record));
        self.map.insert(key, Loaded { record, hash });
    }

    pub(crate) fn apply(&mut self, change: &Change) {
        match change {
            Change::Put(record) => self.insert(record.clone()),
            Change::Retire(key) | Change::Drop(key) => drop(self.map.remove(key)),
        }
    }

    /// Returns every record, in key order.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.map.iter().map(|(_, _, loaded)| &loaded.record)
    }

    /// Returns the records of a kind, in the order of their ids.
    pub(crate) fn of(&self, kind: RecordKind) -> impl Iterator<Item = &Record> {
        self.map.of(kind).map(|loaded| &loaded.record)
    }

    pub(crate) fn hashes(&self) -> impl Iterator<Item = &Hash> {
        self.map.iter().map(|(_, _, loaded)| &loaded.hash)
    }

    /// Returns the record of type `R` with this id, if it is loaded.
    ///
    /// ```
    /// use throughline_engine::data::ticket::Draft;
    /// use throughline_engine::{DraftId, Lane, LaneKey};
    ///
    /// let lane = Lane::new(LaneKey::new("acme", "app", "web", "session", ""));
    /// assert_eq!(lane.records.get::<Draft>(&DraftId::from("dr_1")), None);
    /// ```
    #[must_use]
    pub fn get<R: Stored>(&self, id: &R::Id) -> Option<&R> {
        R::of(self.find(R::KIND, id.as_ref())?)
    }

    pub(crate) fn named<R: Stored>(&self, id: &str) -> Option<&R> {
        R::of(self.find(R::KIND, id)?)
    }

    /// Returns the loaded records of type `R`, in the order of their ids.
    pub fn all<R: Stored>(&self) -> impl Iterator<Item = &R> {
        self.of(R::KIND).filter_map(R::of)
    }

    /// Returns the record with that key, if it is loaded.
    #[must_use]
    pub fn record(&self, key: &RecordKey) -> Option<&Record> {
        self.find(key.kind, &key.key)
    }

    pub(crate) fn find(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        self.map.get(kind, id).map(|loaded| &loaded.record)
    }
}

impl Record {
    /// Returns the task that the record is part of.
    #[must_use]
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Draft(draft) => Some(&draft.task),
            Self::Review(review) => Some(&review.task),
            Self::Proposal(proposal) => Some(&proposal.task),
            Self::Batch(batch) => Some(&batch.task),
            Self::Card(card) => card.task(),
            _ => None,
        }
    }
}

impl Card {
    /// Returns the key of the record it shows, if it shows one.
    #[must_use]
    pub fn subject(&self) -> Option<RecordKey> {
        let review = || self.review().map(RecordKey::of::<Review>);
        let decision = || self.decision().map(RecordKey::of::<Proposal>);
        self.draft().map(RecordKey::of::<Draft>).or_else(review).or_else(decision)
    }
}
