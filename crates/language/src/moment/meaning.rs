//! The meanings of shapes: what each section makes of the parts its shapes caught.

use alloc::vec::Vec;

use jiff::civil::{Date, DateTime, Weekday};

use super::clock::{Clock, Summer, Zone};
use super::day::{Again, Day, Said};
use super::duration::{Length, WHOLE};
use super::grammar::{
    COUNT, DAY_NUMBER, FEW, FIXED, Grammar, Item, MONTH, MONTHS, N, POINT, QUARTERS, RELATIVE, SHIFT,
    SHORT_YEAR, TWO, UNIT, WEEKDAY, YEAR, ZONE, ZONE_EU, ZONE_US,
};
use super::holiday::Holiday;
use crate::lexicon::{ANSWERS, Caught, SectionId};
use crate::section;

/// Makes a value of the parts that a shape caught.
pub(super) type Meaning = fn(&Grammar<'_>, &Caught<Item>) -> Option<Item>;

/// The meaning of a section's shapes; `None` for a list of phrases.
pub(super) fn meaning(section: SectionId) -> Option<Meaning> {
    static BY_SECTION: [Option<Meaning>; ANSWERS.names.len()] = {
        let (mut all, mut at) = ([None; ANSWERS.names.len()], 0);
        while at < MEANINGS.len() {
            let (section, meaning) = MEANINGS[at];
            all[section.0 as usize] = Some(meaning);
            at += 1;
        }
        all
    };
    BY_SECTION.get(usize::from(section.0)).copied().flatten()
}

/// The meanings of the sections.
const MEANINGS: &[(SectionId, Meaning)] = &[
    (section("clock.written"), |_, c| clock_written(c)),
    (section("clock.exact"), |_, c| clock_exact(c)),
    (section("clock.spoken"), |_, c| clock_written(c)),
    (section("clock.hour"), |_, c| clock_hour(c)),
    (section("clock.bare_hour"), |_, c| clock_hour(c)),
    (section("clock.hour_point"), |_, c| clock_hour(c)),
    (section("clock.digits"), |_, c| clock_digits(c)),
    (section("clock.past"), |_, c| moved(c, 1)),
    (section("clock.to"), |_, c| moved(c, -1)),
    (section("clock.half"), |_, c| Some(Item::Clock(clock(c)?.moved(30)?))),
    (section("clock.toward"), |_, c| toward(c)),
    (section("clock.fixed"), |_, c| Some(Item::Clock(Clock::exactly(number(c, FIXED)?)?))),
    (section("clock.am"), |_, c| Some(Item::Clock(clock(c)?.half(false)))),
    (section("clock.pm"), |_, c| Some(Item::Clock(clock(c)?.half(true)))),
    (section("clock.zoned"), |_, c| Some(Item::Clock(clock(c)?.zoned(Some(zone(c)?))))),
    (section("length.plain"), |_, c| length(c, 0)),
    (section("length.half"), |_, c| length(c, WHOLE / 2)),
    (section("length.both"), |_, c| both(c)),
    (section("date.ymd"), |g, c| date(g, c, [0, 1, 2])),
    (section("date.basic"), |g, c| basic(g, c)),
    (section("date.md_shifted"), |g, c| {
        let (year, shift) = (i64::from(g.said.today().year()), number(c, SHIFT)?);
        let mut days = c.of(N).filter_map(|item| if let Item::Number(n, _) = item { Some(n) } else { None });
        Some(Item::Day(Day::one(g.said.date(year + shift, 4, days.next()?, days.next()?)?)))
    }),
    (section("date.dmy"), |g, c| date(g, c, [2, 1, 0])),
    (section("date.mdy"), |g, c| slashed(g, c, true)),
    (section("date.dmy_slashed"), |g, c| slashed(g, c, false)),
    (section("date.md"), |g, c| numeric(g, c, true)),
    (section("date.dm"), |g, c| numeric(g, c, false)),
    (section("date.dm_only"), |g, c| g.day_of_year(nth_number(c, 1)?, nth_number(c, 0)?)),
    (section("date.named"), |g, c| named_date(g, c)),
    (section("date.days"), |g, c| days_of_month(g, c)),
    (section("date.nth"), |g, c| Some(Item::Day(g.said.monthly(day_number(c)?)?))),
    (section("date.nth_of"), |g, c| nth_of(g, c)),
    (section("date.relative"), |g, c| Some(Item::Day(Day::one(g.said.in_days(number(c, RELATIVE)?)?)))),
    (section("date.weekday"), |g, c| {
        let day = Day::one(g.said.weekday(weekday(c)?, 1)?);
        Some(Item::Day(Day { again: Again::Weekly, ..day }))
    }),
    (section("date.after_next"), |g, c| Some(Item::Day(Day::one(g.said.weekday(weekday(c)?, 2)?)))),
    (section("date.weekday_shifted"), |g, c| weekday_shifted(g, c)),
    (section("date.weekday_in_week"), |g, c| {
        Some(Item::Day(Day::one(g.said.in_week(number(c, SHIFT)?, weekday(c)?)?)))
    }),
    (section("date.weekday_in"), |g, c| weekday_in(g, c)),
    (section("date.weekdays_on"), |g, c| {
        Some(Item::Day(Day::one(g.said.weekday(weekday(c)?, number(c, N)?)?)))
    }),
    (section("date.weekdays_back"), |g, c| {
        Some(Item::Day(Day::one(g.said.weekday(weekday(c)?, -number(c, N)?)?)))
    }),
    (section("date.weekday_and"), |g, c| Some(Item::Day(g.said.on_weekday(day(c)?, weekday(c)?)?))),
    (section("date.weekday_or"), |g, c| {
        // "Today, Tuesday" on a Monday, "this Friday, the 20th" in a week of the 16th: one of the two is a mistake.
        let (said, weekday) = (day(c)?, weekday(c)?);
        let date = said.single()?;
        let or = || g.said.in_week(number(c, SHIFT).unwrap_or(0), weekday);
        let other = || (date.weekday() != weekday).then(or).flatten();
        let both =
            g.said.on_weekday(said, weekday).filter(|both| both.single().is_some_and(|both| both <= date));
        Some(Item::Day(both.unwrap_or_else(|| Day { or: other(), ..Day::one(date) })))
    }),
    (section("date.md_point"), |g, c| {
        // With two digits it would be a time.
        numbers(c).nth(1).filter(|(_, digits)| *digits == 1)?;
        numeric(g, c, true)
    }),
    (section("date.weekday_nth"), |g, c| {
        Some(Item::Day(g.said.on_weekday(g.said.monthly(day_number(c)?)?, weekday(c)?)?))
    }),
    (section("date.weekday_of"), |g, c| weekday_of(g, c, false)),
    (section("date.weekday_last_of"), |g, c| weekday_of(g, c, true)),
    (section("date.week"), |g, c| Some(Item::Day(g.said.week(number(c, SHIFT)?, Weekday::Monday)?))),
    (section("date.weekend"), |g, c| {
        Some(Item::Day(g.said.week(number(c, SHIFT).unwrap_or(0), Weekday::Saturday)?))
    }),
    (section("date.month"), |g, c| Some(Item::Day(g.said.month(number(c, SHIFT).unwrap_or(0))?))),
    (section("date.year"), |g, c| Some(Item::Day(g.said.year(number(c, SHIFT)?)?))),
    (section("date.month_name"), |g, c| month_name(g, c)),
    (section("date.first_of"), |g, c| Some(Item::Day(Day::one(day(c).or_else(|| g.said.month(0))?.from?)))),
    (section("date.last_of"), |g, c| Some(Item::Day(Day::one(day(c).or_else(|| g.said.month(0))?.to?)))),
    (section("date.holiday"), |g, c| holiday(g, c)),
    (section("date.holiday_in"), |g, c| holiday_in(g, c)),
    (section("date.nth_after"), |_, c| behind(c)),
    (section("date.nth_before"), |_, c| ahead_of(c)),
    (section("date.closest"), |_, c| closest(c)),
    (section("date.after"), |g, c| from_day(g, c, false)),
    (section("date.before"), |g, c| from_day(g, c, true)),
    (section("at.in"), |g, c| from_now(g, c, false)),
    (section("at.ago"), |g, c| from_now(g, c, true)),
    (section("at.in_minutes"), |g, c| {
        let minutes = number(c, N).filter(|minutes| (1..60).contains(minutes))?;
        Some(Item::At(minute(Length::of_seconds(minutes * WHOLE, 60)?.from(g.said.now, false)?)))
    }),
    (section("at.now"), |g, _| Some(Item::At(minute(g.said.now)))),
    (section("at.present"), |g, _| Some(Item::At(minute(g.said.now)))),
    (section("at.exactly"), |g, c| Some(Item::At(minute(lengths(c).next()?.from(g.said.now, false)?)))),
    (section("at.end"), |_, c| Some(Item::At(day(c)?.single()?.at(23, 59, 59, 0)))),
];

fn number(caught: &Caught<Item>, section: SectionId) -> Option<i64> {
    caught.of(section).find_map(|item| if let Item::Number(n, _) = item { Some(n) } else { None })
}

/// The numbers of a shape in their order, with their digits.
fn numbers(caught: &Caught<Item>) -> impl Iterator<Item = (i64, u8)> + '_ {
    caught.all().filter_map(|item| if let Item::Number(n, digits) = item { Some((n, digits)) } else { None })
}

