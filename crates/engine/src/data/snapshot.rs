//! The versioned encoding of a lane's head and records, and the hashes over them.
//!
//! A stored value is `{"v":2,"state":…}`. Decoding reads every older version; an encoding never changes under
//! its version: `tests/snapshots.rs` holds golden files of each.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::canonical_json::{Hash, sha256};
use crate::data::fact::{Fact, FactTombstone};
use crate::data::lane_state::LaneState;
use crate::data::record::Record;
use crate::data::record::RecordKey;

/// The version written today. Since 2, tasks have a history of their own and the last answer is kept.
pub const VERSION: u32 = 2;

/// A stored value that this version cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    what: &'static str,
    why: String,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read the stored {}: {}", self.what, self.why)
    }
}

impl core::error::Error for DecodeError {}

#[derive(Serialize)]
struct Written<'a, T> {
    v: u32,
    state: &'a T,
}

#[derive(Deserialize)]
struct Read<T> {
    state: T,
}

#[derive(Deserialize)]
struct Version {
    v: u32,
}

/// Encodes the head.
#[must_use]
pub fn encode_head(head: &LaneState) -> String {
    encode(head)
}

/// Encodes a record.
#[must_use]
pub fn encode_record(record: &Record) -> String {
    encode(record)
}

/// Encodes a fact of a set.
#[must_use]
pub fn encode_fact(fact: &Fact) -> String {
    encode(fact)
}

/// Encodes an erased fact of a set.
#[must_use]
pub fn encode_tombstone(gone: &FactTombstone) -> String {
    encode(gone)
}

/// Decodes a fact.
///
/// # Errors
/// Fails if the bytes have a newer version or are malformed.
pub fn decode_fact(stored: &str) -> Result<Fact, DecodeError> {
    decode("fact", stored)
}

/// Decodes an erased fact.
///
/// # Errors
/// Fails if the bytes have a newer version or are malformed.
pub fn decode_tombstone(stored: &str) -> Result<FactTombstone, DecodeError> {
    decode("erased fact", stored)
}

/// Decodes the head.
///
/// # Errors
/// Fails if the bytes have a newer version or are malformed.
pub fn decode_head(stored: &str) -> Result<LaneState, DecodeError> {
    decode("lane head", stored)
}

/// Decodes a record.
///
/// # Errors
/// Fails if the bytes have a newer version or are malformed.
pub fn decode_record(stored: &str) -> Result<Record, DecodeError> {
    decode("lane record", stored)
}

/// Writes fields in the order of the types, which hold no hash-ordered map: equal states have equal bytes.
fn encode<T: Serialize>(state: &T) -> String {
    serde_json::to_string(&Written { v: VERSION, state }).unwrap_or_default()
}

fn decode<T: DeserializeOwned>(what: &'static str, stored: &str) -> Result<T, DecodeError> {
    let fail = |why: String| DecodeError { what, why };
    let Version { v } = serde_json::from_str(stored).map_err(|e| fail(e.to_string()))?;
    match v {
        1..=VERSION => {
            serde_json::from_str::<Read<T>>(stored).map(|read| read.state).map_err(|e| fail(e.to_string()))
        }
        newer => Err(fail(format!("it has version {newer}, this program reads up to {VERSION}; upgrade it"))),
    }
}

/// Returns the hash of a record: its kind, its key and its bytes.
#[must_use]
pub fn record_hash(key: &RecordKey, body: &str) -> Hash {
    sha256(&[key.kind.as_str().as_bytes(), b"\0", key.key.as_bytes(), b"\0", body.as_bytes()])
}

/// Returns the hash of a lane's state, over the head and the sorted hashes of the records.
#[must_use]
pub fn state_hash<'a>(head: &str, records: impl Iterator<Item = &'a Hash>) -> Hash {
    let mut records: Vec<&Hash> = records.collect();
    records.sort_unstable();
    let mut parts: Vec<&[u8]> = Vec::with_capacity(records.len() + 2);
    let head = sha256(&[head.as_bytes()]);
    parts.push(b"throughline/state/1");
    parts.push(&head);
    parts.extend(records.iter().map(|hash| hash.as_slice()));
    sha256(&parts)
}
