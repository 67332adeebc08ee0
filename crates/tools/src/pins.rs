//! Pins: the definition of a tool or an agent at the time somebody looked at it
//! (`docs/design/0037-models-and-tools.md`).

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_engine::data::canonical_json::{hex, jcs, sha256};

/// A pinned definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// SHA-256 over the canonical JSON of the definition, in hex.
    pub hash: String,
    /// The definition, to compare with and to look up.
    pub said: Value,
}

impl Pin {
    /// Creates a pin of a definition.
    #[must_use]
    pub fn of(said: Value) -> Self {
        let hash = hex(&sha256(&[b"throughline/pin/1", jcs(&said).as_bytes()]));
        Self { hash, said }
    }
}

/// A pin could not be read or kept.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the pins cannot be {act}: {why}")]
pub struct PinsError {
    /// `read`, `kept`.
    pub act: &'static str,
    /// The reason.
    pub why: String,
}

/// The storage of pins. Names are `tool:weather` and `agent:writer`.
#[async_trait]
pub trait Pins: Send + Sync {
    /// The pin with that name.
    ///
    /// # Errors
    /// It cannot be read; a tool without a known pin is off.
    async fn get(&self, name: &str) -> Result<Option<Pin>, PinsError>;

    /// Stores a pin, replacing the one there was. `by` is the person who looked, for the record.
    ///
    /// # Errors
    /// It cannot be stored.
    async fn put(&self, name: &str, pin: Pin, by: &str) -> Result<(), PinsError>;
}

/// Pins in memory, for tests.
#[derive(Debug, Default)]
pub struct MemoryPins(Mutex<BTreeMap<String, Pin>>);

#[async_trait]
impl Pins for MemoryPins {
    async fn get(&self, name: &str) -> Result<Option<Pin>, PinsError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned())
    }

    async fn put(&self, name: &str, pin: Pin, _by: &str) -> Result<(), PinsError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into(), pin);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_members_is_nothing_and_everything_else_is() {
        let pin = |said| Pin::of(said).hash;
        let one = pin(json!({"name": "a", "inputSchema": {"type": "object", "x": 1}}));
        assert_eq!(one, pin(json!({"inputSchema": {"x": 1, "type": "object"}, "name": "a"})));
        for other in [
            json!({"name": "a", "inputSchema": {"type": "object", "x": 2}}),
            json!({"name": "a", "inputSchema": {"type": "object", "x": 1}, "description": ""}),
            json!({"name": "A", "inputSchema": {"type": "object", "x": 1}}),
        ] {
            assert_ne!(one, pin(other));
        }
    }
}
