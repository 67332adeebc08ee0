//! Names for requests: what makes sending one again safe.

use std::fmt::Write as _;

use crate::error::Failure;

/// A key that was never used before.
pub(crate) fn fresh(prefix: &str) -> Result<String, Failure> {
    let bytes = random::<16>()?;
    let mut key = format!("{prefix}-");
    for byte in bytes {
        let _ = write!(key, "{byte:02x}");
    }
    Ok(key)
}

/// Bytes of the system's randomness.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new("cannot get randomness from the system").because(&error))?;
    Ok(bytes)
}
