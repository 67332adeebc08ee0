//! The facts of epics and channels: sets that turns of many lanes write, each with a revision of its own (`spec 05 §8`).

use async_trait::async_trait;
use throughline_engine::memory::FactKey;
use throughline_engine::{FactId, Timestamp};

use super::StoreError;

/// What a turn does to one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsWrite {
    /// Which set; of the lane's tenant.
    pub key: FactKey,
    /// The revision it was read at; 0 when there was none. Compared when something is written, and only then.
    pub expected: u64,
    /// What is written, by id: the bytes, or nothing when it goes. The revision rises by one when there is any.
    pub entries: Vec<(String, Option<FactBody>)>,
    /// Entries that stood in a prompt of this turn. When that was is a maximum, so it needs no revision; one that is not
    /// there any more is left alone.
    pub used: Vec<FactId>,
    /// When that was.
    pub used_at: Timestamp,
}

/// What is kept of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactBody {
    /// The bytes.
    pub body: String,
    /// When it was used last. What is kept only rises.
    pub used_at: Option<Timestamp>,
}

/// How often a set was written, and how often something of it was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactsVersion {
    /// Writes; what a turn compares.
    pub revision: u64,
    /// Uses that changed when something was used last.
    pub used: u64,
}

/// A set as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredFacts {
    /// How it stands.
    pub version: FactsVersion,
    /// What is in it, in the order of ids.
    pub entries: Vec<(String, FactBody)>,
}

/// The sets of facts. They are written by [`super::Lanes::commit`] alone.
#[async_trait]
pub trait Facts {
    /// A set; empty, at revision 0, when nothing was ever written. `None`: it is still at the version that is known, so
    /// nothing but that was read. What it costs does not depend on what other sets there are.
    async fn facts(
        &self,
        key: &FactKey,
        known: Option<FactsVersion>,
    ) -> Result<Option<StoredFacts>, StoreError>;

    /// The sets of a tenant, in order, after `after`.
    async fn fact_sets(
        &self,
        tenant: &str,
        after: Option<&FactKey>,
        limit: u32,
    ) -> Result<Vec<FactKey>, StoreError>;

    /// The set that holds the fact of that id.
    async fn fact_set_of(&self, tenant: &str, fact: &FactId) -> Result<Option<FactKey>, StoreError>;
}
