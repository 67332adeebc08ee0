//! Clock of the server, so that processes on machines whose clocks differ judge leases alike.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use throughline_engine::Timestamp;

use crate::clock::{Clock, steady};

/// Time of the server, carried on between two readings by the machine's monotonic clock: a wall clock that jumps here
/// changes nothing.
pub(super) struct ServerClock {
    origin: Instant,
    /// Time of the server at `origin`, in milliseconds since 1970.
    offset: AtomicI64,
    shown: AtomicI64,
}

impl ServerClock {
    pub(super) fn new() -> Self {
        Self { origin: Instant::now(), offset: AtomicI64::new(0), shown: AtomicI64::new(0) }
    }

    /// Takes over what the server's clock showed in the middle between `asked` and now.
    pub(super) fn set(&self, server: Timestamp, asked: Instant) {
        let middle = asked.duration_since(self.origin) + asked.elapsed() / 2;
        self.offset.store(server.0 - milliseconds(middle), Ordering::Relaxed);
    }
}

fn milliseconds(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl Clock for ServerClock {
    fn now(&self) -> Timestamp {
        let now = self.offset.load(Ordering::Relaxed) + milliseconds(self.origin.elapsed());
        Timestamp(steady(&self.shown, now))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn shows_what_the_server_shows_and_never_steps_back_a_little() {
        let clock = ServerClock::new();
        let asked = Instant::now();
        clock.set(Timestamp(1_000_000), asked);
        let first = clock.now();
        assert!((1_000_000..1_060_000).contains(&first.0), "{first:?}");
        clock.set(Timestamp(999_500), asked);
        assert!(clock.now() >= first, "a small step back is waited for");
        clock.set(Timestamp(500_000), asked);
        assert!(clock.now() < first, "a large one is followed");
    }

    #[test]
    fn half_of_the_way_to_the_server_counts() {
        let mut clock = ServerClock::new();
        let asked = Instant::now();
        clock.origin = asked.checked_sub(Duration::from_secs(10)).unwrap();
        clock.set(Timestamp(1_000_000), asked);
        assert!(clock.now().0 >= 1_000_000, "{:?}", clock.now());
    }
}
