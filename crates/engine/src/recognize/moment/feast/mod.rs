//! Holidays: the day a rule gives in a year. Names and their rules are data (`data/*/time.txt`).
//!
//! Jewish and Islamic days begin at sunset; the day given is the one on whose evening the Jewish ones begin, and the first whole
//! day of the Islamic ones. The Hebrew calendar is reckoned exactly, the Islamic one is that of Saudi Arabia (`hijri`), the
//! feasts of India and China follow the sky (`lunar`, `sky`).

mod hijri;
mod lunar;
mod sky;

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};

use crate::recognize::lexicon::SectionId;
use crate::recognize::named;

/// How the number behind a name gives its day.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// Month and day.
    Fixed,
    /// Month and day, and how far it moves from a Saturday and from a Sunday: 1 on, 9 back.
    Moved,
    /// Month, weekday (Monday is 1), which one of the month (5 is the last), days behind it.
    Floating,
    /// Days from Easter Sunday.
    Easter,
    /// Days from the Easter Sunday of the Orthodox churches.
    Orthodox,
    /// Days from the eve of the Jewish New Year; what comes before it counts back.
    Hebrew,
    /// Month and day of the Islamic calendar.
    Islamic,
    /// The last Friday before such a day.
    IslamicFriday,
    /// Month, thirtieth of it, hour and days behind it, of India.
    Hindu,
    /// Sign of the stars the sun enters, hour until which that counts for the day, days behind it, of India.
    HinduSolar,
    /// Sign of the stars the sun is in, and mansion of the moon, of India.
    HinduStar,
    /// Month, day and days behind it, of China.
    Chinese,
    /// Days from the New Year of the Parsis, whose years have 365 days.
    Parsi,
    /// Which of the lists of days that no rule gives.
    Listed,
}

/// Days that no rule gives, by the number their names have: when most of the United States vote on their candidates, and when a
/// few of them did so early.
const LISTED: [&[Date]; 2] = {
    const fn day(year: i16, month: i8, day: i8) -> Date {
        Date::constant(year, month, day)
    }
    [
        &[
            day(1984, 3, 13),
            day(1988, 3, 8),
            day(1992, 3, 10),
            day(1996, 3, 12),
            day(2000, 3, 7),
            day(2004, 3, 2),
            day(2008, 2, 5),
            day(2012, 3, 6),
            day(2016, 3, 1),
            day(2020, 3, 3),
            day(2024, 3, 5),
        ],
        &[day(2004, 2, 3)],
    ]
};

/// The sections of names, and the rule of each.
pub(super) const RULES: [(SectionId, Rule); 14] = [
    (named("holiday.fixed"), Rule::Fixed),
    (named("holiday.moved"), Rule::Moved),
    (named("holiday.weekday"), Rule::Floating),
    (named("holiday.easter"), Rule::Easter),
    (named("holiday.orthodox"), Rule::Orthodox),
    (named("holiday.hebrew"), Rule::Hebrew),
    (named("holiday.islamic"), Rule::Islamic),
    (named("holiday.islamic_friday"), Rule::IslamicFriday),
    (named("holiday.hindu"), Rule::Hindu),
    (named("holiday.hindu_solar"), Rule::HinduSolar),
    (named("holiday.hindu_star"), Rule::HinduStar),
    (named("holiday.chinese"), Rule::Chinese),
    (named("holiday.parsi"), Rule::Parsi),
    (named("holiday.listed"), Rule::Listed),
];

/// A holiday: its rule and the number the lexicon gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feast {
    pub(crate) rule: Rule,
    pub(crate) written: i64,
}

impl Feast {
    /// The day in a year. Of two that an Islamic day has in some years it is the first.
    pub(crate) fn of(self, year: i16) -> Option<Date> {
        let n = self.written;
        let on = |date: Date, days: i64| date.checked_add(days.days()).ok();
        let fixed = |n: i64| Date::new(year, i8::try_from(n / 100).ok()?, i8::try_from(n % 100).ok()?).ok();
        match self.rule {
            Rule::Fixed => fixed(n),
            Rule::Moved => {
                let date = fixed(n / 100)?;
                let by = match date.weekday() {
                    Weekday::Saturday => n / 10 % 10,
                    Weekday::Sunday => n % 10,
                    _ => 0,
                };
                on(date, if by > 5 { by - 10 } else { by })
            }
            Rule::Floating => {
                let [month, weekday, nth, days] = [n / 1000, n / 100 % 10, n / 10 % 10, n % 10];
                let weekday = Weekday::from_monday_one_offset(i8::try_from(weekday).ok()?).ok()?;
                let nth = if nth == 5 { -1 } else { i8::try_from(nth).ok()? };
                let first = Date::new(year, i8::try_from(month).ok()?, 1).ok()?;
                on(first.nth_weekday_of_month(nth, weekday).ok()?, days)
            }
            Rule::Easter => on(easter(year)?, n),
            Rule::Orthodox => on(orthodox_easter(year)?, n),
            Rule::Hebrew => hebrew(year.into(), n),
            Rule::Islamic => hijri::of(year, n / 100, n % 100),
            Rule::IslamicFriday => hijri::of(year, n / 100, n % 100)?.nth_weekday(-1, Weekday::Friday).ok(),
            Rule::Hindu => lunar::hindu(year, n),
            Rule::HinduSolar => lunar::hindu_solar(year, n),
            Rule::HinduStar => lunar::hindu_star(year, n),
            Rule::Chinese => lunar::chinese(year, n),
            Rule::Parsi => parsi(year, n),
            Rule::Listed => self.listed().iter().copied().find(|date| date.year() == year),
        }
    }

