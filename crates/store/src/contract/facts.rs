//! Facts of epics and channels: sets that turns of many lanes write, each with its own revision.
//!
//! Reasons: `docs/design/0027-facts.md`.

use async_trait::async_trait;
use throughline_engine::data::fact::FactKey;
use throughline_engine::{FactId, Timestamp};

use super::StoreError;

/// Queries about sets of facts. Only [`super::Lanes::commit`] writes them.
#[async_trait]
pub trait Facts {
    /// Returns a set; one that was never written is empty and at revision 0. Returns `None`, having read nothing but
    /// the version, if the set is still at version `known`. The cost must not depend on the number of other sets.
    async fn facts(
        &self,
        key: &FactKey,
        known: Option<FactsVersion>,
    ) -> Result<Option<StoredFacts>, StoreError>;

    /// Returns up to `limit` keys of a tenant's sets in order of scope and scope id, beginning behind `after`.
    async fn fact_sets(
        &self,
        tenant: &str,
        after: Option<&FactKey>,
        limit: u32,
    ) -> Result<Vec<FactKey>, StoreError>;

    /// Returns the key of the set that holds the fact with that id.
    async fn fact_set_of(&self, tenant: &str, fact: &FactId) -> Result<Option<FactKey>, StoreError>;
}

/// Change of one set by a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsWrite {
    /// The set. Its tenant must be the lane's.
    pub key: FactKey,
    /// Revision that the turn read, 0 for a set that did not exist. Compared only if `entries` is not empty.
    pub expected: u64,
    /// Facts by id: new bytes, or `None` to delete. A write with entries raises the revision by one.
    pub entries: Vec<(String, Option<FactBody>)>,
    /// Facts that a prompt of this turn showed. The time of use is a maximum, so it needs no revision; a fact that is
    /// gone is passed over.
    pub used: Vec<FactId>,
    /// Time at which they were shown.
    pub used_at: Timestamp,
}

/// A stored fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactBody {
    /// Its bytes.
    pub body: String,
    /// Time of the last use. The stored time never goes back.
    pub used_at: Option<Timestamp>,
}

/// Version of a set. Two reads with equal versions return equal entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactsVersion {
    /// Number of writes; compared in a commit.
    pub revision: u64,
    /// Number of uses that moved a time of last use.
    pub used: u64,
}

/// A set as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredFacts {
    /// Its version.
    pub version: FactsVersion,
    /// Its facts in order of their ids.
    pub entries: Vec<(String, FactBody)>,
}
