//! Holidays: the day that a rule gives in a year. Names and their rules are data (`data/*/answers/time.txt`).
//!
//! Jewish and Islamic days begin at sunset; the day given is the one on whose evening the Jewish ones begin, and the
//! first whole day of the Islamic ones. The Hebrew and the Chinese calendar are those of `icu_calendar`. Its calendar of
//! Saudi Arabia differs by a day from what was kept there in many years, so that `hijri` has a table. The days of India
//! are looked up in `data/hindu_days.txt`, which `cargo xtask holidays` makes.

mod hijri;

use icu_calendar::Date as CalendarDate;
use icu_calendar::cal::{ChineseTraditional, Hebrew};
use icu_calendar::types::Month;
use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};

use crate::lexicon::SectionId;
use crate::section;

/// The rule that makes a day of the number behind a name.
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
    /// One of the lists of days that no rule gives, by its number.
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
    (section("holiday.fixed"), Rule::Fixed),
    (section("holiday.moved"), Rule::Moved),
    (section("holiday.weekday"), Rule::Floating),
    (section("holiday.easter"), Rule::Easter),
    (section("holiday.orthodox"), Rule::Orthodox),
    (section("holiday.hebrew"), Rule::Hebrew),
    (section("holiday.islamic"), Rule::Islamic),
    (section("holiday.islamic_friday"), Rule::IslamicFriday),
    (section("holiday.hindu"), Rule::Hindu),
    (section("holiday.hindu_solar"), Rule::HinduSolar),
    (section("holiday.hindu_star"), Rule::HinduStar),
    (section("holiday.chinese"), Rule::Chinese),
    (section("holiday.parsi"), Rule::Parsi),
    (section("holiday.listed"), Rule::Listed),
];

/// A holiday: its rule and the number the lexicon gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holiday {
    pub(crate) rule: Rule,
    pub(crate) written: i64,
}

impl Holiday {
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
            Rule::Hindu => hindu("holiday.hindu", year, n),
            Rule::HinduSolar => hindu("holiday.hindu_solar", year, n),
            Rule::HinduStar => hindu("holiday.hindu_star", year, n),
            Rule::Chinese => chinese(year, n),
            Rule::Parsi => parsi(year, n),
            Rule::Listed => self.listed().iter().copied().find(|date| date.year() == year),
        }
    }

    /// The days of a holiday that is one of a list.
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
fn new_year(year: i64) -> Option<i64> {
    let year = i32::try_from(year + 3761).ok()?;
    let first = CalendarDate::try_new(year.into(), Month::new(1), 1, Hebrew);
    Some(first.ok()?.to_rata_die().to_i64_date() - 1)
}

/// A day of a month of China, and a shift in days: `1_01_9` is the eve of the New Year. The calendar is right to the day
/// from 1901 to 2100.
fn chinese(year: i16, written: i64) -> Option<Date> {
    let [month, day, shift] = [written / 1000, written / 10 % 100, written % 10];
    let (month, day) = (Month::new(month.try_into().ok()?), day.try_into().ok()?);
    let shift = if shift > 5 { shift - 10 } else { shift };
    let mut dates =
        [year - 1, year].into_iter().filter(|own| (1900..=2100).contains(own)).filter_map(|own| {
            let date =
                CalendarDate::<ChineseTraditional>::try_new_chinese_traditional(own.into(), month, day)
                    .ok()?;
            day_number(date.to_rata_die().to_i64_date() + shift)
        });
    dates.find(|date| date.year() == year)
}

/// The holidays of India: the section that names each, its number, and its day in each year from [`FIRST`] on.
static HINDU: &[(&str, i64, &[i16])] = &include!(concat!(env!("OUT_DIR"), "/hindu_days.rs"));
/// The first year of the table.
const FIRST: i16 = 1900;

fn hindu(section: &str, year: i16, written: i64) -> Option<Date> {
    let at =
        HINDU.binary_search_by_key(&(section, written), |(section, written, _)| (section, *written)).ok()?;
    let day = *HINDU[at].2.get(usize::try_from(i32::from(year) - i32::from(FIRST)).ok()?)?;
    Date::new(year, 1, 1).ok()?.with().day_of_year(day).build().ok()
}

/// The day so many days after the eve of the Jewish New Year in a year. A day more than a hundred days later is in the
/// year after.
fn hebrew(year: i64, days: i64) -> Option<Date> {
    let year = if days > 100 { year - 1 } else { year };
    let (own, next) = (new_year(year)?, new_year(year + 1)?);
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
            let found = Holiday { rule, written }.of(year).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(date), "{rule:?} {written}");
        }
    }

    /// A holiday's day of each year, in the order of the years.
    fn kept(rule: Rule, written: i64, days: &str) {
        for day in days.split(' ') {
            let year = day[..4].parse().unwrap();
            let found = Holiday { rule, written }.of(year).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(day), "{rule:?} {written}");
        }
    }

    #[test]
    fn holidays_of_india() {
        kept(Rule::Hindu, 730_180, "2010-11-05 2019-10-27 2023-11-12 2025-10-20");
        kept(Rule::HinduSolar, 101_800, "2018-01-14 2019-01-15 2020-01-15 2021-01-14 2022-01-14 2023-01-15");
        kept(Rule::HinduStar, 522, "2013-09-16 2019-09-11 2024-09-15");
    }

    #[test]
    fn holidays_of_china() {
        let new_year = "1985-02-20 2000-02-05 2013-02-10 2015-02-19 2018-02-16 2020-01-25 2023-01-22 2024-02-10 \
                        2026-02-17 2033-01-31 2034-02-19";
        kept(Rule::Chinese, 1_010, new_year);
        kept(Rule::Chinese, 1_019, "2024-02-09 2026-02-16");
        kept(Rule::Chinese, 5_050, "2020-06-25 2023-06-22 2024-06-10 2025-05-31");
        kept(Rule::Chinese, 8_150, "2020-10-01 2023-09-29 2024-09-17 2025-10-06");
    }

    #[test]
    fn no_year_is_too_far() {
        for (_, rule) in RULES {
            for (year, written) in
                [(2000, 99_999), (2000, 0), (-9999, 101), (9999, 1231), (0, 0), (1, -193), (9999, 99_999)]
            {
                let _ = Holiday { rule, written }.of(year);
            }
        }
    }
}