fn nth_number(caught: &Caught<Item>, at: usize) -> Option<i64> {
    numbers(caught).nth(at).map(|(n, _)| n)
}

fn day(caught: &Caught<Item>) -> Option<Day> {
    caught.all().find_map(|item| if let Item::Day(day) = item { Some(day) } else { None })
}

fn day_number(caught: &Caught<Item>) -> Option<i64> {
    number(caught, DAY_NUMBER).or_else(|| number(caught, N))
}

fn weekday(caught: &Caught<Item>) -> Option<Weekday> {
    Weekday::from_monday_one_offset(i8::try_from(number(caught, WEEKDAY)?).ok()?).ok()
}

/// The time of day that was caught; a number is an hour.
fn clock(caught: &Caught<Item>) -> Option<Clock> {
    let found = caught.all().find_map(|item| if let Item::Clock(clock) = item { Some(clock) } else { None });
    found.or_else(|| Clock::new(number(caught, N)?, 0, None))
}

fn clock_hour(caught: &Caught<Item>) -> Option<Item> {
    Some(Item::Clock(Clock::new(number(caught, N)?, 0, None)?))
}

/// A time as clocks of 24 hours show it.
fn clock_exact(c: &Caught<Item>) -> Option<Item> {
    let Item::Clock(clock) = clock_written(c)? else { return None };
    Some(Item::Clock(clock.of_24()))
}

