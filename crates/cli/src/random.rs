//! Random bytes, and keys made of them.

use std::fmt::Write as _;

use crate::error::Failure;

/// Creates an idempotency key: `PREFIX-` and 128 random bits in hexadecimal.
pub(crate) fn key(prefix: &str) -> Result<String, Failure> {
    let bytes = bytes::<16>()?;
    let mut key = format!("{prefix}-");
    for byte in bytes {
        let _ = write!(key, "{byte:02x}");
    }
    Ok(key)
}

/// Returns bytes from the random generator of the system.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new("cannot get randomness from the system").because(&error))?;
    Ok(bytes)
}
