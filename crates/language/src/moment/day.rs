//! Days: the meaning of dates that leave something out, at a certain moment.
//!
//! The rules, with "today" being Wednesday 2026-01-14:
//!
//! | Said | Means | Rule |
//! | --- | --- | --- |
//! | Friday | 2026-01-16 | the next such day; on a Friday the one in a week, since today is called today |
//! | this Friday | 2026-01-16 | the one of this week, which begins on Monday |
//! | next Friday | 2026-01-23 | the one of next week, also when this week's is still to come |
//! | last Friday | 2026-01-09 | the last such day before today |
//! | the 14th | 2026-01-14 | the next such day, today included |
//! | the 8th, which has passed | 2026-02-08 | the next month that has such a day |
//! | March 3rd | 2026-03-03 | the next one, today included |
//! | January 3rd, which has passed | 2027-01-03 | next year's |
//! | Friday the 13th | 2026-02-13 | the next day that is both |
//! | Friday, January 9 | 2026-01-09 | the next day that is both, or one of the last month |
//! | this Friday, January 20 | 2026-01-20, or 2026-01-16 | one of the two is a mistake |
//! | this weekend | 2026-01-17/2026-01-18 | Saturday and Sunday of this week, also when it is Sunday |
//! | next week | 2026-01-19/2026-01-25 | Monday to Sunday |
//! | 3/4/30 | 2030-03-04 | two digits are a year of the hundred that ends twenty years from now |
//!
//! In a message about the past ("I went on Friday") the last such day is meant instead of the next.

use alloc::format;
use alloc::string::{String, ToString};

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span, ToSpan as _};

/// The moment of the message on the person's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    /// The moment.
    pub(crate) now: DateTime,
    /// True if the message is about the past.
    pub(crate) past: bool,
}

/// A day or several; the ends are both part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Day {
    /// The first one; `None` when it is open.
    pub(crate) from: Option<Date>,
    /// The last one; `None` when it is open.
    pub(crate) to: Option<Date>,
    /// The other reading, of "3/4".
    pub(crate) or: Option<Date>,
    /// The hour of now, when it is so many days from now.
    pub(crate) hour: Option<i8>,
    /// The days on which it comes again, so that a weekday beside it may choose one of them.
    pub(crate) again: Again,
}

/// The way a day comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It does not: it was said in full.
    Never,
    /// Each week.
    Weekly,
    /// Each month.
    Monthly,
    /// Each year.
    Yearly,
}

/// The number of years in which the next February 29 or Friday 13th is looked for.
const YEARS: i16 = 12;
const MONTHS: i16 = 40;
/// So many days back a date has just passed: with its weekday it is that one, and not the next such one in years.
const JUST: i32 = 31;

impl Day {
    /// One day.
    pub(crate) fn one(date: Date) -> Self {
        Self { from: Some(date), to: Some(date), or: None, hour: None, again: Again::Never }
    }

    /// From one to another; `None` when they are the wrong way round.
    pub(crate) fn span(from: Date, to: Date) -> Option<Self> {
        (from <= to).then_some(Self { to: Some(to), ..Self::one(from) })
    }

    /// The last day, or the next one of its kind that is behind another day: "Friday to Monday", "the 30th to the 2nd".
    pub(crate) fn end_behind(&self, from: Date) -> Option<Date> {
        let to = self.to?;
        if to > from {
            return Some(to);
        }
        let step = match self.again {
            Again::Never => return None,
            Again::Weekly => return from.nth_weekday(1, to.weekday()).ok(),
            Again::Monthly => 1.month(),
            Again::Yearly => 1.year(),
        };
        to.checked_add(step).ok()
    }

    /// The day, when it is one.
    pub(crate) fn single(&self) -> Option<Date> {
        self.from.filter(|from| Some(*from) == self.to)
    }

    /// `2026-03-03`, `2026-03-07/2026-03-08`, `2026-03-07/..`.
    pub(crate) fn text(&self) -> String {
        let end = |date: Option<Date>| date.map_or_else(|| "..".to_string(), |date| date.to_string());
        match self.single() {
            Some(date) => date.to_string(),
            None => format!("{}/{}", end(self.from), end(self.to)),
        }
    }
}

impl Said {
    /// The day it is.
    pub(crate) fn today(&self) -> Date {
        self.now.date()
    }

    /// So many days from today.
    pub(crate) fn in_days(&self, days: i64) -> Option<Date> {
        self.today().checked_add(Span::new().try_days(days).ok()?).ok()
    }

