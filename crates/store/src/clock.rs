//! Two clocks: the machine's, and one that only moves when it is told to.

use std::sync::atomic::{AtomicI64, Ordering};

use throughline_engine::{Millis, Timestamp};

use crate::contract::Clock;

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
    /// A clock that stands at `now`.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Moves it on, or back when `by` is negative.
    pub fn advance(&self, by: Millis) {
        self.0.fetch_add(by, Ordering::SeqCst);
    }

    /// Sets it, also backwards: clock jumps are a fault worth simulating.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
