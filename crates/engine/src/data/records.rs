//! The loaded records of a lane, with their hashes.

use crate::data::canon::Hash;
use crate::data::card::Card;
use crate::data::event::Event;
use crate::data::id::{CardId, DraftId, MessageId, TaskId};
use crate::data::keyed::Keyed;
use crate::data::message::Message;
use crate::data::record::{Change, Record};
use crate::data::record_key::{RecordKey, RecordKind};
use crate::data::snapshot;
use crate::data::task::Task;
use crate::data::ticket::Draft;

/// The loaded records. Their hashes are kept beside them, so that a turn costs only what it changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    pub(crate) map: Keyed<Loaded>,
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

    /// Returns the record with that key, if it is loaded.
    #[must_use]
    pub fn get(&self, key: &RecordKey) -> Option<&Record> {
        self.find(key.kind, &key.key)
    }

    pub(crate) fn find(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        self.map.get(kind, id).map(|loaded| &loaded.record)
    }

    /// Returns the message with that id, if it is loaded.
    #[must_use]
    pub fn message(&self, id: &MessageId) -> Option<&Message> {
        self.message_of(&id.0)
    }

    pub(crate) fn message_of(&self, id: &str) -> Option<&Message> {
        match self.find(RecordKind::Message, id)? {
            Record::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Returns the draft with that id, if it is loaded.
    #[must_use]
    pub fn draft(&self, id: &DraftId) -> Option<&Draft> {
        match self.find(RecordKind::Draft, &id.0)? {
            Record::Draft(draft) => Some(draft),
            _ => None,
        }
    }

    /// Returns the card with that id, if it is loaded.
    #[must_use]
    pub fn card(&self, id: &CardId) -> Option<&Card> {
        match self.find(RecordKind::Card, &id.0)? {
            Record::Card(card) => Some(card),
            _ => None,
        }
    }

    /// Returns the task with that id, if it is loaded.
    #[must_use]
    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        match self.find(RecordKind::Task, &id.0)? {
            Record::Task(task) => Some(task),
            _ => None,
        }
    }

    /// Returns the held event with that id, if it is loaded.
    #[must_use]
    pub fn held(&self, id: &str) -> Option<&Event> {
        match self.find(RecordKind::Held, id)? {
            Record::Held(event) => Some(event),
            _ => None,
        }
    }
}

impl Card {
    /// Returns the key of the record it shows, if it shows one.
    #[must_use]
    pub fn subject(&self) -> Option<RecordKey> {
        let draft = self.draft().map(|draft| (RecordKind::Draft, &draft.0));
        let review = || self.review().map(|review| (RecordKind::Review, &review.0));
        let decision = || self.decision().map(|decision| (RecordKind::Proposal, &decision.0));
        let (kind, key) = draft.or_else(review).or_else(decision)?;
        Some(RecordKey { kind, key: key.clone() })
    }
}
