//! Map by kind and id of a record. Lookups need no allocated key.

use alloc::collections::BTreeMap;
use alloc::string::String;

use crate::data::record::{RecordKey, RecordKind};

/// Map in the order of [`RecordKey`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordMap<T>([BTreeMap<String, T>; RecordKind::ALL.len()]);

impl<T> Default for RecordMap<T> {
    fn default() -> Self {
        Self([const { BTreeMap::new() }; RecordKind::ALL.len()])
    }
}

impl<T> RecordMap<T> {
    pub(crate) fn get(&self, kind: RecordKind, key: &str) -> Option<&T> {
        self.0[kind as usize].get(key)
    }

    pub(crate) fn insert(&mut self, key: RecordKey, value: T) -> Option<T> {
        self.0[key.kind as usize].insert(key.key, value)
    }

    pub(crate) fn remove(&mut self, key: &RecordKey) -> Option<T> {
        self.0[key.kind as usize].remove(&key.key)
    }

    /// Returns the values of a kind, in order.
    pub(crate) fn of(&self, kind: RecordKind) -> impl Iterator<Item = &T> {
        self.0[kind as usize].values()
    }

    /// Returns all values with their kinds and ids, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (RecordKind, &str, &T)> {
        let kinds = RecordKind::ALL.iter().copied().zip(&self.0);
        kinds.flat_map(|(kind, values)| values.iter().map(move |(key, value)| (kind, key.as_str(), value)))
    }
}
