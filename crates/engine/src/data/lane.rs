//! Lane: the place of one conversation, with its key, head and records.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::canonical_json::Hash;
use crate::data::snapshot;

use crate::data::lane_key::LaneKey;
use crate::data::lane_state::LaneState;
use crate::data::record::Change;
use crate::data::record::{RecordKey, RecordKind};
use crate::data::records::{Loaded, Records};

/// Lane as a step sees it. The runtime loads it; [`crate::step`] never changes it in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Key.
    pub key: LaneKey,
    /// Number of turns committed. The next turn writes `revision + 1`.
    pub revision: u64,
    /// Head: the small part that every turn rewrites.
    pub head: LaneState,
    /// Records. A turn writes only those that it changes.
    pub records: Records,
}

impl Lane {
    /// Makes an empty lane.
    #[must_use]
    pub fn new(key: LaneKey) -> Self {
        Self { key, revision: 0, head: LaneState::default(), records: Records::default() }
    }

    /// Applies the result of a step.
    pub fn apply(&mut self, next: LaneState, changes: &[Change]) {
        self.revision += 1;
        self.head = next;
        for change in changes {
            self.records.apply(change);
        }
    }

    /// Encodes the result of a step for storage, and computes the hash of the lane after it. Each part is
    /// encoded once.
    #[must_use]
    pub fn encode(&self, next: &LaneState, changes: &[Change]) -> Encoded {
        let head = snapshot::encode_head(next);
        let encoded = |change: &Change| {
            let put =
                if let Change::Put(record) = change { Some(snapshot::encode_record(record)) } else { None };
            let key = change.key();
            let hash = put.as_deref().map(|body| snapshot::record_hash(&key, body));
            EncodedChange { key, body: put, hash }
        };
        let changes: Vec<EncodedChange> = changes.iter().map(encoded).collect();
        let mut changed: Vec<(RecordKind, &str)> =
            changes.iter().map(|change| (change.key.kind, change.key.key.as_str())).collect();
        changed.sort_unstable();
        let kept =
            self.records.map.iter().filter(|(kind, id, _)| changed.binary_search(&(*kind, *id)).is_err());
        let written = changes.iter().filter_map(|change| change.hash.as_ref());
        let hash = snapshot::state_hash(&head, kept.map(|(_, _, loaded)| &loaded.hash).chain(written));
        Encoded { head, changes, hash }
    }

    /// Applies a step that was encoded and stored. `encoded` has to be from the same step; its bodies may
    /// have been taken out.
    pub fn apply_encoded(&mut self, next: LaneState, changes: Vec<Change>, encoded: Encoded) {
        self.revision += 1;
        self.head = next;
        for (change, EncodedChange { key, hash, .. }) in changes.into_iter().zip(encoded.changes) {
            match (change, hash) {
                (Change::Put(record), Some(hash)) => {
                    drop(self.records.map.insert(key, Loaded { record, hash }))
                }
                _ => drop(self.records.map.remove(&key)),
            }
        }
    }

    /// Returns the hash over head and records (`docs/design/0030-turn-commit.md`).
    #[must_use]
    pub fn state_hash(&self) -> Hash {
        snapshot::state_hash(&snapshot::encode_head(&self.head), self.records.hashes())
    }
}

/// Stored form of a step's head and records, made by [`Lane::encode`].
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// New head, as JSON.
    pub head: String,
    /// Changes of records, in the order of the step.
    pub changes: Vec<EncodedChange>,
    /// Hash of the lane after the step.
    pub hash: Hash,
}

/// Change of one record in an [`Encoded`] step.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedChange {
    /// Record that changes.
    pub key: RecordKey,
    /// New content as JSON; `None` if the record is removed.
    pub body: Option<String>,
    hash: Option<Hash>,
}
