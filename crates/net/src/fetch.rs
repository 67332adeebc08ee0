//! One client for every far side, and how a request that failed is told (`spec 06 §4.4`).

use std::time::Duration;

use reqwest::Client;

use crate::Reach;

/// The longest wait a far side may ask for (`spec 06 §4.5`), in seconds.
const LONGEST_HINT: i64 = 3_600;

/// A client that connects within reach only: no retry and no redirect of its own, HTTP/1.1.
///
/// # Errors
/// TLS cannot be set up; for a person to read.
pub fn client(reach: Reach, connect: Duration) -> Result<Client, String> {
    // A proxy would connect to addresses that nobody checked.
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .http1_only()
        .dns_resolver(reach)
        .connect_timeout(connect)
        .user_agent(concat!("throughline/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| format!("cannot set up TLS: {error}"))
}

/// What a `Retry-After` asks for: seconds, with a fraction or without, in milliseconds. A date is no use within the seconds
/// a call has.
#[must_use]
pub fn retry_after(text: &str) -> Option<i64> {
    let seconds: f64 = text.trim().parse().ok()?;
    let whole = (1..=LONGEST_HINT).find(|whole| *whole as f64 >= seconds).unwrap_or(LONGEST_HINT);
    (seconds.is_finite() && seconds > 0.0).then_some(whole * 1_000)
}

/// An error's chain of causes, without the address.
#[must_use]
pub fn told(act: &str, error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = format!("{act}: {error}");
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_in_seconds_rounded_up() {
        let table = [
            ("30", Some(30_000)),
            ("1.5", Some(2_000)),
            ("0.2", Some(1_000)),
            ("999999", Some(3_600_000)),
            ("0", None),
            ("-1", None),
            ("abc", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
            ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ];
        for (text, expected) in table {
            assert_eq!(retry_after(text), expected, "{text}");
        }
    }
}