    /// A date in full; two digits are a year of the hundred that ends twenty years from now.
    pub(crate) fn date(&self, year: i64, digits: u8, month: i64, day: i64) -> Option<Date> {
        let last = i64::from(self.today().year()) + 20;
        let year = if digits == 2 { last - (last - year).rem_euclid(100) } else { year };
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    }

    /// A day of a year.
    pub(crate) fn yearly(&self, month: i64, day: i64) -> Option<Day> {
        self.nearest(YEARS, |years| {
            let year = i64::from(self.today().year()) + i64::from(years);
            self.date(year, 4, month, day)
        })
        .map(|date| Day { again: Again::Yearly, ..Day::one(date) })
    }

    /// A day of a month.
    pub(crate) fn monthly(&self, day: i64) -> Option<Day> {
        self.nearest(MONTHS, |months| self.in_month(months, day))
            .map(|date| Day { again: Again::Monthly, ..Day::one(date) })
    }

    /// A day of the month so many months on.
    pub(crate) fn in_month(&self, months: i16, day: i64) -> Option<Date> {
        let first = self.today().first_of_month().checked_add(i64::from(months).months()).ok()?;
        Date::new(first.year(), first.month(), i8::try_from(day).ok()?).ok()
    }

    /// The next day a rule gives, today included; the last one in a message about the past.
    pub(crate) fn nearest(&self, most: i16, rule: impl Fn(i16) -> Option<Date>) -> Option<Date> {
        let today = self.today();
        if self.past {
            (-most..=0).rev().filter_map(rule).find(|date| *date <= today)
        } else {
            (0..=most).filter_map(rule).find(|date| *date >= today)
        }
    }

    /// The next such day after today, or the last one before it.
    pub(crate) fn weekday(&self, weekday: Weekday, times: i64) -> Option<Date> {
        let times = if self.past && times > 0 { -times } else { times };
        self.today().nth_weekday(i32::try_from(times).ok()?, weekday).ok()
    }

    /// That day of the week so many weeks on; weeks begin on Monday.
    pub(crate) fn in_week(&self, weeks: i64, weekday: Weekday) -> Option<Date> {
        let since = i64::from(self.today().weekday().to_monday_zero_offset());
        self.in_days(weeks.checked_mul(7)? - since + i64::from(weekday.to_monday_zero_offset()))
    }

    /// Some days of the week so many weeks on.
    pub(crate) fn week(&self, weeks: i64, from: Weekday) -> Option<Day> {
        Day::span(self.in_week(weeks, from)?, self.in_week(weeks, Weekday::Sunday)?)
    }

    /// The month so many months on.
    pub(crate) fn month(&self, months: i64) -> Option<Day> {
        Self::whole_month(self.in_month(i16::try_from(months).ok()?, 1)?)
    }

    /// The month a day is in.
    pub(crate) fn whole_month(first: Date) -> Option<Day> {
        Day::span(first.first_of_month(), first.last_of_month())
    }

    /// The year so many years on.
    pub(crate) fn year(&self, years: i64) -> Option<Day> {
        let year = i64::from(self.today().year()).checked_add(years)?;
        Day::span(self.date(year, 4, 1, 1)?, self.date(year, 4, 12, 31)?)
    }

    /// A day that comes again, moved to where it is this weekday: "Friday the 13th".
    pub(crate) fn on_weekday(&self, day: Day, weekday: Weekday) -> Option<Day> {
        let date = day.single()?;
        if date.weekday() == weekday {
            return Some(Day { again: Again::Never, ..day });
        }
        let fits = |date: &Date| date.weekday() == weekday;
        let found = match day.again {
            Again::Never | Again::Weekly => day.or.filter(fits),
            Again::Monthly => {
                self.nearest(MONTHS, |months| self.in_month(months, date.day().into()).filter(fits))
            }
            Again::Yearly => {
                let in_year = |years: i16| {
                    let year = i64::from(self.today().year()) + i64::from(years);
                    self.date(year, 4, date.month().into(), date.day().into()).filter(fits)
                };
                let just = |date: &Date| {
                    (1..=JUST).contains(&(date.until(self.today()).map_or(0, |s| s.get_days())))
                };
                (-1..=0).filter_map(in_year).find(just).or_else(|| self.nearest(YEARS, in_year))
            }
        };
        found.map(Day::one)
    }
}
