//! Times as vendors write them.

/// Returns a time, in milliseconds since 1970, in whole seconds: `2021-01-17T12:34:00Z`.
pub(crate) fn written(at: i64) -> String {
    let (days, left) = (at.div_euclid(86_400_000), at.rem_euclid(86_400_000) / 1_000);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", left / 3_600, left / 60 % 60, left % 60)
}

/// Returns a time, in milliseconds since 1970, with these: `2021-01-17T12:34:00.007Z`.
pub(crate) fn written_with_millis(at: i64) -> String {
    let whole = written(at);
    format!("{}.{:03}Z", whole.trim_end_matches('Z'), at.rem_euclid(1_000))
}

/// Returns the date of a day, counted from 1970-01-01, in the proleptic Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Counted from 0000-03-01, so that a leap day ends its year.
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_times() {
        assert_eq!(written(0), "1970-01-01T00:00:00Z");
        assert_eq!(written(1_610_886_840_000), "2021-01-17T12:34:00Z");
        assert_eq!(written(1_709_208_000_007), "2024-02-29T12:00:00Z");
        assert_eq!(written_with_millis(1_709_208_000_007), "2024-02-29T12:00:00.007Z");
    }
}
