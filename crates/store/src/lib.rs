//! Durability for the turn engine: revisions, duplicates, leases, effects on their way out. The store keeps encoded
//! values and never interprets them.
//!
//! - [`Store`] is the contract. Its doc begins with the surprises for an implementer.
//! - [`SqliteStore`] keeps everything in one file that one process opens.
//! - [`PostgresStore`] keeps everything on a PostgreSQL server that several processes share.
//! - [`MemoryStore`] lives as long as the process; tests and the scenario runner use it.
//!
//! A further backend implements the traits that [`Store`] consists of, and proves it with the suite in `conformance`
//! (feature `conformance`): one macro line runs the cases of every trait. `docs/recipes/store.md` lists the steps.
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

mod audit_chain;
mod clock;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod contract;
mod copy;
mod memory;
mod postgres;
mod rules;
mod sqlite;

pub use clock::{Clock, ManualClock, SystemClock};
pub use contract::*;
pub use copy::{Copied, copy};
pub use memory::MemoryStore;
pub use postgres::{PostgresServer, PostgresStore, RedisServer};
#[cfg(feature = "conformance")]
pub use sqlite::tamper::{RawRow, raw_rows, tamper};
pub use sqlite::{SchemaVersion, SqliteStore, backup, database_file, owner_address, schema_version};
