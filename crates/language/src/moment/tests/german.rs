//! Days and times as German writes them, generated: a day with full stops, and a time of a clock of 24 hours.

use alloc::format;
use alloc::string::String;

use super::context;
use crate::Expected;

/// The value that is sooner meant.
fn read(expected: &Expected, text: &str) -> String {
    let read = super::read(expected, text, &context().speaking("de"));
    read.split(" or ").next().unwrap_or_default().into()
}

#[test]
fn a_day_and_a_time_are_read_however_they_are_written() {
    for (day, month) in [(3, 12), (28, 11), (9, 10), (14, 10), (1, 2), (19, 9), (26, 5)] {
        for (hour, minute) in [(6, 45), (8, 0), (10, 10), (14, 55), (18, 30), (23, 5)] {
            let expected = format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}");
            let days = [
                format!("{day}.{month}."),
                format!("am {day}.{month}."),
                format!("{day:02}.{month:02}."),
                format!("am {day}.{month}.2026"),
                format!("{day}.{month}.26"),
            ];
            let times = [
                format!(" {hour}:{minute:02}"),
                format!(", {hour}:{minute:02}"),
                format!(" um {hour}:{minute:02} Uhr"),
                format!(" {hour}.{minute:02} Uhr"),
                format!(" um {hour:02}:{minute:02}h"),
                format!(" gegen {hour} Uhr {minute:02}"),
            ];
            for (day, time) in days.iter().flat_map(|day| times.iter().map(move |time| (day, time))) {
                let text = format!("{day}{time}");
                assert_eq!(read(&Expected::DateTime, &text), expected, "{text}");
            }
        }
        for text in [format!("{day}.{month}."), format!("am {day}.{month}"), format!("zum {day}.{month}.")] {
            let expected = format!("2026-{month:02}-{day:02}");
            assert_eq!(read(&Expected::Date, &text), expected, "{text}");
        }
    }
}

#[test]
fn a_part_of_the_day_still_decides_which_half() {
    for (text, time) in [
        ("um 6:45 Uhr", "06:45"),
        ("6:45", "06:45"),
        ("abends um 6:45 Uhr", "18:45"),
        ("um 6:45 am Abend", "18:45"),
        ("nachmittags um 4:30", "16:30"),
        ("um 5", "17:00"),
    ] {
        assert_eq!(read(&Expected::Time, text), time, "{text}");
    }
}

#[test]
fn days_have_names_and_ordinals_every_ending() {
    for (text, day) in [
        ("fünfter Dezember", "2026-12-05"),
        ("der dreißigste Dezember", "2026-12-30"),
        ("am einundzwanzigsten Juni", "2026-06-21"),
        ("erster Advent", "2026-11-29"),
        ("am zweiten Advent", "2026-12-06"),
        ("vierter Advent 2027", "2027-12-19"),
        ("Buß- und Bettag", "2026-11-18"),
        ("Totensonntag", "2026-11-22"),
        ("Volkstrauertag 2027", "2027-11-14"),
        ("Muttertag im Jahr 2027", "2027-05-09"),
        ("Palmensonntag", "2026-03-29"),
    ] {
        assert_eq!(read(&Expected::Date, text), day, "{text}");
    }
}
