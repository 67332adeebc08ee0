//! A port for a server that is killed and started again at the same address. One that the system hands out may be given to
//! somebody else's server while ours is away, and what is sent meanwhile would reach that one.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below those that the system hands out, and apart from what other processes of these tests take.
pub(crate) fn own() -> u16 {
    const FIRST: u32 = 12_000;
    const EACH: u32 = 312;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let block = std::process::id() % 64 * EACH;
    let mut ports = std::iter::repeat_with(|| FIRST + block + TAKEN.fetch_add(1, Ordering::Relaxed) % EACH);
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.find_map(|port| u16::try_from(port).ok().filter(free)).unwrap()
}
