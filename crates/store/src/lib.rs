//! Durability, revisions, duplicates and leases. The store never knows what a pending means.

mod audit;
mod clock;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod contract;
mod memory;
mod rules;
mod sqlite;

pub use clock::ManualClock;
pub use contract::*;
pub use memory::MemoryStore;
pub use sqlite::SqliteStore;
