//! Times as Jira writes them.

/// Returns a time, in milliseconds since 1970, as Jira writes it: `2021-01-17T12:34:00.000+0000`.
pub(super) fn written(at: i64) -> String {
    let (days, left) = (at.div_euclid(86_400_000), at.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (seconds, millis) = (left / 1_000, left % 1_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}+0000")
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

/// Returns true for a date of the form `YYYY-MM-DD` that is in the calendar.
pub(super) fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let digits =
        |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    if !(digits(year, 4) && digits(month, 2) && digits(day, 2)) {
        return false;
    }
    let number = |part: &str| part.parse::<u32>().unwrap_or_default();
    let (year, month, day) = (number(year), number(month), number(day));
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_times_and_knows_dates() {
        assert_eq!(written(0), "1970-01-01T00:00:00.000+0000");
        assert_eq!(written(1_610_886_840_000), "2021-01-17T12:34:00.000+0000");
        assert_eq!(written(1_709_208_000_007), "2024-02-29T12:00:00.007+0000");
        for (text, valid) in [
            ("2026-02-28", true),
            ("2026-02-29", false),
            ("2024-02-29", true),
            ("26-02-01", false),
            ("2026-13-01", false),
        ] {
            assert_eq!(is_date(text), valid, "{text}");
        }
    }
}
