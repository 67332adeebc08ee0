//! Clocks of a store: the machine's, and one that moves only when a test moves it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use throughline_engine::{Millis, Timestamp};

use crate::rules::CLOCK_STEP;

/// Source of a store's time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The machine's clock. Small steps back are not followed, so that it seldom runs backwards; a clock that was ahead by
/// more and is corrected is followed at once. What waits meanwhile is moved by the store.
#[derive(Debug, Default)]
pub struct SystemClock(AtomicI64);

/// Returns the time to show after `shown` when a source shows `now`, and keeps it.
pub(crate) fn steady(shown: &AtomicI64, now: i64) -> i64 {
    let show = |before: i64| if (0..=CLOCK_STEP).contains(&(before - now)) { before } else { now };
    let before = shown.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |before| Some(show(before)));
    show(before.unwrap_or_else(|before| before))
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        Timestamp(steady(&self.0, now))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_step_back_is_waited_for_and_a_large_one_followed() {
        let shown = AtomicI64::new(0);
        let follow = |now| steady(&shown, now);
        assert_eq!(follow(100_000), 100_000);
        assert_eq!(follow(98_500), 100_000);
        assert_eq!(follow(100_001), 100_001);
        assert_eq!(follow(100_001 + 365 * Timestamp::DAY), 100_001 + 365 * Timestamp::DAY);
        assert_eq!(follow(100_002), 100_002);
    }
}
