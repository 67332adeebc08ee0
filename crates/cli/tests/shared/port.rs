//! Ports for servers that are killed and restarted at the same address. While such a server is down, the system could
//! give an ephemeral port to another process, which would then receive our requests.

use std::net::TcpListener;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// First port of all ranges, which are below the ephemeral ones.
const FIRST: u32 = 12_000;
/// Number of ranges, and of the ports of each.
const RANGES: u32 = 64;
const EACH: u32 = 312;

/// Range of this process. Its first port is held as long as the process lives, so that no other process takes the range.
static RANGE: LazyLock<(u32, TcpListener)> = LazyLock::new(|| {
    let own = std::process::id() % RANGES;
    let mut ranges = (0..RANGES).map(|n| FIRST + (own + n) % RANGES * EACH);
    ranges.find_map(|first| Some((first, listener(first)?))).expect("a range that no other test holds")
});

fn listener(port: u32) -> Option<TcpListener> {
    TcpListener::bind(("127.0.0.1", u16::try_from(port).ok()?)).ok()
}

/// Returns a free port below the ephemeral range. Test processes that run at the same time take different ranges.
pub(crate) fn reserve() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let next = || RANGE.0 + 1 + TAKEN.fetch_add(1, Ordering::Relaxed) % (EACH - 1);
    let mut ports = std::iter::repeat_with(next);
    let free = |port: &u32| listener(*port).is_some();
    ports.find(free).and_then(|port| u16::try_from(port).ok()).expect("a free port")
}