/// Hours, minutes and maybe seconds, in this order. "07:30" is written as on a clock of 24 hours.
fn clock_written(caught: &Caught<Item>) -> Option<Item> {
    let mut all = numbers(caught);
    let ((hour, digits), (minute, _)) = (all.next()?, all.next()?);
    let clock = Clock::new(hour, minute, all.next().map(|(second, _)| second))?;
    Some(Item::Clock(if digits == 2 && hour < 10 { clock.known() } else { clock }))
}

/// "730", "1030".
fn clock_digits(caught: &Caught<Item>) -> Option<Item> {
    let (n, digits) = numbers(caught).next().filter(|(_, digits)| matches!(digits, 3 | 4))?;
    let clock = Clock::new(n / 100, n % 100, None)?;
    Some(Item::Clock(if digits == 4 && n < 1000 { clock.known() } else { clock }))
}

/// So many minutes past an hour, or to it.
fn moved(caught: &Caught<Item>, sign: i64) -> Option<Item> {
    let minutes =
        number(caught, FEW).or_else(|| number(caught, N)).filter(|minutes| (1..60).contains(minutes))?;
    let point =
        caught.of(POINT).find_map(|item| if let Item::Clock(clock) = item { Some(clock) } else { None });
    Some(Item::Clock(point?.moved(sign * minutes)?))
}

