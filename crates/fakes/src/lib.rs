//! Strict, scriptable fakes of vendors' servers on loopback: for tests, demos and third-party clients.
//!
//! A fake refuses what its vendor refuses, with the vendor's error texts. It records every call in a journal and takes
//! the time from the clock it is given. Each fake is tested with the vendor's or another third-party client, because
//! our own client could share its mistakes (docs/design/0039-how-it-is-tested.md).

pub mod cutter;
pub mod github;
pub mod jira;
mod line;
pub mod linear;
pub mod model;
mod openapi;
pub mod redmine;
pub mod slack;
pub mod telegram;
mod time;

use std::sync::Arc;

/// A clock: returns milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Returns the clock of the operating system.
#[must_use]
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
