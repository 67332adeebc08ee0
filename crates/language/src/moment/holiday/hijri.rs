//! The Islamic calendar, after Umm al-Qura, the calendar of Saudi Arabia, from 1945 to 2077. Months that are sighted
//! elsewhere may differ by a day. Outside of these years the months of a cycle of thirty years are counted.

use jiff::civil::Date;

/// The first year of the table, and the number of the day before it: days of our calendar, its first day is 1.
const FIRST: i64 = 1365;
const BEFORE: i64 = 710_369;

/// For each year, which of its months have 30 days; the first month is the lowest bit. The others have 29. As the months are listed in
/// R. H. van Gent, The Umm al-Qura Calendar of Saudi Arabia.
const LONG: [u16; 136] = [
    0xd55, 0x555, 0x555, 0xd55, 0x6d5, 0x555, 0xea5, 0xd2a, 0xaaa, 0xcd5, 0x655, 0x572, 0xda9, 0x555, 0xaaa,
    0x555, 0x52d, 0xa6d, 0x55a, 0x555, 0x74d, 0xd53, 0xd54, 0x556, 0xd55, 0x2d5, 0xd55, 0xd54, 0xd45, 0x655,
    0x52d, 0xa5d, 0x55a, 0xad5, 0x6aa, 0xd4b, 0x52a, 0xa57, 0x4ae, 0x976, 0x56c, 0xb55, 0xaaa, 0xa55, 0x4ad,
    0x95d, 0x2da, 0x5d9, 0xdb2, 0xba4, 0xb4a, 0xa55, 0x2b5, 0x575, 0xb6a, 0xbd2, 0xbc4, 0xb89, 0xa95, 0x52d,
    0x5ad, 0xb6a, 0x6d4, 0xdc9, 0xd92, 0xaa6, 0x956, 0x2ae, 0x56d, 0x36a, 0xb55, 0xaaa, 0x94d, 0x49d, 0x95d,
    0x2ba, 0x5b5, 0x5aa, 0xd55, 0xa9a, 0x92e, 0x26e, 0x55d, 0xada, 0x6d4, 0x6a5, 0x54b, 0xa97, 0x54e, 0xaae,
    0x5ac, 0xba9, 0xd92, 0xb25, 0x64b, 0xcab, 0x55a, 0xb55, 0x6d2, 0xea5, 0xe4a, 0xa95, 0x52d, 0xaad, 0x36c,
    0x759, 0x6d2, 0x695, 0x52d, 0xa5b, 0x4ba, 0x9ba, 0x3b4, 0xb69, 0xb52, 0xaa6, 0x4b6, 0x96d, 0x2ec, 0x6d9,
    0xeb2, 0xd54, 0xd2a, 0xa56, 0x4ae, 0x96d, 0xd6a, 0xb54, 0xb29, 0xa93, 0x52b, 0xa57, 0x536, 0xab5, 0x6aa,
    0xe93,
];

/// A day of a month of a year, as the number of the day.
fn number(year: i64, month: i64, day: i64) -> i64 {
    let reckoned =
        || 227_014 + (year - 1) * 354 + (3 + 11 * year).div_euclid(30) + 29 * (month - 1) + month / 2 + day;
    let Ok(at) = usize::try_from(year - FIRST) else { return reckoned() };
    let Some(own) = LONG.get(at) else { return reckoned() };
    let long = |months: &u16| i64::from(months.count_ones());
    let years = 348 * (year - FIRST) + LONG[..at].iter().map(long).sum::<i64>();
    let months = 29 * (month - 1) + long(&(own & ((1 << (month - 1).clamp(0, 12)) - 1)));
    BEFORE + years + months + day
}

/// A day of a month, where it first is in a year.
pub(super) fn of(year: i16, month: i64, day: i64) -> Option<Date> {
    let about = (i64::from(year) - 622) * 33 / 32;
    let dates = (about - 1..=about + 2).filter_map(|own| super::day_number(number(own, month, day)));
    dates.into_iter().find(|date| date.year() == year)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn days_as_saudi_arabia_keeps_them() {
        for (year, month, day, date) in [
            (1945, 1, 1, "1945-12-05"),
            (1974, 12, 10, "1974-01-03"),
            (1980, 12, 10, "1980-10-19"),
            (1988, 10, 1, "1988-05-16"),
            (2018, 9, 27, "2018-06-11"),
            (2018, 10, 1, "2018-06-15"),
            (2024, 9, 1, "2024-03-11"),
            (2025, 12, 10, "2025-06-06"),
            (2046, 10, 1, "2046-08-03"),
            (2076, 10, 1, "2076-08-30"),
        ] {
            assert_eq!(of(year, month, day).map(|date| date.to_string()).as_deref(), Some(date));
        }
    }

    #[test]
    fn the_table_goes_on_as_it_is_reckoned() {
        for year in [FIRST, FIRST + 136] {
            let length = number(year, 1, 1) - number(year - 1, 1, 1);
            assert!((353..=356).contains(&length), "{year}: {length}");
        }
    }
}