/// "halb sechs": so many minutes of the hour that ends at six.
fn toward(caught: &Caught<Item>) -> Option<Item> {
    let hour = Clock::new(number(caught, N)?, 0, None)?;
    Some(Item::Clock(hour.moved(number(caught, QUARTERS)? - 60)?))
}

fn length(caught: &Caught<Item>, more: i64) -> Option<Item> {
    let count = number(caught, COUNT)?.checked_add(more)?;
    let length = match number(caught, UNIT) {
        Some(unit) => Length::of_seconds(count, unit),
        None => Length::of_months(count, number(caught, MONTHS)?),
    };
    length.map(Item::Length)
}

fn lengths(caught: &Caught<Item>) -> impl Iterator<Item = Length> + '_ {
    caught.all().filter_map(|item| if let Item::Length(length) = item { Some(length) } else { None })
}

fn both(caught: &Caught<Item>) -> Option<Item> {
    // The minutes of "1h30" are a number.
    let minutes = number(caught, TWO).and_then(|minutes| Length::of_seconds(minutes * WHOLE, 60));
    let sum = lengths(caught).chain(minutes).map(Some).reduce(|sum, more| sum?.and(more?));
    sum?.map(Item::Length)
}

/// A date of three numbers; `order` says which of them are year, month and day.
fn date(grammar: &Grammar<'_>, caught: &Caught<Item>, order: [usize; 3]) -> Option<Item> {
    let [year, month, day] = order.map(|at| numbers(caught).nth(at));
    let (year, digits) = year.filter(|(_, digits)| *digits == 4 || order[0] > 0)?;
    Some(Item::Day(Day::one(grammar.said.date(year, digits, month?.0, day?.0)?)))
}

/// "20260303", the basic format of ISO 8601.
fn basic(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let (n, _) = numbers(caught).next().filter(|(_, digits)| *digits == 8)?;
    Some(Item::Day(Day::one(grammar.said.date(n / 10_000, 4, n / 100 % 100, n % 100)?)))
}

/// Both orders of day and month where both give a date; the language's own first.
fn slashed(grammar: &Grammar<'_>, caught: &Caught<Item>, month_first: bool) -> Option<Item> {
    let mut all = numbers(caught);
    let ((a, _), (b, _), (year, digits)) = (all.next()?, all.next()?, all.next()?);
    let (month, day) = if month_first { (a, b) } else { (b, a) };
    either(grammar.said.date(year, digits, month, day), grammar.said.date(year, digits, day, month))
}

fn either(own: Option<Date>, other: Option<Date>) -> Option<Item> {
    match (own, other) {
        (Some(own), other) => {
            Some(Item::Day(Day { or: other.filter(|other| *other != own), ..Day::one(own) }))
        }
        (None, other) => Some(Item::Day(Day::one(other?))),
    }
}

/// A date without a year: the next such day.
fn numeric(grammar: &Grammar<'_>, caught: &Caught<Item>, month_first: bool) -> Option<Item> {
    let (a, b) = (nth_number(caught, 0)?, nth_number(caught, 1)?);
    let (month, day) = if month_first { (a, b) } else { (b, a) };
    let [own, other] = [(month, day), (day, month)].map(|(month, day)| grammar.said.yearly(month, day));
    match (own, other) {
        (Some(own), other) => {
            let or = other.and_then(|other| other.from).filter(|or| Some(*or) != own.from);
            Some(Item::Day(Day { or, ..own }))
        }
        (None, other) => other.map(Item::Day),
    }
}

/// A day of a month that is called by its name, in a year or in the next one that fits.
fn named_date(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let (month, day) = (number(caught, MONTH)?, day_number(caught)?);
    let year = [YEAR, SHORT_YEAR].into_iter().find_map(|section| caught.of(section).next());
    match year {
        Some(Item::Number(year, digits)) => {
            Some(Item::Day(Day::one(grammar.said.date(year, digits, month, day)?)))
        }
        _ => grammar.day_of_year(month, day),
    }
}