    /// The days of a feast that is one of a list.
    pub(crate) fn listed(self) -> &'static [Date] {
        let list = usize::try_from(self.written).ok().and_then(|at| LISTED.get(at));
        if matches!(self.rule, Rule::Listed) { list.copied().unwrap_or_default() } else { &[] }
    }
}

/// Easter Sunday after the Gregorian rule (Meeus, Jones, Butcher).
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let days = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(days / 31).ok()?, i8::try_from(days % 31 + 1).ok()?).ok()
}

/// Easter Sunday after the Julian rule (Meeus), on the Gregorian calendar of 1900 to 2099.
fn orthodox_easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let d = (19 * (y % 19) + 15) % 30;
    let days = d + (2 * (y % 4) + 4 * (y % 7) - d + 34) % 7 + 114;
    let julian = Date::new(year, i8::try_from(days / 31).ok()?, i8::try_from(days % 31 + 1).ok()?).ok()?;
    julian.checked_add(13.days()).ok()
}

/// The day of a number of days since the end of the year before 1.
fn day_number(days: i64) -> Option<Date> {
    Date::constant(1, 1, 1).checked_add(jiff::Span::new().try_days(days - 1).ok()?).ok()
}

/// The number of the day on whose evening the Jewish year begins that begins in a year.
fn new_year(year: i64) -> i64 {
    let year = year + 3761;
    let [before, own, next] = [year - 1, year, year + 1].map(molad);
    let late = if next - own == 356 { 2 } else { i64::from(own - before == 382) };
    own + late - 1_373_428
}

/// A day so many days from the eve of the Jewish New Year of a year. What lies more than a hundred days behind it is in the year
/// after.
fn hebrew(year: i64, days: i64) -> Option<Date> {
    let year = if days > 100 { year - 1 } else { year };
    let (own, next) = (new_year(year), new_year(year + 1));
    // The second month has a day more in a full year, the third one less in a lacking one.
    let more = match (next - own) % 10 {
        5 if days > 59 => 1,
        3 if days > 88 => -1,
        _ => 0,
    };
    day_number(own + days + more)
}

/// A day of the Parsis' year, which began on 2020-08-16.
fn parsi(year: i16, days: i64) -> Option<Date> {
    let past = i64::from(year) - 1;
    let first = 365 * past + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400) + 1;
    day_number(first + (737_653 + days - first).rem_euclid(365))
}

/// Days to the new moon that begins a Jewish year, a day later where the weekday forbids it.
fn molad(year: i64) -> i64 {
    let months = (235 * year - 234).div_euclid(19);
    let days = 29 * months + (12_084 + 13_753 * months).div_euclid(25_920);
    days + i64::from((3 * (days + 1)).rem_euclid(7) < 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn days_of_the_calendars() {
        for (rule, written, year, date) in [
            (Rule::Easter, 0, 2026, "2026-04-05"),
            (Rule::Orthodox, 0, 2024, "2024-05-05"),
            (Rule::Orthodox, 0, 2026, "2026-04-12"),
            // The evenings before: Passover, the New Year, the Day of Atonement, Hanukkah.
            (Rule::Hebrew, -163, 2024, "2024-04-22"),
            (Rule::Hebrew, 0, 2024, "2024-10-02"),
            (Rule::Hebrew, 9, 2025, "2025-10-01"),
            (Rule::Hebrew, 83, 2024, "2024-12-25"),
            (Rule::Hebrew, 83, 2025, "2025-12-14"),
            // The New Year of Trees.
            (Rule::Hebrew, 132, 2024, "2024-01-24"),
            (Rule::Hebrew, 132, 2026, "2026-02-01"),
            (Rule::IslamicFriday, 1001, 2018, "2018-06-08"),
            (Rule::Parsi, 0, 2018, "2018-08-17"),
            (Rule::Parsi, 0, 2024, "2024-08-15"),
            (Rule::Listed, 0, 2012, "2012-03-06"),
            (Rule::Islamic, 1001, 2018, "2018-06-15"),
            (Rule::Islamic, 1210, 2006, "2006-01-10"),
            (Rule::Moved, 42_709, 2014, "2014-04-26"),
            (Rule::Moved, 42_709, 2026, "2026-04-27"),
            (Rule::Floating, 11_440, 2026, "2026-11-26"),
        ] {
            let found = Feast { rule, written }.of(year).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(date), "{rule:?} {written}");
        }
    }

    #[test]
    fn no_year_is_too_far() {
        for (_, rule) in RULES {
            for (year, written) in
                [(2000, 99_999), (2000, 0), (-9999, 101), (9999, 1231), (0, 0), (1, -193), (9999, 99_999)]
            {
                let _ = Feast { rule, written }.of(year);
            }
        }
    }
}
