//! Verifies that a request comes from Slack: HMAC-SHA-256 over the version, the time stamp and the raw body
//! (`docs/design/0058-slack.md`). Pure.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use throughline_engine::Timestamp;
use zeroize::Zeroizing;

/// The most seconds between the time stamp and now, in both directions.
const WINDOW: i64 = 300;
/// The digits of a time stamp: seconds since 1970, for the next 250 years.
const DIGITS: usize = 10;

/// The secret that Slack signs with.
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<String>);

impl SigningSecret {
    /// Reads a secret; `None` if it is empty.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(Zeroizing::new(text.to_owned())))
    }
}

impl std::fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

/// The reason why a request is not accepted as Slack's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// A header is missing, or is no time stamp and no signature.
    Missing,
    /// The time stamp is too far from now.
    Stale,
    /// The signature is not of this body and this secret.
    Signature,
}

impl Unproven {
    /// The word in metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Stale => "stale",
            Self::Signature => "signature",
        }
    }
}

/// Verifies a request with any of these secrets: there are two while one is replaced.
///
/// # Errors
/// The reason why it is not Slack's.
pub fn verify(
    secrets: &[SigningSecret],
    timestamp: Option<&str>,
    signature: Option<&str>,
    body: &[u8],
    now: Timestamp,
) -> Result<(), Unproven> {
    let (timestamp, signature) = timestamp.zip(signature).ok_or(Unproven::Missing)?;
    let seconds = seconds(timestamp).ok_or(Unproven::Missing)?;
    let signature = digits(signature).ok_or(Unproven::Missing)?;
    if (now.0.div_euclid(1_000) - seconds).abs() > WINDOW {
        return Err(Unproven::Stale);
    }
    let signed = |secret: &SigningSecret| {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.0.as_bytes()) else { return false };
        mac.update(b"v0:");
        mac.update(timestamp.as_bytes());
        mac.update(b":");
        mac.update(body);
        mac.verify_slice(&signature).is_ok()
    };
    if secrets.iter().any(signed) { Ok(()) } else { Err(Unproven::Signature) }
}

/// The seconds of a time stamp: digits and nothing else.
fn seconds(timestamp: &str) -> Option<i64> {
    let good = (1..=DIGITS).contains(&timestamp.len()) && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    timestamp.parse().ok().filter(|_| good)
}

/// The bytes of `v0=` and 64 lower-case hexadecimal digits.
fn digits(signature: &str) -> Option<[u8; 32]> {
    let digits = signature.strip_prefix("v0=").filter(|digits| digits.len() == 64)?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let [high, low] = [digit(pair[0])?, digit(pair[1])?];
        *byte = high * 16 + low;
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);
    /// The signature of an empty body at that second, by the secret `s3cr3t`.
    const EMPTY: &str = "v0=7ad0ebb3c6d81a9e405202a046b04ce8f876759740b099f47adcd4d72eefc622";

    fn check(timestamp: &str, signature: &str, body: &[u8], now: Timestamp) -> Result<(), Unproven> {
        let secrets = ["another", "s3cr3t"].map(|secret| SigningSecret::read(secret).unwrap());
        verify(&secrets, Some(timestamp), Some(signature), body, now)
    }

    #[test]
    fn accepts_the_reference_within_the_window() {
        for (age, expected) in [
            (-301, Err(Unproven::Stale)),
            (-300, Ok(())),
            (0, Ok(())),
            (300, Ok(())),
            (301, Err(Unproven::Stale)),
        ] {
            assert_eq!(check("1700000000", EMPTY, b"", NOW.plus(age * 1_000)), expected, "{age}");
        }
    }

    #[test]
    fn one_byte_or_another_secret_changes_it() {
        assert_eq!(check("1700000000", EMPTY, b" ", NOW), Err(Unproven::Signature));
        assert_eq!(check("1700000001", EMPTY, b"", NOW), Err(Unproven::Signature));
        let other = [SigningSecret::read("s3cr3T").unwrap()];
        let one = verify(&other, Some("1700000000"), Some(EMPTY), b"", NOW);
        assert_eq!(one, Err(Unproven::Signature));
    }

    #[test]
    fn nothing_but_digits_is_a_time_and_nothing_but_hexadecimal_a_signature() {
        for timestamp in
            ["abc", "-1", "1e30", "1.5", " 1700000000", "1700000000 ", "", "99999999999999999999"]
        {
            assert_eq!(check(timestamp, EMPTY, b"", NOW), Err(Unproven::Missing), "{timestamp:?}");
        }
        let upper = EMPTY.to_uppercase().replace("V0", "v0");
        let without = EMPTY.strip_prefix("v0=").unwrap();
        for signature in [
            "",
            "v0=",
            without,
            upper.as_str(),
            &EMPTY[..66],
            &format!("{EMPTY}0"),
            &EMPTY.replace("v0", "v1"),
            &EMPTY.replace("7a", "zz"),
            &EMPTY.replace("7a", "é"),
        ] {
            assert_eq!(check("1700000000", signature, b"", NOW), Err(Unproven::Missing), "{signature:?}");
        }
        let secrets = [SigningSecret::read("s3cr3t").unwrap()];
        assert_eq!(verify(&secrets, None, Some(EMPTY), b"", NOW), Err(Unproven::Missing));
        assert_eq!(verify(&secrets, Some("1700000000"), None, b"", NOW), Err(Unproven::Missing));
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", SigningSecret::read("s3cr3t").unwrap()), "SigningSecret(…)");
        assert!(SigningSecret::read(" \n").is_none());
    }
}