/// "March 3 to 5".
fn days_of_month(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let month = number(caught, MONTH)?;
    let mut days = [DAY_NUMBER, N].into_iter().flat_map(|section| caught.of(section));
    let mut next = || if let Some(Item::Number(n, _)) = days.next() { Some(n) } else { None };
    let (first, last) = (next()?, next()?);
    let from = match caught.of(YEAR).next() {
        Some(Item::Number(year, digits)) => grammar.said.date(year, digits, month, first)?,
        _ => grammar.said.yearly(month, first)?.from?,
    };
    let to = grammar.said.date(from.year().into(), 4, month, last)?;
    Day::span(from, to).map(Item::Day)
}

/// "the 20th of next month".
fn nth_of(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let first = day(caught)?.from?;
    Some(Item::Day(Day::one(grammar.said.date(
        first.year().into(),
        4,
        first.month().into(),
        day_number(caught)?,
    )?)))
}

/// This, next or last Friday.
fn weekday_shifted(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let (weekday, shift) = (weekday(caught)?, number(caught, SHIFT)?);
    let date =
        if shift < 0 { grammar.said.weekday(weekday, shift) } else { grammar.said.in_week(shift, weekday) };
    Some(Item::Day(Day::one(date?)))
}

/// "Tuesday in a week": that day of the week in which it then is.
fn weekday_in(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let then = match day(caught) {
        Some(day) => day.single()?.to_datetime(grammar.said.now.time()),
        None => lengths(caught).next()?.from(grammar.said.now, false)?,
    };
    Some(Item::Day(Day::one(Said { now: then, ..grammar.said }.in_week(0, weekday(caught)?)?)))
}

/// "first Monday of October": of the month a period begins with.
fn weekday_of(grammar: &Grammar<'_>, caught: &Caught<Item>, last: bool) -> Option<Item> {
    let nth = if last { -1 } else { i8::try_from(number(caught, DAY_NUMBER)?).ok()? };
    let month = day(caught).or_else(|| grammar.said.month(0))?;
    Some(Item::Day(Day::one(month.from?.nth_weekday_of_month(nth, weekday(caught)?).ok()?)))
}

/// A whole month, of a year or the next one that is not over.
fn month_name(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let month = number(caught, MONTH)?;
    let year = match number(caught, YEAR) {
        Some(year) => year,
        None => {
            let today = grammar.said.today();
            let over = month < i64::from(today.month());
            let shift = number(caught, SHIFT).unwrap_or(i64::from(over)).max(i64::from(over) - 1);
            i64::from(today.year()) + shift - i64::from(grammar.said.past && month > i64::from(today.month()))
        }
    };
    Said::whole_month(grammar.said.date(year, 4, month, 1)?).map(Item::Day)
}

fn holiday_of(caught: &Caught<Item>) -> Option<Holiday> {
    caught.all().find_map(|item| if let Item::Holiday(holiday) = item { Some(holiday) } else { None })
}

fn holiday_on(caught: &Caught<Item>, year: i16) -> Option<Date> {
    holiday_of(caught)?.of(year)
}

fn holiday(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let said = grammar.said;
    let this = said.today().year();
    // "of last year": a year is also a stretch of days.
    let named = day(caught).and_then(|year| year.from).map(|first| i64::from(first.year()));
    let date = match (number(caught, YEAR).or(named), number(caught, SHIFT)) {
        (Some(year), _) => holiday_on(caught, i16::try_from(year).ok()?)?,
        (None, shift) => {
            let said = Said { past: said.past || shift.is_some_and(|shift| shift < 0), ..said };
            let day = |years| {
                holiday_on(caught, this + years).filter(|date| shift != Some(-1) || *date != said.today())
            };
            // One that is not every year may be far, or never come again.
            let listed =
                || holiday_of(caught)?.listed().iter().rev().copied().find(|date| *date <= said.today());
            said.nearest(4, day).or_else(listed)?
        }
    };
    Some(Item::Day(Day::one(date)))
}

/// "Thanksgiving in three years": the one next to that day.
fn holiday_in(grammar: &Grammar<'_>, caught: &Caught<Item>) -> Option<Item> {
    let then = lengths(caught).next()?.from(grammar.said.now, false)?;
    Some(Item::Day(Day::one(holiday_on(caught, then.year())?)))
}

