//! Lookup of records in a lane, or in a turn.

use crate::data::batch::Batch;
use crate::data::given::Given;
use crate::data::id::{BatchId, DraftId};
use crate::data::lane::Lane;
use crate::data::record::Record;
use crate::data::record_key::RecordKind;
use crate::data::records::Records;
use crate::data::ticket::Draft;

/// Source of records, for showing a card.
pub trait Known {
    /// Returns the record with this kind and id.
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record>;

    /// Returns the draft with this id.
    fn draft(&self, id: &DraftId) -> Option<&Draft> {
        match self.record(RecordKind::Draft, &id.0)? {
            Record::Draft(draft) => Some(draft),
            _ => None,
        }
    }

    /// Returns the batch with this id.
    fn batch(&self, id: &BatchId) -> Option<&Batch> {
        match self.record(RecordKind::Batch, &id.0)? {
            Record::Batch(batch) => Some(batch),
            _ => None,
        }
    }
}

impl Known for Records {
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        self.find(kind, id)
    }
}

/// Records loaded in the lane, and those the runtime read for this step.
pub(crate) struct Both<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) given: &'a Given,
}

impl Known for Both<'_> {
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        let revived = || self.given.revived.iter().find(|record| record.kind() == kind && record.id() == id);
        self.lane.records.find(kind, id).or_else(revived)
    }
}
