//! Times of day, with what the words leave open: "5" is 05:00 or 17:00.

use alloc::format;
use alloc::string::String;

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};

const HOUR: u16 = 60;
const NOON: u16 = 12 * HOUR;
const DAY: u16 = 24 * HOUR;
/// A time of day, to the second when one was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    minute: u16,
    second: Option<u8>,
    /// True if the half of the day was given, or is plain from the hour.
    known: bool,
    /// True if it was written as clocks of 24 hours show it: open, and in the morning where nothing says otherwise.
    of_24: bool,
    /// The time zone, when one was given.
    zone: Option<Zone>,
}

/// A time zone: the offset of its clocks from UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    /// In minutes, in winter.
    pub(crate) ahead: i16,
    pub(crate) summer: Summer,
}

/// The rule of a zone for summer time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Summer {
    /// Never, or the name says which of the two is meant: "PST".
    Said,
    /// From the second Sunday of March to the first of November.
    America,
    /// From the last Sunday of March to the last of October.
    Europe,
}

impl Zone {
    /// The offset from UTC on a day, in minutes. On the two days of change it is that of the evening.
    pub(crate) fn on(self, date: Date) -> Option<i64> {
        let sunday = |month, nth| {
            let first = Date::new(date.year(), month, 1).ok()?;
            first.nth_weekday_of_month(nth, Weekday::Sunday).ok()
        };
        let [begins, ends] = match self.summer {
            Summer::Said => return Some(self.ahead.into()),
            Summer::America => [sunday(3, 2)?, sunday(11, 1)?],
            Summer::Europe => [sunday(3, -1)?, sunday(10, -1)?],
        };
        Some(i64::from(self.ahead) + if (begins..ends).contains(&date) { 60 } else { 0 })
    }
}

/// A stretch of the day, in minutes; past midnight when it ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    from: u16,
    to: u16,
}

impl Clock {
    /// Hours of 0 to 24 and minutes as they were said: 1 to 12 leave open which half of the day.
    pub(crate) fn new(hour: i64, minute: i64, second: Option<i64>) -> Option<Self> {
        let within = |n: i64, most: u16| u16::try_from(n).ok().filter(|n| *n <= most);
        let (hour, minute) = (within(hour, 24)?, within(minute, 59)?);
        let second = match second {
            None => None,
            Some(second) => Some(u8::try_from(second).ok().filter(|second| *second < 60)?),
        };
        let fits = hour < 24 || minute == 0 && second.is_none_or(|second| second == 0);
        let known = hour == 0 || hour > 12;
        fits.then_some(Self { minute: (hour * HOUR + minute) % DAY, second, known, of_24: false, zone: None })
    }

    /// A minute of the day that leaves nothing open.
    pub(crate) fn exactly(minute: i64) -> Option<Self> {
        let minute = u16::try_from(minute).ok().filter(|minute| *minute <= DAY)?;
        Some(Self { minute: minute % DAY, second: None, known: true, of_24: false, zone: None })
    }

    /// This clock moved by so many minutes. An open half of the day stays open.
    pub(crate) fn moved(self, by: i64) -> Option<Self> {
        let minute = (i64::from(self.minute) + by).rem_euclid(i64::from(DAY));
        let minute = u16::try_from(minute).ok()?;
        // The quarter before one o'clock is no o'clock that is said as 0:45.
        let minute = if self.known || minute >= HOUR { minute } else { minute + NOON };
        Some(Self { minute, ..self })
    }

    /// This clock as written for 24 hours: "07:30" leaves nothing open.
    pub(crate) fn known(self) -> Self {
        Self { known: true, ..self }
    }

    /// This clock as clocks of 24 hours show it.
    pub(crate) fn of_24(self) -> Self {
        Self { of_24: true, ..self }
    }

    /// In the half of the day that is meant where nothing decides.
    pub(crate) fn usual(self) -> Self {
        if self.of_24 { self.half(false) } else { self.within(Window::USUAL) }
    }

    /// In that half of the day, when it was open.
    pub(crate) fn half(self, after_noon: bool) -> Self {
        let minute =
            if self.known { self.minute } else { self.minute % NOON + if after_noon { NOON } else { 0 } };
        Self { minute, known: true, ..self }
    }

