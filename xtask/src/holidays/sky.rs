//! The longitudes of the sun and the moon, in whole numbers, so that every machine finds the same day.
//!
//! The series are those of J. Meeus, Astronomical Algorithms, chapters 25 and 47, down to a hundredth of a degree; the sine is
//! Bhaskara's. From 1800 to 2200 the sun is right to two hundredths of a degree and the moon to a tenth: the moon's
//! phase to a quarter of an hour.

/// A whole turn, in ten-thousandths of a degree: the unit of every angle here.
pub(super) const TURN: i64 = 3_600_000;
/// A day, in minutes: the unit of every moment here. They are counted from noon of 2000-01-01 (UT).
pub(super) const DAY: i64 = 1_440;
const CENTURY: i64 = 36_525 * DAY;
/// From one new moon to the next, and from one spring to the next, in the mean.
pub(super) const LUNATION: i64 = 42_524;
const YEAR: i64 = 525_949;
/// A sine of one.
const ONE: i64 = 1_000_000;

/// The moon's largest inequalities: how much, and how often her elongation, the sun's anomaly, her own and her distance from
/// the node are in the argument.
const INEQUALITIES: [[i64; 5]; 16] = [
    [62_888, 0, 0, 1, 0],
    [12_740, 2, 0, -1, 0],
    [6_583, 2, 0, 0, 0],
    [2_136, 0, 0, 2, 0],
    [-1_851, 0, 1, 0, 0],
    [-1_143, 0, 0, 0, 2],
    [588, 2, 0, -2, 0],
    [571, 2, -1, -1, 0],
    [533, 2, 0, 1, 0],
    [458, 2, -1, 0, 0],
    [-409, 0, 1, -1, 0],
    [-347, 1, 0, 0, 0],
    [-304, 0, 1, 1, 0],
    [153, 2, 0, 0, -2],
    [-125, 0, 0, 1, 2],
    [110, 0, 0, 1, -2],
];

/// An angle that grows evenly: what it was at the beginning, and by how much it grows in a century.
fn even(start: i64, growth: i64, at: i64) -> i64 {
    start + growth * at / CENTURY
}

fn sun_anomaly(at: i64) -> i64 {
    even(3_575_291, 359_990_503, at)
}

/// The sine of an angle, after Bhaskara's fraction: off by less than two thousandths.
pub(super) fn sine(angle: i64) -> i64 {
    let (half, angle) = (TURN / 2, angle.rem_euclid(TURN));
    let within = angle % half;
    let product = within * (half - within) / 10_000;
    let sine = 4 * product * ONE / (405_000_000 - product);
    if angle < half { sine } else { -sine }
}

/// The sine of an angle, times `most`.
pub(super) fn part(most: i64, angle: i64) -> i64 {
    most * sine(angle) / ONE
}

/// The sun's longitude, from the equinox of the date.
pub(super) fn sun(at: i64) -> i64 {
    let anomaly = sun_anomaly(at);
    let mean = even(2_804_665, 360_007_698, at);
    (mean + part(19_146, anomaly) + part(200, 2 * anomaly) - 57).rem_euclid(TURN)
}

/// The moon's longitude.
pub(super) fn moon(at: i64) -> i64 {
    let arguments = [
        even(2_978_502, 4_452_671_114, at),
        sun_anomaly(at),
        even(1_349_634, 4_771_988_675, at),
        even(932_721, 4_832_020_175, at),
    ];
    let inequalities = INEQUALITIES.iter().map(|[most, times @ ..]| {
        let angle = times.iter().zip(arguments).map(|(times, argument)| times * argument).sum();
        part(*most, angle)
    });
    (even(2_183_164, 4_812_678_812, at) + inequalities.sum::<i64>()).rem_euclid(TURN)
}

/// The distance of the beginning of India's zodiac, after Lahiri, from the equinox.
pub(super) fn precession(at: i64) -> i64 {
    even(238_530, 13_970, at)
}

/// The moon's distance from the sun: 0 when she is new, half a turn when she is full.
pub(super) fn phase(at: i64) -> i64 {
    (moon(at) - sun(at)).rem_euclid(TURN)
}

/// The angle on the shorter side.
fn signed(angle: i64) -> i64 {
    (angle + TURN / 2).rem_euclid(TURN) - TURN / 2
}

/// The moment near another one at which an angle is zero that turns once in a period.
fn zero(near: i64, period: i64, angle: impl Fn(i64) -> i64) -> i64 {
    (0..4).fold(near, |at, _| at - signed(angle(at)) * period / TURN)
}

/// The new moon next to a moment.
pub(super) fn new_moon(near: i64) -> i64 {
    zero(near, LUNATION, phase)
}

/// The moment near another one at which the sun is at a longitude.
pub(super) fn sun_at(near: i64, longitude: impl Fn(i64) -> i64) -> i64 {
    zero(near, YEAR, |at| sun(at) - longitude(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minutes from noon of 2000-01-01 to a moment of that year.
    fn minutes(days: i64, hours: i64, minutes: i64) -> i64 {
        (days - 1) * DAY + (hours - 12) * 60 + minutes
    }

    #[test]
    fn events_of_2000() {
        let near = |found: i64, known: i64, most: i64| (found - known).abs() <= most;
        // New moon of January 6 at 18:14, full moon of July 16 at 13:55: both eclipsed the sun and the moon.
        assert!(near(new_moon(minutes(4, 0, 0)), minutes(6, 18, 14), 15));
        assert!(near(phase(minutes(198, 13, 55)), TURN / 2, 2_000));
        // The equinox of March 20 at 7:35, the solstice of June 21 at 1:48.
        assert!(near(sun_at(minutes(70, 0, 0), |_| 0), minutes(80, 7, 35), 30));
        assert!(near(sun_at(minutes(170, 0, 0), |_| TURN / 4), minutes(173, 1, 48), 30));
    }

    #[test]
    fn sines() {
        for (degrees, known) in
            [(0, 0), (30, 500_000), (90, ONE), (150, 500_000), (270, -ONE), (-30, -500_000)]
        {
            let found = sine(degrees * TURN / 360);
            assert!((found - known).abs() < 2_000, "{degrees}: {found}");
        }
    }
}