/// A length after a day, or before it.
fn from_day(grammar: &Grammar<'_>, caught: &Caught<Item>, back: bool) -> Option<Item> {
    // "The day before" names no other length.
    let length = lengths(caught).next().or_else(|| Length::of_seconds(WHOLE, 86_400))?;
    let day = day(caught)?;
    let then = length.from(day.single()?.to_datetime(grammar.said.now.time()), back)?;
    Some(Item::Day(Day::one(then.date())))
}

/// A length from now, or ago: a day when it is counted in days, else a moment.
fn from_now(grammar: &Grammar<'_>, caught: &Caught<Item>, back: bool) -> Option<Item> {
    let length = lengths(caught).next()?;
    let then = length.from(grammar.said.now, back)?;
    Some(if length.of_days() {
        Item::Day(Day { hour: length.exact().then_some(then.hour()), ..Day::one(then.date()) })
    } else {
        Item::At(minute(then))
    })
}

/// The minute a moment is in: nobody says when to the second.
fn minute(moment: DateTime) -> DateTime {
    moment.with().second(0).subsec_nanosecond(0).build().unwrap_or(moment)
}

/// The zone that was caught.
fn zone(caught: &Caught<Item>) -> Option<Zone> {
    let rules = [(ZONE, Summer::Said), (ZONE_US, Summer::America), (ZONE_EU, Summer::Europe)];
    let mut said = rules.into_iter().filter_map(|(section, summer)| Some((number(caught, section)?, summer)));
    let (ahead, summer) = said.next()?;
    Some(Zone { ahead: i16::try_from(ahead).ok()?, summer })
}

/// The days to count in: those of a holiday or a day of the week, in their order around a day.
fn days_of(caught: &Caught<Item>, around: Date) -> Option<Vec<Date>> {
    if let Some(weekday) = weekday(caught) {
        let own = (around.weekday() == weekday).then_some(around);
        let others = (-MOST..=MOST).filter(|n| *n != 0).filter_map(|n| around.nth_weekday(n, weekday).ok());
        let mut days: Vec<Date> = others.chain(own).collect();
        days.sort_unstable();
        return Some(days);
    }
    let holiday = holiday_of(caught)?;
    let years = i16::try_from(MOST).ok()?;
    let yearly =
        || (-years..=years).filter_map(|more| holiday.of(around.year().checked_add(more)?)).collect();
    Some(if holiday.listed().is_empty() { yearly() } else { holiday.listed().to_vec() })
}

/// No holiday is counted further.
const MOST: i32 = 6;

/// The place in a row: the first one when none is given.
fn nth(caught: &Caught<Item>) -> usize {
    number(caught, DAY_NUMBER).and_then(|n| usize::try_from(n - 1).ok()).unwrap_or(0)
}

/// The day or days that something is counted from: a year when one was said.
fn anchor(caught: &Caught<Item>) -> Option<Day> {
    let year = |year: i64| {
        let year = i16::try_from(year).ok()?;
        Day::span(Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?)
    };
    day(caught).or_else(|| year(number(caught, YEAR)?))
}

/// "the 2nd Super Tuesday after 2014", "the Monday before Christmas".
fn behind(caught: &Caught<Item>) -> Option<Item> {
    let from = anchor(caught)?.to?;
    let day = days_of(caught, from)?.into_iter().filter(|day| *day > from).nth(nth(caught))?;
    Some(Item::Day(Day::one(day)))
}

fn ahead_of(caught: &Caught<Item>) -> Option<Item> {
    let from = anchor(caught)?.from?;
    let day = days_of(caught, from)?.into_iter().rev().filter(|day| *day < from).nth(nth(caught))?;
    Some(Item::Day(Day::one(day)))
}

/// "the second closest Easter to today".
fn closest(caught: &Caught<Item>) -> Option<Item> {
    let to = anchor(caught)?.single()?;
    let mut days = days_of(caught, to)?;
    days.sort_by_key(|day| to.duration_until(*day).abs());
    Some(Item::Day(Day::one(*days.get(nth(caught))?)))
}
