//! Moments and durations: numbers that come in with `given`. The engine has no clock.

use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// A moment: whole milliseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// use throughline_engine::Timestamp;
/// let t = Timestamp::parse("2026-01-15T10:00:00Z").unwrap();
/// assert_eq!(t.plus(Timestamp::SECOND).rfc3339(), "2026-01-15T10:00:01.000Z");
/// assert_eq!(t.clock(), "10:00");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// A duration in milliseconds.
pub type Millis = i64;

impl Timestamp {
    /// One second.
    pub const SECOND: Millis = 1_000;
    /// One minute.
    pub const MINUTE: Millis = 60 * Self::SECOND;
    /// One hour.
    pub const HOUR: Millis = 60 * Self::MINUTE;
    /// One day.
    pub const DAY: Millis = 24 * Self::HOUR;

    /// Returns this moment moved by `by` milliseconds; stops at the ends of the range.
    #[must_use]
    pub fn plus(self, by: Millis) -> Self {
        Self(self.0.saturating_add(by))
    }

    /// Returns the milliseconds from `earlier` to this moment; negative if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Millis {
        self.0.saturating_sub(earlier.0)
    }

    /// Formats as `2026-01-15T10:00:00.000Z`.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let (y, m, d) = civil(self.0.div_euclid(Self::DAY));
        let ms = self.0.rem_euclid(Self::DAY);
        let (h, min, s, ms) = (ms / Self::HOUR, ms / Self::MINUTE % 60, ms / 1_000 % 60, ms % 1_000);
        format!("{y:04}-{m:02}-{d:02}T{h:02}:{min:02}:{s:02}.{ms:03}Z")
    }

    /// Formats the time of day in UTC: `10:02`.
    #[must_use]
    pub fn clock(self) -> String {
        let ms = self.0.rem_euclid(Self::DAY);
        format!("{:02}:{:02}", ms / Self::HOUR, ms / Self::MINUTE % 60)
    }

    /// Formats the moment for a person who reads it at `now`: the time of day in UTC, with the date if that
    /// is more than 24 hours away.
    #[must_use]
    pub fn told(self, now: Self) -> String {
        if now.since(self).abs() <= Self::DAY {
            return self.clock();
        }
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (_, month, day) = civil(self.0.div_euclid(Self::DAY));
        format!("{day} {} {}", MONTHS[(month - 1) as usize], self.clock())
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff]Z`; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
        let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
        let (y, m, d) = (date.next()??, date.next()??, date.next()??);
        let mut time = time.splitn(3, ':');
        let (h, min) = (time.next()?.parse::<i64>().ok()?, time.next()?.parse::<i64>().ok()?);
        let (s, fraction) = time.next().map(|s| s.split_once('.').unwrap_or((s, "0")))?;
        let ms = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok()?;
        Some(Self::from_parts(y, m, d, h, min, s.parse().ok()?)?.plus(ms))
    }

    fn from_parts(y: i64, m: i64, d: i64, h: i64, min: i64, s: i64) -> Option<Self> {
        let fits = (0..=9999).contains(&y)
            && (1..=12).contains(&m)
            && (1..=31).contains(&d)
            && (0..24).contains(&h)
            && (0..60).contains(&min)
            && (0..61).contains(&s);
        fits.then(|| Self(days(y, m, d) * Self::DAY + h * Self::HOUR + min * Self::MINUTE + s * Self::SECOND))
    }
}

/// Days since 1970-01-01 of a civil date, after Howard Hinnant's `days_from_civil`.
fn days(y: i64, m: i64, d: i64) -> i64 {
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (m + if m > 2 { -3 } else { 9 }) + 2) / 5 + d - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

/// The civil date of a day number, the inverse of [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (d, m) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    (yoe + era * 400 + i64::from(m <= 2), m, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for text in ["1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "2026-11-21T10:02:00.500Z"] {
            assert_eq!(Timestamp::parse(text).unwrap().rfc3339(), text);
        }
        assert_eq!(Timestamp::parse("2026-01-15T10:00:07Z").unwrap().rfc3339(), "2026-01-15T10:00:07.000Z");
        for bad in ["", "2026-01-15", "2026-13-01T00:00:00Z", "2026-01-15T25:00:00Z", "x"] {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn tells_the_date_only_when_it_is_far() {
        let now = Timestamp::parse("2026-01-15T10:00:00.000Z").unwrap();
        assert_eq!(now.plus(-Timestamp::HOUR).told(now), "09:00");
        assert_eq!(now.plus(14 * Timestamp::DAY).told(now), "29 Jan 10:00");
    }
}
