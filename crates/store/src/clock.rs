//! Clocks of a store: the machine's, and one that moves only when a test moves it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use throughline_engine::{Millis, Timestamp};

/// Source of a store's time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The machine's clock. It never runs backwards within the process, even if the machine's time is set back.
#[derive(Debug, Default)]
pub struct SystemClock(AtomicI64);

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        let before = self.0.fetch_max(now, Ordering::Relaxed);
        Timestamp(now.max(before))
    }
}

/// A clock for tests and simulations: it stands still until it is moved.
///
/// ```
/// use throughline_engine::Timestamp;
/// use throughline_store::{Clock, ManualClock};
/// let clock = ManualClock::at(Timestamp(1_000));
/// clock.advance(Timestamp::SECOND);
/// assert_eq!(clock.now(), Timestamp(2_000));
/// ```
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// Creates a clock that shows `now`.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Moves the clock forward by that many milliseconds, or back if `by` is negative.
    pub fn advance(&self, by: Millis) {
        self.0.fetch_add(by, Ordering::SeqCst);
    }

    /// Sets the clock, also backwards: a jump of the clock is a fault worth simulating.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
