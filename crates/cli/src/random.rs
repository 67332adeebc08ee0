//! Random bytes, and keys made of them.

use throughline_engine::data::canonical_json::hex;

use crate::error::Failure;

/// Creates an idempotency key: `PREFIX-` and 128 random bits in hexadecimal.
pub(crate) fn key(prefix: &str) -> Result<String, Failure> {
    Ok(format!("{prefix}-{}", hex(&bytes::<16>()?)))
}

/// Returns bytes from the random generator of the system.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new("cannot get randomness from the system").because(&error))?;
    Ok(bytes)
}
