//! Ports for servers that are killed and restarted at the same address. While such a server is down, the system could
//! give an ephemeral port to another process, which would then receive our requests.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns a free port below the ephemeral range. Test processes that run at the same time take different ranges.
pub(crate) fn reserve() -> u16 {
    const FIRST: u32 = 12_000;
    const EACH: u32 = 312;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let block = std::process::id() % 64 * EACH;
    let mut ports = std::iter::repeat_with(|| FIRST + block + TAKEN.fetch_add(1, Ordering::Relaxed) % EACH);
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.find_map(|port| u16::try_from(port).ok().filter(free)).unwrap()
}
