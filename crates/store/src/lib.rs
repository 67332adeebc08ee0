//! Durability, revisions, duplicates and leases. The store never knows what a pending means.
//!
//! - The contract is [`Store`]: five small traits over plain values. Read its module first.
//! - [`SqliteStore`]: one file, one process.
//! - [`MemoryStore`]: as long as the process; tests and the scenario runner use it.
//! - A further backend implements the five traits and runs the suite in `conformance` (feature `conformance`),
//!   one line for each group.
//!
//! ```
//! use std::sync::Arc;
//! use throughline_store::{Store, StoreError, SqliteStore, SystemClock};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("throughline.db");
//! let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path, Arc::new(SystemClock::default()))?);
//! let second = SqliteStore::open(&path, Arc::new(SystemClock::default()));
//! assert!(matches!(second, Err(StoreError::InUse { .. })));
//! # Ok(())
//! # }
//! ```

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
