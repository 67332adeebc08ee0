//! Vendors' servers as strict, scriptable fakes on loopback: for tests, for demos and for clients that are not ours.
//!
//! A fake refuses what its vendor refuses, in its vendor's words, keeps a journal of every call and goes by the clock it
//! is given. It counts only after a client that we did not write has passed through it (`spec 07 §13`).

pub mod model;
pub mod telegram;

use std::sync::Arc;

/// What time it is, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The machine's own clock.
#[must_use]
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
