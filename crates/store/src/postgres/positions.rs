//! Positions: numbers that order what is inserted, made by the process and not by a sequence of the server, which nodes of
//! a distributed server would hand out in ranges.
//!
//! A position begins with the time, so that the order holds between processes as far as their clocks agree. Within a lane it
//! holds whatever the clocks say: the lane's row is locked, and keeps the last position that was used.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicI64, Ordering};

use throughline_engine::Timestamp;

/// Positions of one millisecond.
const PER_MILLISECOND: i64 = 1 << 20;

/// Source of positions of one process.
pub(super) struct Positions {
    last: AtomicI64,
    /// Place in the millisecond at which this process begins, so that two processes seldom use one position.
    begins: i64,
}

impl Positions {
    pub(super) fn new() -> Self {
        let random = RandomState::new().hash_one(0);
        Self {
            last: AtomicI64::new(0),
            begins: (random % (PER_MILLISECOND.cast_unsigned() / 2)).cast_signed(),
        }
    }

    /// Makes every later position higher than `position`.
    pub(super) fn pass(&self, position: i64) {
        self.last.fetch_max(position, Ordering::SeqCst);
    }

    /// Returns the first of `count` positions that nobody else in this process gets.
    pub(super) fn take(&self, now: Timestamp, count: usize) -> i64 {
        let first = now.0.saturating_mul(PER_MILLISECOND).saturating_add(self.begins);
        let count = i64::try_from(count).unwrap_or(1).max(1);
        let end = |last: i64| (last + 1).max(first) + count - 1;
        let before = self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |last| Some(end(last)));
        before.map_or(first, |last| (last + 1).max(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_rise_with_the_time_and_while_it_stands_still() {
        let positions = Positions::new();
        let now = Timestamp(1_764_000_000_000);
        let first = positions.take(now, 3);
        assert_eq!(first / PER_MILLISECOND, now.0);
        assert_eq!(positions.take(now, 1), first + 3);
        assert_eq!(positions.take(Timestamp(now.0 - 5_000), 1), first + 4);
        assert_eq!(positions.take(Timestamp(now.0 + 1), 1), first + PER_MILLISECOND);
        positions.pass(first + 2 * PER_MILLISECOND);
        assert_eq!(positions.take(now, 1), first + 2 * PER_MILLISECOND + 1);
    }
}