    /// True if the half of the day is open.
    pub(crate) fn open(self) -> bool {
        !self.known
    }

    /// In the half of the day that comes closest to the window.
    pub(crate) fn within(self, window: Window) -> Self {
        let [early, late] = [self.half(false), self.half(true)];
        if window.far(early.minute) < window.far(late.minute) { early } else { late }
    }

    /// The half of the day in which it is still to come at that minute of the day, or the later one.
    pub(crate) fn to_come(self, now: u16) -> Self {
        let early = self.half(false);
        if early.minute > now { early } else { self.half(true) }
    }

    /// The other half of the day.
    pub(crate) fn other(self) -> Self {
        Self { minute: (self.minute + NOON) % DAY, ..self }
    }

    /// The half of the day in which it comes last before `end`: the 11 of "11 to 1 pm" is in the morning.
    pub(crate) fn before(self, end: Self) -> Self {
        let since = |clock: Self| (end.minute + DAY - clock.minute - 1) % DAY;
        let [early, late] = [self.half(false), self.half(true)];
        if since(early) < since(late) { early } else { late }
    }

    /// The half of the day in which it comes first after `begin`.
    pub(crate) fn after(self, begin: Self) -> Self {
        let until = |clock: Self| (clock.minute + DAY - begin.minute - 1) % DAY;
        let [early, late] = [self.half(false), self.half(true)];
        if until(early) < until(late) { early } else { late }
    }

    /// This clock in a zone, unless it has one.
    pub(crate) fn zoned(self, zone: Option<Zone>) -> Self {
        Self { zone: self.zone.or(zone), ..self }
    }

    /// This clock in the zone of another one, unless it has one.
    pub(crate) fn beside(self, other: Self) -> Self {
        self.zoned(other.zone)
    }

    /// The date and the clock of the same moment at another offset from UTC, in minutes, given the date in the clock's
    /// own zone.
    pub(crate) fn local(self, date: Date, ahead: i64) -> (Date, Self) {
        let Some(own) = self.zone.and_then(|zone| zone.on(date)) else { return (date, self) };
        let minute = i64::from(self.minute) + ahead - own;
        let day = date.checked_add(minute.div_euclid(i64::from(DAY)).days()).unwrap_or(date);
        let minute = u16::try_from(minute.rem_euclid(i64::from(DAY))).unwrap_or(self.minute);
        (day, Self { minute, known: true, zone: None, ..self })
    }

    /// The minute of the day.
    pub(crate) fn minute(self) -> u16 {
        self.minute
    }

    /// `17:00`, `17:00:30`.
    pub(crate) fn text(self) -> String {
        let (hour, minute) = (self.minute / HOUR, self.minute % HOUR);
        match self.second {
            None => format!("{hour:02}:{minute:02}"),
            Some(second) => format!("{hour:02}:{minute:02}:{second:02}"),
        }
    }
}

impl Window {
    /// The hours that are meant when nothing else decides: the twelve from seven in the morning. "8" is 08:00, "5" is
    /// 17:00, "12:15" is a quarter past noon.
    pub(crate) const USUAL: Self = Self { from: 7 * HOUR, to: 19 * HOUR };

    /// From one hour to another, written as `1822`.
    pub(crate) fn hours(written: i64) -> Option<Self> {
        let hour = |hour: i64| u16::try_from(hour).ok().filter(|hour| *hour <= 24).map(|hour| hour * HOUR);
        Some(Self { from: hour(written / 100)?, to: hour(written % 100)? })
    }

    /// The distance of a time from the window, in minutes.
    fn far(self, minute: u16) -> u16 {
        let since = |from: u16, to: u16| (to + DAY - from) % DAY;
        if since(self.from, minute) < since(self.from, self.to) {
            0
        } else {
            since(minute, self.from).min(since(self.to, minute) + 1)
        }
    }

    /// The first and the last time of the window.
    pub(crate) fn ends(self) -> [Clock; 2] {
        [self.from, self.to].map(|minute| Clock {
            minute: minute % DAY,
            second: None,
            known: true,
            of_24: false,
            zone: None,
        })
    }
}
