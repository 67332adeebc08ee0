//! Random ids.

use throughline_engine::data::canonical_json::hex;

/// Returns 16 random bytes in hexadecimal: an id that cannot be guessed and is not used twice.
///
/// # Errors
/// The operating system provides no random bytes.
pub(crate) fn id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}
