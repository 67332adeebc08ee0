//! Parses and formats lengths of time as scenarios write them: `2h1ms`, `15m`, `1s`, `500ms`, `14d`.

use throughline_engine::{Millis, Timestamp};

const UNITS: [(&str, Millis); 5] = [
    ("d", Timestamp::DAY),
    ("h", Timestamp::HOUR),
    ("m", Timestamp::MINUTE),
    ("s", Timestamp::SECOND),
    ("ms", 1),
];

/// Parses a length of time; `None` for anything else.
///
/// ```
/// use throughline_testkit::duration;
/// assert_eq!(duration::parse("2h1ms"), Some(7_200_001));
/// assert_eq!(duration::write(7_200_001), "2h1ms");
/// ```
#[must_use]
pub fn parse(text: &str) -> Option<Millis> {
    let mut rest = text.trim();
    let mut total: Millis = 0;
    let mut last = UNITS.len();
    let mut first = true;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: Millis = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let unit = UNITS.iter().position(|(name, _)| *name == &rest[..letters])?;
        // Each unit once, the larger before the smaller: `1ms2h` is a mistake.
        if !first && unit <= last {
            return None;
        }
        (first, last) = (false, unit);
        total = total.checked_add(number.checked_mul(UNITS[unit].1)?)?;
        rest = &rest[letters..];
    }
    (!first).then_some(total)
}

/// Formats a length of time as [`parse`] reads it.
#[must_use]
pub fn write(millis: Millis) -> String {
    let mut rest = millis.max(0);
    let mut text = String::new();
    for (name, size) in UNITS {
        if rest >= size {
            text.push_str(&format!("{}{name}", rest / size));
            rest %= size;
        }
    }
    if text.is_empty() { "0ms".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for (text, millis) in [
            ("500ms", 500),
            ("1s", 1_000),
            ("15m", 900_000),
            ("2h", 7_200_000),
            ("2h1ms", 7_200_001),
            ("14d1ms", 14 * Timestamp::DAY + 1),
            ("1h59m59s999ms", 7_199_999),
        ] {
            assert_eq!(parse(text), Some(millis), "{text}");
            assert_eq!(write(millis), text);
        }
        assert_eq!((parse("0ms"), write(0).as_str()), (Some(0), "0ms"));
        for bad in ["", "5", "h", "1 h", "1x", "1ms2h", "1h1h", "-1s", "1.5s", "99999999999999999999ms"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
