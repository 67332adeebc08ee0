//! The days of India's holidays, which follow both the sun and the moon, or the sun among the stars.
//!
//! A month begins with a new moon and is called by the sign the sun is in; of two in one sign the first is a leap month
//! without holidays. Its thirtieths are counted, and a holiday is on the day on which its own is current at an hour that
//! its rite asks for, so that an almanac of another place may give the day next to it.

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::sky::{DAY, LUNATION, TURN, moon, new_moon, part, phase, precession, sun, sun_at};

/// Noon of this day (UT) is the moment nothing.
const EPOCH: Date = Date::constant(2000, 1, 1);
const SIGN: i64 = TURN / 12;
/// The offset of India's clocks from UT, in minutes.
const INDIA: i64 = 330;

/// A day, counted from 2000-01-01.
type Number = i64;

fn date(day: Number) -> Option<Date> {
    EPOCH.checked_add(day.try_into().map(|day: i32| day.days()).ok()?).ok()
}

/// The moment of a local minute of a day.
fn moment(day: Number, minute: i64, ahead: i64) -> i64 {
    day * DAY + minute - DAY / 2 - ahead
}

/// The local day of a moment.
fn day(at: i64, ahead: i64) -> Number {
    (at + DAY / 2 + ahead).div_euclid(DAY)
}

/// About when the sun enters a sign of the tropical zodiac in a year.
fn about(year: i16, sign: i64) -> i64 {
    let spring = (i64::from(year) - 2000) * 525_949 + 79 * DAY;
    spring + (if sign < 9 { sign } else { sign - 12 }) * 43_829
}

/// The one of these days that is in the year.
fn in_year(year: i16, of: impl Fn(i16) -> Option<Date>) -> Option<Date> {
    let mut found = [year - 1, year, year + 1].into_iter().filter_map(of);
    found.find(|date| date.year() == year)
}

/// The new moon that a month begins with, by the sign the sun is in; `longitude` is the sun's.
fn month(entered: i64, sign: i64, longitude: impl Fn(i64) -> i64) -> i64 {
    let begins = |near: i64| Some(new_moon(near)).filter(|at| longitude(*at).rem_euclid(TURN) / SIGN == sign);
    let middle = entered + 15 * DAY;
    // The last of them: a leap month comes before its own. A sign that sees none shares the one before.
    let near = [middle + LUNATION / 2, middle, middle - LUNATION / 2];
    near.into_iter().find_map(begins).unwrap_or_else(|| new_moon(entered - LUNATION / 2))
}

/// The shift of a holiday in days, written as the last digit of a number: 1 on, 9 back.
fn behind(digit: i64) -> i64 {
    if digit > 5 { digit - 10 } else { digit }
}

/// A thirtieth of a month at an hour: `7_30_18_0` is the last of the seventh month, in the evening, that very day.
pub(super) fn by_month(year: i16, written: i64) -> Option<Date> {
    let [own, thirtieth, hour] = [written / 100_000, written / 1000 % 100, written / 10 % 100];
    let sign = (own + 10) % 12;
    in_year(year, |year| {
        let stars = |at: i64| sun(at) - precession(at);
        let entered = sun_at(about(year, sign) + 24 * DAY, |at| sign * SIGN + precession(at));
        let new = month(entered, sign, stars);
        let first = day(new + thirtieth * LUNATION / 30, INDIA) - 2;
        // One that begins and ends between two such hours is kept on the day it ends.
        let reached = |day: &Number| {
            let now = phase(hour_of(*day, hour)) * 30 / TURN + 1;
            (now - thirtieth + 15).rem_euclid(30) >= 15
        };
        date((first..first + 5).find(reached)? + behind(written % 10))
    })
}

/// The moment of an hour of a day in the middle of India. Hours near sunrise and sunset move with them.
fn hour_of(day: Number, hour: i64) -> i64 {
    let longer = part(54, sun(moment(day, DAY / 2, INDIA)));
    let moved = match hour {
        ..=7 => -longer,
        17..=20 => longer,
        _ => 0,
    };
    moment(day, hour * 60 + 20 + moved, INDIA)
}

/// Days from the sun's entry into a sign of the stars: `10_18_00` is the day of the tenth sign, the next one when it is
/// entered after sunset; days above 50 count back from a hundred.
pub(super) fn by_sign(year: i16, written: i64) -> Option<Date> {
    let [sign, hour, days] = [written / 10_000 - 1, written / 100 % 100, written % 100];
    in_year(year, |year| {
        let entered = sun_at(about(year, sign) + 24 * DAY, |at| sign * SIGN + precession(at));
        let on = day(entered, INDIA);
        let late = hour < 24 && entered > hour_of(on, hour);
        date(on + i64::from(late) + if days > 50 { days - 100 } else { days })
    })
}

/// The last day of a solar month of India on which the moon is in one of the 27 mansions at sunrise: `5_22`.
pub(super) fn by_star(year: i16, written: i64) -> Option<Date> {
    let [sign, mansion] = [written / 100 - 1, written % 100 - 1];
    in_year(year, |year| {
        let entered = sun_at(about(year, sign) + 24 * DAY, |at| sign * SIGN + precession(at));
        let first = day(entered, INDIA);
        let mansion_at = |day: Number| {
            let at = hour_of(day, 6);
            (moon(at) - precession(at)).rem_euclid(TURN) * 27 / TURN
        };
        let [before, own, behind] = [26, 0, 1].map(|more| (mansion + more) % 27);
        let within = |day: &Number| (sun(hour_of(*day, 6)) - precession(hour_of(*day, 6))) / SIGN == sign;
        // She may pass one between two sunrises.
        let is = |day: &Number| match mansion_at(*day) {
            now if now == before => mansion_at(*day + 1) == behind,
            now => now == own,
        };
        let last = (first..first + 32).rev().filter(within).find(is)?;
        date(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A holiday's day of each year, in the order of the years.
    fn kept(rule: fn(i16, i64) -> Option<Date>, written: i64, days: &str) {
        for day in days.split(' ') {
            let year = day[..4].parse().unwrap();
            let found = rule(year, written).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(day), "{written}");
        }
    }

    #[test]
    fn holidays_of_india() {
        let diwali = "2010-11-05 2012-11-13 2013-11-03 2016-10-30 2019-10-27 2020-11-14 2022-10-24 2023-11-12 2025-10-20";
        kept(by_month, 730_180, diwali);
        kept(
            by_month,
            1_215_181,
            "2017-03-13 2018-03-02 2019-03-21 2020-03-10 2021-03-29 2022-03-18 2025-03-14",
        );
        kept(
            by_month,
            101_060,
            "2013-04-11 2015-03-21 2018-03-18 2020-03-25 2021-04-13 2023-03-22 2025-03-30",
        );
        kept(
            by_month,
            604_120,
            "2015-09-17 2016-09-05 2018-09-13 2020-08-22 2021-09-10 2023-09-19 2024-09-07",
        );
        kept(
            by_month,
            1_129_240,
            "2015-02-17 2016-03-07 2019-03-04 2021-03-11 2022-03-01 2024-03-08 2025-02-26",
        );
        kept(by_sign, 101_800, "2018-01-14 2019-01-15 2020-01-15 2021-01-14 2022-01-14 2023-01-15");
        kept(by_star, 522, "2013-09-16 2014-09-07 2016-09-14 2019-09-11 2020-08-31 2023-08-29 2024-09-15");
    }
}
