//! The HTTP client for remote services, `Retry-After`, and the wording of failed requests.

use std::time::{Duration, SystemTime};

use reqwest::{Client, ClientBuilder};

use crate::Reach;

/// The longest wait that is taken from a `Retry-After`, in seconds (docs/design/0031-effects-and-retries.md).
const LONGEST_HINT: i64 = 3_600;

/// Creates a client that connects only within reach, speaks HTTP/1.1, and neither retries nor follows redirects.
///
/// `connect` limits the time of connecting.
///
/// # Errors
/// Returns a sentence for a person if TLS cannot be set up.
pub fn client(reach: Reach, connect: Duration) -> Result<Client, String> {
    builder(connect).dns_resolver(reach).build().map_err(|error| format!("cannot set up TLS: {error}"))
}

/// Prepares such a client, without a bound to what it reaches.
pub(crate) fn builder(connect: Duration) -> ClientBuilder {
    // A proxy would connect to addresses that were not checked.
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .http1_only()
        .connect_timeout(connect)
        .user_agent(concat!("throughline/", env!("CARGO_PKG_VERSION")))
}

/// Parses a `Retry-After` in seconds and returns milliseconds, rounded up to whole seconds and at most an hour.
///
/// Returns `None` for a date: a call lasts seconds, so its caller could not wait for it anyway.
#[must_use]
pub fn retry_after(text: &str) -> Option<i64> {
    let seconds: f64 = text.trim().parse().ok()?;
    let whole = (1..=LONGEST_HINT).find(|whole| *whole as f64 >= seconds).unwrap_or(LONGEST_HINT);
    (seconds.is_finite() && seconds > 0.0).then_some(whole * 1_000)
}

/// Parses a `Retry-After` of either form: seconds as [`retry_after`] does, or a date, from `now` on. Returns milliseconds,
/// and `None` for a date that is past.
#[must_use]
pub fn retry_after_at(text: &str, now: SystemTime) -> Option<i64> {
    let ahead = || {
        let date = httpdate::parse_http_date(text.trim()).ok()?;
        date.duration_since(now).ok().map(|ahead| ahead.as_secs_f64().to_string())
    };
    retry_after(text).or_else(|| retry_after(&ahead()?))
}

/// Formats an error and its chain of causes after `act`, the act that failed. Leaves out the URL, which may hold a key.
#[must_use]
pub fn describe_error(act: &str, error: reqwest::Error) -> String {
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
