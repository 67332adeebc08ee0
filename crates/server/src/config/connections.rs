//! Limits of the connections to the port.

use std::time::Duration;

/// Limits of the connections to the port. The first two are settings; the others are the same in every installation, and
/// shorter in tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Maximum number of open connections.
    pub all: usize,
    /// Maximum number of open connections of one peer: an IPv4 address, or an IPv6 network of 64 bits.
    pub per_peer: usize,
    /// Connections beyond those, which are answered only to probes.
    pub reserve: usize,
    /// Life of a connection of the reserve.
    pub reserve_life: Duration,
    /// Time that a request's headers may take from their first byte, and those of a new connection from its beginning.
    pub head: Duration,
    /// Time that a connection may be idle.
    pub idle: Duration,
    /// Time for which bytes may wait to be written while the client takes none.
    pub write: Duration,
    /// Time after which a write that waits makes its connection one that may be closed for a newcomer. A client on a slow
    /// line takes something every fraction of a second.
    pub stalled: Duration,
}

impl ConnectionLimits {
    /// Returns the limits with these numbers of connections.
    #[must_use]
    pub fn new(all: usize, per_peer: usize) -> Self {
        Self {
            all,
            per_peer,
            reserve: 32,
            reserve_life: Duration::from_secs(2),
            head: Duration::from_secs(5),
            idle: Duration::from_secs(60),
            write: Duration::from_secs(20),
            stalled: Duration::from_secs(1),
        }
    }

    /// Returns the limits while the process ends, when no client that takes nothing is waited for.
    pub(crate) fn draining(&self) -> Self {
        Self { write: self.write.min(self.stalled), ..self.clone() }
    }

    /// Returns the interval at which a connection's time limits are checked.
    pub(crate) fn tick(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.write);
        (shortest / 4).clamp(Duration::from_millis(10), Duration::from_millis(500))
    }
}
