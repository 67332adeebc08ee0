//! Moments and durations: numbers that come in with `given`. The engine has no clock.

use alloc::format;
use alloc::string::{String, ToString as _};

use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use throughline_messages::{self as say, Language};

/// The moment 0 of a [`Timestamp`].
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// The years after which the Gregorian calendar repeats, to the day.
const CYCLE_YEARS: i64 = 400;
/// The length of these years in milliseconds.
const CYCLE: Millis = 146_097 * Timestamp::DAY;

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

    /// Formats as `2026-01-15T10:00:00.000Z`. A year before 0 or after 9999 has a sign or more digits.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let (year, at) = self.utc();
        format!("{year:04}-{:02}-{:02}T{:.3}Z", at.month(), at.day(), at.time())
    }

    /// Formats the time of day in UTC: `10:02`.
    #[must_use]
    pub fn clock(self) -> String {
        let (_, at) = self.utc();
        at.strftime("%H:%M").to_string()
    }

    /// Formats the moment for a person who reads it at `now`, in UTC: the time of day if both are on one date, else
    /// with the date, and with the year if that differs.
    #[must_use]
    pub fn display_at(self, now: Self, language: Language) -> String {
        let ((year, at), (this_year, reader)) = (self.utc(), now.utc());
        let (day, month) = (at.day(), usize::from(at.month().unsigned_abs()));
        if year != this_year {
            return say::time_year(language, self.clock(), day, month, year);
        }
        if at.date() != reader.date() {
            return say::time_day(language, self.clock(), day, month);
        }
        self.clock()
    }

    /// Formats a moment that somebody has to act before, or may wait for: as [`Self::display_at`], with its zone, since
    /// the reader's is not known.
    #[must_use]
    pub fn deadline_at(self, now: Self, language: Language) -> String {
        format!("{} UTC", self.display_at(now, language))
    }

    /// Formats the day in UTC: `3 March`.
    #[must_use]
    pub fn date(self, language: Language) -> String {
        let (_, at) = self.utc();
        say::time_date(language, at.day(), usize::from(at.month().unsigned_abs()))
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff]Z`; `None` for anything else, and for a day that no month has.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let at = DateTime::strptime("%Y-%m-%dT%H:%M:%S%.fZ", text).ok().filter(|at| at.year() >= 0)?;
        let nanos = at.duration_since(EPOCH).as_nanos();
        i64::try_from(nanos.div_euclid(1_000_000)).ok().map(Self)
    }

    /// Returns the year, and the date and time of day in UTC; the date's own year is one of 1970 to 2369.
    fn utc(self) -> (i64, DateTime) {
        // A moment may lie beyond the year 9999, where jiff's calendar ends: adding to it stops at the range of `i64`.
        let at = EPOCH.saturating_add(SignedDuration::from_millis(self.0.rem_euclid(CYCLE)));
        (i64::from(at.year()) + CYCLE_YEARS * self.0.div_euclid(CYCLE), at)
    }
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
    fn moments_at_the_edges_of_the_calendar() {
        for (ms, text) in [
            (i64::MIN, "-292275055-05-16T16:47:04.192Z"),
            (-62_198_755_200_001, "-002-12-31T23:59:59.999Z"),
            (-62_167_219_200_001, "-001-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (-2_203_891_200_001, "1900-02-28T23:59:59.999Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
            (i64::MAX, "292278994-08-17T07:12:55.807Z"),
        ] {
            assert_eq!(Timestamp(ms).rfc3339(), text);
            // A year of four digits is read again, any other is not.
            let read = (text.len() == 24 && !text.starts_with('-')).then_some(Timestamp(ms));
            assert_eq!(Timestamp::parse(text), read, "{text}");
        }
    }

    #[test]
    fn reads_only_what_is_a_moment() {
        for (text, expected) in [
            ("2024-02-29T00:00:00Z", Some("2024-02-29T00:00:00.000Z")),
            ("2026-02-29T00:00:00Z", None),
            ("2026-02-30T00:00:00Z", None),
            ("1900-02-29T00:00:00Z", None),
            ("2026-04-31T00:00:00Z", None),
            ("2026-01-15T10:00:00.1Z", Some("2026-01-15T10:00:00.100Z")),
            ("2026-01-15T10:00:00.123999Z", Some("2026-01-15T10:00:00.123Z")),
            ("1960-01-15T10:00:00.123999Z", Some("1960-01-15T10:00:00.123Z")),
            // A leap second has no moment of its own.
            ("2016-12-31T23:59:60Z", Some("2016-12-31T23:59:59.000Z")),
            ("2026-01-15T24:00:00Z", None),
            ("2026-01-15T10:60:00Z", None),
            ("2026-01-15T10:00Z", None),
            ("2026-01-15T10:00:00", None),
            ("2026-01-15T10:00:00+00:00", None),
            ("2026-01-15 10:00:00Z", None),
            ("-001-01-01T00:00:00Z", None),
            ("10000-01-01T00:00:00Z", None),
            ("2026-01-15T10:00:00ZZ", None),
        ] {
            let read = Timestamp::parse(text).map(Timestamp::rfc3339);
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_moment_of_the_calendar_is_read_again(ms in -62_167_219_200_000i64..=253_402_300_799_999) {
            proptest::prop_assert_eq!(Timestamp::parse(&Timestamp(ms).rfc3339()), Some(Timestamp(ms)));
        }

        /// Beyond jiff's calendar, too, a day is followed by the next.
        #[test]
        fn the_calendar_repeats_after_its_cycle(ms: i64) {
            let (one, other) = (Timestamp(ms).rfc3339(), Timestamp(ms.rem_euclid(CYCLE)).rfc3339());
            proptest::prop_assert_eq!(&one[one.len() - 20..], &other[other.len() - 20..]);
        }
    }

    #[test]
    fn tells_the_date_of_another_day_and_the_year_of_another_year() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let now = at("2026-01-15T10:00:00Z");
        for (moment, english, german) in [
            ("2026-01-15T09:00:00Z", "09:00", "09:00"),
            ("2026-01-15T00:00:00Z", "00:00", "00:00"),
            ("2026-01-15T23:59:59Z", "23:59", "23:59"),
            ("2026-01-16T00:00:00Z", "16 Jan 00:00", "16.1., 00:00"),
            ("2026-01-16T09:59:00Z", "16 Jan 09:59", "16.1., 09:59"),
            ("2026-01-14T23:59:59Z", "14 Jan 23:59", "14.1., 23:59"),
            ("2026-01-29T10:00:00Z", "29 Jan 10:00", "29.1., 10:00"),
            ("2026-12-03T14:05:00Z", "3 Dec 14:05", "3.12., 14:05"),
            ("2027-01-15T10:00:00Z", "15 Jan 2027 10:00", "15.1.2027, 10:00"),
            ("2025-12-31T23:59:00Z", "31 Dec 2025 23:59", "31.12.2025, 23:59"),
            ("2426-01-15T10:00:00Z", "15 Jan 2426 10:00", "15.1.2426, 10:00"),
        ] {
            for (language, shown) in [(Language::En, english), (Language::De, german)] {
                assert_eq!(at(moment).display_at(now, language), shown);
                assert_eq!(at(moment).deadline_at(now, language), format!("{shown} UTC"));
            }
        }
        assert_eq!(at("2026-03-03T10:00:00Z").date(Language::En), "3 March");
        assert_eq!(at("2026-03-03T10:00:00Z").date(Language::De), "3. März");
    }

    proptest::proptest! {
        /// The text shown and the reader's own date name one minute, so no other moment is meant.
        #[test]
        fn two_moments_that_are_shown_alike_are_one_minute(now in 0..4_102_444_800_000_i64, one in 0..4_102_444_800_000_i64, far in -200_000_000..200_000_000_i64) {
            let (now, one, other) = (Timestamp(now), Timestamp(one), Timestamp(one + far));
            for (reader, language) in [now, one, other].into_iter().zip(Language::ALL.into_iter().cycle()) {
                if one.display_at(reader, language) == other.display_at(reader, language) {
                    let [one, other] = [one, other].map(Timestamp::rfc3339);
                    proptest::prop_assert_eq!(&one[..16], &other[..16]);
                }
            }
        }
    }
}
