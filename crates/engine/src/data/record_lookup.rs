//! Lookup of records in a lane, or in a turn.

use crate::data::lane::Lane;
use crate::data::record::{Record, RecordKind, Stored};
use crate::data::records::Records;
use crate::data::step_input::StepInput;

/// Source of records, for showing a card.
pub trait RecordLookup {
    /// Returns the record with this kind and id.
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record>;
}

impl dyn RecordLookup + '_ {
    /// Returns the record of type `R` with this id.
    #[must_use]
    pub fn get<R: Stored>(&self, id: &R::Id) -> Option<&R> {
        R::of(self.record(R::KIND, id.as_ref())?)
    }
}

impl RecordLookup for Records {
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        self.find(kind, id)
    }
}

/// Records loaded in the lane, and those the runtime read for this step.
pub(crate) struct StepRecords<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) given: &'a StepInput,
}

impl RecordLookup for StepRecords<'_> {
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        let revived = || self.given.revived.iter().find(|record| record.kind() == kind && record.id() == id);
        self.lane.records.find(kind, id).or_else(revived)
    }
}
