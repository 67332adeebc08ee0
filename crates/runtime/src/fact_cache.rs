//! Fact sets of epics and channels that were read lately.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use throughline_engine::data::fact::{FactKey, FactSet};
use throughline_store::FactsVersion;

/// The most sets kept in memory.
const SETS: usize = 256;

/// Fact sets by key, with the version each had when it was read.
#[derive(Default)]
pub(crate) struct FactCache(Mutex<BTreeMap<FactKey, (FactsVersion, Arc<FactSet>)>>);

impl FactCache {
    pub(crate) fn get(&self, key: &FactKey) -> Option<(FactsVersion, Arc<FactSet>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub(crate) fn put(&self, version: FactsVersion, set: Arc<FactSet>) {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= SETS {
            sets.clear();
        }
        sets.insert(set.key.clone(), (version, set));
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
