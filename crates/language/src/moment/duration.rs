//! Lengths of time, as ISO 8601 has them.

use alloc::format;
use alloc::string::{String, ToString};

use jiff::Span;
use jiff::civil::DateTime;

/// A length: months and days are no fixed number of seconds, so each is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Length {
    months: i64,
    days: i64,
    seconds: i64,
}

/// Counts come in sixtieths, so that halves, quarters and tenths stay whole numbers.
pub(crate) const WHOLE: i64 = 60;
const DAY: i64 = 86_400;
/// No length is longer: a thousand years.
const MOST: i64 = 1_000 * 366 * DAY;

impl Length {
    /// So many sixtieths of a unit of seconds; whole days are days.
    pub(crate) fn of_seconds(count: i64, unit: i64) -> Option<Self> {
        let seconds = count.checked_mul(unit).filter(|all| all % WHOLE == 0)? / WHOLE;
        let whole = unit % DAY == 0;
        let (days, seconds) = if whole { (seconds / DAY, seconds % DAY) } else { (0, seconds) };
        Self { months: 0, days, seconds }.bounded()
    }

    /// So many sixtieths of a unit of months.
    pub(crate) fn of_months(count: i64, unit: i64) -> Option<Self> {
        let months = count.checked_mul(unit).filter(|all| all % WHOLE == 0)? / WHOLE;
        Self { months, ..Self::default() }.bounded()
    }

    fn bounded(self) -> Option<Self> {
        let fits = |n: i64, most: i64| (0..=most).contains(&n);
        let all = fits(self.months, 12_000) && fits(self.days, MOST / DAY) && fits(self.seconds, MOST);
        (all && self != Self::default()).then_some(self)
    }

    /// Both together.
    pub(crate) fn and(self, more: Self) -> Option<Self> {
        let Self { months, days, seconds } = more;
        Self { months: self.months + months, days: self.days + days, seconds: self.seconds + seconds }
            .bounded()
    }

    /// True if it is counted in days or more, so that it leads to a day and not to a time.
    pub(crate) fn of_days(self) -> bool {
        self.seconds == 0
    }

    /// True of a number of days; months are not counted to the hour.
    pub(crate) fn exact(self) -> bool {
        self.months == 0
    }

    /// The moment so much later, or earlier; `None` outside the calendar.
    pub(crate) fn from(self, moment: DateTime, back: bool) -> Option<DateTime> {
        let span = Span::new().try_months(self.months).ok()?.try_days(self.days).ok()?;
        let span = span.try_seconds(self.seconds).ok()?;
        if back { moment.checked_sub(span).ok() } else { moment.checked_add(span).ok() }
    }

    /// `P1Y2M3DT4H5M6S`, without what is nothing.
    pub(crate) fn text(self) -> String {
        let part = |n: i64, sign: char| if n == 0 { String::new() } else { format!("{n}{sign}") };
        let (h, m, s) = (self.seconds / 3600, self.seconds / 60 % 60, self.seconds % 60);
        let time = part(h, 'H') + &part(m, 'M') + &part(s, 'S');
        let time = if time.is_empty() { time } else { "T".to_string() + &time };
        "P".to_string()
            + &part(self.months / 12, 'Y')
            + &part(self.months % 12, 'M')
            + &part(self.days, 'D')
            + &time
    }
}
